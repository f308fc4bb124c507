import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { checkCodeList } from '../../../src/mapping/check/code-list.ts';
import { compileMapping, recordLine } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import type { CodeLists } from '../../../src/mapping/document/code-list.ts';
import { TARGETS } from '../../../src/mapping/document/targets.ts';
import { runExamples } from '../../../src/mapping/examples/examples.ts';
import { UNITS } from '../../../src/mapping/values/units.ts';
import { blocksIn, linesIn, type Outcome, outcomeOf, runBlock, runLine } from './guide-examples.ts';
import { allKeys, shownKeys } from './guide-keys.ts';
import { ROOT, SHIPPED_LISTS } from './shipped.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** What an author reads: the guide, how formats are read, and the pages made from the code. */
const GUIDE = ['docs/mappings.md', 'docs/mapping-formats.md', 'docs/reference/mapping-functions.md']
  .map(read)
  .join('\n');
const ERROR_CODES = read('docs/reference/error-codes.md');
const KEYS = read('docs/reference/mapping-keys.md');
const BLOCKS = [...GUIDE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const LINE_EXAMPLES = linesIn(GUIDE);
const BLOCK_EXAMPLES = blocksIn(GUIDE);
const source = (file: string) => readFileSync(join(ROOT, 'src/mapping', file), 'utf8');
const codesIn = (text: string, form: RegExp) => [...new Set([...text.matchAll(form)].map(([, code = '']) => code))];

describe('the guide for authors', () => {
  /** The first mapping of the guide, over the file it shows. */
  const firstMapped = async (text: string, lists: CodeLists): Promise<string> => {
    const [, csv = ''] = /```csv\n([\s\S]*?)```/.exec(GUIDE) ?? [];
    const checked = checkMapping(text, lists);
    if (!checked.ok) throw new Error(JSON.stringify(checked.error));
    const printed: string[] = [];
    for await (const step of mapFile(
      compileMapping(checked.value, lists),
      bytesInMemory(new TextEncoder().encode(csv)),
    )) {
      if (step.outcome === 'records') printed.push(...step.records.map((record) => `${recordLine(record)}\n`));
    }
    return printed.join('');
  };
  it('shows what the map command prints for its first mapping', async () => {
    const [, printed = ''] = /```json\n([\s\S]*?)```/.exec(GUIDE) ?? [];
    expect(await firstMapped(BLOCKS[0] ?? '', SHIPPED_LISTS)).toBe(printed);
  });
  it('fixes its error with the list it shows', async () => {
    const list = checkCodeList(BLOCKS[1] ?? '');
    if (!list.ok) throw new Error(JSON.stringify(list.error));
    const [before, after] = ['lookup: carrier-status-words', 'lookup: [acme-status, carrier-status-words]'];
    expect(GUIDE).toContain(`\`eventCode: { from: Status, ${after} }\``);
    const lists = new Map([...SHIPPED_LISTS, [list.value.document.list, list.value]]);
    const printed = await firstMapped((BLOCKS[0] ?? '').replace(before, after), lists);
    expect(printed.match(/"errors":\[\]/g)).toHaveLength(2);
  });
  it('shows code lists that are right', () => {
    const lists = BLOCKS.filter((block) => block.includes('\nlist: ')).map((block) => checkCodeList(block));
    expect(lists.length).toBe(2);
    expect(lists.flatMap((checked) => (checked.ok ? [] : checked.error))).toEqual([]);
  });
  it('opens with a whole document that is right and proves itself', async () => {
    const text = BLOCKS.find((block) => block.includes('\nmapping: ')) ?? '';
    const checked = checkMapping(text, SHIPPED_LISTS);
    if (!checked.ok) throw new Error(JSON.stringify(checked.error));
    expect(await runExamples(compileMapping(checked.value, SHIPPED_LISTS), checked.value.examples)).toEqual([]);
  });
  it('lists every error of a record', () => {
    const codes = [
      ...codesIn(source('values/fault.ts'), /^ {2}(\w+): \(/gm),
      ...codesIn(source('values/date-times.ts'), /^ {2}(\w+): \(/gm),
    ];
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((code) => !ERROR_CODES.includes(`| \`${code}\` |`))).toEqual([]);
  });
  it('lists every problem of a document', () => {
    const codes = codesIn(source('document/problems.ts'), /^ {2}\| '(\w+)'/gm);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !ERROR_CODES.includes(`| \`${code}\` |`))).toEqual([]);
  });
  it('names every field of every target', () => {
    const table = KEYS.slice(KEYS.indexOf('## Targets'), KEYS.indexOf('## Source'));
    const names = [...TARGETS.values()].flatMap((fields) => fields.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });
});

it('names every unit', () => {
  expect(UNITS.filter((unit) => !GUIDE.includes(`\`${unit}\``))).toEqual([]);
});

describe('an example of the guide', () => {
  it('is found wherever one stands', () => {
    expect(LINE_EXAMPLES).toHaveLength(GUIDE.replace(/```[\s\S]*?```/g, '').split('→').length - 1);
    expect(BLOCK_EXAMPLES).toHaveLength(GUIDE.split('\nbecomes:').length - 1);
  });
  it.each(LINE_EXAMPLES)('holds: $keys: $cells → $becomes', (example) =>
    expect(runLine(example)).toBe(example.becomes),
  );
  it.each(BLOCK_EXAMPLES.map((example) => [JSON.stringify(example.document).slice(0, 80), example] as const))(
    'holds: %s…',
    async (_, example) => {
      const records = await runBlock(example);
      expect(records).toHaveLength(example.becomes.length);
      for (const [index, wanted] of example.becomes.entries()) {
        const record = records[index];
        expectOutcome(record && outcomeOf(record), wanted);
      }
    },
  );
  it('is there for every key of the language, and for every value that is not the usual one', () => {
    const shown = shownKeys(LINE_EXAMPLES, BLOCK_EXAMPLES);
    const all = allKeys();
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((key) => !shown.has(key) && !USUAL.includes(key))).toEqual([]);
    expect(USUAL.filter((key) => !all.includes(key) || shown.has(key))).toEqual([]);
  });
});

/** What is done where a document says nothing. */
const USUAL = [
  'Field.capture.onMiss=reject',
  'Field.onMiss=reject',
  'Field.gap=reject',
  'Field.overlap=reject',
  'Field.decimal=.',
  'Switch.otherwise=reject',
  'Group.order=adjacent',
  'Document.isolate=event',
  'Group.invalidRow=group',
  'Group.whenDifferent=reject',
  'Delivery.whenUnclear=resend',
  'Enrich.onMiss=reject',
  'Enrichment.whenDown=wait',
  'Delivery.laterEvents=pass',
];

/** The members of an event that an example does not speak of are those that were filled in; an order is shown whole. */
function expectOutcome(received: Outcome | undefined, wanted: Outcome): void {
  const isOrder = JSON.stringify(wanted).includes('"order.');
  if (isOrder || typeof wanted === 'string') expect(received).toEqual(wanted);
  else expect(received).toMatchObject(wanted);
}

it('keeps the functions a field can call a closed set, in one order', () => {
  // A mapping reaches nothing else: no file of this folder looks a function up by a name of the document.
  const all = readdirSync(join(ROOT, 'src/mapping'), { recursive: true, encoding: 'utf8' });
  const files = all.filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => /\beval\b|new Function|import\(/.test(source(file)))).toEqual([]);
});
