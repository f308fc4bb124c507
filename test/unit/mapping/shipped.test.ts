import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../../scripts/bundle-mappings.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { answered, recordLine } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { runExamples } from '../../../src/mapping/examples/examples.ts';
import { type Answers, answersFrom, lookupFile } from '../../../src/mapping/lookups/lookup.ts';
import type { RequestKind } from '../../../src/mapping/request.ts';
import { BODY_CONTRACTS } from '../../body-contracts.ts';
import { CORPUS, isInCorpus, itReads } from '../../corpus.ts';
import { FIXTURES, MAPPINGS, SHIPPED, SHIPPED_LISTS } from './shipped.ts';

const STOP_TIMES = join(CORPUS, 'csv/BurntSushi__rust-csv/gtfs-mbta-stop-times.first600.csv');

interface Line {
  record: number;
  requests: { kind: RequestKind; subject: string; body: { time: { dateTime: string } } }[];
  errors: { code: string; path: string; value: string; message: string; fix: string }[];
  skipped?: boolean;
}

/** What is known of vehicles and locations, where a mapping looks them up. */
function lookUpsIn(folder: string): Answers {
  const path = join(FIXTURES, folder, 'look-ups.json');
  return answersFrom(existsSync(path) ? lookupFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : {});
}

async function mapWhole(
  name: string,
  bytes: Uint8Array,
): Promise<{ lines: Line[]; problems: { code: string; path: string }[] }> {
  const lines: Line[] = [];
  const { mapping } = SHIPPED.get(name) ?? {};
  if (mapping === undefined) throw new Error(`no mapping ${name}`);
  const given = answered(mapping, lookUpsIn(join(name, 'clean')));
  for await (const step of mapFile(given, bytesInMemory(bytes))) {
    if (step.outcome === 'unreadable')
      return { lines, problems: step.problems.map(({ code, path }) => ({ code, path })) };
    if (step.outcome === 'ends_early')
      return { lines, problems: [{ code: step.problem.code, path: step.problem.path }] };
    lines.push(...step.records.map((record) => JSON.parse(recordLine(record))));
  }
  return { lines, problems: [] };
}

describe.each([...SHIPPED])('%s', (_name, { document, mapping }) => {
  it('is proved by its examples', async () => {
    expect(await runExamples(mapping, document.examples)).toEqual([]);
  });
});

/** Mappings of this project's own; a partner's mapping that an author adds needs nothing but its examples. */
const WITH_FIXTURES = readdirSync(FIXTURES).filter((folder) => !['samples', 'stored', 'unseen'].includes(folder));

it('has fixtures for every mapping that the project itself ships', () => {
  expect(WITH_FIXTURES.sort()).toEqual([
    'carrier-events-json',
    'carrier-events-ndjson',
    'carrier-mixed-csv',
    'carrier-status-csv',
    'carrier-status-semicolon-csv',
    'edifact-iftmin',
    'edifact-iftsta',
    'fixed-status',
    'gps-pings-ndjson',
    'load-milestones-csv',
    'order-changes-csv',
    'orders-csv',
    'transit-stop-times-csv',
    'unit-positions-csv',
    'x12-204',
    'x12-214',
    'x12-214-order-events',
    'x12-850',
    'x12-860',
    'x12-940',
    'xlsx-status',
    'xml-status',
  ]);
});

describe.each([...SHIPPED].filter(([name]) => WITH_FIXTURES.includes(name)))('%s', (name, { document, mapping }) => {
  it('has two examples or more', () => {
    expect(document.examples.length).toBeGreaterThan(1);
  });
  it('has a clean, a mixed and an empty fixture', () =>
    expect(readdirSync(join(FIXTURES, name))).toEqual(expect.arrayContaining(['clean', 'mixed', 'empty'])));
  it.each(readdirSync(join(FIXTURES, name)))('maps its fixture %s as expected', async (folder) => {
    const at = (file: string) => join(FIXTURES, name, folder, file);
    expect(readFileSync(at('README.md'), 'utf8').length).toBeGreaterThan(20);
    const { lines, problems } = await mapWhole(name, readFileSync(at(`input.${mapping.source.format}`)));
    // Words may be improved without touching fixtures; codes, places and values may not.
    const withoutWords = (line: Line) => ({
      ...line,
      errors: line.errors
        .map(({ code, path, value }) => ({ code, path, value }))
        .sort((one, other) => (`${one.path} ${one.code}` < `${other.path} ${other.code}` ? -1 : 1)),
    });
    const expected = readFileSync(at('expected.jsonl'), 'utf8').split('\n').filter(Boolean);
    expect(lines.map(withoutWords)).toEqual(expected.map((line) => withoutWords(JSON.parse(line))));
    expect(problems).toEqual(
      existsSync(at('file-problems.json')) ? JSON.parse(readFileSync(at('file-problems.json'), 'utf8')) : [],
    );
    for (const { message, fix } of lines.flatMap(({ errors }) => errors)) expect(message && fix).toBeTruthy();
  });
  it('maps its sample: 40 to 60 records of 10 to 15 loads or orders, mostly good, every kind of error in other words', async () => {
    const { lines } = await mapWhole(name, readFileSync(join(FIXTURES, 'samples', `${name}.${mapping.source.format}`)));
    const inError = lines.filter(({ errors }) => errors.length > 0).length;
    const subjects = new Set(lines.flatMap(({ requests }) => requests.map(({ subject }) => subject)));
    expect(lines.length >= 40 && lines.length <= 60).toBe(true);
    expect(subjects.size >= 10 && subjects.size <= 15).toBe(true);
    expect(inError >= 4 && inError <= 8).toBe(true);
    const codes = new Set(lines.flatMap(({ errors }) => errors.map(({ code }) => code)));
    expect(codes.size).toBeGreaterThan(1);
    for (const { kind, body } of lines.flatMap(({ requests }) => requests))
      expect(BODY_CONTRACTS[kind].safeParse(body).error).toBeUndefined();
  });
});

describe('the purchase order and its change', () => {
  const membersOf = (name: string): string[] => Object.keys(SHIPPED.get(name)?.document.order ?? {}).sort();
  const inner = (name: string, member: string): string => JSON.stringify(SHIPPED.get(name)?.document.order?.[member]);
  it('have the same members: what an order says can be changed, and a replacement leaves nothing out', () => {
    expect(membersOf('x12-850')).toContain('transport');
    expect(membersOf('x12-860')).toEqual(membersOf('x12-850'));
  });
  it.each(['requestedDate', 'shipDate', 'deliveryType', 'consignee', 'transport', 'comments'])(
    'read their %s from the same places',
    (member) => expect(inner('x12-860', member)).toBe(inner('x12-850', member)),
  );
});

describe('what is generated from the documents', () => {
  it.each([...generatedFiles(MAPPINGS)])('is current: %s (else run scripts/bundle-mappings.ts)', (file, text) =>
    expect(readFileSync(join(MAPPINGS, file), 'utf8')).toBe(text),
  );
  it('is all the folder holds besides', () => {
    const other = readdirSync(MAPPINGS).filter(
      (file) => !file.endsWith('.yaml') && !generatedFiles(MAPPINGS).has(file),
    );
    expect(other.sort()).toEqual(['code-lists', 'yaml.d.ts']);
  });
});

describe('the shipped code lists', () => {
  it('never swap arrival at pick-up and at delivery, nor take an arrival for a departure', () => {
    const words = SHIPPED_LISTS.get('carrier-status-words');
    expect(
      ['Arrived at pickup', 'Arrived at delivery', 'Arrived at terminal', 'Picked up'].map((word) => words?.find(word)),
    ).toEqual(['X3', 'X1', 'X4', undefined]);
  });
  it('lead only to codes that are known', () => {
    const known = (list: string) => Object.keys(SHIPPED_LISTS.get(list)?.document.codes ?? {});
    const used = (list: string) => Object.values(SHIPPED_LISTS.get(list)?.document.codes ?? {});
    expect(known('x12-status-codes')).toEqual(expect.arrayContaining(used('carrier-status-words')));
    expect(known('x12-reason-codes')).toEqual(expect.arrayContaining(used('carrier-reason-words')));
  });
  it('say what every status and reason code means', () => {
    for (const name of ['x12-status-codes', 'x12-reason-codes', 'carrier-status-words', 'carrier-reason-words']) {
      const { codes, meanings = {} } = SHIPPED_LISTS.get(name)?.document ?? { codes: {} };
      expect(Object.keys(meanings).sort()).toEqual([...new Set(Object.values(codes))].sort());
    }
  });
});

itReads('maps every row of a real timetable to two milestones', async () => {
  expect(isInCorpus(STOP_TIMES)).toBe(true);
  const bytes = readFileSync(STOP_TIMES);
  const { lines } = await mapWhole('transit-stop-times-csv', bytes);
  expect(lines).toHaveLength(599);
  expect(lines.filter(({ requests, errors }) => requests.length !== 2 || errors.length > 0)).toEqual([]);
  // Independent of our reader: this file has no quoted delimiter, so its cells can be split by hand.
  const rows = bytes
    .toString('utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((row) => row.replaceAll('"', '').split(','));
  for (const [index, [trip, arrival = '', departure = '']] of rows.entries()) {
    const requests = lines[index]?.requests ?? [];
    expect(requests.map(({ subject }) => subject)).toEqual([`load:${trip}`, `load:${trip}`]);
    expect(requests.map(({ body }) => body.time.dateTime.slice(0, 19))).toEqual([
      localTime(arrival),
      localTime(departure),
    ]);
  }
});

/** The hour may be beyond 23; New York's clocks do not change on these days. */
function localTime(text: string): string {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return new Date(Date.UTC(2026, 2, 2, hours, minutes, seconds)).toISOString().slice(0, 19);
}
