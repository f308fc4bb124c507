/**
 * One call with the credentials its channel wants. A 401 to a bearer call renews the token once and sends once more.
 *
 * Every sending is announced before it leaves and closed after it, so that a caller can commit its intent first. It begins
 * when it has a slot: what waits for one is not announced.
 */
import { type Clock, pause } from '../kernel/clock.ts';
import { type Failpoint, failpoint } from '../kernel/failpoint.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS } from '../kernel/limits.ts';
import { gateName } from '../kernel/names.ts';
import type { Observation } from './answer.ts';
import type { Channel } from './channels.ts';
import { type CallParameters, composeCall, maskObservation, needsBearer } from './compose.ts';
import type { Endpoint } from './contracts/endpoints.ts';
import { CALLS_IN_FLIGHT_MAX, SLOT_LOOK_MS, SLOT_LOOK_MS_MAX } from './limits.ts';
import { send } from './send.ts';
import type { TokenSource } from './tokens.ts';

/*
 * How many calls of a channel this process has on the wire at once. Who finds no free slot waits in a line, and has not begun:
 * nothing is stored and no time-out runs.
 *
 * Plain values only, because requests share no promises: who waits looks again by a timer of its own. Whose object died
 * gives nothing back and does not look again: a slot is free again when no call can still be under way, a place in the line
 * when its time to look has long passed.
 */

/** A call lasts no longer, in real ms; a process that gets no turn may stretch it: then one call more is on the wire. */
const SLOT_LIFETIME_MS = 2 * (HEADERS_TIMEOUT_MS + BODY_TIMEOUT_MS);
/** Who has not looked for so long, in real ms, is gone; one that only was late goes to the end of the line. */
const GONE_AFTER_MS = 10 * SLOT_LOOK_MS_MAX;

export class Slots {
  readonly #max: number;
  /** By ticket, until when each counts, oldest first. */
  readonly #inUse = new Map<number, number>();
  /** By ticket, when each looked last; in the order of the line. */
  readonly #line = new Map<number, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns null where it has a slot now, else how long until it looks again, in ms. */
  take(ticket: number, nowMs: number): number | null {
    for (const [each, untilMs] of this.#inUse) if (nowMs >= untilMs) this.#inUse.delete(each);
    for (const [each, lookedAtMs] of this.#line) if (nowMs - lookedAtMs > GONE_AFTER_MS) this.#line.delete(each);
    this.#line.set(ticket, nowMs);
    const before = [...this.#line.keys()].indexOf(ticket);
    const free = this.#max - this.#inUse.size;
    if (before >= free) return Math.min(SLOT_LOOK_MS_MAX, SLOT_LOOK_MS * (1 + before - Math.max(0, free)));
    this.#line.delete(ticket);
    this.#inUse.set(ticket, nowMs + SLOT_LIFETIME_MS);
    return null;
  }

  /** Also where it waited in vain. Idempotent. */
  giveBack(ticket: number): void {
    this.#inUse.delete(ticket);
    this.#line.delete(ticket);
  }
}

const byChannel = new Map<string, Slots>();
let tickets = 0;

/** A channel's calls never wait for those of another. @returns what gives the slot back. */
export async function takeSlot({ environment, name }: Channel, clock: Clock): Promise<() => void> {
  const key = gateName(environment, name);
  const slots = byChannel.get(key) ?? new Slots(CALLS_IN_FLIGHT_MAX);
  byChannel.set(key, slots);
  tickets += 1;
  const ticket = tickets;
  for (let waitMs = slots.take(ticket, clock.nowMs()); waitMs !== null; waitMs = slots.take(ticket, clock.nowMs())) {
    await pause(waitMs);
  }
  return () => slots.giveBack(ticket);
}

/** Forgets all calls. For tests: a fresh process starts so. */
export const forgetSlots = (): void => byChannel.clear();

/** Told of every sending. `begin` runs before the request can leave; what it throws keeps the request here. */
export interface SendingLog {
  /** Asked last of all, behind every wait, also before a second sending: false keeps the request here. */
  mayBegin?(): boolean;
  begin(tokenFingerprint: string | null): void;
  end(observation: Observation): void;
}

export interface UpstreamPort {
  tokens: TokenSource;
  clock: Clock;
  log?: SendingLog;
  /** How much of the answer is read, in bytes; absent: as much as is kept with an attempt. */
  answerBytesMax?: number;
  /** What the two moments of a sending are called; absent: as usual. */
  moments?: { begun: Failpoint; answered: Failpoint };
}

/** @returns the last observation; `not_sent` when no token could be had or the call could not be composed. Never throws. */
export async function call(
  port: UpstreamPort,
  channel: Channel,
  endpoint: Endpoint,
  parameters: CallParameters,
): Promise<Observation> {
  if (!needsBearer(channel, endpoint)) return attempt(port, channel, endpoint, parameters, null);
  const first = await port.tokens.current(channel);
  if (!first.ok) return { outcome: 'not_sent', code: 'no_token', detail: `${first.error.code}: ${first.error.detail}` };
  const { token, fingerprint } = first.value;
  const observed = await attempt(port, channel, endpoint, { ...parameters, token }, fingerprint);
  if (observed.outcome !== 'answered' || observed.status !== 401) return observed;
  const renewed = await port.tokens.replace(channel, fingerprint);
  if (!renewed.ok) return observed;
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
  const giveBack = await takeSlot(channel, port.clock);
  try {
    if (port.log?.mayBegin?.() === false)
      return { outcome: 'not_sent', code: 'withdrawn', detail: 'withdrawn in time' };
    port.log?.begin(tokenFingerprint);
    await failpoint(port.moments?.begun ?? 'intent_stored');
    const observed = maskObservation(await send(composed.value, port.clock, port.answerBytesMax), composed.value);
    await failpoint(port.moments?.answered ?? 'answered');
    port.log?.end(observed);
    return observed;
  } finally {
    giveBack();
  }
}
