/** A record of a sample becomes an example of the mapping, and nothing else of its text changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { compileMapping } from '../../../src/mapping/compile/compile.ts';
import { runExamples } from '../../../src/mapping/examples/examples.ts';
import { exampleOf, withExample } from '../../../src/mapping/examples/save-example.ts';
import { FIXTURES, SHIPPED, SHIPPED_LISTS, SHIPPED_TEXTS } from './shipped.ts';

const SAMPLES = [
  ['carrier-status-csv', 'clean/input.csv', true],
  ['orders-csv', 'clean/input.csv', true],
  ['carrier-events-json', 'clean/input.json', true],
  ['carrier-events-ndjson', 'clean/input.ndjson', true],
  ['xml-status', 'mixed/input.xml', true],
  ['xlsx-status', 'clean/input.xlsx', true],
  ['fixed-status', 'clean/input.fixed', false],
  ['x12-214', 'clean/input.x12', false],
  ['edifact-iftsta', 'clean/input.edifact', false],
] as const;

it.each(SAMPLES)('%s: record 2 of %s', async (name, path, isAlone) => {
  const { mapping } = SHIPPED.get(name)!;
  const written = SHIPPED_TEXTS.get(name) ?? '';
  const sample = readFileSync(join(FIXTURES, name, path));
  const made = await exampleOf(mapping, sample, { record: 2, about: 'The second.' });
  if (!made.ok) throw new Error(JSON.stringify(made.error));
  if (isAlone) expect(made.value.input.length).toBeLessThan(sample.byteLength * 0.8);
  const text = withExample(written, made.value);
  const lines = written.trimEnd().split('\n');
  expect(text.split('\n').filter((line) => lines.includes(line)).length).toBeGreaterThanOrEqual(lines.length);
  const document = checkMapping(text, SHIPPED_LISTS, { name, bases: SHIPPED_TEXTS });
  if (!document.ok) throw new Error(JSON.stringify(document.error));
  const before = (parse(written) as { examples: unknown[] }).examples.length;
  expect(document.value.examples.length).toBe(before + 1);
  expect(await runExamples(compileMapping(document.value, SHIPPED_LISTS), document.value.examples)).toEqual([]);
});

const EXAMPLE = { input: 'a\nb\n', records: [{ errors: [{ code: 'x', path: 'y' }] }] };
const ENTRY = '  - input: |\n      a\n      b\n    records:\n      - errors: [ { code: x, path: y } ]\n';

it.each([
  ['no examples yet', 'mapping: a # why\n', `mapping: a # why\nexamples:\n${ENTRY}`],
  ['no end of line', 'mapping: a', `mapping: a\nexamples:\n${ENTRY}`],
  [
    'keys after them',
    'examples:\n  - input: z # its\n# next\nzone: UTC\n',
    `examples:\n  - input: z # its\n${ENTRY}# next\nzone: UTC\n`,
  ],
])('keeps what stands around: %s', (_, written, wanted) => {
  expect(withExample(written, EXAMPLE)).toBe(wanted);
});

it.each(['examples: []\n', 'examples:\n', 'examples: [{ input: z }] # c\n'])('adds to %j, too', (written) => {
  expect((parse(withExample(written, EXAMPLE)) as { examples: unknown[] }).examples.at(-1)).toEqual(EXAMPLE);
});

it('refuses what is no text of its own encoding', async () => {
  const { mapping } = SHIPPED.get('xml-status')!;
  const utf16 = readFileSync(join(FIXTURES, 'xml-status/clean/input.xml'));
  expect(await exampleOf(mapping, utf16, { record: 2, about: '' })).toMatchObject({
    error: { code: 'example_unwritable' },
  });
});

it('says which record is not there', async () => {
  const { mapping } = SHIPPED.get('carrier-status-csv')!;
  const sample = readFileSync(join(FIXTURES, 'carrier-status-csv/clean/input.csv'));
  expect(await exampleOf(mapping, sample, { record: 999, about: '' })).toMatchObject({
    error: { code: 'record_unknown', record: 999 },
  });
});
