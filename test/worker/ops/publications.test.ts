/** Published names in D1: pointers and history, changes that meet, and what an upload pins. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { mappingKey } from '../../../src/kernel/names.ts';
import { bundleOf } from '../../../src/ops/publishing/bundle.ts';
import type { Change, NewPublication } from '../../../src/ops/publishing/publication.ts';
import { publicationStore } from '../../../src/ops/publishing/publication-store.ts';
import { publishingOf } from '../../../src/ops/publishing/publishing.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { aPartner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const NAME = 'carrier-status-csv';
const store = publicationStore(env.DIRECTORY);
const publisher = publishingOf({
  bundle: bundleOf({ documents: BUNDLED_DOCUMENTS, codeLists: BUNDLED_CODE_LISTS }),
  store,
  files: env.FILES,
  nowMs: () => Date.now(),
});
const BY = { keyId: '0123456789abcdef', name: 'Analyst' };

const publication = (more: Partial<NewPublication> = {}): NewPublication =>
  ({
    artifact: 'mapping',
    name: 'stops',
    sha256: 'a'.repeat(64),
    written: 'mapping: stops\n',
    isBundled: false,
    summary: { description: 'Stops.', format: 'csv', kinds: ['milestone'], namesScac: false, codeLists: [] },
    action: 'publish',
    beforeSha256: null,
    becauseOf: null,
    ...more,
  }) as NewPublication;
const change = (edition: number, publications: NewPublication[], more: Partial<Change> = {}): Change => ({
  environment: 'test',
  edition,
  by: BY,
  at: '2026-03-02T08:00:00.000Z',
  note: '',
  publications,
  owners: null,
  ...more,
});
async function pointers(environment: Change['environment'] = 'test') {
  const read = await store.pointers(environment);
  if (!read.ok) throw new Error(read.error.code);
  return read.value;
}

describe('the store', () => {
  it('begins with nothing published', async () => {
    await aPartner();
    expect(await pointers()).toEqual({ edition: 0, mappings: new Map(), codeLists: new Map(), owners: new Map() });
  });

  it('keeps what was published, and where the name points, per environment', async () => {
    await aPartner();
    expect(await store.append(change(0, [publication()], { note: "it's a start" }))).toEqual({
      ok: true,
      value: 'appended',
    });
    const { edition, mappings } = await pointers();
    expect(edition).toBe(1);
    const { artifact, written, ...kept } = publication();
    expect(mappings.get('stops')).toEqual({
      ...kept,
      edition: 1,
      by: BY,
      at: '2026-03-02T08:00:00.000Z',
      note: "it's a start",
    });
    expect(await store.written('test', 'mapping', ['stops', 'gone'])).toMatchObject({
      value: new Map([['stops', written]]),
    });
    expect(await store.written('test', 'code_list', ['stops'])).toMatchObject({ value: new Map() });
    expect((await pointers('production')).edition).toBe(0);
  });

  it('keeps a mapping and a code list of one name apart', async () => {
    await aPartner();
    const list = publication({ artifact: 'code_list', summary: { description: 'S.', codes: 2 } } as never);
    await store.append(change(0, [list, publication({ becauseOf: 'stops', action: 'code_list' })]));
    const { mappings, codeLists } = await pointers();
    expect([mappings.size, codeLists.size]).toEqual([1, 1]);
    expect(codeLists.get('stops')?.summary).toEqual({ description: 'S.', codes: 2 });
  });

  it('gives a name’s history, newest first and page by page, and its texts by version and edition', async () => {
    await aPartner();
    for (const edition of [0, 1, 2]) {
      const sha256 = String(edition % 2).repeat(64);
      await store.append(change(edition, [publication({ sha256, written: `text ${edition}` })]));
    }
    const asked = { environment: 'test', artifact: 'mapping', name: 'stops' } as const;
    const page = async (before: number | null) => {
      const read = await store.history({ ...asked, before, limit: 2 });
      return read.ok ? read.value.map(({ edition }) => edition) : [];
    };
    expect([await page(null), await page(2)]).toEqual([[3, 2], [1]]);
    expect(await store.find({ ...asked, version: { sha256: '0'.repeat(64) } })).toMatchObject({
      value: { edition: 3, written: 'text 2' },
    });
    expect(await store.find({ ...asked, version: { edition: 2 } })).toMatchObject({ value: { written: 'text 1' } });
    expect(await store.find({ ...asked, environment: 'production', version: { edition: 2 } })).toEqual({
      ok: true,
      value: undefined,
    });
  });

  it('takes the pointer of a name that goes back to the bundle, and keeps its history', async () => {
    await aPartner();
    await store.append(change(0, [publication()]));
    await store.append(change(1, [publication({ isBundled: true, action: 'rollback' })]));
    expect(await pointers()).toMatchObject({ edition: 2, mappings: new Map() });
    const { results } = await env.DIRECTORY.prepare('SELECT edition FROM publication').all();
    expect(results).toHaveLength(2);
  });

  it('lets one of twenty changes made on one edition through, whole, and none of the others', async () => {
    await aPartner();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.append(change(0, [publication({ name: `stops-${index}` }), publication({ name: `more-${index}` })])),
      ),
    );
    const values = outcomes.map((outcome) => outcome.ok && outcome.value);
    expect(values.filter((value) => value === 'appended')).toHaveLength(1);
    expect(values.filter((value) => value === 'overtaken')).toHaveLength(19);
    const { edition, mappings } = await pointers();
    expect([edition, mappings.size]).toEqual([1, 2]);
  });

  it('says that it cannot be reached, never that there is nothing', async () => {
    await aPartner();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await env.DIRECTORY.prepare('DROP TABLE publication_current').run();
    const down = { ok: false, error: { code: 'catalog_unavailable' } };
    expect(await store.pointers('test')).toEqual(down);
    expect(await store.append(change(0, [publication()]))).toEqual(down);
    expect(await env.DIRECTORY.prepare('SELECT * FROM publication').all()).toMatchObject({ results: [] });
  });
});

describe('an upload', () => {
  const bundled = BUNDLED_DOCUMENTS.get(NAME) ?? '';
  /** Leaves out rows of that load, too. */
  const written = (load: string) => bundled.replace('[TOTAL, Total]', `[TOTAL, Total, ${load}]`);
  const publish = (text: string) => changed({ artifact: 'mapping', written: text });
  const changed = async (aim: Parameters<typeof publisher.change>[0]['aim']) => {
    const done = await publisher.change({
      environment: 'test',
      name: NAME,
      aim,
      by: BY,
      note: '',
      dryRun: false,
      owners: null,
      ifMatch: null,
    });
    if (!done.ok) throw new Error(JSON.stringify(done.error));
    return done.value;
  };

  it('pins the version that its name stands for, and keeps it whatever is published later', async () => {
    const partner = await aPartner();
    const first = await publish(written('Monday'));
    const file = statusFile(statusRow('LD1'));
    const one = await partner.receipt(file);
    const second = await publish(written('Tuesday'));
    const two = await partner.receipt(file);
    expect(two).toMatchObject({ replayed: false });
    const [before, after] = [
      await partner.reaches(one.batchId, 'settled'),
      await partner.reaches(two.batchId, 'settled'),
    ];
    expect([before.mappingSha256, after.mappingSha256]).toEqual([first.sha256, second.sha256]);
    expect(await env.FILES.head(mappingKey(second.sha256))).not.toBeNull();
  });

  it('is the same work under a version that says something else for people, or has another example', async () => {
    const partner = await aPartner();
    const file = statusFile(statusRow('LD1'));
    const { batchId } = await partner.receipt(file);
    const { sha256, beforeSha256 } = await publish(
      bundled
        .replace(/^description: .*$/m, 'description: Said otherwise.')
        .replace('about: An arrival', 'about: One arrival'),
    );
    expect(sha256).not.toBe(beforeSha256);
    expect(await partner.receipt(file)).toMatchObject({ batchId, replayed: true });
    await publish(written('Monday'));
    expect(await partner.receipt(file)).toMatchObject({ replayed: false });
  });

  it('is the same work under a mapping that goes back to its version of before', async () => {
    const partner = await aPartner();
    const file = statusFile(statusRow('LD1'));
    const { sha256 } = await publish(written('Monday'));
    const { batchId } = await partner.receipt(file);
    await publish(written('Tuesday'));
    await changed({ artifact: 'mapping', to: sha256 });
    expect(await partner.receipt(file)).toMatchObject({ batchId, replayed: true });
  });

  it('of the other environment is not touched', async () => {
    const live = await aPartner({ environment: 'production' });
    const { sha256, beforeSha256 } = await publish(written('Tuesday'));
    const { batchId } = await live.receipt(statusFile(statusRow('LD1')));
    const { mappingSha256 } = await live.summary(batchId);
    expect(mappingSha256).toBe(beforeSha256);
    expect(mappingSha256).not.toBe(sha256);
  });

  it('is told to come again while names cannot be read, never that its mapping is unknown', async () => {
    const partner = await aPartner();
    await publish(written('Tuesday'));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await env.DIRECTORY.prepare('DROP TABLE publication_current').run();
    for (const mapping of [NAME, 'no-such-mapping']) {
      const answer = await partner.upload(statusFile(statusRow('LD1')), { mapping });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect((await problemOf(answer)).code).toBe('catalog_unavailable');
    }
  });

  it('is refused while its published version is missing from storage', async () => {
    const partner = await aPartner();
    const { sha256 } = await publish(written('Tuesday'));
    await env.FILES.delete(mappingKey(sha256));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const answer = await partner.upload(statusFile(statusRow('LD1')));
    expect((await problemOf(answer)).code).toBe('storage_unavailable');
  });
});
