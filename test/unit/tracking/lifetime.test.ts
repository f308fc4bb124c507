import { describe, expect, it, vi } from 'vitest';
import type { RequestState } from '../../../src/delivery/states.ts';
import { LOAD_RETENTION_MS, OUTCOME_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { attemptsKey } from '../../../src/kernel/names.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import type { StoredRequest } from '../../../src/tracking/request.ts';
import { isUnchanged, Retention, retentionStep, type SubjectFacts } from '../../../src/tracking/retention.ts';
import { aTaken, loadStored } from './samples.ts';

const LAST_MS = Date.UTC(2026, 2, 2, 8);
const at = (nowMs: number) => ({ nowMs: () => nowMs, timeScale: 1 });
const facts = (more: Partial<SubjectFacts> = {}): SubjectFacts => ({
  requests: 3,
  open: 0,
  untold: 0,
  revisions: 7,
  lastEventMs: LAST_MS,
  ...more,
});
const step = (more: Partial<SubjectFacts>, nowMs: number) => retentionStep(facts(more), LOAD_RETENTION_MS, at(nowMs));

describe('the life of a load or order', () => {
  it('ends when its time after the last event is over, and not before', () => {
    const endMs = LAST_MS + LOAD_RETENTION_MS;
    expect(step({}, endMs - 1)).toEqual({ step: 'wait', untilMs: endMs });
    expect(step({}, endMs)).toEqual({ step: 'end', lastEventMs: LAST_MS });
  });

  it.each([{ open: 1 }, { untold: 1 }])('never ends with %j, however old it is', (more) => {
    expect(step(more, LAST_MS + 1_000 * LOAD_RETENTION_MS)).toEqual({ step: 'lives' });
  });

  it('has no time where nothing ever came in', () => {
    expect(step({ requests: 0, lastEventMs: null }, LAST_MS)).toEqual({ step: 'empty' });
  });

  it.each([{ requests: 4 }, { open: 1 }, { untold: 1 }, { revisions: 8 }, { lastEventMs: LAST_MS + 1 }])(
    'goes on when %j shows that something came in meanwhile',
    (more) => {
      expect(isUnchanged(facts(), facts())).toBe(true);
      expect(isUnchanged(facts(), facts(more))).toBe(false);
    },
  );
});

describe('a subject', () => {
  const SCOPE = { environment: 'test', partner: 'acme' } as const;

  /** Of requests that are so. @param heardMs when it last heard of itself otherwise. */
  function aSubject(requests: Partial<StoredRequest>[], heardMs: number | null = null, name: string | null = 'N1') {
    const { tables, store } = loadStored();
    store.commit(() => {
      store.identify(SCOPE);
      store.add(requests.map(({ batch_id: batchId = 'b_1' }, index) => aTaken(index + 1, { batchId })));
      for (const [index, to] of requests.entries())
        tables.request.patch(index + 1, { taken_at_ms: LAST_MS, state: 'delivered', ...to });
    });
    const seen = {
      emptied: 0,
      forgotten: [] as number[],
      files: new Map<string, string>(),
      sums: new Map<string, string>(),
    };
    const storage = {
      deleteAll: async () => {
        await Promise.resolve();
        await Promise.resolve();
        seen.emptied += 1;
      },
    };
    const FILES = {
      put: async (key: string, text: string, { sha256 }: { sha256: string }) => {
        seen.files.set(key, text);
        seen.sums.set(key, sha256);
      },
      head: async (key: string) => ({ checksums: { sha256: Buffer.from(seen.sums.get(key) ?? '', 'hex') } }),
    };
    const life = {
      lifeMs: LOAD_RETENTION_MS,
      forget: () => void seen.forgotten.push(seen.emptied),
      lastHeardMs: () => heardMs,
    };
    const object = { ctx: { id: { name: name ?? undefined }, storage }, env: { FILES } };
    const retention = new Retention(object as never, store, life);
    return { tables, store, seen, retention };
  }

  it.each<[boolean, RequestState]>([
    [true, 'queued'],
    [true, 'sending'],
    [true, 'waiting'],
    [true, 'unknown'],
    [false, 'held'],
    [false, 'delivered'],
    [false, 'coalesced'],
  ])('has something to do as long as something of it moves: %j for %s', (hasWork, state) => {
    expect(aSubject([{ state: 'delivered' }, { state }]).retention.hasWork()).toBe(hasWork);
  });

  it('has something to do as long as a batch has not heard', () => {
    const { retention, store } = aSubject([{}]);
    store.commit(() => store.renew(1, LAST_MS));
    expect([retention.hasWork(), retention.erasable()]).toEqual([
      ...[true, { requests: 1, open: 0, untold: 1, batches: ['b_1'] }],
    ]);
  });

  it('may be erased when nothing of it is open, and says of which batches it is', async () => {
    const requests: Partial<StoredRequest>[] = [{ batch_id: 'b_2' }, { state: 'held' }, { state: 'queued' }];
    const { retention, seen } = aSubject(requests);
    expect(retention.erasable()).toEqual({ requests: 3, open: 2, untold: 0, batches: ['b_1', 'b_2'] });
    expect([await retention.erase(null), seen.forgotten]).toEqual([false, []]);
    const over = aSubject([{ batch_id: 'b_2' }, {}]);
    expect([await over.retention.erase(['b_1']), over.seen.emptied]).toEqual([false, 0]);
    expect([await over.retention.erase(['b_1', 'b_2']), over.seen]).toMatchObject([
      true,
      { emptied: 1, forgotten: [0] },
    ]);
    const untold = aSubject([{}]);
    untold.store.commit(() => untold.store.renew(1, LAST_MS));
    expect(await untold.retention.erase(null)).toBe(false);
  });

  it('goes by the last that came in, was decided, or was heard otherwise', () => {
    const ends = (requests: Partial<StoredRequest>[], heardMs: number | null) =>
      aSubject(requests, heardMs).retention.endsMs(at(LAST_MS)) ?? null;
    const from = (ms: number) => LAST_MS + ms + LOAD_RETENTION_MS;
    expect([
      ends([{}, { decided_at_ms: LAST_MS + 5 }, {}], null),
      ends([{ taken_at_ms: LAST_MS + 3 }, {}], null),
    ]).toEqual([...[from(5), from(3)]]);
    expect([ends([{}], LAST_MS + 7), ends([{ taken_at_ms: LAST_MS + 9 }], LAST_MS + 7), ends([], LAST_MS + 7)]).toEqual(
      [...[from(7), from(9), from(7)]],
    );
    expect(ends([], null)).toBeNull();
    expect(ends([{ state: 'held' }], null)).toBe(from(0)); // by then nothing of it is open
    expect(aSubject([{}]).retention.endsMs(at(from(1)))).toBe(from(1));
  });

  it.each<RequestState>(['queued', 'sending', 'waiting', 'unknown'])(
    'is looked at soon where a visit found nothing due and something is %s: it came in while the visit ended',
    (state) => {
      expect(aSubject([{}, { state }]).retention.endsMs(at(LAST_MS))).toBe(LAST_MS + OUTCOME_PAUSE_MS);
    },
  );

  it('ends once where two come to its end at a time, and nothing of a later life ends with it', async () => {
    const endMs = LAST_MS + LOAD_RETENTION_MS;
    const { retention, seen } = aSubject([{}]);
    const first = retention.step(at(endMs));
    expect(retention.isEnding).toBe(true);
    expect(await retention.step(at(endMs))).toBe(endMs + OUTCOME_PAUSE_MS);
    expect([await first, retention.isEnding, seen.emptied]).toEqual([null, false, 1]);
    expect([await retention.step(at(endMs)), seen.emptied, seen.forgotten]).toEqual([null, 1, [0]]);
    const erased = aSubject([{}]);
    expect(await erased.retention.erase(null)).toBe(true);
    expect([await erased.retention.step(at(endMs)), erased.seen.emptied, erased.seen.files.size]).toEqual([null, 1, 0]);
  });

  it('may end once more where its file could not be written', async () => {
    const endMs = LAST_MS + LOAD_RETENTION_MS;
    const { retention, seen } = aSubject([{}]);
    const find = vi.spyOn(seen.sums, 'get').mockReturnValueOnce(undefined);
    await expect(retention.step(at(endMs))).rejects.toThrow('not stored whole');
    expect([find.mock.calls.length, retention.isEnding, await retention.step(at(endMs))]).toEqual([1, false, null]);
  });

  it('ends in files of its batches, under its name, and is gone then', async () => {
    const { retention, seen } = aSubject([{ batch_id: 'b_2' }, {}, { batch_id: 'b_2' }], null, null);
    expect(await retention.step(at(LAST_MS))).toBe(LAST_MS + LOAD_RETENTION_MS);
    expect(await retention.step(at(LAST_MS + LOAD_RETENTION_MS))).toBeNull();
    const of = sha256Hex(JSON.stringify(SCOPE));
    expect([...seen.files.keys()]).toEqual(
      ['b_1', 'b_2'].map((batchId) => attemptsKey(SCOPE, batchId, { subject: of, life: LAST_MS, part: 1 })),
    );
    expect([...seen.files.values()].map((text) => text.trimEnd().split('\n').length)).toEqual([1, 2]);
    expect([seen.emptied, seen.forgotten]).toEqual([1, [0]]);
  });

  it('that is empty ends without a file, and one that something is open of stays', async () => {
    const empty = aSubject([]);
    expect([await empty.retention.step(at(0)), empty.seen.emptied, empty.seen.files.size]).toEqual([null, 1, 0]);
    const open = aSubject([{ state: 'held' }]);
    expect([await open.retention.step(at(LAST_MS + 2 * LOAD_RETENTION_MS)), open.seen.emptied]).toEqual([null, 0]);
  });

  it('with an outcome that no batch has heard of looks again soon, however old it is', async () => {
    const { retention, store, seen } = aSubject([{}]);
    store.commit(() => store.renew(1, LAST_MS));
    const lateMs = LAST_MS + 2 * LOAD_RETENTION_MS;
    expect([await retention.step(at(lateMs)), seen.emptied]).toEqual([lateMs + OUTCOME_PAUSE_MS, 0]);
  });
});
