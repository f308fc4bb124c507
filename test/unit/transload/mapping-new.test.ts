/** `mapping new` says what it found and what it did not; `map` takes what it wrote, and says where nothing would be sent. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { transload } from './surroundings.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'transload-new-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const consignee = { name: 'Roe', city: 'Gary', zip: '46402' };
const ORDERS = {
  orders: [
    {
      ...{ orderNo: 'SO-1', shipTo: consignee, parcels: [{ seal: '88' }, { seal: '89' }] },
      items: ['SOFA-3', 'LAMP-2'].map((sku) => ({ sku, qty: 1 })),
    },
    { orderNo: 'SO-2', shipTo: consignee, items: [{ sku: 'RUG-1', qty: 2 }] },
  ],
};

it('names the mapping after the file it writes, says what nothing reads, and what to do next, which works', async () => {
  const sample = file('export.json', JSON.stringify(ORDERS));
  const made = join(folder, 'acme-orders.yaml');
  const { status, stderr } = await transload(['mapping', 'new', sample, '-o', made]);
  expect(status).toBe(0);
  expect(stderr).toContain('Nothing reads: parcels[0].seal, parcels[1].seal\n');
  expect(stderr).toContain('Of a list only the first is read.');
  expect(stderr).toContain(`Next:\n  transload map ${made} ${sample}\n  transload publish ${made} `);
  expect(readFileSync(made, 'utf8')).toMatch(/^mapping: acme-orders$/m);
  const mapped = await transload(['map', made, sample]);
  expect([mapped.status, mapped.stdout.trim().split('\n').length, mapped.stderr]).toEqual([0, 2, '']);
});

it('says which answers there could be where one is for no question', async () => {
  const sample = file('events.csv', 'Load,Code,When\nL1,X1,2026-03-02 08:00\nL2,X3,2026-03-02 09:00\n');
  const { status, stderr } = await transload(['mapping', 'new', sample, '--answer', 'zone:When=Europe/Berlin']);
  expect(status).toBe(1);
  expect(stderr).toMatch(/No question has this answer: .*\. Write id=choice; ids: target\./);
});

it('says so where every record was left out', async () => {
  const fields =
    'loadNumber: Load\n  eventCode: Code\n  time: { from: When, parse: "yyyy-MM-dd HH:mm", zone: { const: America/Chicago } }';
  const mapping = file(
    'mine.yaml',
    `mapping: mine\ndescription: mine\nsource: { format: csv }\ntarget: milestone\nskip: { when: { field: Load, empty: false } }\nfields:\n  ${fields}\nexamples: [{ input: x, records: [] }]\n`,
  );
  const sample = file('events.csv', 'Load,Code,When\nL1,X1,2026-03-02 08:00\n');
  const { status, stdout, stderr } = await transload(['map', mapping, sample]);
  expect([status, stdout, stderr]).toEqual([
    0,
    expect.stringContaining('"skipped":true'),
    'Every record was left out: look at skip, each and when of the mapping, and at the paths in them.\n',
  ]);
});

const EVENTS = 'Load,Code,When\nL1,X1,2026-03-02 08:00\nL2,X3,2026-03-02 09:00\n';

it('reads a sample that comes through a pipe, under its path or as standard input', async () => {
  const whole = await transload(['mapping', 'new', file('events.csv', EVENTS), '--json']);
  const pipe = join(folder, 'events-pipe');
  execFileSync('mkfifo', [pipe]);
  const written = writeFile(pipe, EVENTS);
  const piped = await transload(['mapping', 'new', pipe, '--json']);
  await written;
  const standard = await transload(['mapping', 'new', '-', '--json'], { input: EVENTS });
  const columns = ({ stdout }: { stdout: string }) => JSON.parse(stdout).columns;
  expect(columns(whole)).toHaveLength(3);
  expect([columns(piped), columns(standard)]).toEqual([columns(whole), columns(whole)]);
});

it('reads as much of a pipe as of a file', async () => {
  const large = `Load,Code,When\n${'L1,X1,2026-03-02 08:00\n'.repeat(60_000)}`;
  const [whole, standard] = [
    await transload(['mapping', 'new', file('events.csv', large), '-o', join(folder, 'one.yaml'), '--json']),
    await transload(['mapping', 'new', '-', '-o', join(folder, 'two.yaml'), '--json'], { input: large }),
  ];
  const records = ({ stdout }: { stdout: string }) => JSON.parse(stdout).records;
  expect(records(whole)).toBeGreaterThan(1_000);
  expect(records(standard)).toBe(records(whole));
});

it('quotes paths as the shells of the machine do', async () => {
  const sample = file('my events.json', JSON.stringify(ORDERS));
  const made = (name: string) => transload(['mapping', 'new', sample, '-o', join(folder, name)]);
  expect((await made('one.yaml')).stderr).toContain(`one.yaml '${sample}'\n`);
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  try {
    expect((await made('two.yaml')).stderr).toContain(`two.yaml "${sample}"\n`);
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});

it('finds what is wrong with a document where it checks, and cannot map with it', async () => {
  const wrong = file('wrong.yaml', 'mapping: wrong\ntarget: nothing\n');
  for (const args of [
    ['check', wrong],
    ['map', '--check', '--mapping-file', wrong],
  ]) {
    const { status, stdout, stderr } = await transload(args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/wrong\.yaml: 4 problems\n[\s\S]* line 2:1 target: /);
  }
  expect((await transload(['map', wrong, file('events.csv', EVENTS)])).status).toBe(2);
  expect((await transload(['check', join(folder, 'absent.yaml')])).status).toBe(2);
});

it('notes the line of fixed width that belongs to records below it, and has none', async () => {
  const records =
    '    LOAD: { use: carried, fields: { load: { at: 5, length: 2 } } }\n    STAT: { fields: { status: { at: 5, length: 2 } } }';
  const mapping = file(
    'fixed.yaml',
    `mapping: fixed\ndescription: mine\nsource:\n  format: fixed\n  records:\n${records}\ntarget: milestone\nfields:\n  loadNumber: load\n  eventCode: status\n  time: { const: "2026-03-02T08:00:00Z", parse: iso }\nexamples: [{ input: x, records: [] }]\n`,
  );
  const { status, stdout, stderr } = await transload(['map', mapping, file('loads.txt', 'LOADL1\nLOADL2\nSTATX3\n')]);
  expect([status, stdout, stderr]).toEqual([
    0,
    expect.stringContaining('"subject":"load:L2"'),
    'Line 1 belongs to the records below it, and there are none: nothing came of it.\n',
  ]);
});
