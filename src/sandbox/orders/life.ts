/**
 * Where an order stands at a moment: its own steps and what was done to it, computed from elapsed time alone.
 *
 * Pure, and without alarms: nobody has to wake up for an order to move. The codes are ours (seed 3: states not shown).
 */
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import type { StoredOrder } from '../decision.ts';

/** `milestone` is fit for an end consumer (seed 4.4, tracks); `detail` is not. */
export type EventLevel = 'milestone' | 'detail';

export interface OrderEvent {
  orderId: string;
  orderRef: string;
  code: string;
  level: EventLevel;
  atMs: number;
}

const HOUR_SECONDS = 3_600;

/** The life of an order that nobody cancels, in seconds after its creation at scale 1. */
export const LIFE: readonly { code: string; level: EventLevel; afterSeconds: number }[] = [
  { code: 'received', level: 'milestone', afterSeconds: 0 },
  { code: 'scheduled', level: 'milestone', afterSeconds: 900 },
  { code: 'picked_up', level: 'milestone', afterSeconds: 4 * HOUR_SECONDS },
  { code: 'at_terminal', level: 'detail', afterSeconds: 10 * HOUR_SECONDS },
  { code: 'out_for_delivery', level: 'milestone', afterSeconds: 26 * HOUR_SECONDS },
  { code: 'delivered', level: 'milestone', afterSeconds: 30 * HOUR_SECONDS },
];

/**
 * @param stepSeconds Distance of every step from the one before; null for the hours of `LIFE`.
 * @returns real milliseconds after creation, in the order of `LIFE`. Stored with the order, so that later settings
 *   change no order that is already on its way.
 */
export function stepOffsetsMs(stepSeconds: number | null, timeScale: number): number[] {
  return LIFE.map(({ afterSeconds }, index) => {
    const seconds = stepSeconds === null ? afterSeconds : index * stepSeconds;
    return Math.round((seconds * 1_000) / timeScale);
  });
}

/** Everything that has happened to the order until `nowMs`, oldest first. */
export function orderEvents(order: StoredOrder, nowMs: number): OrderEvent[] {
  const event = (code: string, level: EventLevel, atMs: number): OrderEvent => {
    return { orderId: order.id, orderRef: order.orderRef, code, level, atMs };
  };
  const stoppedAtMs = order.cancelledAtMs ?? Number.POSITIVE_INFINITY;
  const steps = LIFE.map(({ code, level }, index) =>
    event(code, level, order.createdAtMs + (order.stepOffsetsMs[index] ?? Number.POSITIVE_INFINITY)),
  ).filter(({ atMs }) => atMs < stoppedAtMs);
  const actions = order.actions.flatMap(({ action, atMs }) => {
    if (action === 'create') return []; // the step `received` says it
    return [action === 'update' ? event('updated', 'detail', atMs) : event('cancelled', 'milestone', atMs)];
  });
  return [...steps, ...actions].filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
}

const FINAL: ReadonlySet<string> = new Set(NOT_SHOWN.orderStatus.finalCodes);

/** Updates and cancels come too late for a cancelled or delivered order. */
export function isClosed(order: StoredOrder, nowMs: number): 'cancelled' | 'delivered' | null {
  if (order.cancelledAtMs !== null) return 'cancelled';
  return orderEvents(order, nowMs).some(({ code }) => FINAL.has(code)) ? 'delivered' : null;
}

/** seed 2.3 form; the sandbox writes every time in UTC. The last four of the seven digits are always zero. */
export function writeDateTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '0000+00:00');
}

/** One record of the status endpoints; its names are ours (NOT_SHOWN.orderStatus). */
export function writeEvent(event: OrderEvent): Record<string, string> {
  const names = NOT_SHOWN.orderStatus;
  return {
    [names.orderId]: event.orderId,
    [names.orderRef]: event.orderRef,
    [names.code]: event.code,
    [names.level]: event.level,
    [names.time]: writeDateTime(event.atMs),
  };
}
