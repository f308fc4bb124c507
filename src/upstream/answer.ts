/**
 * The result of one call: an answer, or why there is none.
 *
 * Answers are untrusted: the body is capped, headers pass an allow-list, a redirect is recorded and never followed.
 */
import { ANSWER_BYTES_MAX } from '../kernel/limits.ts';

export interface Answer {
  outcome: 'answered';
  status: number;
  headers: Record<string, string>;
  /**
   * The first ANSWER_BYTES_MAX bytes (or as many as the caller wants): as UTF-8 text if they are valid UTF-8, else one
   * character per byte.
   */
  body: string;
  bodyEncoding: 'utf-8' | 'latin1';
  /** `whole`: read to its end. `capped`: longer than we keep. `cut`: the connection broke or the body came too slowly. */
  bodyEnd: 'whole' | 'capped' | 'cut';
  latencyMs: number;
  /** Of a 401: why no new token could be had. The one that was refused may be old: that says nothing of the credentials. */
  notRenewed?: string;
}

/** A thrown fetch or a timeout: neither proves that the request was not applied. */
interface NoAnswer {
  outcome: 'no_answer';
  code: 'network' | 'timeout';
  detail: string;
  latencyMs: number;
}

/** Nothing left this process, so nothing can have been applied. */
interface NotSent {
  outcome: 'not_sent';
  code: 'no_token' | 'not_composed' | 'withdrawn';
  detail: string;
}

export type Observation = Answer | NoAnswer | NotSent;

/** Headers stored for troubleshooting; none carries a secret. Of `Location` only the host is stored. */
const STORED_HEADERS = ['content-type', 'content-length', 'date', 'retry-after', 'x-request-id', 'x-correlation-id'];

export function storedHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
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

export interface CappedBody {
  text: string;
  encoding: Answer['bodyEncoding'];
  end: Answer['bodyEnd'];
}

/** What ends the reading of a body. */
export interface BodyTimeout {
  isOver: boolean;
  /** Called when it is. */
  onOver: (() => void) | null;
}

/** @returns how many bytes the body has, as its headers say; undefined: only its end tells. */
export function bodyBytes(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : Number(length); // a packed body is longer
}

/** @property bytes of the whole body, where they are known: to ask for its end would be one more wait. */
interface Capped {
  bytesMax?: number | undefined;
  bytes?: number | undefined;
}

/**
 * Reads at most `bytesMax` bytes and cancels the rest; a broken connection or a timeout ends it as `cut`. Never throws.
 */
export async function readCapped(
  body: ReadableStream<Uint8Array> | null,
  timeout: BodyTimeout,
  { bytesMax = ANSWER_BYTES_MAX, bytes }: Capped = {},
): Promise<CappedBody> {
  if (!body) return { text: '', encoding: 'utf-8', end: 'whole' };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  timeout.onOver = cancel;
  if (timeout.isOver) cancel();
  const ended = (end: Answer['bodyEnd']): CappedBody => {
    timeout.onOver = null;
    if (end !== 'whole') cancel();
    return { ...exactText(chunks, end !== 'whole'), end };
  };
  try {
    for (let room = bytesMax, read = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return ended(timeout.isOver ? 'cut' : 'whole');
      chunks.push(value.byteLength > room ? value.subarray(0, room) : value);
      room -= value.byteLength;
      read += value.byteLength;
      if (room < 0) return ended('capped');
      if (read === bytes) return ended('whole');
    }
  } catch {
    return ended('cut');
  }
}

const EXACT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A character cut in two by a cap or a break does not make a text binary: its bytes are left out. */
function exactText(chunks: readonly Uint8Array[], isCut: boolean): Pick<CappedBody, 'text' | 'encoding'> {
  const [only = new Uint8Array()] = chunks;
  const bytes = chunks.length > 1 ? joined(chunks) : only;
  const whole = isCut ? bytes.subarray(0, bytes.byteLength - cutCharacterBytes(bytes)) : bytes;
  try {
    return { text: EXACT.decode(whole), encoding: 'utf-8' };
  } catch {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return { text, encoding: 'latin1' };
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** @returns how many bytes at the end begin an incomplete UTF-8 character; 0 to 3. */
function cutCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.byteLength); back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue; // continuation byte
    const wanted =
      byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
}
