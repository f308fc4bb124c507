/** An acknowledgment from what is kept of the sets: without the stored bytes, and the same as it is made from them. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { zipOf } from '../../zip-files.ts';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214, arrival, type SetWanted } from '../x12-files.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const X12 = { mapping: 'x12-214' };

/** As it is answered after the process ended, from what is kept and from the stored bytes. */
async function bothWays(partner: Partner, batchId: string, paths: readonly string[]): Promise<string[]> {
  const textsOf = async (): Promise<string[]> => {
    const texts: string[] = [];
    for (const path of paths) {
      const answer = await partner.fetch(path);
      texts.push(`${answer.status} ${new TextDecoder().decode(await answer.bytes())}`);
    }
    return texts;
  };
  await evictDurableObject(env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId)));
  vi.spyOn(Batch.prototype, 'rows').mockRejectedValue(new Error('rows are read for it'));
  const kept = await textsOf();
  vi.restoreAllMocks();
  vi.spyOn(Batch.prototype, 'setOutcomes').mockResolvedValue(null);
  expect(kept).toEqual(await textsOf());
  return kept;
}

const ofBatch = (batchId: string): string[] => [
  `/v1/batches/${batchId}/acknowledgment`,
  `/v1/batches/${batchId}/acknowledgment?kind=999`,
];

const someOf = (count: number): SetWanted[] =>
  Array.from({ length: count }, (_, index) => ({
    load: `K${index % 40}`,
    ...(index % 7 === 2 ? { events: [arrival('ZZ'), arrival('X3', `08${10 + (index % 50)}`)] } : {}),
    ...(index % 11 === 5 ? { count: 9 } : {}),
  }));

describe('an acknowledgment', () => {
  it('of a file of several slices is the same from what is kept of its sets', async () => {
    const partner = await aPartner();
    const file = a214(someOf(4_000));
    expect(file.length).toBeGreaterThan(256 * 1024);
    const { batchId } = await partner.receipt(file, { ...X12, dryRun: 'true' });
    await partner.reaches(batchId, 'settled');
    const [text = ''] = await bothWays(partner, batchId, ofBatch(batchId));
    expect(text.match(/AK5\*[AER]/g)).toHaveLength(4_000);
  }, 60_000);

  it('is made from the stored bytes where an earlier release began to read', async () => {
    const { addRows } = BatchStore.prototype;
    const without = vi.spyOn(BatchStore.prototype, 'addRows').mockImplementationOnce(function (
      this: BatchStore,
      ...[rows, state]
    ) {
      return addRows.call(this, rows, state);
    });
    const partner = await aPartner();
    const { batchId } = await partner.receipt(a214(someOf(4_000)), { ...X12, dryRun: 'true' });
    await partner.reaches(batchId, 'settled');
    expect(without.mock.calls.length).toBeGreaterThan(1);
    const batch = env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
    expect(await batch.setOutcomes(0, null)).toBeNull();
    const answer = await partner.fetch(ofBatch(batchId)[0] ?? '');
    expect(new TextDecoder().decode(await answer.bytes()).match(/AK5\*[AER]/g)).toHaveLength(4_000);
  }, 60_000);

  it('of an archive is the same, whatever of it cannot be read', async () => {
    const partner = await aPartner();
    const archive = zipOf([
      { name: 'none.x12', content: 'no interchange' },
      { name: 'one.x12', content: a214(someOf(3), { control: 31 }) },
      { name: 'two.x12', content: a214([], { control: 32, ta1: '1' }) },
      { name: 'three.x12', content: `\u{feff}${a214(someOf(20), { control: 33 }).slice(0, 1_500)}` },
    ]);
    const { batchId } = await partner.receipt(archive, X12);
    await partner.reaches(batchId, 'settled');
    const [text = ''] = await bothWays(partner, batchId, ofBatch(batchId));
    expect(text.match(/ISA\*/g)).toHaveLength(3);
  });

  it('of each message that shares a batch is the same', async () => {
    const partner = await aPartner();
    const headers = { Accept: 'application/EDI-X12' };
    let [batchId, said] = ['', ''];
    for (let control = 1; control <= 40; control += 1) {
      const sets = control % 9 === 0 ? [] : someOf(control % 13 === 0 ? 60 : 3);
      const body = a214(sets, { control, ta1: '1' });
      const answer = await partner.fetch('/v1/messages?mapping=x12-214', { method: 'POST', body, headers });
      batchId = /\/(b_\w+)\//.exec(answer.headers.get('Location') ?? '')?.[1] ?? '';
      said += new TextDecoder().decode(await answer.bytes());
    }
    const paths = Array.from({ length: 40 }, (_, at) => `/v1/messages/${batchId}/${at + 1}/acknowledgment`);
    const texts = await bothWays(partner, batchId, paths);
    expect(texts.map((text) => text.slice('200 '.length)).join('')).toBe(said);
  }, 60_000);
});
