/** Cancelling, retrying and replaying a batch on its own tables: what each step does, and whether there was something to do. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { cancelBatch, withdrawStep } from '../../../src/batch/actions/cancel.ts';
import { eraseBatch, eraseSubject } from '../../../src/batch/actions/erase.ts';
import { resolveRows } from '../../../src/batch/actions/replaced-rows.ts';
import {
  beginReplay,
  planReplay,
  type ReplayRequest,
  replayOutcome,
  stepReplay,
} from '../../../src/batch/actions/replay.ts';
import { beginRetrying, type RetryRequest, retryBatch } from '../../../src/batch/actions/retry.ts';
import { type BatchCheckpoint, type BatchProgress, isAfter, START } from '../../../src/batch/core/progress.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import type { Indexing } from '../../../src/batch/steps/batch-index.ts';
import { moveOutcomes, settleIfDone } from '../../../src/batch/steps/ending.ts';
import { keepRead } from '../../../src/batch/steps/messages.ts';
import { ActionStore } from '../../../src/batch/store/action-store.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ClaimStore } from '../../../src/batch/store/claim-store.ts';
import { DeadLetterStore, ReplayStore } from '../../../src/batch/store/dead-letter-store.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { REPLAY_PAGE_REQUESTS } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, anOutcome, aTicket, BATCH_ID, RECEIVED_MS } from './samples.ts';

const PROGRESS: BatchProgress = {
  state: 'delivering',
  checkpoint: null,
  readingFinished: true,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
};

const rejected = (record: number): RequestOutcome => ({
  ...{ record, request: 1, generation: 1, revision: 1, state: 'rejected', reason: null, outcome: null, evidence: null },
  ...{ attempts: 1, status: 422, answer: '', possibleDuplicate: false, late: false, into: null, intoState: null },
  ...{ nextAtMs: null, decidedAtMs: RECEIVED_MS, diff: null, action: null },
});

/** A batch of so many rows of one request each. */
function aBatch(rows: number, progress: Partial<BatchProgress> = {}, doubtful: BatchCheckpoint = START) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  store.keepTicket(aTicket());
  store.keepProgress({ ...PROGRESS, ...progress });
  store.addRows(
    Array.from({ length: rows }, (_, index) => aMappedRow(index + 1, 1)),
    () => 'queued',
  );
  store.keepTally({ records: { queued: rows }, requests: { queued: rows } });
  const cancelled: string[] = [];
  const cancelledAt = new Set<unknown>();
  const emptiedIn: unknown[] = [];
  const subject = (name: string) => ({
    cancel: async (...[, , atMs]: unknown[]) => {
      cancelled.push(name);
      cancelledAt.add(atMs);
    },
  });
  const now = () => store.progress() ?? PROGRESS;
  const letters = new DeadLetterStore(sql, store);
  const port = {
    ...{
      store,
      letters,
      claims: new ClaimStore(sql),
      actions: new ActionStore(sql, store),
      replays: new ReplayStore(sql),
      messages: store.messages,
    },
    created: () => ({ ticket: aTicket(), progress: now() }),
    subjects: { load: subject, order: subject },
    doubtful: () => ({ last: doubtful, mayHave: (place: BatchCheckpoint) => !isAfter(place, doubtful) }),
    emptyAhead: () => emptiedIn.push([now().withdrawal?.phase, now().handedOver.record]),
    register: () => ({ reopenBatch: async () => undefined, reclaim: async () => BATCH_ID }),
    move: (outcomes: readonly RequestOutcome[]) => moveOutcomes(port, outcomes),
    keep: (change: Partial<BatchProgress>) => store.keepProgress({ ...now(), ...change }),
    nowMs: () => RECEIVED_MS,
  } as unknown as ActionPort;
  return { port, store, now, cancelled, cancelledAt, emptiedIn, letters };
}

/** With a register that does more than the batch asks of it. */
const withRegister = (port: ActionPort, register: Partial<ReturnType<ActionPort['register']>>): ActionPort => ({
  ...port,
  register: () => ({ ...port.register(), ...register }),
});

/** A batch whose requests were all refused. */
function aRefusedBatch(rows: number, progress: Partial<BatchProgress> = {}) {
  const batch = aBatch(rows, progress);
  batch.port.move(Array.from({ length: rows }, (_, index) => rejected(index + 1)));
  return batch;
}

describe('cancelling', () => {
  const step = async ({ port, now }: ReturnType<typeof aBatch>) => withdrawStep(port, aTicket(), now());

  it('has something to do until nobody has anything of the batch any more', async () => {
    const batch = aBatch(3, { handedOver: { record: 1, request: 1 } }, { record: 2, request: 1 });
    expect(cancelBatch(batch.port, { who: 'k1', dryRun: false }).ok).toBe(true);
    const phases: unknown[] = [];
    while (phases.length < 10 && (await step(batch))) phases.push(batch.now().withdrawal?.phase);
    expect(phases).toEqual(['doubtful', 'handed_over', 'handed_over', 'rest', undefined]);
    expect(batch.cancelled.length).toBeGreaterThan(0);
    expect(batch.emptiedIn).toEqual([['doubtful', 3]]); // a retry may follow at once
    expect([...batch.cancelledAt]).toEqual([RECEIVED_MS]); // what is sent again later stays, should a call come late
  });

  it('also withdraws groups that are read later and begin before the last row that was stored at a restart', async () => {
    const reading = { readingFinished: false, cancelledAtMs: RECEIVED_MS, withdrawal: { phase: 'doubtful' } } as const;
    const batch = aBatch(2, { ...reading, handedOver: { record: 1, request: 1 } }, { record: 5001, request: 0 });
    const all = async () => {
      for (let steps = 0; steps < 10 && (await step(batch)); ) steps += 1;
    };
    await all();
    expect(batch.now()).toMatchObject({ withdrawal: { phase: 'rest' }, handedOver: { record: 2, request: 1 } });
    batch.port.move([1, 2].map((record) => anOutcome(record, { state: 'cancelled' }))); // as their load reports
    const groups = [3, 4].map((record) => aMappedRow(record, 1));
    batch.store.addRows(groups, () => 'queued');
    batch.store.keepTally(batch.store.tallyWithin(0, 4));
    batch.port.keep({ readingFinished: true });
    await all();
    expect(batch.store.tally().requests).toEqual({ cancelled: 4 });
    expect([settleIfDone(batch.store, RECEIVED_MS), batch.now().state]).toEqual([true, 'settled']);
  });

  it('leaves what a retry had chosen as it ended, as long as no subject has it again', async () => {
    const batch = aRefusedBatch(2);
    const { actions } = batch.port;
    actions.choose(actions.ended());
    beginRetrying(batch.port, RECEIVED_MS);
    expect([actions.isChosen(1), actions.isChosen(2)]).toEqual([true, true]);
    batch.port.keep({
      handedOver: { record: 2, request: 1 },
      cancelledAtMs: RECEIVED_MS,
      withdrawal: { phase: 'doubtful' },
    });
    let steps = 0;
    while (steps < 10 && (await step(batch))) steps += 1;
    expect([actions.isChosen(1), actions.isChosen(2)]).toEqual([false, false]);
    expect(batch.now().retrying).toBeUndefined();
    expect(batch.store.tally().requests).toEqual({ rejected: 2 });
  });

  it('withdraws here what was never handed over, and waits for rows that are not read yet', async () => {
    const batch = aBatch(3, { readingFinished: false, withdrawal: { phase: 'rest' } });
    expect([await step(batch), await step(batch)]).toEqual([true, false]);
    expect(batch.store.tally().requests).toEqual({ cancelled: 3 });
    expect(batch.now().withdrawal).toEqual({ phase: 'rest' });
    batch.port.keep({ readingFinished: true });
    expect([await step(batch), batch.now().withdrawal, await step(batch)]).toEqual([true, undefined, false]);
  });
});

describe('retrying', () => {
  it('opens a batch that had settled once more, so that its end is told anew', () => {
    const settled = aBatch(1, { state: 'settled', settledAtMs: RECEIVED_MS, reported: true, opening: 4 });
    beginRetrying(settled.port, RECEIVED_MS + 1);
    expect(settled.now()).toMatchObject({ state: 'delivering', settledAtMs: null, reported: false, opening: 5 });
    expect(settled.now()).toMatchObject({ retrying: true, retriedAtMs: RECEIVED_MS + 1 });
    const first = aBatch(1, { state: 'settled', settledAtMs: RECEIVED_MS });
    beginRetrying(first.port, RECEIVED_MS + 1);
    expect(first.now().opening).toBe(1);
  });

  it('leaves one that is still open as it stands', () => {
    const open = aBatch(1);
    beginRetrying(open.port, RECEIVED_MS + 1);
    expect(open.now()).toEqual({ ...PROGRESS, retrying: true, retriedAtMs: RECEIVED_MS + 1 });
  });
});

describe('a settled batch that opens again', () => {
  const SETTLED = { state: 'settled', settledAtMs: RECEIVED_MS } as const;
  const asked: RetryRequest = { who: 'k1', states: ['rejected'], includeUnknown: false, dryRun: false };

  it('takes its file back where the register hears of its end first', async () => {
    const { port, now } = aRefusedBatch(1, SETTLED);
    const reclaimed: string[] = [];
    const reopenBatch = async () => port.keep({ claimsNothing: true, reported: true });
    const reclaim = async (batchId: string) => {
      reclaimed.push(batchId);
      return batchId;
    };
    expect((await retryBatch(withRegister(port, { reopenBatch, reclaim }), asked)).ok).toBe(true);
    expect(reclaimed).toEqual([BATCH_ID]);
    expect(now()).toMatchObject({ state: 'delivering', opening: 1 });
    expect(now().claimsNothing).toBeUndefined();
  });

  it('takes it back once more where it reports its end anew meanwhile, which releases it again', async () => {
    const { port, now } = aRefusedBatch(1, { ...SETTLED, claimsNothing: true, reported: true });
    const told: string[] = [];
    const reopenBatch = async (_: string, opening: number) => void told.push(`open ${opening}`);
    const reclaim = async (batchId: string) => {
      if (told.push('file') === 2) port.keep({ opening: 1 });
      return batchId;
    };
    expect((await retryBatch(withRegister(port, { reopenBatch, reclaim }), asked)).ok).toBe(true);
    expect(told).toEqual(['open 1', 'file', 'open 2', 'file']);
    expect(now().opening).toBe(2);
  });

  it('stays as it is where its file came in again, and says as what', async () => {
    const { port, now } = aRefusedBatch(1, { ...SETTLED, claimsNothing: true });
    const refused = await retryBatch(withRegister(port, { reclaim: async () => 'b_other' }), asked);
    expect(refused).toEqual({ ok: false, error: { code: 'file_sent_again', batchId: 'b_other' } });
    expect(now()).toMatchObject({ ...SETTLED, claimsNothing: true });
  });

  it('stays as it is where a message of it came in again, too', async () => {
    const { port, now } = aRefusedBatch(1, { ...SETTLED, claimsNothing: true });
    const created = () => ({ ticket: { ...aTicket(), message: true as const }, progress: now() });
    const refused = await retryBatch({ ...withRegister(port, { reclaim: async () => 'b_other' }), created }, asked);
    expect(refused).toEqual({ ok: false, error: { code: 'file_sent_again', batchId: 'b_other' } });
  });

  it('asks for no file where it released none', async () => {
    const reclaim = async (): Promise<string> => expect.unreachable('it has what it needs');
    const { port } = aRefusedBatch(1, SETTLED);
    expect((await retryBatch(withRegister(port, { reclaim }), asked)).ok).toBe(true);
  });
});

describe('a replay', () => {
  const wanted: ReplayRequest['wanted'] = {
    filter: { states: ['rejected'], reasons: null, statuses: null, kinds: null, subject: null, places: null },
    includeUnknown: false,
  };
  const asked = (digest: string): ReplayRequest => ({
    ...{ actionId: `a_${'0'.repeat(32)}`, who: 'op', name: 'Op', why: 'mended', wanted, digest },
  });

  it.each([1, REPLAY_PAGE_REQUESTS, 2 * REPLAY_PAGE_REQUESTS, 2 * REPLAY_PAGE_REQUESTS + 1])(
    'of %i requests is planned over all of them, each once',
    (requests) => {
      const plan = planReplay(aRefusedBatch(requests).port, wanted);
      expect(plan).toMatchObject({ requests, states: { rejected: requests }, leftOut: {} });
    },
  );

  it('that is asked for twice at once begins once, and both are told how much it is about', async () => {
    const { port, letters } = aRefusedBatch(3, { state: 'settled', claimsNothing: true });
    const { digest } = planReplay(port, wanted);
    const told = await Promise.all([beginReplay(port, asked(digest)), beginReplay(port, asked(digest))]);
    expect(told).toEqual([
      { ok: true, value: 3 },
      { ok: true, value: 3 },
    ]);
    expect(port.replays.left(asked(digest).actionId)).toBe(3);
    expect(letters.actions(9).map(({ what }) => what)).toEqual(['replay']);
  });

  it('is shown by its first three requests, each with its load and where its row stands', () => {
    const { port, store } = aRefusedBatch(3);
    const row = aMappedRow(4, 1, { position: { record: 4, line: 9, byteFrom: 0, byteTo: 9, place: 'ST 0001' } });
    const other = row.requests.map((request) => ({ ...request, subject: 'load:L4' }));
    store.addRows([{ ...row, requests: [...row.requests, ...other] } as MappedRow], () => 'queued');
    port.move([rejected(4), { ...rejected(4), request: 2 }]);
    const shown = (record: number) => ({ record, subject: 'load:L1', line: record + 1, place: null });
    expect(planReplay(port, wanted).examples).toEqual([1, 2, 3].map(shown));
    const places = [{ record: 4, request: 2 }];
    expect(planReplay(port, { ...wanted, filter: { ...wanted.filter, places } }).examples).toEqual([
      { record: 4, subject: 'load:L4', line: 9, place: 'ST 0001' },
    ]);
  });

  it('is not begun in a batch that is deleted', async () => {
    const { port } = aRefusedBatch(1);
    const { digest } = planReplay(port, wanted);
    const gone = { ...port, store: { ticket: () => undefined } } as unknown as ActionPort;
    expect(await beginReplay(gone, asked(digest))).toEqual({ ok: false, error: { code: 'batch_gone' } });
  });

  it('takes no further step in a batch that is deleted meanwhile, and says that the rest stays', async () => {
    const { actionId } = asked('');
    const { port } = aBatch(0);
    const created = () => expect.unreachable('nothing is there');
    const gone = { ...port, store: { ticket: () => undefined }, created } as unknown as ActionPort;
    expect(await stepReplay(gone, actionId, 2, 5)).toEqual({ chosen: 0, skipped: 0, left: 0, isCancelled: true });
  });

  it('takes its file back only where that may have come in again, and is refused where it has', async () => {
    const of = async (progress: Partial<BatchProgress>) => {
      const { port } = aRefusedBatch(1, { state: 'settled', ...progress });
      const holds = withRegister(port, { reclaim: async () => 'b_other' });
      return beginReplay(holds, asked(planReplay(port, wanted).digest));
    };
    expect(await of({ claimsNothing: true })).toEqual({
      ok: false,
      error: { code: 'file_sent_again', batchId: 'b_other' },
    });
    expect(await of({})).toEqual({ ok: true, value: 1 });
  });

  it('leaves the rest as it ended where the file comes in again between its beginning and a step', async () => {
    const { port, now } = aRefusedBatch(2, { state: 'settled', reported: true });
    const { actionId } = asked('');
    await beginReplay(port, asked(planReplay(port, wanted).digest));
    port.keep({ claimsNothing: true });
    const holds = withRegister(port, { reclaim: async () => 'b_other' });
    expect(await stepReplay(holds, actionId, 1, 2)).toEqual({ chosen: 0, skipped: 0, left: 0, isCancelled: true });
    expect(now()).toMatchObject({ state: 'settled', claimsNothing: true });
  });

  it('neither begins nor goes on in a batch that is being erased, and a retry is refused', async () => {
    const { port, now } = aRefusedBatch(2, { state: 'settled', settledAtMs: RECEIVED_MS, reported: true });
    const { actionId } = asked('');
    const { digest } = planReplay(port, wanted);
    await beginReplay(port, asked(digest));
    expect(eraseBatch(port)).toBe('begun');
    expect(await stepReplay(port, actionId, 1, 2)).toEqual({ chosen: 0, skipped: 0, left: 0, isCancelled: true });
    expect(await beginReplay(port, { ...asked(digest), actionId: 'a_2' })).toEqual({
      ok: false,
      error: { code: 'batch_gone' },
    });
    const retry = { who: 'k1', dryRun: false, states: null, includeUnknown: false } as unknown as RetryRequest;
    expect(await retryBatch(port, retry)).toEqual({ ok: false, error: { code: 'being_erased' } });
    expect(now().state).toBe('settled');
  });

  it('chooses as many as it may at each step, once, and tells by state what became of them', async () => {
    const { port, now } = aRefusedBatch(3);
    const { actionId } = asked('');
    await beginReplay(port, asked(planReplay(port, wanted).digest));
    const first = { chosen: 2, skipped: 0, left: 1, isCancelled: false };
    expect(await stepReplay(port, actionId, 1, 2)).toEqual(first);
    expect(now()).toMatchObject({ retrying: true, retriedAtMs: RECEIVED_MS });
    expect(await stepReplay(port, actionId, 1, 2)).toEqual(first);
    expect(replayOutcome(port, actionId)).toEqual({ queued: 2 });
    port.store.raise([{ record: 1, request: 1 }], RECEIVED_MS);
    port.move([anOutcome(1, { generation: 2, state: 'delivered' })]);
    expect(replayOutcome(port, actionId)).toEqual({ delivered: 1, queued: 1 });
    expect(await stepReplay(port, actionId, 2, 2)).toEqual({ ...first, chosen: 3, left: 0 });
  });
});

describe('a batch that is erased whole', () => {
  it('knows by which issues the lists have it, and takes in nothing more', () => {
    const { port, now, letters } = aRefusedBatch(2, { state: 'settled', settledAtMs: RECEIVED_MS, reported: true });
    const [issue] = letters.issues(9);
    expect(eraseBatch(port)).toBe('begun');
    expect(now()).toMatchObject({ isClosed: true, erasing: { after: START, issues: [issue?.id] } });
    expect(issue?.id).toEqual(expect.any(String));
  });
});

describe('a load that is erased out of a batch', () => {
  const erased = (record: number) => ({
    ...{ scac: 'ABCD', records: [] },
    subject: aMappedRow(record, 1).requests[0]?.subject ?? '',
  });
  const by = { who: 'k1', name: 'Kim', why: 'asked for' };
  const files = { list: async () => ({ objects: [] }), delete: async () => undefined } as unknown as R2Bucket;

  it('leaves to another erasure, and to that of the whole batch, the issues that the index has still to forget', async () => {
    const { port, now } = aRefusedBatch(2, { state: 'settled', settledAtMs: RECEIVED_MS, reported: true });
    const down = { forgetIssues: () => Promise.reject(new Error('planned: no index')) } as unknown as Indexing;
    const whileForgetting = {
      forgetIssues: async () => port.keep({ erased: { issues: ['of_another', ...(now().erased?.issues ?? [])] } }),
    } as unknown as Indexing;
    await expect(eraseSubject(port, { files, indexing: down }, { ...by, ...erased(1) })).rejects.toThrow('planned');
    const left = now().erased?.issues ?? [];
    expect(left).toHaveLength(1);
    expect(eraseBatch(port)).toBe('begun');
    expect(now().erasing?.issues).toEqual(expect.arrayContaining([...left]));
    expect(await eraseSubject(port, { files, indexing: whileForgetting }, { ...by, ...erased(1) })).toBe(true);
    expect(now().erased?.issues).toEqual(['of_another']);
  });
});

describe('a file that cannot be read', () => {
  it('has nothing to withdraw for a cancel that came before, and may be erased', () => {
    const cancelled = { cancelledAtMs: RECEIVED_MS, withdrawal: { phase: 'doubtful' } } as const;
    const { port, now } = aBatch(0, { state: 'reading', readingFinished: false, ...cancelled });
    keepRead(port as never, { ...now(), state: 'unreadable', settledAtMs: RECEIVED_MS, reported: true });
    expect(now()).toMatchObject({ state: 'unreadable', cancelledAtMs: RECEIVED_MS });
    expect(now().withdrawal).toBeUndefined();
    expect(eraseBatch(port)).toBe('begun');
  });

  it('may be erased where an earlier release left a withdrawal that never ends', () => {
    const { port } = aBatch(0, { state: 'unreadable', reported: true, withdrawal: { phase: 'doubtful' } });
    expect(eraseBatch(port)).toBe('begun');
  });
});

describe('a row that stands for one of an earlier batch', () => {
  it('passes on that another was delivered in its place', () => {
    const { port, store } = aBatch(0);
    const wrong = aMappedRow(1, 0, { state: 'invalid', standsFor: { batchId: 'b_0', record: 7 } });
    store.addRows([wrong], () => 'invalid');
    port.claims.add([wrong]);
    const by = { batchId: 'b_2', record: 4 };
    resolveRows(port, [{ record: 1, by }]);
    expect(port.claims.due('b_0', 9)).toEqual([{ own: 1, record: 7, by }]);
    expect(store.tally().resolved).toEqual({ invalid: 1 });
  });
});
