/**
 * One reference, several orders one after the other: where an order was cancelled, the next create begins a new incarnation,
 * with an upstream id and a document of its own. Pure.
 */

export interface Incarnation {
  /** Counts from 1. */
  number: number;
  /** Its cancel was accepted. */
  hasEnded: boolean;
}

/** @param latest null while no order has come into being. @returns the one a create that is accepted now belongs to. */
export function incarnationOfCreate(latest: Incarnation | null): number {
  if (latest === null) return 1;
  return latest.hasEnded ? latest.number + 1 : latest.number;
}
