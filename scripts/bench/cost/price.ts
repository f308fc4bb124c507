/** What the platform asks for what a delivery used, by its list prices, allowances ignored. Pure. */
import { DOLLARS_PER_MILLION, OBJECT_GIGABYTES } from '../../../src/batch/core/cost.ts';
import type { Counts, ObjectCounts } from '../delivery/counters.ts';

type Item = keyof typeof DOLLARS_PER_MILLION;
export const ITEMS = Object.keys(DOLLARS_PER_MILLION) as Item[];

/**
 * An object is billed while it waits for the upstream: one load for each request, with 128 MB. How long the upstream takes is
 * assumed; a batch, awake for all its loads at once, is left out: a hundredth of that.
 */
export const ASSUMED_ANSWER_SECONDS = 0.3;

const KV_READS = ['get', 'getWithMetadata'];
const R2_READS = ['get', 'head'];
const R2_FREE = ['delete', 'abort', 'resumeMultipartUpload'];

/** Of all objects together; an alarm that is set is a row, too. */
export const rowsWrittenBy = (objects: Counts['objects']): number =>
  sumOf(objects, ({ rowsWritten, alarmsSet }) => rowsWritten + alarmsSet);

export const sumOf = (objects: Counts['objects'], of: (counts: ObjectCounts) => number): number =>
  Object.values(objects).reduce((sum, counts) => sum + of(counts), 0);

/** @param upstreamRequests that were sent meanwhile. */
export function usedBy({ objects, stores, requests }: Counts, upstreamRequests: number): Record<Item, number> {
  const operations = (store: string, isCounted: (name: string) => boolean): number =>
    Object.entries(stores[store] ?? {}).reduce((sum, [name, times]) => sum + (isCounted(name) ? times : 0), 0);
  const ofD1 = (name: string): number => stores.d1?.[name] ?? 0;
  return {
    'rows written': rowsWrittenBy(objects) + ofD1('rowsWritten'),
    'rows read': sumOf(objects, ({ rowsRead }) => rowsRead) + ofD1('rowsRead'),
    'requests to objects': sumOf(objects, ({ calls, alarmRuns }) => calls + alarmRuns),
    duration: upstreamRequests * ASSUMED_ANSWER_SECONDS * OBJECT_GIGABYTES,
    'Worker requests': requests,
    'KV reads': operations('kv', (name) => KV_READS.includes(name)),
    'KV writes': operations('kv', (name) => !KV_READS.includes(name)),
    'R2 class A': operations('r2', (name) => !R2_READS.includes(name) && !R2_FREE.includes(name)),
    'R2 class B': operations('r2', (name) => R2_READS.includes(name)),
  };
}

/** Dollars for a million rows, by item. */
export const dollarsPerMillionRows = (used: Record<Item, number>, rows: number): Record<Item, number> =>
  Object.fromEntries(ITEMS.map((item) => [item, (used[item] / rows) * DOLLARS_PER_MILLION[item]])) as Record<
    Item,
    number
  >;

export const totalOf = (dollars: Record<Item, number>): number => ITEMS.reduce((sum, item) => sum + dollars[item], 0);
