import { expect, it } from 'vitest';
import { runExamples } from '../../../src/mapping/examples/examples.ts';
import { documentOf, type Loose, mappingOf } from './documents.ts';

const TIME = { dateTime: '2026-03-02T08:00:00.0000000+00:00', timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' };
const BODY = { loadNumber: 'L1', eventCode: 'X1', time: TIME };
const REQUEST = { kind: 'milestone', subject: 'load:L1', body: BODY };
const INPUT = 'Load,Code,When\nL1,X1,2026-03-02 08:00\n,X1,soon\n';
const ERRORS = [
  { code: 'bad_date', path: 'When' },
  { code: 'value_missing', path: 'Load' },
];
const RECORDS = [{ requests: [REQUEST] }, { errors: ERRORS }];

const run = (example: Loose, changes: Loose = {}) => {
  const document = documentOf({ ...changes, examples: [{ input: INPUT, records: RECORDS, ...example }] });
  return runExamples(mappingOf(changes), document.examples);
};

it('finds nothing wrong with a right example, whatever the order of its errors', async () =>
  expect(await run({})).toEqual([]));

it('shows the smallest part that differs, what was wanted and what came', async () => {
  const body = { ...BODY, eventCode: 'X3', reasonCode: 'NS' };
  expect(await run({ records: [{ requests: [{ ...REQUEST, body }] }, { errors: ERRORS }] })).toEqual([
    { path: 'examples[0].records[0].requests[0].body.eventCode', wanted: '"X3"', received: '"X1"' },
    { path: 'examples[0].records[0].requests[0].body.reasonCode', wanted: '"NS"', received: 'nothing' },
  ]);
});

it('finds a field that the example does not expect', async () => {
  const { eventCode: _, ...body } = BODY;
  expect(await run({ records: [{ requests: [{ ...REQUEST, body }] }, { errors: ERRORS }] })).toMatchObject([
    { wanted: 'nothing', received: '"X1"' },
  ]);
});

it('finds errors that are missing, other or not expected', async () => {
  const received = await run({
    records: [{ requests: [REQUEST] }, { errors: [{ code: 'value_missing', path: 'Load #' }] }],
  });
  expect(received.map(({ path }) => path)).toEqual([
    'examples[0].records[1].errors[0]',
    'examples[0].records[1].errors[1]',
  ]);
});

it('finds records too many and too few', async () => {
  expect(await run({ records: RECORDS.slice(0, 1) })).toMatchObject([
    { path: 'examples[0].records[1]', wanted: 'nothing' },
  ]);
  expect(await run({ records: [...RECORDS, {}] })).toMatchObject([
    { path: 'examples[0].records[2]', received: 'nothing' },
  ]);
});

it('finds a record that should have been left out', async () =>
  expect(await run({ records: [{ skipped: true }, { errors: ERRORS }] })).toMatchObject([
    { path: 'examples[0].records[0].requests[0]' },
    { path: 'examples[0].records[0].skipped', wanted: 'true', received: 'false' },
  ]));

it('says why the input cannot be read at all', async () => {
  const [difference] = await run({ input: 'Load,Code\nL1,X1\n' });
  expect(difference?.path).toBe('examples[0].input');
  expect(difference?.received).toContain('missing_column: The file has no column "When"');
});

it.each(['windows-1252', 'utf-16le', 'utf-16be', 'iso-8859-15'])(
  'writes the input in %s before it reads it',
  async (encoding) => {
    const input = 'Load,Code,When\nL€ß,X1,2026-03-02 08:00\n';
    const records = [{ requests: [{ ...REQUEST, subject: 'load:L€ß', body: { ...BODY, loadNumber: 'L€ß' } }] }];
    expect(await run({ input, records }, { source: { format: 'csv', encoding } })).toEqual([]);
  },
);

it('says so when the input has letters that the encoding lacks', async () =>
  expect(
    await run({ input: 'Load,Code,When\nЖ,X1,\n' }, { source: { format: 'csv', encoding: 'windows-1252' } }),
  ).toMatchObject([{ path: 'examples[0].input', wanted: 'text that windows-1252 can write' }]));
