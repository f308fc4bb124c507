/**
 * What came back from one call, as a value: an answer, or the reason there is none.
 *
 * Answers are hostile until read: the body is capped, headers pass an allow-list, a redirect is recorded and not followed.
 */
import { ANSWER_BYTES_MAX } from '../kernel/limits.ts';

export interface Answer {
  outcome: 'answered';
  status: number;
  headers: Record<string, string>;
  /** The first ANSWER_BYTES_MAX bytes as text. */
  body: string;
  /** `whole`: read to its end. `capped`: longer than we keep. `cut`: the connection broke or the body came too slowly. */
  bodyEnd: 'whole' | 'capped' | 'cut';
  latencyMs: number;
}

/** A thrown fetch or a timeout: neither proves that the request was not applied. */
export interface NoAnswer {
  outcome: 'no_answer';
  code: 'network' | 'timeout';
  detail: string;
  latencyMs: number;
}

/** Nothing left this process, so nothing can have been applied. */
export interface NotSent {
  outcome: 'not_sent';
  code: 'no_token' | 'not_composed';
  detail: string;
}

export type Observation = Answer | NoAnswer | NotSent;

/** Headers worth keeping for troubleshooting; none of them carries a secret. `Location` is kept as its host only. */
const KEPT_HEADERS = ['content-type', 'content-length', 'date', 'retry-after', 'x-request-id', 'x-correlation-id'];

export function keptHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value.slice(0, 200);
  }
  const location = headers.get('location');
  if (location !== null) kept['location-host'] = hostOf(location);
  return kept;
}

function hostOf(location: string): string {
  try {
    return new URL(location).host;
  } catch {
    return '(relative)';
  }
}

/** Reads at most ANSWER_BYTES_MAX bytes; the rest is cancelled, a break or a timeout ends it as `cut`. Never throws. */
export async function readCapped(
  body: ReadableStream<Uint8Array> | null,
  timeout: AbortSignal,
): Promise<{ text: string; end: Answer['bodyEnd'] }> {
  if (!body) return { text: '', end: 'whole' };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let read = 0;
  const expired = new Promise<never>((_, reject) => {
    timeout.addEventListener('abort', () => reject(new Error('timeout')), { once: true });
  });
  expired.catch(() => undefined); // the body may end first
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), expired]);
      if (done) return { text: text + decoder.decode(), end: 'whole' };
      const room = ANSWER_BYTES_MAX - read;
      text += decoder.decode(value.subarray(0, room), { stream: true });
      read += value.byteLength;
      if (read > ANSWER_BYTES_MAX) {
        reader.cancel().catch(() => undefined);
        return { text: text + decoder.decode(), end: 'capped' };
      }
    }
  } catch {
    reader.cancel().catch(() => undefined);
    return { text: text + decoder.decode(), end: 'cut' };
  }
}
