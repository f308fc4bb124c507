/**
 * How many calls of a channel this process has on the wire at once. Who finds no free slot waits in a line, and has not begun:
 * nothing is stored and no time-out runs.
 *
 * Plain values only, because requests share no promises: who waits looks again by a timer of its own. Whose object died
 * gives nothing back and does not look again: a slot is free again when no call can still be under way, a place in the line
 * when its time to look has long passed.
 */
import { type Clock, pause } from '../kernel/clock.ts';
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS } from '../kernel/limits.ts';
import { gateName } from '../kernel/names.ts';
import type { Channel } from './channels.ts';
import { CALLS_IN_FLIGHT_MAX, SLOT_LOOK_MS, SLOT_LOOK_MS_MAX } from './limits.ts';

/** A call lasts no longer, in real ms; a process that gets no turn may stretch it: then one call more is on the wire. */
const SLOT_LIFE_MS = 2 * (HEADERS_TIMEOUT_MS + BODY_TIMEOUT_MS);
/** Who has not looked for so long, in real ms, is gone; one that only was late goes to the end of the line. */
const GONE_AFTER_MS = 10 * SLOT_LOOK_MS_MAX;

export class Slots {
  readonly #max: number;
  /** By ticket, until when each counts, oldest first. */
  readonly #taken = new Map<number, number>();
  /** By ticket, when each looked last; in the order of the line. */
  readonly #line = new Map<number, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns null where it has a slot now, else how long until it looks again, in ms. */
  take(ticket: number, nowMs: number): number | null {
    for (const [each, untilMs] of this.#taken) if (nowMs >= untilMs) this.#taken.delete(each);
    for (const [each, lookedAtMs] of this.#line) if (nowMs - lookedAtMs > GONE_AFTER_MS) this.#line.delete(each);
    this.#line.set(ticket, nowMs);
    const before = [...this.#line.keys()].indexOf(ticket);
    const free = this.#max - this.#taken.size;
    if (before >= free) return Math.min(SLOT_LOOK_MS_MAX, SLOT_LOOK_MS * (1 + before - Math.max(0, free)));
    this.#line.delete(ticket);
    this.#taken.set(ticket, nowMs + SLOT_LIFE_MS);
    return null;
  }

  /** Also where it waited in vain. Idempotent. */
  giveBack(ticket: number): void {
    this.#taken.delete(ticket);
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
