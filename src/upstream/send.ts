/**
 * The one place that calls `fetch` towards the upstream. It turns every way a call can end into an Observation and never throws.
 *
 * Redirects are never followed: `redirect: "follow"` would hand the subscription key and the SCAC to the other host.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS, TIMEOUT_MS_MIN } from '../kernel/limits.ts';
import { messageOf } from '../kernel/log.ts';
import { keptHeaders, type Observation, readCapped } from './answer.ts';
import type { ComposedCall } from './compose.ts';
import { HEADERS } from './contracts/endpoints.ts';

/** Longest description of a failed call that is kept. Ours. */
const DETAIL_CHARACTERS_MAX = 500;

/** Scaled like every wait, down to a floor. */
const timeoutMs = (durationMs: number, clock: Clock): number =>
  Math.min(durationMs, Math.max(TIMEOUT_MS_MIN, scaledMs(durationMs, clock)));

/** What must not be kept of a call, longest first: a token stands within its header's value. */
const secretsOf = ({ headers }: ComposedCall): string[] => {
  const authorization = headers[HEADERS.authorization];
  const values = [authorization, authorization?.replace(/^\S+ /, ''), headers[HEADERS.subscriptionKey]];
  return values.filter((value): value is string => Boolean(value)).sort((one, other) => other.length - one.length);
};

/** An upstream that echoes the request, or a runtime that quotes a header it refuses, must not bring a secret into the records. */
const masked = (text: string, call: ComposedCall): string =>
  secretsOf(call).reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);

/** @returns what was observed; `latencyMs` runs to the headers. Timeouts start here, when the call gets its slot. */
export async function send(call: ComposedCall, clock: Clock): Promise<Observation> {
  const startedMs = clock.nowMs();
  const headersTimeout = new AbortController();
  const timer = setTimeout(() => headersTimeout.abort(), timeoutMs(HEADERS_TIMEOUT_MS, clock));
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
    return {
      outcome: 'no_answer',
      code: 'network',
      detail: masked(messageOf(thrown), call).slice(0, DETAIL_CHARACTERS_MAX),
      latencyMs,
    };
  } finally {
    clearTimeout(timer);
  }
  const latencyMs = clock.nowMs() - startedMs;
  const bodyTimeout = new AbortController();
  // A timer that is left running would keep the object awake long after the answer.
  const bodyTimer = setTimeout(() => bodyTimeout.abort(), timeoutMs(BODY_TIMEOUT_MS, clock));
  const body = await readCapped(response.body, bodyTimeout.signal).finally(() => clearTimeout(bodyTimer));
  return {
    outcome: 'answered',
    status: response.status,
    headers: keptHeaders(response.headers),
    body: masked(body.text, call),
    bodyEncoding: body.encoding,
    bodyEnd: body.end,
    latencyMs,
  };
}
