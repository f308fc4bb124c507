import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredBatchRequest } from '../../../src/batch/batch-store.ts';
import { handOver, partsByLoad, releaseTraces } from '../../../src/batch/hand-over.ts';
import { HAND_OVER_PARALLEL, HAND_OVER_SUBJECTS_MAX } from '../../../src/kernel/limits.ts';
import type { HandedRequest, LoadIdentity } from '../../../src/tracking/subject-tables.ts';
import { aBody, aStoredRequest, aTicket, BATCH_ID, RECEIVED_MS } from './samples.ts';

const TICKET = aTicket();
const forLoad = (record: number, load: string, more: Partial<StoredBatchRequest> = {}): StoredBatchRequest =>
  aStoredRequest(record, 1, { subject: `load:${load}`, body: JSON.stringify(aBody(load)), ...more });

describe('partsByLoad', () => {
  it('gives each load its requests in record order', () => {
    const { parts, last } = partsByLoad([forLoad(1, 'A'), forLoad(2, 'B'), forLoad(3, 'A')], TICKET);
    expect([...parts].map(([name, { requests }]) => [name, requests.map(({ record }) => record)])).toEqual([
      ['["test","acme","ABCD","A"]', [1, 3]],
      ['["test","acme","ABCD","B"]', [2]],
    ]);
    expect(last).toEqual({ record: 3, request: 1 });
  });

  it('tells the load who it is', () => {
    const { parts } = partsByLoad([forLoad(1, 'A')], TICKET);
    expect([...parts.values()][0]?.identity).toEqual({
      environment: 'test',
      partner: 'acme',
      scac: 'ABCD',
      loadNumber: 'A',
    });
  });

  it('keeps one load under two SCACs apart', () => {
    const { parts } = partsByLoad([forLoad(1, 'A'), forLoad(2, 'A', { scac: 'WXYZ' })], TICKET);
    expect(parts.size).toBe(2);
  });

  it('hands over each request with its name for life and its exact body', () => {
    const row = forLoad(7, 'A', { request: 2 });
    const { parts } = partsByLoad([row], TICKET);
    expect([...parts.values()][0]?.requests).toEqual([
      {
        key: `${BATCH_ID}/7/2`,
        batchId: BATCH_ID,
        record: 7,
        request: 2,
        kind: 'milestone',
        scac: 'ABCD',
        channel: 'main',
        body: row.body,
        acceptedAtMs: RECEIVED_MS,
        live: false,
      },
    ]);
  });

  it('stops before one load too many, and its mark is the last request included', () => {
    const rows = Array.from({ length: HAND_OVER_SUBJECTS_MAX + 5 }, (_, index) => forLoad(index + 1, `L${index}`));
    const { parts, last } = partsByLoad(rows, TICKET);
    expect(parts.size).toBe(HAND_OVER_SUBJECTS_MAX);
    expect(last).toEqual({ record: HAND_OVER_SUBJECTS_MAX, request: 1 });
  });

  it('still takes requests of known loads up to that point', () => {
    const rows = Array.from({ length: HAND_OVER_SUBJECTS_MAX }, (_, index) => forLoad(index + 1, `L${index}`));
    const { last } = partsByLoad([...rows, forLoad(9_001, 'L0'), forLoad(9_002, 'new'), forLoad(9_003, 'L1')], TICKET);
    expect(last).toEqual({ record: 9_001, request: 1 });
  });

  it('is nothing for nothing', () => {
    expect(partsByLoad([], TICKET)).toEqual({ parts: new Map(), last: undefined });
  });

  it('loses no request up to its mark and takes none beyond it', () => {
    const rows = fc
      .array(fc.nat(30), { maxLength: 60 })
      .map((loads) => loads.map((load, index) => forLoad(index + 1, `L${load}`)));
    fc.assert(
      fc.property(rows, (requests) => {
        const { parts, last } = partsByLoad(requests, TICKET);
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
  const calls: { name: string; identity: LoadIdentity; requests: HandedRequest[] }[] = [];
  const state = { open: 0, mostOpen: 0 };
  const load = (name: string) => ({
    async enqueue(identity: LoadIdentity, requests: HandedRequest[]): Promise<void> {
      state.open += 1;
      state.mostOpen = Math.max(state.mostOpen, state.open);
      await new Promise(setImmediate);
      state.open -= 1;
      if (failing.some((number) => name.includes(`"${number}"`))) throw new Error(`${name} is unreachable`);
      calls.push({ name, identity, requests });
    },
  });
  return { load, calls, state };
}

describe('handOver', () => {
  it('calls each load once, with its own requests in order', async () => {
    const { load, calls } = someLoads();
    const last = await handOver([forLoad(1, 'A'), forLoad(2, 'B'), forLoad(3, 'A')], TICKET, load);
    expect(last).toEqual({ record: 3, request: 1 });
    expect(calls.map(({ identity, requests }) => [identity.loadNumber, requests.map(({ record }) => record)])).toEqual([
      ['A', [1, 3]],
      ['B', [2]],
    ]);
  });

  it('keeps a few calls open at once, and no more', async () => {
    const { load, calls, state } = someLoads();
    await handOver(
      Array.from({ length: 40 }, (_, index) => forLoad(index + 1, `L${index}`)),
      TICKET,
      load,
    );
    expect(calls).toHaveLength(40);
    expect(state.mostOpen).toBe(HAND_OVER_PARALLEL);
  });

  it('throws when one load cannot be reached, so that the mark stays', async () => {
    const { load } = someLoads(['L3']);
    const rows = Array.from({ length: 8 }, (_, index) => forLoad(index + 1, `L${index}`));
    await expect(handOver(rows, TICKET, load)).rejects.toThrow('"L3"] is unreachable');
  });

  it('hands over the same names when it is repeated', async () => {
    const [first, second] = [someLoads(), someLoads()];
    const rows = [forLoad(1, 'A'), forLoad(2, 'A')];
    await handOver(rows, TICKET, first.load);
    await handOver(rows, TICKET, second.load);
    expect(second.calls).toEqual(first.calls);
  });

  it('calls nobody for nothing', async () => {
    const { load, calls } = someLoads();
    expect(await handOver([], TICKET, load)).toBeUndefined();
    expect(calls).toEqual([]);
  });
});

describe('releaseTraces', () => {
  const loads = ['A', 'B', 'C'].map((load) => ({ scac: 'ABCD', subject: `load:${load}` }));

  it('tells each load which batch is complete, and gives back the last one told', async () => {
    const told: string[] = [];
    const last = await releaseTraces(loads, TICKET, (name) => ({
      async release(batchId) {
        told.push(`${name} ${batchId}`);
      },
    }));
    expect(told).toEqual(['A', 'B', 'C'].map((load) => `["test","acme","ABCD","${load}"] ${BATCH_ID}`));
    expect(last).toEqual({ scac: 'ABCD', subject: 'load:C' });
  });

  it('throws when one load cannot be reached, so that the mark stays', async () => {
    const release = async (): Promise<void> => Promise.reject(new Error('down'));
    await expect(releaseTraces(loads, TICKET, () => ({ release }))).rejects.toThrow('down');
  });

  it('is nothing for nothing', async () => {
    const load = () => expect.fail('nobody is called');
    expect(await releaseTraces([], TICKET, load)).toBeUndefined();
  });
});
