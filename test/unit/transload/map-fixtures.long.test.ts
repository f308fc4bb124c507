/**
 * A preview, the workbench and `transload map` give the same requests, problems and groups for every fixture and every
 * sample, whatever its format, also where vehicles and locations are looked up.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RequestLookups } from '../../../src/fleet/lookup.ts';
import { answersFrom, lookupFile, lookupKey } from '../../../src/mapping/lookups/lookup.ts';
import { type Preview, previewLookingUp } from '../../../src/ops/publishing/preview.ts';
import { tryMapping } from '../../../src/ops/publishing/try-mapping.ts';
import { FIXTURES, SHIPPED, SHIPPED_LISTS, SHIPPED_TEXTS } from '../mapping/shipped.ts';
import { transload } from './surroundings.ts';

const FACTS = { lists: SHIPPED_LISTS, bases: SHIPPED_TEXTS };
const SAMPLES = join(FIXTURES, 'samples');

const inputsOf = (name: string): string[] => [
  ...readdirSync(join(FIXTURES, name)).flatMap((folder) => {
    const input = readdirSync(join(FIXTURES, name, folder)).find((each) => each.startsWith('input.'));
    return input === undefined ? [] : [join(name, folder, input)];
  }),
  ...readdirSync(SAMPLES)
    .filter((sample) => sample.startsWith(`${name}.`))
    .map((sample) => join('samples', sample)),
];

const WITH_FIXTURES = [...SHIPPED.keys()].filter((name) => existsSync(join(FIXTURES, name)));
const CASES = WITH_FIXTURES.flatMap((name) => inputsOf(name).map((file) => [name, file] as const));

it('these are all fixtures, of every format, and none is left out', () => {
  const formats = new Set(WITH_FIXTURES.map((name) => SHIPPED.get(name)?.mapping.source.format));
  expect([...formats].sort()).toEqual(['csv', 'edifact', 'fixed', 'json', 'ndjson', 'x12', 'xlsx', 'xml']);
  const folders = readdirSync(FIXTURES).filter((folder) => !['samples', 'stored', 'unseen'].includes(folder));
  expect(WITH_FIXTURES.toSorted()).toEqual(folders.sort());
  expect(CASES.filter(([, file]) => file.startsWith('samples'))).toHaveLength(readdirSync(SAMPLES).length);
});

it('an archive is unpacked when it is sent: here all three say what it is', async () => {
  const archive = Buffer.from('PK\x03\x04 and what is in it');
  const [name = '', { mapping } = {}] = [...SHIPPED].find(([each]) => each === 'carrier-status-csv') ?? [];
  if (mapping === undefined) throw new Error('no mapping');
  const asked = { requestAnswer: lookUpsOf(name).requestAnswer, mayGoOn: async () => true };
  const { fileProblems } = await previewLookingUp(mapping, archive, asked.requestAnswer);
  const tried = { written: SHIPPED_TEXTS.get(name) ?? '', sample: archive, codeLists: [] };
  expect((await tryMapping(tried, FACTS, asked)).preview?.fileProblems).toEqual(fileProblems);
  const { status, stderr } = await transload(['map', name, '-'], { input: archive });
  expect([status, stderr]).toEqual([2, expect.stringContaining(fileProblems[0]?.message ?? 'no problem')]);
});

/** What is known of vehicles and locations, as a file and as a bridge answers. */
function lookUpsOf(name: string): { path: string[]; requestAnswer: RequestLookups } {
  const path = join(FIXTURES, name, 'clean', 'look-ups.json');
  const known = answersFrom(existsSync(path) ? lookupFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : {});
  const requestAnswer: RequestLookups = async (asked) => ({
    answers: new Map(
      asked.flatMap((each) => {
        const answer = known(each);
        return answer === undefined ? [] : [[lookupKey(each), answer] as const];
      }),
    ),
    trouble: null,
  });
  return { path: existsSync(path) ? ['--lookups', path] : [], requestAnswer };
}

interface Line {
  record: number;
  requests: unknown[];
  errors: { code: string; path: string }[];
  skipped?: boolean;
  group?: number;
}

const shown = ({ record, requests, errors, skipped = false, group }: Line) => ({
  ...{ record, requests, skipped, group },
  errors: errors.map(({ code, path }) => [code, path]),
});
/** As JSON, in which numbers and left out members are what they are when they are sent. */
const recordsOf = ({ records }: Preview): object[] => JSON.parse(JSON.stringify(records.map((each) => shown(each))));

it.each(CASES)('%s: %s', async (name, file) => {
  const { mapping } = SHIPPED.get(name) ?? {};
  if (mapping === undefined) throw new Error(`no mapping ${name}`);
  const bytes = readFileSync(join(FIXTURES, file));
  const { path, requestAnswer } = lookUpsOf(name);
  const preview = await previewLookingUp(mapping, bytes, requestAnswer);
  const tried = { written: SHIPPED_TEXTS.get(name) ?? '', sample: bytes, codeLists: [] };
  const bench = await tryMapping(tried, FACTS, { requestAnswer, mayGoOn: async () => true });
  const { status, stdout } = await transload(['map', name, join(FIXTURES, file), ...path]);
  const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [shown(JSON.parse(line) as Line)]));
  const mapped = JSON.parse(JSON.stringify(lines)) as object[];
  expect(mapped).toHaveLength(preview.counts.records);
  expect(recordsOf(preview)).toEqual(mapped);
  expect(bench.preview && recordsOf(bench.preview)).toEqual(mapped);
  expect(bench.preview?.fileProblems).toEqual(preview.fileProblems);
  const isClean = preview.counts.invalid === 0 && preview.fileProblems.length === 0;
  expect(status === 0).toBe(isClean);
});
