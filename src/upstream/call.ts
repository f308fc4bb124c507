/**
 * One call with its channel's credentials. A 401 to a bearer call renews the token and sends once more.
 *
 * The caller is notified before and after each sending, so that it can commit its intent first. A call begins when it
 * gets a slot: one that waits for a slot has not begun.
 */
import { type Clock, pause } from '../kernel/clock.ts';
import { type Failpoint, failpoint } from '../kernel/failpoint.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS } from '../kernel/limits.ts';
import { gateName } from '../kernel/names.ts';
import type { Observation } from './answer.ts';
import type { Channel } from './channels.ts';
import { type CallParameters, composeCall, maskObservation, needsBearer } from './compose.ts';
import type { Endpoint } from './contracts/endpoints.ts';
import { refusesCredentials } from './gate/mint.ts';
import { CALLS_IN_FLIGHT_MAX, SLOT_LOOK_MS, SLOT_LOOK_MS_MAX } from './limits.ts';
import { type CallTimer, send } from './send.ts';
import type { TokenSource } from './tokens.ts';

/*
 * How many calls of a channel this process has on the wire at once. Callers without a slot wait in line; nothing is
 * stored for them and no timeout runs.
 *
 * Plain values only, because requests share no promises: each waiting caller checks again by its own timer. If its
 * object dies, it returns nothing and never checks: a slot is freed when its call must have ended, a position in line
 * when its time to check is long past.
 */

/**
 * A call lasts at most this long, in real ms; a stalled process may stretch it, and then one more call is on the wire.
 */
const SLOT_LIFETIME_MS = 2 * (HEADERS_TIMEOUT_MS + BODY_TIMEOUT_MS);
/**
 * A caller that has not checked for this long, in real ms, is gone; one that was only late goes to the end of the line.
 */
const GONE_AFTER_MS = 10 * SLOT_LOOK_MS_MAX;

export class Slots {
  readonly #max: number;
  /** By ticket: until when each counts, oldest first. */
  readonly #inUse = new Map<number, number>();
  /** By ticket: when each last checked, in line order. */
  readonly #line = new Map<number, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns null if it has a slot now, else how long until it checks again, in ms. */
  take(ticket: number, nowMs: number): number | null {
    for (const [each, untilMs] of this.#inUse) {
      if (nowMs < untilMs) break; // oldest first
      this.#inUse.delete(each);
    }
    if (this.#line.size === 0 && this.#inUse.size < this.#max) return this.#taken(ticket, nowMs);
    for (const [each, lookedAtMs] of this.#line) if (nowMs - lookedAtMs > GONE_AFTER_MS) this.#line.delete(each);
    this.#line.set(ticket, nowMs);
    const before = [...this.#line.keys()].indexOf(ticket);
    const free = this.#max - this.#inUse.size;
    if (before >= free) return Math.min(SLOT_LOOK_MS_MAX, SLOT_LOOK_MS * (1 + before - Math.max(0, free)));
    this.#line.delete(ticket);
    return this.#taken(ticket, nowMs);
  }

  #taken(ticket: number, nowMs: number): null {
    this.#inUse.set(ticket, nowMs + SLOT_LIFETIME_MS);
    return null;
  }

  /** Also for a caller that gives up waiting. Idempotent. */
  giveBack(ticket: number): void {
    this.#inUse.delete(ticket);
    this.#line.delete(ticket);
  }
}

const byChannel = new Map<string, Slots>();
let tickets = 0;

/** A channel's calls never wait for another's. @returns a function that returns the slot. */
export async function takeSlot({ environment, name }: Channel, clock: Clock, waits?: () => void): Promise<() => void> {
  const key = gateName(environment, name);
  const slots = byChannel.get(key) ?? new Slots(CALLS_IN_FLIGHT_MAX);
  byChannel.set(key, slots);
  tickets += 1;
  const ticket = tickets;
  for (let waitMs = slots.take(ticket, clock.nowMs()); waitMs !== null; waitMs = slots.take(ticket, clock.nowMs())) {
    waits?.();
    await pause(waitMs);
  }
  return () => slots.giveBack(ticket);
}

/** Forgets all calls. For tests: like a fresh process. */
export const forgetSlots = (): void => byChannel.clear();

/** Notified of every sending. `begin` runs before the request can leave; if it throws, nothing is sent. */
export interface SendingLog {
  /** Called before it waits for a token or a slot. */
  waits?(): void;
  /** Called last, after every wait, also before a second sending: false stops the request. */
  mayBegin?(): boolean;
  begin(tokenFingerprint: string | null): void;
  end(observation: Observation): void;
}

export interface UpstreamPort {
  tokens: TokenSource;
  clock: Clock;
  log?: SendingLog;
  /** Of a caller that makes many calls, one after another, and stops it; absent: each call has its own. */
  timer?: CallTimer;
  /** How many bytes of the answer are read; absent: as many as are stored with an attempt. */
  answerBytesMax?: number;
  /** Names of the two failpoints of a sending; absent: the usual ones. */
  moments?: { begun: Failpoint; answered: Failpoint };
}

/** @returns the last observation; `not_sent` if there was no token or the call could not be composed. Never throws. */
export async function call(
  port: UpstreamPort,
  channel: Channel,
  endpoint: Endpoint,
  parameters: CallParameters,
): Promise<Observation> {
  if (!needsBearer(channel, endpoint)) return attempt(port, channel, endpoint, parameters, null);
  const first = await port.tokens.current(channel, port.log?.waits);
  if (!first.ok) return { outcome: 'not_sent', code: 'no_token', detail: `${first.error.code}: ${first.error.detail}` };
  const { token, fingerprint } = first.value;
  const observed = await attempt(port, channel, endpoint, { ...parameters, token }, fingerprint);
  if (observed.outcome !== 'answered' || observed.status !== 401) return observed;
  port.log?.waits?.();
  const renewed = await port.tokens.replace(channel, fingerprint);
  if (!renewed.ok) {
    const { code, detail } = renewed.error;
    return refusesCredentials(renewed.error) ? observed : { ...observed, notRenewed: `${code}: ${detail}` };
  }
  return attempt(port, channel, endpoint, { ...parameters, token: renewed.value.token }, renewed.value.fingerprint);
}

async function attempt(
  port: UpstreamPort,
  channel: Channel,
  endpoint: Endpoint,
  parameters: CallParameters,
  tokenFingerprint: string | null,
): Promise<Observation> {
  const composed = composeCall(channel, endpoint, parameters);
  if (!composed.ok) return { outcome: 'not_sent', code: 'not_composed', detail: JSON.stringify(composed.error) };
  const giveBack = await takeSlot(channel, port.clock, port.log?.waits);
  try {
    if (port.log?.mayBegin?.() === false)
      return { outcome: 'not_sent', code: 'withdrawn', detail: 'withdrawn in time' };
    port.log?.begin(tokenFingerprint);
    await failpoint(port.moments?.begun ?? 'intent_stored');
    const observed = maskObservation(await send(composed.value, port.clock, port), composed.value);
    await failpoint(port.moments?.answered ?? 'answered');
    port.log?.end(observed);
    return observed;
  } finally {
    giveBack();
  }
}
