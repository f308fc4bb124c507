/** A decision about many requests in its storage: items in parts, read and changed wherever the parts meet. */
import { expect, it } from 'vitest';
import { type DecisionItem, type DecisionRun, newDecisionRun } from '../../../src/batch/core/decision-run.ts';
import { DecisionStore } from '../../../src/batch/store/decision-store.ts';

/** As the platform's: what comes out is another object than what went in. */
function aKv() {
  const values = new Map<string, unknown>();
  const kv = {
    get: (name: string) => structuredClone(values.get(name)),
    put: (name: string, value: unknown) => void values.set(name, structuredClone(value)),
  };
  return { values, kv: kv as unknown as SyncKvStorage };
}

const item = (record: number): DecisionItem => ({
  ...{ partner: 'acme', batchId: 'b_1', record, request: 1, subject: 'load:L1', scac: 'ABCD', version: 'v' },
  ...{ state: 'waiting', why: null },
});
const items = (count: number): DecisionItem[] => Array.from({ length: count }, (_, index) => item(index));
const RUN: DecisionRun = newDecisionRun(
  {
    ...{ actionId: 'a_1', fingerprint: 'f', environment: 'test', partner: 'acme', who: 'k1', name: 'K', why: 'w' },
    ...{ decision: 'send', outcome: null, perSecond: 1 },
  } as unknown as DecisionRun,
  250,
  7,
);

it('is nothing before it is begun, and what was begun afterwards, in parts of a hundred items', () => {
  const { values, kv } = aKv();
  expect([new DecisionStore(kv).run(), new DecisionStore(kv).items(0, 9)]).toEqual([undefined, []]);
  new DecisionStore(kv).begin(RUN, items(250));
  expect(new DecisionStore(kv).run()).toEqual(RUN);
  expect([...values.keys()]).toEqual(['decision_items/0', 'decision_items/1', 'decision_items/2', 'decisions']);
  new DecisionStore(kv).putRun({ ...RUN, decided: 3 });
  expect(new DecisionStore(kv).run()?.decided).toBe(3);
});

it('stores no empty part where the last one is full', () => {
  const { values, kv } = aKv();
  new DecisionStore(kv).begin(RUN, items(200));
  expect([...values.keys()]).toEqual(['decision_items/0', 'decision_items/1', 'decisions']);
});

it('gives its items from any of them on, as many as are asked for and there are', () => {
  const { kv } = aKv();
  const store = new DecisionStore(kv);
  store.begin(RUN, items(250));
  for (const [from, limit] of [
    ...[
      [0, 9],
      [0, 250],
      [99, 1],
      [99, 2],
      [100, 100],
      [150, 100],
    ],
    ...[
      [249, 5],
      [250, 5],
      [95, 120],
      [3, 0],
    ],
  ])
    expect(store.items(from ?? 0, limit ?? 0)).toEqual(items(250).slice(from, (from ?? 0) + (limit ?? 0)));
});

it('keeps items as they are now, and leaves all others as they were', () => {
  for (const [from = 0, count = 0] of [
    [0, 1],
    [95, 10],
    [50, 200],
    [199, 1],
    [200, 50],
  ]) {
    const { kv } = aKv();
    const store = new DecisionStore(kv);
    store.begin(RUN, items(250));
    const now = items(250).map((each, at) =>
      at >= from && at < from + count ? { ...each, state: 'decided' as const } : each,
    );
    store.putItems(from, now.slice(from, from + count));
    expect(store.items(0, 300)).toEqual(now);
  }
});
