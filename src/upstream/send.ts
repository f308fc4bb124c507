/**
 * The one place that calls `fetch` towards the upstream. It turns every way a call can end into an Observation and never throws.
 *
 * Redirects are never followed: `redirect: "follow"` would hand the subscription key and the SCAC to the other host.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS } from '../kernel/limits.ts';
import { messageOf } from '../kernel/log.ts';
import { keptHeaders, type Observation, readCapped } from './answer.ts';
import type { ComposedCall } from './compose.ts';

/** @returns what was observed; `latencyMs` runs to the headers. Timeouts start here, when the call gets its slot. */
export async function send(call: ComposedCall, clock: Clock): Promise<Observation> {
  const startedMs = clock.nowMs();
  const headersTimeout = new AbortController();
  // Scaled like every wait, but never below a second: a busy machine is not an upstream that hangs.
  const timer = setTimeout(() => headersTimeout.abort(), Math.max(1_000, scaledMs(HEADERS_TIMEOUT_MS, clock)));
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
    const latencyMs = clock.nowMs() - startedMs;
    if (headersTimeout.signal.aborted) {
      return { outcome: 'no_answer', code: 'timeout', detail: `no headers within ${HEADERS_TIMEOUT_MS} ms`, latencyMs };
    }
    return { outcome: 'no_answer', code: 'network', detail: messageOf(thrown).slice(0, 500), latencyMs };
  } finally {
    clearTimeout(timer);
  }
  const latencyMs = clock.nowMs() - startedMs;
  const bodyTimeout = AbortSignal.timeout(Math.max(1_000, scaledMs(BODY_TIMEOUT_MS, clock)));
  const body = await readCapped(response.body, bodyTimeout);
  return {
    outcome: 'answered',
    status: response.status,
    headers: keptHeaders(response.headers),
    body: body.text,
    bodyEnd: body.end,
    latencyMs,
  };
}
