/** A batch in every state, cancelled and retried ones among them: evictions and doubled alarms change nothing of its end. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchState } from '../../../src/batch/core/ticket.ts';
import { Batch } from '../../../src/batch/object/batch.ts';
import { cancel, created, retry, rowsOf } from '../actions.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { statusFile } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { heldAnswer, type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';
import { die } from '../watched.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ROWS = 6;
const LOADS = 2;
const file = () => statusFile(...rowsOf(ROWS, LOADS));

interface Arranged {
  batch: BatchUnderTest;
  upstream: UpstreamDouble;
  /** What was held back comes now. */
  release?: () => void;
}
interface Case {
  arrange(): Promise<Arranged>;
  ends: 'settled' | 'unreadable';
  rowStates: Record<string, number>;
  /** Requests that leave, all in all. */
  sent: number;
}

const onTheWire = async (): Promise<Required<Arranged>> => {
  const held = heldAnswer();
  const upstream = upstreamAnswers(held.answer);
  const batch = await created(file());
  await vi.waitFor(() => expect(upstream.left).toHaveLength(LOADS), PATIENCE);
  const release = (): void => {
    upstream.answer(200);
    held.release(200);
  };
  return { batch, upstream, release };
};

const STATES: Record<BatchState | 'cancelled' | 'retried' | 'a dry run', Case> = {
  reading: {
    arrange: async () => {
      const upstream = upstreamAnswers(200);
      const first = vi.spyOn(Batch.prototype, 'alarm').mockResolvedValueOnce(undefined);
      const batch = await created(file());
      await vi.waitFor(() => expect(first).toHaveBeenCalled(), PATIENCE);
      return { batch, upstream };
    },
    ends: 'settled',
    rowStates: { delivered: ROWS },
    sent: ROWS,
  },
  delivering: { arrange: onTheWire, ends: 'settled', rowStates: { delivered: ROWS }, sent: ROWS },
  settled: {
    arrange: async () => {
      const upstream = upstreamAnswers(200);
      const batch = await created(file());
      await batch.reaches('settled');
      return { batch, upstream };
    },
    ends: 'settled',
    rowStates: { delivered: ROWS },
    sent: ROWS,
  },
  unreadable: {
    arrange: async () => {
      const upstream = upstreamAnswers(200);
      const batch = await created('Some,Other,Columns\n1,2,3\n');
      await batch.reaches('unreadable');
      return { batch, upstream };
    },
    ends: 'unreadable',
    rowStates: {},
    sent: 0,
  },
  cancelled: {
    arrange: async () => {
      const arranged = await onTheWire();
      await cancel(arranged.batch);
      return arranged;
    },
    ends: 'settled',
    rowStates: { delivered: LOADS, cancelled: ROWS - LOADS },
    sent: LOADS,
  },
  retried: {
    arrange: async () => {
      const upstream = upstreamAnswers(400);
      const batch = await created(file());
      expect((await batch.reaches('settled')).rowStates).toEqual({ rejected: ROWS });
      upstream.answer(200);
      await retry(batch);
      return { batch, upstream };
    },
    ends: 'settled',
    rowStates: { delivered: ROWS },
    sent: 2 * ROWS,
  },
  'a dry run': {
    arrange: async () => {
      const upstream = upstreamAnswers(200);
      const batch = await aBatch(file(), { dryRun: true });
      await batch.stub().create(batch.ticket);
      return { batch, upstream };
    },
    ends: 'settled',
    rowStates: { valid: ROWS },
    sent: 0,
  },
};

describe('a batch that is', () => {
  it.each(Object.entries(STATES).map(([name, each]) => ({ name, ...each })))(
    '$name comes to the same end, through evictions and doubled alarms',
    async ({ arrange, ends, rowStates, sent }) => {
      const { batch, upstream, release } = await arrange();
      for (let times = 0; times < 2; times += 1) {
        const woken = Promise.all([batch.wake(), batch.wake()]);
        if (release === undefined) await woken;
        else woken.catch(() => undefined); // a wake-up lasts as long as its visits
        await (release === undefined ? evictDurableObject(batch.stub()) : die(batch.stub()));
      }
      release?.();
      const ended = await batch.reaches(ends);
      expect(ended.rowStates).toEqual(rowStates);
      await Promise.all([batch.wake(), batch.wake()]);
      await evictDurableObject(batch.stub());
      await batch.wake();
      expect(await batch.summary()).toEqual(ended);
      expect(upstream.left).toHaveLength(sent);
    },
  );
});
