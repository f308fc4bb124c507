/**
 * Lines of fixed width: kinds of line by how they begin, fields by the blanks and the digits that all lines of a kind
 * share. The places of two FORTRAS messages are known. Pure.
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

/* FORTRAS: lines of 512 characters and less, each with its kind in front (release 100). */

const isFortras = (text: string): boolean => /^@@PH(?:STAT|BORD|ENTL)512/.test(text);

interface FortrasMessage {
  /** The kind of line that is a record. */
  record: string;
  fields: readonly FixedField[];
  /** The line in front whose fields hold for all records. */
  carried: { kind: string; fields: readonly FixedField[] } | null;
  /** Where the file says its release. */
  release: { kind: string; at: number };
}

/** Places of STAT512 as two independent programs read them, of ENTL512 as one does; unverified against the standard itself. */
const FORTRAS: Readonly<Record<string, FortrasMessage>> = {
  STAT512: {
    record: 'Q10',
    carried: null,
    release: { kind: 'Q00', at: 4 },
    fields: [
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
    ],
  },
  // What was found when a waybill was unloaded: the event is the end of unloading, which only the first line says.
  ENTL512: {
    record: 'N00',
    release: { kind: 'M00', at: 7 },
    carried: {
      kind: 'M00',
      fields: [
        { name: 'waybill', called: 'waybill number', at: 83, length: 35 },
        { name: 'unloadedDate', called: 'event date', at: 154, length: 8 },
        { name: 'unloadedTime', called: 'event time', at: 162, length: 4 },
      ],
    },
    fields: [
      { name: 'waybillItem', called: 'waybill item', at: 39, length: 3 },
      { name: 'consignmentSending', called: 'consignment number', at: 42, length: 35 },
      { name: 'consignmentReceiving', called: 'consignment receiving depot', at: 77, length: 35 },
      { name: 'statusCode', called: 'status code', at: 112, length: 3 },
      { name: 'discrepancies', called: 'discrepancy count', at: 115, length: 4 },
      { name: 'packagingType', called: 'packaging type', at: 119, length: 3 },
      { name: 'notes', called: 'additional text', at: 122, length: 35 },
    ],
  },
};

const isReached =
  (width: number, always: number) =>
  ({ at, length }: FixedField): boolean =>
    at <= width || at + length - 1 <= always;

/** Up to here every line of a record goes: what follows may be left out where it is empty. */
const FORTRAS_ALWAYS = 123;

function fortrasSample(read: EncodedText): Sample | Unread {
  const lines = linesOf(read.text);
  const type = /^@@PH(\w{4}512)/.exec(read.text)?.[1] ?? '';
  const facts = [
    fact('format', 'fixed', 'sure', `It begins with @@PH${type}, as FORTRAS files do.`),
    read.fact,
    fact('message', type, 'sure', 'Its first line says it.'),
  ];
  const message = FORTRAS[type];
  if (message === undefined) {
    const reason = `The fields of ${type} are not known here: its mapping has to be written by hand.`;
    return { format: [...facts, fact('fields', type, 'unsure', reason)], questions: read.questions };
  }
  const { record, carried, release } = message;
  const said = lines.find((line) => line.startsWith(release.kind))?.slice(release.at - 1, release.at + 2) ?? '';
  const isKnown = said === '100';
  const width = Math.max(...lines.filter((line) => line.startsWith(record)).map(({ length }) => length), 0);
  const fields = message.fields.filter(isReached(width, FORTRAS_ALWAYS));
  const kinds = new Set(lines.map((line) => line.slice(0, line.startsWith('@@') ? 4 : KIND_CHARACTERS)));
  const others = [...kinds].filter((each) => each !== record && each !== carried?.kind);
  const reason = isKnown
    ? `Line ${release.kind} says release 100, whose fields are known.`
    : `Line ${release.kind} says release "${said}"; the places are those of release 100.`;
  return {
    source: sourceOf(read, [
      ...others.map((name) => ({ name, fields: null })),
      ...(carried === null ? [] : [{ name: carried.kind, fields: carried.fields, isCarried: true }]),
      { name: record, fields },
    ]),
    format: [...facts, fact('release', said, isKnown ? 'likely' : 'unsure', reason)],
    questions: read.questions,
    ...fortrasTable(lines, message, fields),
    each: null,
    exampleOf: (count: number) => exampleOf(lines, record, count),
  };
}

/** Records with the fields of the line in front of them. */
function fortrasTable(
  lines: readonly string[],
  { record, carried }: FortrasMessage,
  fields: readonly FixedField[],
): { columns: SampleColumn[]; records: number } {
  const fronts: string[] = [];
  const records: string[] = [];
  let front = '';
  for (const line of lines) {
    if (carried !== null && line.startsWith(carried.kind)) front = line;
    if (!line.startsWith(record) || records.length === SAMPLE_RECORDS_MAX) continue;
    fronts.push(front);
    records.push(line);
  }
  const own = tableOf(records, fields);
  const all = [...own.columns, ...tableOf(fronts, carried?.fields ?? []).columns];
  return { ...own, columns: all.map((column) => ({ ...column, dateOrder: 'dmy' })) };
}

interface LineKind {
  name: string;
  /** null: passed over. */
  fields: readonly FixedField[] | null;
  isCarried?: boolean;
}

function sourceOf(read: EncodedText, kinds: readonly LineKind[]): JsonObject {
  const records = Object.fromEntries(
    kinds.map(({ name, fields, isCarried }) => [
      name === '' ? 'line' : name,
      fields === null
        ? { use: 'passed' }
        : {
            ...(name === '' ? { marker: '' } : {}),
            ...(isCarried === true ? { use: 'carried' } : {}),
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
