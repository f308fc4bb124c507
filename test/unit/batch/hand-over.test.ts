import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StoredBatchRequest } from '../../../src/batch/core/row.ts';
import { DISPATCH_CHARACTERS_MAX } from '../../../src/batch/limits.ts';
import {
  callEach,
  dispatch,
  partsBySubject,
  releaseTraces,
  withdraw,
  withdrawDoubtful,
} from '../../../src/batch/steps/dispatch.ts';
import { inOneStep } from '../../../src/batch/store/row-search.ts';
import { DISPATCH_PARALLEL, DISPATCH_SUBJECTS_MAX } from '../../../src/kernel/limits.ts';
import type { DispatchedRequest, LoadIdentity } from '../../../src/tracking/request.ts';
import { aBody, aStoredRequest, aTicket, BATCH_ID, RECEIVED_MS } from './samples.ts';

const TICKET = aTicket();
const forLoad = (record: number, load: string, more: Partial<StoredBatchRequest> = {}): StoredBatchRequest =>
  aStoredRequest(record, 1, { subject: `load:${load}`, body: JSON.stringify(aBody(load)), ...more });

describe('inOneStep', () => {
  const long = (characters: number) => ({ body: 'x'.repeat(characters) });

  it('reads no more bodies than go in one step, whatever their number', () => {
    let read = 0;
    function* rows() {
      for (; read < 100; read += 1) yield long(DISPATCH_CHARACTERS_MAX / 4);
    }
    expect(inOneStep(rows(), 100)).toHaveLength(4);
    expect(read).toBe(4);
  });

  it('reads no more than are wanted', () => {
    expect(inOneStep([long(1), long(1), long(1)], 2)).toHaveLength(2);
  });

  it('takes one that is longer alone, so that nothing waits for ever', () => {
    expect(inOneStep([long(DISPATCH_CHARACTERS_MAX + 1), long(1)], 100)).toHaveLength(1);
  });
});

describe('partsBySubject', () => {
  it('gives each load its requests in record order', () => {
    const { parts, last } = partsBySubject([forLoad(1, 'A'), forLoad(2, 'B'), forLoad(3, 'A')], TICKET);
    expect([...parts].map(([name, { requests }]) => [name, requests.map(({ record }) => record)])).toEqual([
      ['["test","acme","ABCD","A"]', [1, 3]],
      ['["test","acme","ABCD","B"]', [2]],
    ]);
    expect(last).toEqual({ record: 3, request: 1 });
  });

  it('tells the load who it is', () => {
    const { parts } = partsBySubject([forLoad(1, 'A')], TICKET);
    expect([...parts.values()][0]?.identity).toEqual({
      environment: 'test',
      partner: 'acme',
      scac: 'ABCD',
      loadNumber: 'A',
    });
  });

  it('keeps one load under two SCACs apart', () => {
    const { parts } = partsBySubject([forLoad(1, 'A'), forLoad(2, 'A', { scac: 'WXYZ' })], TICKET);
    expect(parts.size).toBe(2);
  });

  it('hands over each request with its name for life and its exact body', () => {
    const row = forLoad(7, 'A', { request: 2 });
    const { parts } = partsBySubject([row], TICKET);
    expect([...parts.values()][0]?.requests).toEqual([
      {
        key: `${BATCH_ID}/7/2`,
        batchId: BATCH_ID,
        record: 7,
        request: 2,
        generation: 1,
        mayHaveArrived: false,
        kind: 'milestone',
        scac: 'ABCD',
        channel: 'main',
        body: row.body,
        acceptedAtMs: RECEIVED_MS,
        uploadedBy: 'k1',
        live: false,
        forced: false,
        rules: null,
      },
    ]);
  });

  it('says of the requests of a forced upload that they go out whatever was sent before', () => {
    const { parts } = partsBySubject([forLoad(1, 'A')], { ...TICKET, forced: true });
    expect([...parts.values()].flatMap(({ requests }) => requests.map(({ forced }) => forced))).toEqual([true]);
  });

  it('hands over events with what their mapping asks of delivery, later generations too, and orders without', () => {
    const rules = { unclear: 'hold', loadWaitMs: 60_000, laterEvents: 'wait', namesKey: true } as const;
    const order = aStoredRequest(3, 1, { kind: 'order.create', subject: 'order:R' });
    const { parts } = partsBySubject([forLoad(1, 'A'), forLoad(2, 'A', { generation: 2 }), order], TICKET, rules);
    expect([...parts.values()].flatMap(({ requests }) => requests.map((request) => request.rules))).toEqual([
      rules,
      rules,
      null,
    ]);
  });

  it('hands over a later generation under a name of its own, with the time it began and what is doubtful about it', () => {
    const again = { generation: 3, retried_at_ms: RECEIVED_MS + 5 };
    const rows = [
      forLoad(7, 'A', { ...again, possible_duplicate: 1 }),
      forLoad(8, 'A', again),
      forLoad(9, 'A', { possible_duplicate: 1 }),
    ];
    const { parts } = partsBySubject(rows, TICKET);
    expect([...parts.values()][0]?.requests).toMatchObject([
      { key: `${BATCH_ID}/7/1~3`, generation: 3, mayHaveArrived: true, acceptedAtMs: RECEIVED_MS + 5 },
      { key: `${BATCH_ID}/8/1~3`, generation: 3, mayHaveArrived: false },
      { key: `${BATCH_ID}/9/1`, generation: 1, mayHaveArrived: false, acceptedAtMs: RECEIVED_MS },
    ]);
  });

  it('stops before one load too many, and its mark is the last request included', () => {
    const rows = Array.from({ length: DISPATCH_SUBJECTS_MAX + 5 }, (_, index) => forLoad(index + 1, `L${index}`));
    const { parts, last } = partsBySubject(rows, TICKET);
    expect(parts.size).toBe(DISPATCH_SUBJECTS_MAX);
    expect(last).toEqual({ record: DISPATCH_SUBJECTS_MAX, request: 1 });
  });

  it('still takes requests of known loads up to that point', () => {
    const rows = Array.from({ length: DISPATCH_SUBJECTS_MAX }, (_, index) => forLoad(index + 1, `L${index}`));
    const { last } = partsBySubject(
      [...rows, forLoad(9_001, 'L0'), forLoad(9_002, 'new'), forLoad(9_003, 'L1')],
      TICKET,
    );
    expect(last).toEqual({ record: 9_001, request: 1 });
  });

  it('says of each request when it came and with which key, where a message brought it', () => {
    const more = { accepted_at_ms: RECEIVED_MS + 9, uploaded_by: 'k2' };
    const rows = [forLoad(1, 'A', more), forLoad(2, 'A', { ...more, retried_at_ms: 5 }), forLoad(3, 'A')];
    const { uploadedBy: _, ...unknown } = TICKET;
    const of = (ticket: typeof TICKET) =>
      [...partsBySubject(rows, ticket).parts.values()].flatMap(({ requests }) =>
        requests.map(({ acceptedAtMs, uploadedBy }) => [acceptedAtMs, uploadedBy]),
      );
    expect(of(TICKET)).toEqual([
      [RECEIVED_MS + 9, 'k2'],
      [5, 'k2'],
      [RECEIVED_MS, 'k1'],
    ]);
    expect(of(unknown).at(-1)).toEqual([RECEIVED_MS, null]);
  });

  it('is nothing for nothing', () => {
    expect(partsBySubject([], TICKET)).toEqual({ parts: new Map(), last: undefined });
  });

  it('loses no request up to its mark and takes none beyond it', () => {
    const rows = fc
      .array(fc.nat(30), { maxLength: 60 })
      .map((loads) => loads.map((load, index) => forLoad(index + 1, `L${load}`)));
    fc.assert(
      fc.property(rows, (requests) => {
        const { parts, last } = partsBySubject(requests, TICKET);
        const taken = [...parts.values()].flatMap((part) => part.requests.map(({ record }) => record));
        expect(taken.sort((one, other) => one - other)).toEqual(
          requests.map(({ record }) => record).filter((record) => record <= (last?.record ?? 0)),
        );
      }),
    );
  });
});

/** Loads that note what they were given, and how many calls were open at once. */
function someLoads(failing: readonly string[] = []) {
  const calls: { name: string; identity: LoadIdentity; requests: DispatchedRequest[] }[] = [];
  const state = { open: 0, mostOpen: 0 };
  const load = (name: string) => ({
    async enqueue(identity: LoadIdentity, requests: DispatchedRequest[]): Promise<void> {
      state.open += 1;
      state.mostOpen = Math.max(state.mostOpen, state.open);
      await new Promise(setImmediate);
      state.open -= 1;
      if (failing.some((number) => name.includes(`"${number}"`))) throw new Error(`${name} is unreachable`);
      calls.push({ name, identity, requests });
    },
  });
  const order = (name: string) => expect.fail(`${name} is an order`);
  return { load, order, calls, state };
}

describe('dispatch', () => {
  it('calls each load once, with its own requests in order', async () => {
    const loads = someLoads();
    const last = await dispatch([forLoad(1, 'A'), forLoad(2, 'B'), forLoad(3, 'A')], TICKET, loads, undefined);
    expect(last).toEqual({ record: 3, request: 1 });
    expect(
      loads.calls.map(({ identity, requests }) => [identity.loadNumber, requests.map(({ record }) => record)]),
    ).toEqual([
      ['A', [1, 3]],
      ['B', [2]],
    ]);
  });

  it('keeps a few calls open at once, and no more', async () => {
    const loads = someLoads();
    await dispatch(
      Array.from({ length: 40 }, (_, index) => forLoad(index + 1, `L${index}`)),
      TICKET,
      loads,
      undefined,
    );
    expect(loads.calls).toHaveLength(40);
    expect(loads.state.mostOpen).toBe(DISPATCH_PARALLEL);
  });

  it('throws when one load cannot be reached, so that the mark stays', async () => {
    const loads = someLoads(['L3']);
    const rows = Array.from({ length: 8 }, (_, index) => forLoad(index + 1, `L${index}`));
    await expect(dispatch(rows, TICKET, loads, undefined)).rejects.toThrow('"L3"] is unreachable');
  });

  it('hands over the same names when it is repeated', async () => {
    const [first, second] = [someLoads(), someLoads()];
    const rows = [forLoad(1, 'A'), forLoad(2, 'A')];
    await dispatch(rows, TICKET, first, undefined);
    await dispatch(rows, TICKET, second, undefined);
    expect(second.calls).toEqual(first.calls);
  });

  it('calls nobody for nothing', async () => {
    const loads = someLoads();
    expect(await dispatch([], TICKET, loads, undefined)).toBeUndefined();
    expect(loads.calls).toEqual([]);
  });
});

describe('calls of many', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('let a timer come between two of a lane: the network is served only then', async () => {
    vi.useFakeTimers();
    const called: number[] = [];
    const all = Array.from({ length: 2 * DISPATCH_PARALLEL + 1 }, (_, index) => index + 1);
    const ended = callEach([...all], async (next) => void called.push(next));
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(called).toEqual(all.slice(0, DISPATCH_PARALLEL));
    await vi.advanceTimersByTimeAsync(0);
    expect(called).toEqual(all.slice(0, 2 * DISPATCH_PARALLEL));
    await vi.runAllTimersAsync();
    await ended;
    expect(called).toEqual(all);
  });
});

describe('withdraw', () => {
  const asked: unknown[][] = [];
  const cancel = (kind: string) => (name: string) => ({
    async cancel(...what: unknown[]): Promise<void> {
      asked.push([kind, name, ...what]);
    },
  });
  const subjects = { load: cancel('load'), order: cancel('order') };
  const rows = [forLoad(1, 'A'), forLoad(2, 'A'), aStoredRequest(3, 1, { kind: 'order.create', subject: 'order:R' })];

  const cancelled = { cancelledAtMs: 7 };

  it('asks each subject once for all it has of the batch, and says since when that is so', async () => {
    asked.length = 0;
    expect(await withdraw(rows, TICKET, subjects, cancelled)).toEqual({ record: 3, request: 1 });
    expect(asked).toEqual([
      ['load', '["test","acme","ABCD","A"]', BATCH_ID, undefined, 7],
      ['order', '["test","acme","R"]', BATCH_ID, undefined, 7],
    ]);
  });

  it('gives each subject what it may not have yet', async () => {
    asked.length = 0;
    expect(await withdrawDoubtful(rows, TICKET, subjects, cancelled)).toEqual({ record: 3, request: 1 });
    expect(asked.map(([kind, , ...call]) => [kind, ...call])).toMatchObject([
      ['load', BATCH_ID, { identity: { loadNumber: 'A' }, requests: [{ record: 1 }, { record: 2 }] }, 7],
      ['order', BATCH_ID, { identity: { orderRef: 'R' }, requests: [{ record: 3 }] }, 7],
    ]);
  });

  it('is nothing for nothing', async () => {
    asked.length = 0;
    expect(await withdraw([], TICKET, subjects, cancelled)).toBeUndefined();
    expect(await withdrawDoubtful([], TICKET, subjects, cancelled)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('releaseTraces', () => {
  const loads = ['A', 'B', 'C'].map((load) => ({ scac: 'ABCD', subject: `load:${load}` }));

  const isReleased = () => false;

  it('tells each load that does not know it yet which batch is complete, and gives back the last one told', async () => {
    const told: string[] = [];
    const last = await releaseTraces(loads, TICKET, {
      isReleased: (name) => name.includes('"B"'),
      load: (name) => ({
        async release(batchId) {
          told.push(`${name} ${batchId}`);
        },
      }),
    });
    expect(told).toEqual(['A', 'C'].map((load) => `["test","acme","ABCD","${load}"] ${BATCH_ID}`));
    expect(last).toEqual({ scac: 'ABCD', subject: 'load:C' });
  });

  it('throws when one load cannot be reached, so that the mark stays', async () => {
    const release = async (): Promise<void> => Promise.reject(new Error('down'));
    await expect(releaseTraces(loads, TICKET, { isReleased, load: () => ({ release }) })).rejects.toThrow('down');
  });

  it('is nothing for nothing', async () => {
    const load = () => expect.fail('nobody is called');
    expect(await releaseTraces([], TICKET, { isReleased, load })).toBeUndefined();
  });
});

describe('operations of orders', () => {
  const forOrder = (record: number, orderRef: string, scac = 'ABCD'): StoredBatchRequest =>
    aStoredRequest(record, 1, { kind: 'order.create', subject: `order:${orderRef}`, scac, body: '{}' });

  it('go to their order in record order, whatever their SCACs', () => {
    const { parts } = partsBySubject([forOrder(1, 'R1'), forOrder(2, 'R2'), forOrder(3, 'R1', 'WXYZ')], TICKET);
    expect([...parts]).toEqual([
      [
        '["test","acme","R1"]',
        {
          subject: 'order',
          identity: { environment: 'test', partner: 'acme', orderRef: 'R1' },
          requests: [
            expect.objectContaining({ record: 1, kind: 'order.create', scac: 'ABCD' }),
            expect.objectContaining({ record: 3, scac: 'WXYZ' }),
          ],
        },
      ],
      ['["test","acme","R2"]', expect.objectContaining({ subject: 'order' })],
    ]);
  });

  it('stay apart from the load of the same number', async () => {
    const told: string[] = [];
    const enqueue = (kind: string) => (name: string) => ({
      async enqueue(_identity: unknown, requests: DispatchedRequest[]): Promise<void> {
        told.push(`${kind} ${name} ${requests.map(({ record }) => record)}`);
      },
    });
    const subjects = { load: enqueue('load'), order: enqueue('order') };
    const last = await dispatch([forOrder(1, 'A'), forLoad(2, 'A'), forOrder(3, 'A')], TICKET, subjects, undefined);
    expect(told.sort()).toEqual(['load ["test","acme","ABCD","A"] 2', 'order ["test","acme","A"] 1,3']);
    expect(last).toEqual({ record: 3, request: 1 });
  });
});
