/**
 * The only file that calls a webhook target. Every way a call can end becomes an outcome; never throws. Redirects are
 * never followed: their host was not agreed.
 */
import type { Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { headOf } from '../kernel/text.ts';
import { signatureOf } from './key.ts';
import { WEBHOOK_ANSWER_BYTES_MAX, WEBHOOK_ANSWER_CHARACTERS_MAX } from './limits.ts';
import { type Attempted, attemptTimeoutMs } from './schedule.ts';

/** @property keys to sign with, newest first. */
interface WebhookCall {
  url: string;
  eventId: string;
  body: string;
  keys: readonly Secret[];
}

export async function sendWebhook({ url, eventId, body, keys }: WebhookCall, clock: Clock): Promise<Attempted> {
  const timeout = new AbortController();
  const timeoutMs = attemptTimeoutMs(clock);
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const atSeconds = Math.floor(clock.nowMs() / 1_000);
    const signatures = await Promise.all(keys.map((key) => signatureOf(key, { id: eventId, atSeconds, body })));
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Transload-Webhooks/1',
        'webhook-id': eventId,
        'webhook-timestamp': String(atSeconds),
        'webhook-signature': signatures.join(' '),
      },
      body,
      redirect: 'manual',
      signal: timeout.signal,
    });
    const isRedirect = response.status >= 300 && response.status <= 399;
    const detail = isRedirect ? 'a redirect, which is not followed' : await answerHead(response.body, timeout.signal);
    if (isRedirect) response.body?.cancel().catch(() => undefined);
    return { outcome: 'answered', status: response.status, detail };
  } catch (thrown) {
    if (timeout.signal.aborted) {
      return { outcome: 'no_answer', code: 'timeout', detail: `no answer within ${timeoutMs} ms` };
    }
    const detail = headOf(messageOf(thrown), WEBHOOK_ANSWER_CHARACTERS_MAX);
    return { outcome: 'no_answer', code: 'network', detail };
  } finally {
    clearTimeout(timer); // a running timer would keep the object awake
  }
}

/** The status is all that matters: a body that breaks off, is slow or never ends changes nothing. */
async function answerHead(body: ReadableStream<Uint8Array> | null, timeout: AbortSignal): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const expired = new Promise<null>((resolve) => {
    if (timeout.aborted) resolve(null);
    timeout.addEventListener('abort', () => resolve(null), { once: true });
  });
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let room = WEBHOOK_ANSWER_BYTES_MAX; room > 0; ) {
      const read = await Promise.race([expired, reader.read()]);
      if (read === null || read.done) break;
      text += decoder.decode(read.value.subarray(0, room), { stream: true });
      room -= read.value.byteLength;
    }
  } catch {
    // what arrived is used
  }
  reader.cancel().catch(() => undefined);
  return headOf(text, WEBHOOK_ANSWER_CHARACTERS_MAX);
}
