/**
 * Lines of fixed width: kinds of line by how they begin, fields by the blanks and the digits that all lines of a kind
 * share. The places of FORTRAS status files are known. Pure.
 */
import { EXAMPLE_CHARACTERS_MAX, SAMPLE_RECORDS_MAX } from '../limits.ts';
import { cellText, type SampleColumn } from '../shape.ts';
import { fact, type JsonObject, type Sample, type Unread } from './sample.ts';
import type { EncodedText } from './text-encoding.ts';

interface FixedField {
  name: string;
  /** What its name is compared by. */
  called: string;
  /** From 1. */
  at: number;
  length: number;
}

/** Lines of one kind must begin alike in so many characters. */
const KIND_CHARACTERS = 3;
const KINDS_MAX = 12;
/** Share of lines with the commonest length, from which on a file counts as one of fixed width. */
const LENGTH_SHARE = 0.8;
const LENGTH_MIN = 12;

export const isFixedWidth = (text: string): boolean => {
  if (isFortras(text)) return true;
  const lines = linesOf(text);
  if (lines.length < 2) return false;
  const lengths = new Map<number, number>();
  for (const { length } of lines) lengths.set(length, (lengths.get(length) ?? 0) + 1);
  const [length, times] = [...lengths].reduce((best, each) => (each[1] > best[1] ? each : best));
  return length >= LENGTH_MIN && times >= lines.length * LENGTH_SHARE;
};

const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/).filter((line) => line !== '');

export function fixedSample(read: EncodedText): Sample | Unread {
  return isFortras(read.text) ? fortrasSample(read) : plainSample(read);
}

/* FORTRAS: records of 512 characters and less, each with its kind in front (release 100). */

const isFortras = (text: string): boolean => /^@@PH(?:STAT|BORD|ENTL)512/.test(text);

/** Record Q10 of STAT512, release 100, as two independent programs read it; unverified against the standard itself. */
const FORTRAS_STATUS: readonly FixedField[] = [
  { name: 'consignmentSending', called: 'consignment number', at: 4, length: 35 },
  { name: 'consignmentReceiving', called: 'consignment receiving depot', at: 39, length: 35 },
  { name: 'pickupOrder', called: 'pickup order', at: 74, length: 35 },
  { name: 'statusCode', called: 'status code', at: 109, length: 3 },
  { name: 'eventDate', called: 'event date', at: 112, length: 8 },
  { name: 'eventTime', called: 'event time', at: 120, length: 4 },
  { name: 'consignmentDelivering', called: 'consignment delivering party', at: 124, length: 35 },
  { name: 'waitMinutes', called: 'wait minutes', at: 159, length: 4 },
  { name: 'acknowledgedBy', called: 'acknowledged by', at: 163, length: 35 },
  { name: 'additionalText', called: 'additional text', at: 198, length: 70 },
  { name: 'referenceNumber', called: 'further reference', at: 268, length: 12 },
];

function fortrasSample(read: EncodedText): Sample | Unread {
  const lines = linesOf(read.text);
  const kind = /^@@PH(\w{4}512)/.exec(read.text)?.[1] ?? '';
  const release = lines.find((line) => line.startsWith('Q00'))?.slice(3, 6) ?? '';
  const facts = [
    fact('format', 'fixed', 'sure', `It begins with @@PH${kind}, as FORTRAS files do.`),
    read.fact,
    fact('message', kind, 'sure', 'Its first line says it.'),
  ];
  if (kind !== 'STAT512') {
    const reason = `The fields of ${kind} are not known here: its mapping has to be written by hand.`;
    return { format: [...facts, fact('fields', kind, 'unsure', reason)], questions: read.questions };
  }
  const isKnown = release === '100';
  const records = lines.filter((line) => line.startsWith('Q10'));
  const width = Math.max(...records.map(({ length }) => length), 0);
  const fields = FORTRAS_STATUS.filter(({ at, length }) => at + length - 1 <= Math.max(width, 123));
  const others = [
    ...new Set(lines.map((line) => (line.startsWith('@@') ? line.slice(0, 4) : line.slice(0, KIND_CHARACTERS)))),
  ].filter((each) => each !== 'Q10');
  const releaseReason = isKnown
    ? 'Line Q00 says release 100, whose fields are known.'
    : `Line Q00 says release "${release}"; the places are those of release 100.`;
  return {
    source: sourceOf(read, [...others.map((name) => ({ name, fields: null })), { name: 'Q10', fields }]),
    format: [...facts, fact('release', release, isKnown ? 'likely' : 'unsure', releaseReason)],
    questions: read.questions,
    ...tableOf(records, fields),
    each: null,
    exampleOf: (count: number) => exampleOf(lines, 'Q10', count),
  };
}

function sourceOf(
  read: EncodedText,
  kinds: readonly { name: string; fields: readonly FixedField[] | null }[],
): JsonObject {
  const records = Object.fromEntries(
    kinds.map(({ name, fields }) => [
      name === '' ? 'line' : name,
      fields === null
        ? { use: 'passed' }
        : {
            ...(name === '' ? { marker: '' } : {}),
            fields: Object.fromEntries(fields.map(({ name: field, at, length }) => [field, { at, length }])),
          },
    ]),
  );
  return { format: 'fixed', encoding: read.encoding, records };
}

function tableOf(
  lines: readonly string[],
  fields: readonly FixedField[],
): { columns: SampleColumn[]; records: number } {
  const records = lines.slice(0, SAMPLE_RECORDS_MAX);
  const columns = fields.map(({ name, called, at, length }) => ({
    name,
    called,
    values: records.map((line) => cellText(line.slice(at - 1, at - 1 + length))),
  }));
  return { columns, records: records.length };
}

/** From the first line to the last one of so many records. */
function exampleOf(lines: readonly string[], kind: string, count: number): string | null {
  let seen = 0;
  const until = lines.findIndex((line) => line.startsWith(kind) && ++seen === count);
  const text = lines.slice(0, until === -1 ? lines.length : until + 1).map((line) => `${line.trimEnd()}\n`);
  const whole = text.join('');
  return whole.length > EXAMPLE_CHARACTERS_MAX ? null : whole;
}

/* Any other file: fields where all lines of a kind change between blanks, digits and letters. */

function plainSample(read: EncodedText): Sample | Unread {
  const lines = linesOf(read.text);
  const kinds = kindsOf(lines);
  const byKind = Map.groupBy(lines, (line) => (kinds === null ? '' : line.slice(0, KIND_CHARACTERS)));
  const [main, records] = [...byKind].reduce((best, each) => (each[1].length > best[1].length ? each : best));
  const fields = fieldsOf(records, main.length);
  if (fields.length === 0)
    return {
      format: [fact('format', 'fixed', 'unsure', 'No fields can be told apart.'), read.fact],
      questions: read.questions,
    };
  const others = [...byKind.keys()].filter((kind) => kind !== main);
  return {
    source: sourceOf(read, [...others.map((name) => ({ name, fields: null })), { name: main, fields }]),
    format: [
      fact(
        'format',
        'fixed',
        'likely',
        `Nearly all lines are as long as each other: ${records[0]?.length ?? 0} characters.`,
      ),
      read.fact,
      ...(kinds === null
        ? []
        : [
            fact(
              'kinds of line',
              kinds.join(', '),
              'unsure',
              `Lines begin with one of ${kinds.length} texts; the fields of ${main} are proposed, the others are passed over.`,
            ),
          ]),
      fact(
        'fields',
        String(fields.length),
        'unsure',
        'They are where all lines change between blanks, digits and letters: compare them with the description of the file.',
      ),
    ],
    questions: read.questions,
    ...tableOf(records, fields),
    each: null,
    exampleOf: (count: number) => exampleOf(lines, main, count),
  };
}

/** @returns null: lines are all of one kind. */
function kindsOf(lines: readonly string[]): string[] | null {
  const kinds = [...new Set(lines.map((line) => line.slice(0, KIND_CHARACTERS)))];
  const isMarker = kinds.every((kind) => /^[A-Z0-9@]{3}$/.test(kind));
  return isMarker && kinds.length > 1 && kinds.length <= Math.min(KINDS_MAX, lines.length / 2) ? kinds : null;
}

type CharacterClass = 'blank' | 'digit' | 'text';
const classOf = (character: string): CharacterClass =>
  character === ' ' || character === '' ? 'blank' : /\d/.test(character) ? 'digit' : 'text';

function fieldsOf(lines: readonly string[], from: number): FixedField[] {
  const width = Math.max(...lines.map(({ length }) => length));
  const fields: FixedField[] = [];
  let start = -1;
  // Where blanks divide the fields, letters and digits side by side are one of them.
  const isBlank = (at: number): boolean => lines.every((line) => classOf(line[at] ?? '') === 'blank');
  const isDivided = Array.from({ length: Math.max(0, width - from) }, (_, index) => from + index).some(isBlank);
  const close = (end: number): void => {
    if (start !== -1) fields.push({ name: `at${start + 1}`, called: '', at: start + 1, length: end - start });
    start = -1;
  };
  for (let at = from; at <= width; at++) {
    const here = new Set(lines.map((line) => classOf(line[at] ?? '')));
    const before = new Set(lines.map((line) => classOf(line[at - 1] ?? '')));
    if (here.size === 1 && here.has('blank')) close(at);
    else if (start === -1) start = at;
    else if (!isDivided && here.size === 1 && before.size === 1 && [...here][0] !== [...before][0]) {
      close(at);
      start = at;
    }
  }
  close(width);
  return fields;
}
