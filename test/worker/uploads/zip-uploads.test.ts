/** ZIP archives: several files as one batch, each record told by its file, and one bad file costs only itself. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Load } from '../../../src/tracking/load.ts';
import { type ZipPart, zipOf } from '../../zip-files.ts';
import { statusFile, statusRow, statusRows, wideStatusFile } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, type Partner } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const NORTH = statusFile(...statusRows(3, 2, 'N'));
const SOUTH = statusFile(...statusRows(2, 1, 'S'));

async function settled(partner: Partner, parts: readonly ZipPart[], query: Record<string, string> = {}) {
  const { batchId } = await partner.receipt(zipOf(parts), query);
  return partner.reaches(batchId, 'settled');
}

async function reportOf(partner: Partner, batchId: string): Promise<Record<string, string>[]> {
  const text = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
  return parse(text, { columns: true }) as Record<string, string>[];
}

describe('the files of an archive', () => {
  it('are one batch, their records numbered through in the order of the archive, and all delivered', async () => {
    const partner = await aPartner();
    const parts = [
      { name: 'north.csv', content: NORTH },
      { name: 'deep/folder/south.csv', content: SOUTH, method: 0 },
    ];
    const ended = await settled(partner, parts);
    expect(ended).toMatchObject({
      rows: 5,
      rowStates: { delivered: 5 },
      contentBytes: NORTH.length + SOUTH.length,
      bytesRead: NORTH.length + SOUTH.length,
      problems: [],
      notes: [],
      files: [
        { name: 'north.csv', bytes: NORTH.length, state: 'read', rows: 3 },
        { name: 'south.csv', bytes: SOUTH.length, state: 'read', rows: 2 },
      ],
    });
    const rows = await partner.rows(ended.batchId);
    expect(rows.map(({ record, position: { file, line } }) => [record, file, line])).toEqual([
      [1, 'north.csv', 2],
      [2, 'north.csv', 3],
      [3, 'north.csv', 4],
      [4, 'south.csv', 2],
      [5, 'south.csv', 3],
    ]);
    expect(upstream.left.map(({ body }) => JSON.parse(body).loadNumber).sort()).toEqual(['N0', 'N0', 'N1', 'S0', 'S0']);
    const source = await (await partner.fetch(`/v1/batches/${ended.batchId}/source`)).arrayBuffer();
    expect(new Uint8Array(source)).toEqual(zipOf(parts));
  });

  it('are told apart in the report, under the columns of all of them', async () => {
    const partner = await aPartner();
    const withNote = SOUTH.split('\n').map((line, at) =>
      line === '' ? line : `${at === 0 ? 'Note' : `n${at}`},${line}`,
    );
    const { batchId } = await settled(partner, [
      { name: 'north.csv', content: NORTH },
      { name: 'south.csv', content: withNote.join('\n') },
    ]);
    const report = await reportOf(partner, batchId);
    expect(Object.keys(report[0] ?? {}).slice(0, 13)).toEqual([...NORTH.split('\n')[0]!.split(','), 'Note', '_batch']);
    expect(report.map((line) => [line['Load #'], line.Note, line._record, line._line, line._file])).toEqual([
      ['N0', '', '1', '2', 'north.csv'],
      ['N1', '', '2', '3', 'north.csv'],
      ['N0', '', '3', '4', 'north.csv'],
      ['S0', 'n1', '4', '2', 'south.csv'],
      ['S0', 'n2', '5', '3', 'south.csv'],
    ]);
    const json = await partner.getJson<{ rows: { position: { file: string }; columns: [string, string][] }[] }>(
      `/v1/batches/${batchId}/report.json`,
    );
    expect(json.rows.map(({ position }) => position.file)).toEqual(report.map(({ _file }) => _file));
    expect(json.rows.map(({ columns }) => columns.length)).toEqual([11, 11, 11, 12, 12]);
  });

  it('are read over several slices and parts without losing or doubling a record', async () => {
    const partner = await aPartner();
    const wrong = (count: number) =>
      wideStatusFile(
        Array.from({ length: count }, (_, at) => statusRow(`L${at}`, { Status: '??' })),
        200,
      );
    const { batchId, ...ended } = await settled(partner, [
      { name: 'a.csv', content: wrong(25_000) },
      { name: 'b.csv', content: wrong(1) },
      { name: 'c.csv', content: wrong(9_000) },
    ]);
    expect(ended).toMatchObject({ rows: 34_001, rowStates: { invalid: 34_001 } });
    expect(ended.files?.map(({ rows }) => rows)).toEqual([25_000, 1, 9_000]);
    const around = await partner.rows(batchId, '&after=24999');
    expect(around.slice(0, 3).map(({ record, position }) => [record, position.file, position.line])).toEqual([
      [25_000, 'a.csv', 25_001],
      [25_001, 'b.csv', 2],
      [25_002, 'c.csv', 2],
    ]);
    const report = await reportOf(partner, batchId);
    expect(report.map(({ _record }) => Number(_record))).toEqual(Array.from({ length: 34_001 }, (_, at) => at + 1));
    expect(report.filter((line) => line._file === 'c.csv').map((line) => line['Load #'])).toEqual(
      Array.from({ length: 9_000 }, (_, at) => `L${at}`),
    );
  });

  it('may be JSON, and one may break off behind its records', async () => {
    const partner = await aPartner();
    const events = (...loads: string[]) => ({
      events: loads.map((number) => ({
        load: { number },
        status: { code: 'X3' },
        occurredAt: '2026-03-02T08:00:00-06:00',
      })),
    });
    const ended = await settled(
      partner,
      [
        { name: 'broken.json', content: JSON.stringify(events('A1', 'A2')).slice(0, -2) },
        { name: 'whole.json', content: JSON.stringify(events('B1')) },
      ],
      { mapping: 'carrier-events-json' },
    );
    expect(ended).toMatchObject({
      rows: 3,
      rowStates: { delivered: 3 },
      problems: [{ code: 'json_broken_from_here', file: 'broken.json' }],
    });
    const rows = await partner.rows(ended.batchId);
    expect(rows.map(({ position }) => position.file)).toEqual(['broken.json', 'broken.json', 'whole.json']);
  });

  it('may be one: what is packed need not be several', async () => {
    const partner = await aPartner();
    expect(await settled(partner, [{ name: 'north.csv', content: NORTH }])).toMatchObject({
      rows: 3,
      files: [{ name: 'north.csv', rows: 3 }],
    });
  });

  it('go through a dry run without anything being sent', async () => {
    const partner = await aPartner();
    const ended = await settled(partner, [{ name: 'north.csv', content: NORTH }], { dryRun: 'true' });
    expect(ended).toMatchObject({ rowStates: { valid: 3 }, requests: 0 });
    expect(upstream.left).toEqual([]);
  });

  it('are twenty at most, folders and what systems add by themselves not counted', async () => {
    const partner = await aPartner();
    const files = Array.from({ length: 20 }, (_, at) => ({
      name: `f${at}.csv`,
      content: statusFile(statusRow(`L${at}`)),
    }));
    const added = [
      { name: 'folder/' },
      { name: '__MACOSX/._f0.csv', content: 'resource fork' },
      { name: 'folder/.DS_Store', content: 'view options' },
    ];
    expect(await settled(partner, [...added, ...files])).toMatchObject({ rows: 20, rowStates: { delivered: 20 } });
  });

  it('that hold nothing are passed over, and the batch says so', async () => {
    const partner = await aPartner();
    const ended = await settled(partner, [{ name: 'done.flag' }, { name: 'north.csv', content: NORTH }]);
    expect(ended).toMatchObject({ rowStates: { delivered: 3 }, notes: [expect.stringMatching(/done\.flag/)] });
    expect(ended.files).toHaveLength(1);
  });

  it('have names that are shown and never used: none leads out of a folder', async () => {
    const partner = await aPartner();
    const names = [
      '../../etc/passwd',
      '/abs/a.csv',
      'C:\\dir\\b.csv',
      'x/same.csv',
      'y/../same.csv',
      'y/same.csv',
      '\u202ecsv.exe',
    ];
    const ended = await settled(
      partner,
      names.map((name, at) => ({ name, content: statusFile(statusRow(`L${at}`)) })),
    );
    expect(ended).toMatchObject({ rows: 7, rowStates: { delivered: 7 } });
    expect(ended.files?.map(({ name }) => name)).toEqual([
      'passwd',
      'a.csv',
      'b.csv',
      'x/same.csv',
      'y/same.csv',
      'y/same.csv (2)',
      'csv.exe',
    ]);
    const { objects } = await env.FILES.list();
    expect(
      objects
        .filter(({ key }) => key.includes('/content/'))
        .map(({ key }) => key.split('/content/')[1])
        .sort(),
    ).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });
});

describe('one file of an archive that cannot be read', () => {
  it('costs only itself, and says which it is and why, in its place', async () => {
    const partner = await aPartner();
    const { batchId, ...ended } = await settled(partner, [
      { name: 'north.csv', content: NORTH },
      { name: 'photo.pdf', content: '%PDF-1.7\n' },
      { name: 'other.csv', content: NORTH.replace('Status', 'State of things') },
      { name: 'south.csv', content: SOUTH },
    ]);
    expect(ended).toMatchObject({ rows: 5, rowStates: { delivered: 5 } });
    expect(ended.problems).toMatchObject([
      { code: 'not_csv', file: 'photo.pdf' },
      { code: 'missing_column', file: 'other.csv', path: 'Status' },
    ]);
    expect(ended.files?.map(({ state, rows }) => [state, rows])).toEqual([
      ['read', 3],
      ['unreadable', 0],
      ['unreadable', 0],
      ['read', 2],
    ]);
    expect(ended.notes).toEqual([expect.stringMatching(/2 of the 4 files.*photo\.pdf, other\.csv.*not affected/)]);
    const report = await reportOf(partner, batchId);
    expect(report.map((line) => [line._record, line._state, line._code, line._file])).toEqual([
      ['1', 'delivered', '', 'north.csv'],
      ['2', 'delivered', '', 'north.csv'],
      ['3', 'delivered', '', 'north.csv'],
      ['', 'unreadable', 'not_csv', 'photo.pdf'],
      ['', 'unreadable', 'missing_column', 'other.csv'],
      ['4', 'delivered', '', 'south.csv'],
      ['5', 'delivered', '', 'south.csv'],
    ]);
    const page = await (await partner.fetch(`/console/batches/${batchId}?state=all`)).text();
    expect(page).toMatch(/What could not be read[\s\S]*photo\.pdf[\s\S]*other\.csv[\s\S]*south\.csv, line 2/);
  });

  it('makes the batch unreadable only when it is every one, and then claims nothing', async () => {
    const partner = await aPartner();
    const archive = zipOf([
      { name: 'a.pdf', content: '%PDF-1.7\n' },
      { name: 'b.csv', content: NORTH.replace('Status', 'State of things') },
    ]);
    const { batchId } = await partner.receipt(archive);
    const ended = await partner.reaches(batchId, 'unreadable');
    expect(ended.problems.map(({ code, file }) => [code, file])).toEqual([
      ['not_csv', 'a.pdf'],
      ['missing_column', 'b.csv'],
    ]);
    expect(upstream.left).toEqual([]);
    expect((await reportOf(partner, batchId)).map(({ _file }) => _file)).toEqual(['a.pdf', 'b.csv']);
    await vi.waitFor(async () => {
      expect((await partner.receipt(archive)).replayed).toBe(false);
    }, PATIENCE);
  });
});

it('goes on after a failure with the file and the record where it stopped', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { visit } = Load.prototype;
  let failures = 0;
  vi.spyOn(Load.prototype, 'visit').mockImplementation(async function (this: Load, parcel) {
    if (parcel.identity.loadNumber.startsWith('S') && failures < 2) {
      failures += 1;
      throw new Error('planned: no answer');
    }
    return visit.call(this, parcel);
  });
  const partner = await aPartner();
  const east = statusFile(...statusRows(2, 2, 'E'));
  const ended = await settled(partner, [
    { name: 'north.csv', content: NORTH },
    { name: 'south.csv', content: SOUTH },
    { name: 'east.csv', content: east },
  ]);
  expect(failures).toBe(2);
  expect(ended).toMatchObject({ rows: 7, rowStates: { delivered: 7 } });
  expect(upstream.left).toHaveLength(7);
});
