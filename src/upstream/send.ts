/**
 * The only caller of `fetch` towards the upstream. It turns every way a call can end into an Observation and never
 * throws. The result may contain a secret that the other side sent back: callers mask it before storing it.
 *
 * Redirects are never followed: `redirect: "follow"` would give the subscription key and the SCAC to the other host.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS, TIMEOUT_MS_MIN } from '../kernel/limits.ts';
import { messageOf } from '../kernel/log.ts';
import { type Observation, readCapped, storedHeaders } from './answer.ts';
import type { ComposedCall } from './compose.ts';
import { TIMEOUT_STEPS } from './limits.ts';

/** Scaled like every wait, down to a floor. */
const timeoutMs = (durationMs: number, clock: Clock): number =>
  Math.min(durationMs, Math.max(TIMEOUT_MS_MIN, scaledMs(durationMs, clock)));

/**
 * In steps, each armed when the one before has passed: a stall of this process, however long, counts as one step,
 * because it could not have seen an answer either. @returns a function that stops it.
 */
function abortAfter(timeout: AbortController, durationMs: number): () => void {
  let stepsLeft = TIMEOUT_STEPS;
  let timer: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    timer = setTimeout(() => {
      stepsLeft -= 1;
      if (stepsLeft > 0) arm();
      else timeout.abort();
    }, durationMs / TIMEOUT_STEPS);
  };
  arm();
  return () => clearTimeout(timer);
}

/** @returns what was observed; `latencyMs` runs to the headers. Timeouts start here, when the call gets its slot. */
export async function send(call: ComposedCall, clock: Clock, answerBytesMax?: number): Promise<Observation> {
  const startedMs = clock.nowMs();
  const elapsedMs = (): number => Math.max(0, clock.nowMs() - startedMs); // the clock may have been set back
  const headersTimeout = new AbortController();
  const headersMs = timeoutMs(HEADERS_TIMEOUT_MS, clock);
  const stopTimer = abortAfter(headersTimeout, headersMs);
  let response: Response;
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: call.headers,
      redirect: 'manual',
      signal: headersTimeout.signal,
      ...(call.body === undefined ? {} : { body: call.body }),
    });
  } catch (thrown) {
    const latencyMs = elapsedMs();
    if (headersTimeout.signal.aborted) {
      return { outcome: 'no_answer', code: 'timeout', detail: `no headers within ${headersMs} ms`, latencyMs };
    }
    return {
      outcome: 'no_answer',
      code: 'network',
      detail: messageOf(thrown),
      latencyMs,
    };
  } finally {
    stopTimer();
  }
  const latencyMs = elapsedMs();
  const bodyTimeout = new AbortController();
  // A running timer would keep the object awake long after the answer.
  const stopBodyTimer = abortAfter(bodyTimeout, timeoutMs(BODY_TIMEOUT_MS, clock));
  const body = await readCapped(response.body, bodyTimeout.signal, answerBytesMax).finally(stopBodyTimer);
  return {
    outcome: 'answered',
    status: response.status,
    headers: storedHeaders(response.headers),
    body: body.text,
    bodyEncoding: body.encoding,
    bodyEnd: body.end,
    latencyMs,
  };
}
