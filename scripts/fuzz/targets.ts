/** Every reader, the files it is tried with, and how many of all inputs it gets. */
import { Buffer } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordSource, readerOf, recordSource } from '../../src/formats/reader.ts';
import type { RecordShape } from '../../src/formats/record-reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../src/formats/segments/parts.ts';
import { openMapping } from '../transload/map/open-mapping.ts';
import { broken, type Dice, oneOf } from './mutate.ts';
import { CSV, EDIFACT, FIXED, JSON_FILES, NDJSON, type SoundFiles, X12, XML } from './sound.ts';
import { brokenWorkbook } from './workbooks.ts';

export const READERS = ['csv', 'json', 'ndjson', 'x12', 'edifact', 'xml', 'fixed', 'xlsx'] as const;
export type ReaderName = (typeof READERS)[number];

/** Parts of one input in all that each reader gets. Formats of others' envelopes get more; a workbook takes ten times as long. */
export const SHARES: Readonly<Record<ReaderName, number>> = {
  csv: 0.12,
  json: 0.12,
  ndjson: 0.08,
  x12: 0.2,
  edifact: 0.2,
  xml: 0.12,
  fixed: 0.12,
  xlsx: 0.04,
};

/** One declaration, and what makes an input for it. */
export interface Target {
  source: RecordSource;
  reader: ReturnType<typeof readerOf>;
  mayGoBack?: boolean;
  draw(random: Dice): Uint8Array;
}

const SOUND: Readonly<Record<Exclude<ReaderName, 'xlsx'>, readonly SoundFiles[]>> = {
  csv: CSV,
  json: JSON_FILES,
  ndjson: NDJSON,
  x12: X12,
  edifact: EDIFACT,
  xml: XML,
  fixed: FIXED,
};

/** Without the white space, which has names of its own. */
const marks = (text: string): string[] => text.split(' ');

const MARKS: Readonly<Record<ReaderName, readonly string[]>> = {
  csv: [',', ';', '\t', '|', '"', '""', '\n', '\r\n', '\r', '#', '\ufeff', ' ', '",', '\n"'],
  json: ['[', ']', '{', '}', ',', ':', '"', '\\', '\\u', 'null', 'true', '-', 'e', '.', '\n', ' ', '"list"', '"a"'],
  ndjson: ['[', ']', '{', '}', ',', ':', '"', '\\', '\\ud83d', 'null', '\n', '\r\n', '\r', ' ', '"a"', '{"a":1}\n'],
  x12: [...marks('* ~ > ^ : |'), '\n', '\r\n', ...marks('ISA GS ST SE GE IEA ST*214* SE* AT7* TA1*'), ' ', '\x1a'],
  edifact: [
    ...marks("' + : ? . ,"),
    ...['\n', '\r\n', 'UNA', "UNA:+.? '"],
    ...marks('UNB UNG UNH UNT UNE UNZ STS+ \x1d \x1c \x1f'),
    ' ',
  ],
  xml: [
    ...marks(`< > /> </ " ' = & &amp; &#x ; <!-- --> <![CDATA[ ]]> <? ?> <item </item> </list> <!DOCTYPE`),
    ...[' ', '\n', 'xmlns="'],
  ],
  fixed: ['\n', '\r\n', '\r', '\t', ' ', 'H', 'L', 'S', 'T', 'T000003', '}', '{', '-', '\x1a', '\ufeff', 'é'],
  xlsx: [',', '"', '\n', '\r\n', 'PK'],
};

/** A mapping on disk, and the files of its examples. */
interface Example {
  source: RecordSource;
  shape: RecordShape;
  inputs: readonly string[];
}

function examplesOf(name: ReaderName): Example[] {
  const folder = join(import.meta.dirname, '..', '..', 'mappings');
  const names = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return names.flatMap((file): Example[] => {
    const { mapping, document } = openMapping({ name: file.slice(0, -'.yaml'.length) });
    if (mapping.source.format !== name) return [];
    const inputs = (document.examples ?? []).map(({ input }) => input);
    return inputs.length === 0 ? [] : [{ source: mapping.source, shape: mapping.shape, inputs }];
  });
}

export function targetsOf(name: ReaderName): Target[] {
  const marks = MARKS[name].map((mark) => Buffer.from(mark));
  const mutating = (files: readonly Buffer[], more: readonly Buffer[]) => {
    const tools = { sound: [...files, ...more], marks };
    return (random: Dice): Uint8Array => broken(random, oneOf(random, files), tools);
  };
  const examples = examplesOf(name);
  const texts = examples.flatMap(({ inputs }) => inputs.map((input) => Buffer.from(input)));
  const targets = examples.map(({ source, shape, inputs }): Target => {
    const draw = mutating(
      inputs.map((input) => Buffer.from(input)),
      texts,
    );
    return { source, reader: readerOf(source, shape), draw };
  });
  if (name === 'xlsx') return [...targets, ...workbookTargets()];
  return [...targets, ...SOUND[name].map((sound) => soundTarget(sound, (files) => mutating(files, texts)))];
}

function soundTarget(
  { source: declared, paths = [], lists = [], policy = {}, files }: SoundFiles,
  mutating: (files: readonly Buffer[]) => Target['draw'],
): Target {
  const source = recordSource.parse(declared);
  const strict: EnvelopePolicy = { ...DEFAULT_POLICY, ...policy };
  const draw = mutating(files.map((file) => (typeof file === 'string' ? Buffer.from(file) : file)));
  const mayGoBack = strict.broken === 'interchange';
  return { source, reader: readerOf(source, { paths, lists }, strict), mayGoBack, draw };
}

/** Twice, so that most inputs are workbooks and not their text. */
const workbookTargets = (): Target[] =>
  [{ sheet: 'Status', dates: 'whole' }, {}, { header: false, columns: ['a', 'b'] }].map((declared) => {
    const source = recordSource.parse({ format: 'xlsx', ...declared });
    return { source, reader: readerOf(source, { paths: [], lists: [] }), draw: brokenWorkbook };
  });
