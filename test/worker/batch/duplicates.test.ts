/** Events that say what was said before: in a load, within one file, and under a new version of a mapping. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { bundleOf } from '../../../src/ops/publishing/bundle.ts';
import { publicationStore } from '../../../src/ops/publishing/publication-store.ts';
import { publishingOf } from '../../../src/ops/publishing/publishing.ts';
import type { DispatchedRequest } from '../../../src/tracking/request.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { aLoad, type LoadUnderTest, PATIENCE, recordsOf } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { handOverPoints, points, pointsIn } from '../traces.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const LIVE = { live: true };

/** The same events once more, from another batch. */
const again = (load: LoadUnderTest, records: readonly number[], more: Partial<DispatchedRequest> = {}): Promise<void> =>
  load.stub().enqueue(
    load.identity,
    records.map((record) => load.request(record, { batchId: 'b_2', key: `b_2/${record}/1`, ...more })),
  );
const intoOf = async (load: LoadUnderTest) => (await load.timeline()).map(({ request }) => request.into_seq);

describe('a milestone that says what an earlier one said', () => {
  it('is a duplicate of it once that was delivered, and is not sent', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    await again(load, [2, 3]);
    await load.reaches('delivered', 'delivered', 'duplicate', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2, 3]);
    expect(await intoOf(load)).toEqual([null, null, 2, null]);
    expect((await load.timeline())[2]?.attempts).toEqual([]);
  });

  it('waits for it while it has no clear answer, and holds up nothing else', async () => {
    const { left, answer } = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('unknown');
    await load.becomes({ first_tried_at_ms: 1 }); // long ago: it has stepped aside
    answer(200);
    await again(load, [1, 2]);
    await load.reaches('unknown', 'queued', 'delivered');
    await load.wake();
    await load.reaches('unknown', 'queued', 'delivered');
    await load.waitPasses();
    await load.reaches('delivered', 'duplicate', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2, 1]);
  });

  it('is sent when that was refused', async () => {
    const { left } = upstreamAnswers(400, 200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('rejected');
    await again(load, [1]);
    await load.reaches('rejected', 'delivered');
    expect(recordsOf(left)).toEqual([1, 1]);
  });

  it('waits while that is held, and is sent late when it was given up', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    await load.becomes({ state: 'held' });
    await again(load, [1, 2]);
    await load.reaches('held', 'queued', 'delivered');
    await load.becomes({ state: 'dead', outcome: 'unknown' }, ({ seq }) => seq === 1);
    await load.wake();
    await load.reaches('dead', 'delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2, 1]);
    expect((await load.timeline())[1]?.request).toMatchObject({ late: 1, possible_duplicate: 1 });
  });

  it('is sent when that was withdrawn', async () => {
    const { left, answer } = upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('waiting');
    const tried = left.length;
    await again(load, [1]);
    answer(200);
    await load.stub().cancel('b_1');
    await load.reaches('cancelled', 'delivered');
    expect(recordsOf(left.slice(tried))).toEqual([1]);
  });

  it('is given up at its own deadline when that never ends', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    await load.becomes({ state: 'held' });
    await again(load, [1]);
    await vi.waitFor(async () => expect((await load.timeline())[1]?.request.awaits_seq).toBe(1), PATIENCE);
    await load.becomes({ deadline_ms: 1 }, ({ seq }) => seq === 2);
    await load.wake();
    await load.reaches('held', 'dead');
    expect((await load.timeline())[1]?.request).toMatchObject({ reason: 'deadline', outcome: 'not_applied' });
    expect(left).toHaveLength(1);
  });

  it('is sent though that was delivered when the upload was forced', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await again(load, [1], { forced: true });
    await load.reaches('delivered', 'delivered');
    await again(load, [1], { batchId: 'b_3', key: 'b_3/1/1' });
    await load.reaches('delivered', 'delivered', 'duplicate');
    expect(recordsOf(left)).toEqual([1, 1]);
  });

  it('is sent once however often it comes at once', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const many = Array.from({ length: 30 }, (_, index) =>
      again(load, [1], { key: `b_2/${index}/1`, record: index + 1 }),
    );
    await Promise.all(many);
    await load.reaches('delivered', ...Array.from({ length: 29 }, () => 'duplicate' as const));
    expect(left).toHaveLength(1);
  });

  it('is sent as the next generation of a row that was refused', async () => {
    const { left } = upstreamAnswers(400, 200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('rejected');
    await load.dispatch([1], { key: 'b_1/1/1~2', generation: 2 });
    await load.reaches('rejected', 'delivered');
    await load.dispatch([1], { key: 'b_1/1/1~3', generation: 3 });
    await load.reaches('rejected', 'delivered', 'duplicate');
    expect(left).toHaveLength(2);
  });
});

describe('a position that says what an earlier one said', () => {
  const states = async (load: LoadUnderTest) => (await load.timeline()).map(({ request }) => request.state);
  /** As if its last set had left long ago. */
  const windowOpens = async (load: LoadUnderTest): Promise<void> => {
    await load.becomes({ first_tried_at_ms: 1 }, ({ first_tried_at_ms }) => first_tried_at_ms !== null);
    await load.wake();
  };

  it('goes once, when both are there before the set is packed', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const both = ['b_1', 'b_2'].flatMap((batchId) => points(load, [1, 2], { ...LIVE, batchId }));
    await load.stub().enqueue(load.identity, both);
    await load.reaches('delivered', 'coalesced', 'queued', 'queued');
    await windowOpens(load);
    await vi.waitFor(async () => {
      expect(await states(load)).toEqual(['delivered', 'coalesced', 'duplicate', 'duplicate']);
    }, PATIENCE);
    expect(await intoOf(load)).toEqual([1, 1, 1, 2]);
    expect(pointsIn(left)).toEqual([[1, 2]]);
  });

  it('waits for the set that carries it', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer, 200);
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    await handOverPoints(load, [2, 3], { ...LIVE, batchId: 'b_2' });
    expect(await states(load)).toEqual(['sending', 'coalesced', 'queued', 'queued']);
    held.release(200);
    await load.reaches('delivered', 'coalesced', 'queued', 'queued');
    await windowOpens(load);
    await vi.waitFor(async () => {
      expect(await states(load)).toEqual(['delivered', 'coalesced', 'duplicate', 'delivered']);
    }, PATIENCE);
    expect(pointsIn(left)).toEqual([[1, 2], [3]]);
  });

  it('is sent when the set that carried it was given up', async () => {
    const { left, answer } = upstreamAnswers(301);
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await vi.waitFor(async () => expect(await states(load)).toEqual(['dead', 'coalesced']), PATIENCE);
    answer(200);
    await handOverPoints(load, [2], { ...LIVE, batchId: 'b_2' });
    await windowOpens(load);
    await vi.waitFor(async () => expect(await states(load)).toEqual(['dead', 'coalesced', 'delivered']), PATIENCE);
    expect(pointsIn(left)).toEqual([[1, 2], [2]]);
  });
});

describe('an upload with events that were sent before', () => {
  it('says of equal rows which row of the file was sent', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const row = statusRow('LD1');
    const { batchId, links } = await partner.receipt(statusFile(row, statusRow('LD1', { Stop: '2' }), row));
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({ rowStates: { delivered: 2, duplicate: 1 } });
    expect(left).toHaveLength(2);
    const [, , third] = await partner.rows(batchId);
    expect(third).toMatchObject({ state: 'duplicate', requests: [{ into: { batchId, record: 1, request: 1 } }] });
    const report = await (await partner.fetch(links.reportCsv)).text();
    expect(report.split('\r\n').at(-2) ?? report).toMatch(/duplicate.*Same as row 1/);
  });

  it('sends of a file with one cell changed that row alone', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const rows = statusRows(3, 2);
    const first = await partner.receipt(statusFile(...rows));
    await partner.reaches(first.batchId, 'settled');
    const second = await partner.receipt(statusFile(...rows.slice(0, 2), statusRow('LD0', { Stop: '9' })));
    expect(second.batchId).not.toBe(first.batchId);
    expect(await partner.reaches(second.batchId, 'settled')).toMatchObject({
      rowStates: { delivered: 1, duplicate: 2 },
    });
    expect(left).toHaveLength(4);
  });

  it('is a new batch under a new mapping version, whose delivered rows are duplicates and whose refused ones go out', async () => {
    const { left, answer } = upstreamAnswers(400, 200);
    const partner = await aPartner();
    const file = statusFile(...statusRows(3, 1));
    const first = await partner.receipt(file);
    expect(await partner.reaches(first.batchId, 'settled')).toMatchObject({ rowStates: { rejected: 1, delivered: 2 } });
    await publishNewVersion();
    answer(200);
    const second = await partner.receipt(file);
    expect(second).toMatchObject({ sha256: first.sha256, replayed: false });
    expect(second.batchId).not.toBe(first.batchId);
    expect(await partner.reaches(second.batchId, 'settled')).toMatchObject({
      rowStates: { delivered: 1, duplicate: 2 },
    });
    expect(left).toHaveLength(4);
    const rows = await partner.rows(second.batchId);
    expect(rows.map(({ requests }) => requests[0]?.into)).toEqual([
      null,
      { batchId: first.batchId, record: 2, request: 1 },
      { batchId: first.batchId, record: 3, request: 1 },
    ]);
  });
});

/** The mapping leaves out one row more; the bodies of all others stay as they are. */
async function publishNewVersion(): Promise<void> {
  const name = 'carrier-status-csv';
  const publisher = publishingOf({
    bundle: bundleOf({ documents: BUNDLED_DOCUMENTS, codeLists: BUNDLED_CODE_LISTS }),
    store: publicationStore(env.DIRECTORY),
    files: env.FILES,
    nowMs: () => Date.now(),
  });
  const text = (BUNDLED_DOCUMENTS.get(name) ?? '').replace('[TOTAL, Total]', '[TOTAL, Total, Sum]');
  const aim = { artifact: 'mapping', written: text } as const;
  const by = { keyId: '0123456789abcdef', name: 'Analyst' };
  const asked = { environment: 'test', name, aim, by, note: '', dryRun: false, owners: null, ifMatch: null } as const;
  const done = await publisher.change(asked);
  expect(done.ok).toBe(true);
}
