import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WORKBOOK_BYTES_MAX } from '../../../src/formats/xlsx/limits.ts';
import { zipOf } from '../../zip-files.ts';
import { LIST_TEXTS, textOf, withFields } from '../mapping/documents.ts';
import { FIXTURES, ROOT } from '../mapping/shipped.ts';
import { transload } from './surroundings.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'map-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** In this process; the tests at the end start one of their own. */
const map = (args: string[], input: string | Buffer = '') => transload(['map', ...args], { input });

const CLEAN = join(FIXTURES, 'carrier-status-csv/clean/input.csv');

it('prints one line of JSON per record and exits 0', async () => {
  const { status, stdout, stderr } = await map(['carrier-status-csv', CLEAN]);
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ record }) => record)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(Object.keys(lines[0])).toEqual(['record', 'position', 'requests', 'errors']);
  expect(Object.keys(lines[0].requests[0])).toEqual(['kind', 'subject', 'body']);
  expect(lines[5]).toMatchObject({ requests: [], errors: [], skipped: true });
});

it('prints every row of a grouped file in its order, each with the record that carries its request', async () => {
  const { status, stdout } = await map(['orders-csv', join(FIXTURES, 'orders-csv/clean/input.csv')]);
  expect(status).toBe(0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ record, group, requests }) => [record, group, requests.length])).toEqual([
    [1, 1, 1],
    [2, 1, 0],
    [3, 1, 0],
    [4, 4, 1],
    [5, 5, 1],
  ]);
  expect(Object.keys(lines[1])).toEqual(['record', 'position', 'requests', 'errors', 'group']);
  expect(lines[0].requests[0]).toMatchObject({ kind: 'order.create', subject: 'order:SO-3001' });
  expect(lines[0].requests[0].body.skus).toHaveLength(3);
});

it('exits 1 when some groups of a file are in error, and still prints every row once', async () => {
  const file = join(FIXTURES, 'orders-csv/mixed/input.csv');
  const { status, stdout } = await map(['orders-csv', file]);
  expect(status).toBe(1);
  const records = [...stdout.matchAll(/^\{"record":(\d+),/gm)].map(([, record]) => Number(record));
  expect(records).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
});

it.each(['adjacent', 'anywhere'])('keeps groups together across slices, rows standing %s', async (order) => {
  const fields = undefined;
  const lines = { each: 'rows', item: 'Line' };
  const document = textOf({
    target: 'order.create',
    fields,
    group: { by: ['No'], order },
    order: { orderRef: 'No', lines },
  });
  writeFileSync(join(folder, 'grouped.yaml'), document);
  // Groups of 7 rows, of 120 bytes each: they lie across every border of a slice.
  const rows = Array.from({ length: 21_000 }, (_, index) => `SO${Math.floor(index / 7)},${index},${'x'.repeat(100)}\n`);
  const { status, stdout } = await map(
    ['--mapping-file', join(folder, 'grouped.yaml'), '-'],
    `No,Line,Note\n${rows.join('')}`,
  );
  expect(status).toBe(0);
  const printed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(printed.map(({ record }) => record)).toEqual(rows.map((_, index) => index + 1));
  const orders = printed.flatMap(({ requests }) => requests.map(({ body }: { body: unknown }) => body));
  const wanted = Array.from({ length: 3_000 }, (_, index) => ({
    orderRef: `SO${index}`,
    lines: Array.from({ length: 7 }, (_each, line) => String(7 * index + line)),
  }));
  expect(orders).toEqual(wanted);
});

it('reads standard input as it reads the file', async () => {
  const { stdout } = await map(['carrier-status-csv', '-'], readFileSync(CLEAN));
  expect(stdout).toBe((await map(['carrier-status-csv', CLEAN])).stdout);
});

it('reads a workbook, and its sheet as CSV, from a file or from standard input', async () => {
  const workbook = join(FIXTURES, 'xlsx-status/clean/input.xlsx');
  const fromFile = await map(['xlsx-status', workbook]);
  expect([fromFile.status, fromFile.stdout.trimEnd().split('\n').length]).toEqual([0, 5]);
  expect((await map(['xlsx-status', '-'], readFileSync(workbook))).stdout).toBe(fromFile.stdout);
  const sheet =
    '\n\nLoad,Status,Reason,Event Time,Zone,City,State,Stop,PRO\nL1,Arrived at pickup,,3/2/2026 8:15,CT,Joliet,IL,1,\n';
  const fromCsv = await map(['xlsx-status', '-'], sheet);
  expect([fromCsv.status, JSON.parse(fromCsv.stdout).position]).toMatchObject([0, { line: 4, place: 'row 4' }]);
});

it('exits 2 for what is no workbook, or one beyond all bounds', async () => {
  const tooLarge = Buffer.alloc(WORKBOOK_BYTES_MAX + 1, 'PK\x03\x04');
  expect(await map(['xlsx-status', '-'], tooLarge)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('workbook_too_large'),
  });
  const archive = zipOf([{ name: 'a.csv', content: 'a,b\n' }]);
  expect(await map(['xlsx-status', '-'], Buffer.from(archive))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('not_a_workbook'),
  });
});

it('exits 1 when some records are in error', async () =>
  expect((await map(['carrier-status-csv', join(FIXTURES, 'carrier-status-csv/mixed/input.csv')])).status).toBe(1));

it('says on stderr what the mapping could say instead, once for each code of its records', async () => {
  const { stdout, stderr } = await map(['carrier-status-csv', join(FIXTURES, 'carrier-status-csv/mixed/input.csv')]);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'What the mapping could say instead:',
    '  bad_date (1 record): Add the form that the file has to `parse`.',
  ]);
  expect(stdout).toContain('"code":"bad_date"');
  expect(stdout).not.toContain('`parse`');
});

it('says of a file that cannot be mapped what to send, and what to change in the mapping', async () => {
  const { stderr } = await map(['carrier-status-csv', '-'], 'Load #;Status;City\n1;X3;Joliet\n');
  expect(stderr).toContain('Export the file with the comma (,).');
  expect(stderr).toContain('Or change the mapping: Declare under source the `delimiter` that the file has.');
});

it('exits 2 and says why when the file cannot be mapped', async () => {
  const { status, stdout, stderr } = await map([
    'carrier-status-csv',
    join(FIXTURES, 'carrier-status-csv/renamed-header/input.csv'),
  ]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('missing_column at Load #');
  expect(stderr).toContain('missing_column at Event Time');
});

it.each([
  [['carrier-status-cvs', 'x.csv'], 'Did you mean "carrier-status-csv"?'],
  [['../package', 'x.csv'], 'There is no mapping "../package"'],
  [['carrier-status-csv', 'absent.csv'], 'absent.csv'],
  [['carrier-status-csv'], 'Usage:'],
  [[], 'Usage:'],
  [['--frobnicate'], 'Usage:'],
  [['--sample'], 'Usage:'],
  [['--sample', '--check', 'carrier-status-csv'], 'Usage:'],
  [['--sample', 'carrier-status-csv', 'x.csv'], 'Usage:'],
  [['--sample', 'carrier-status-cvs'], 'Did you mean "carrier-status-csv"?'],
])('exits 2 for the arguments %j', async (args, words) => {
  const { status, stdout, stderr } = await map(args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(words);
});

it('takes a document anywhere, with code lists beside it', async () => {
  mkdirSync(join(folder, 'code-lists'));
  writeFileSync(join(folder, 'code-lists/words.yaml'), LIST_TEXTS.get('words') ?? '');
  writeFileSync(join(folder, 'mine.yaml'), textOf(withFields({ eventCode: { from: 'Code', lookup: 'words' } })));
  const { status, stdout } = await map(
    ['--mapping-file', join(folder, 'mine.yaml'), '-'],
    'Load,Code,When\nL1,departed,2026-03-02 08:00\n',
  );
  expect(status).toBe(0);
  expect(JSON.parse(stdout).requests[0].body.eventCode).toBe('AF');
});

it('exits 2 with every problem of a wrong document', async () => {
  writeFileSync(join(folder, 'wrong.yaml'), textOf({ target: 'nothing', ...withFields({ time: undefined }) }));
  const { status, stderr } = await map(['--mapping-file', join(folder, 'wrong.yaml'), '-'], '');
  expect(status).toBe(2);
  expect(stderr).toContain('wrong.yaml: one problem');
  expect(stderr).toMatch(/line \d+:1 target: /);
});

it('checks a document and its examples without a file', async () => {
  expect(await map(['--check', 'carrier-status-csv'])).toMatchObject({ status: 0, stderr: '' });
  writeFileSync(join(folder, 'unproved.yaml'), textOf());
  const { status, stderr } = await map(['--check', '--mapping-file', join(folder, 'unproved.yaml')]);
  expect(status).toBe(1);
  expect(stderr).toContain('examples[0].records[0]\n  wanted:   nothing');
});

it("prints a sample that it maps without an error, in the file's own encoding", async () => {
  writeFileSync(join(folder, 'wide.yaml'), textOf({ source: { format: 'csv', encoding: 'utf-16le' } }));
  for (const mapping of [['carrier-mixed-csv'], ['gps-pings-ndjson'], ['--mapping-file', join(folder, 'wide.yaml')]]) {
    const sample = await map(['--sample', ...mapping]);
    expect([sample.status, sample.stderr]).toEqual([0, '']);
    const { status, stdout } = await map([...mapping, '-'], sample.output);
    expect([status, stdout.includes('"kind"')]).toEqual([0, true]);
  }
});

it('says so where there is no sample', async () => {
  writeFileSync(join(folder, 'none.yaml'), textOf({ skip: { when: { field: 'Load', empty: false } } }));
  const none = await map(['--sample', '--mapping-file', join(folder, 'none.yaml')]);
  expect([none.status, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toContain('trial-csv: no example of the document maps without an error');
});

it('shows what could steer a terminal by its number', async () => {
  const { stderr } = await map(['carrier-status-csv', '-'], 'Load\u001b[31m #,b\n1,2\n');
  expect(stderr).toContain('Load\\u{1b}[31m #');
  expect(stderr).not.toContain('\u001b');
});

it('runs as a command of its own, and says by its exit code how it went', () => {
  const run = (file: string) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/transload.ts'), 'map', 'carrier-status-csv', file]);
  expect(run(CLEAN)).toMatchObject({ status: 0, stderr: Buffer.from('') });
  expect(run('absent.csv').status).toBe(2);
});

it('reads a file of several slices through to its end', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `LD${index},X1,2026-03-02 08:00,${'x'.repeat(80)}\n`);
  writeFileSync(join(folder, 'trial.yaml'), textOf());
  const { stdout } = await map(
    ['--mapping-file', join(folder, 'trial.yaml'), '-'],
    `Load,Code,When,Note\n${rows.join('')}`,
  );
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ record }) => record)).toEqual(rows.map((_, index) => index + 1));
  expect(lines.map(({ requests }) => requests[0].subject)).toEqual(rows.map((_, index) => `load:LD${index}`));
});

it('ends quietly when its reader has enough', () => {
  const rows = 'LD1,X1,NS,03/02/2026,08:15,CT,Joliet,IL,1,,\n'.repeat(20_000);
  writeFileSync(
    join(folder, 'long.csv'),
    `Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\n${rows}`,
  );
  const map = `"${process.execPath}" "${join(ROOT, 'scripts/transload.ts')}" map carrier-status-csv long.csv`;
  const command = `{ ${map}; echo "ended with $?" >&2; } | head -n 1`;
  const ran = spawnSync('sh', ['-c', command], { cwd: folder });
  expect(ran.stdout.toString().split('\n')).toHaveLength(2);
  expect(ran.stderr.toString()).toBe('ended with 141\n'); // not 0: it has not done all of it
});
