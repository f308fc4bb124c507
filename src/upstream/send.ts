/**
 * The only caller of `fetch` towards the upstream. It turns every way a call can end into an Observation and never
 * throws. The result may contain a secret that the other side sent back: callers mask it before storing it.
 *
 * Redirects are never followed: `redirect: "follow"` would give the subscription key and the SCAC to the other host.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS, TIMEOUT_MS_MIN } from '../kernel/limits.ts';
import { messageOf } from '../kernel/log.ts';
import { type BodyTimeout, bodyBytes, type Observation, readCapped, storedHeaders } from './answer.ts';
import type { ComposedCall } from './compose.ts';
import { TIMEOUT_STEPS } from './limits.ts';

/** Scaled like every wait, down to a floor. */
const timeoutMs = (durationMs: number, clock: Clock): number =>
  Math.min(durationMs, Math.max(TIMEOUT_MS_MIN, scaledMs(durationMs, clock)));

/**
 * Ends a call that waits too long, first for its headers, then for the end of its body. One timer for both: to make and
 * to stop one costs as much as to compose the call.
 *
 * It runs in steps, each armed when the one before has passed: a stall of this process, however long, counts as one step,
 * because it could not have seen an answer either.
 */
class CallTimeout implements BodyTimeout {
  readonly #aborted = new AbortController();
  readonly signal = this.#aborted.signal;
  onOver: (() => void) | null = null;
  #leftMs = 0;
  #stepMs = 0;
  #armedMs = 0;
  /** When it began to end something else, if in the midst of a step. */
  #restartedMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(durationMs: number) {
    this.#begin(durationMs);
    this.#arm();
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** The same timer from now on ends something else. */
  restart(durationMs: number): void {
    this.#begin(durationMs);
    this.#restartedMs = Date.now();
  }

  /** A running timer would keep the object awake long after the answer. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(durationMs: number): void {
    this.#leftMs = durationMs;
    this.#stepMs = durationMs / TIMEOUT_STEPS;
  }

  #arm(): void {
    this.#armedMs = Math.min(this.#stepMs, this.#leftMs);
    this.#restartedMs = null;
    this.#timer = setTimeout(() => this.#step(), this.#armedMs);
  }

  #step(): void {
    const ownMs = this.#restartedMs === null ? this.#armedMs : Math.max(0, Date.now() - this.#restartedMs);
    this.#leftMs -= Math.min(this.#armedMs, ownMs);
    if (this.#leftMs > 0) this.#arm();
    else {
      this.#aborted.abort();
      this.onOver?.();
    }
  }
}

/** @returns what was observed; `latencyMs` runs to the headers. Timeouts start here, when the call gets its slot. */
export async function send(call: ComposedCall, clock: Clock, answerBytesMax?: number): Promise<Observation> {
  const startedMs = clock.nowMs();
  const elapsedMs = (): number => Math.max(0, clock.nowMs() - startedMs); // the clock may have been set back
  const headersMs = timeoutMs(HEADERS_TIMEOUT_MS, clock);
  const timeout = new CallTimeout(headersMs);
  let response: Response;
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: call.headers,
      redirect: 'manual',
      signal: timeout.signal,
      ...(call.body === undefined ? {} : { body: call.body }),
    });
  } catch (thrown) {
    timeout.stop();
    const latencyMs = elapsedMs();
    return timeout.isOver
      ? { outcome: 'no_answer', code: 'timeout', detail: `no headers within ${headersMs} ms`, latencyMs }
      : { outcome: 'no_answer', code: 'network', detail: messageOf(thrown), latencyMs };
  }
  const latencyMs = elapsedMs();
  timeout.restart(timeoutMs(BODY_TIMEOUT_MS, clock));
  const { body: stream, headers } = response;
  const body = await readCapped(stream, timeout, { bytesMax: answerBytesMax, bytes: bodyBytes(headers) });
  timeout.stop();
  return {
    outcome: 'answered',
    status: response.status,
    headers: storedHeaders(headers),
    body: body.text,
    bodyEncoding: body.encoding,
    bodyEnd: body.end,
    latencyMs,
  };
}
