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
 * Ends calls that wait too long, first for their headers, then for the end of their body: one call after another, with one
 * timer for all of them, because to make and to stop one costs as much as to compose a call.
 *
 * It runs in steps, each armed when the one before has passed: a stall of this process, however long, counts as one step,
 * because it could not have seen an answer either.
 */
export class CallTimer implements BodyTimeout {
  #aborted = new AbortController();
  #isUnderWay = false;
  onOver: (() => void) | null = null;
  #leftMs = 0;
  #stepMs = 0;
  #armedMs = 0;
  /** When what it ends now began, if in the midst of a step. */
  #restartedMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** A call begins. @returns what ends it. */
  begin(durationMs: number): AbortSignal {
    this.#aborted = new AbortController();
    this.#isUnderWay = true;
    this.restart(durationMs);
    return this.#aborted.signal;
  }

  /** The call was ended by it. */
  get isOver(): boolean {
    return this.#aborted.signal.aborted;
  }

  /** From now on it ends something else of the same call. */
  restart(durationMs: number): void {
    this.#leftMs = durationMs;
    this.#stepMs = durationMs / TIMEOUT_STEPS;
    if (this.#timer === null) this.#arm();
    else this.#restartedMs = Date.now();
  }

  /** The call has ended. The timer runs on, for the next one. */
  end(): void {
    this.#isUnderWay = false;
  }

  /** No call comes soon: a running timer would keep the object awake. One that has begun meanwhile keeps it. */
  stop(): void {
    if (this.#isUnderWay || this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    this.#armedMs = Math.min(this.#stepMs, this.#leftMs);
    this.#restartedMs = null;
    this.#timer = setTimeout(() => this.#step(), this.#armedMs);
  }

  #step(): void {
    this.#timer = null;
    if (!this.#isUnderWay) return;
    const ownMs = this.#restartedMs === null ? this.#armedMs : Math.max(0, Date.now() - this.#restartedMs);
    this.#leftMs -= Math.min(this.#armedMs, ownMs);
    if (this.#leftMs > 0) this.#arm();
    else {
      this.#aborted.abort();
      this.onOver?.();
    }
  }
}

/** @property timer of a caller that makes many calls, one after another, and stops it; absent: one of its own. */
interface SendOptions {
  timer?: CallTimer | undefined;
  answerBytesMax?: number | undefined;
}

/** @returns what was observed; `latencyMs` runs to the headers. Timeouts start here, when the call gets its slot. */
export async function send(
  call: ComposedCall,
  clock: Clock,
  { timer: kept, answerBytesMax }: SendOptions = {},
): Promise<Observation> {
  const startedMs = clock.nowMs();
  const elapsedMs = (): number => Math.max(0, clock.nowMs() - startedMs); // the clock may have been set back
  const headersMs = timeoutMs(HEADERS_TIMEOUT_MS, clock);
  const timer = kept ?? new CallTimer();
  const signal = timer.begin(headersMs);
  const ended = (): void => {
    timer.end();
    if (kept === undefined) timer.stop();
  };
  let response: Response;
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: call.headers,
      redirect: 'manual',
      signal,
      ...(call.body === undefined ? {} : { body: call.body }),
    });
  } catch (thrown) {
    ended();
    const latencyMs = elapsedMs();
    return timer.isOver
      ? { outcome: 'no_answer', code: 'timeout', detail: `no headers within ${headersMs} ms`, latencyMs }
      : { outcome: 'no_answer', code: 'network', detail: messageOf(thrown), latencyMs };
  }
  const latencyMs = elapsedMs();
  timer.restart(timeoutMs(BODY_TIMEOUT_MS, clock));
  const { body: stream, headers } = response;
  const body = await readCapped(stream, timer, { bytesMax: answerBytesMax, bytes: bodyBytes(headers) });
  ended();
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
