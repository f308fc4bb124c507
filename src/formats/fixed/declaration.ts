/** The `source:` block of a mapping document for fixed-width files: the kinds of line, and where their fields are. */
import * as z from 'zod';
import { ENCODINGS } from '../encoding.ts';
import {
  DECIMALS_MAX,
  FIELDS_MAX,
  KINDS_MAX,
  LINE_CHARACTERS_MAX,
  MARKER_CHARACTERS_MAX,
  MARKERS_MAX,
  NAME_CHARACTERS_MAX,
  TAB_STOP_MAX,
} from './limits.ts';

/** The column that holds the name of a record's kind. */
export const RECORD_KIND = 'recordKind';

const LINE_BREAK = /[\r\n]/;
const place = z.int().min(1, 'a position, counted from 1').max(LINE_CHARACTERS_MAX);
const length = z.int().min(1, 'a number of characters').max(LINE_CHARACTERS_MAX);
const name = z.string().trim().min(1, 'a name').max(NAME_CHARACTERS_MAX);
const markerText = z
  .string()
  .max(MARKER_CHARACTERS_MAX)
  .refine((text) => !LINE_BREAK.test(text), 'a marker without line breaks');

const field = z
  .strictObject({
    at: place.describe('Position of its first character in the line, from 1.'),
    length: length.describe('Its length in characters.'),
    trim: z.enum(['both', 'left', 'right', 'none']).default('both').describe('The side whose blanks are padding.'),
    number: z
      .strictObject({
        decimals: z
          .int()
          .min(0)
          .max(DECIMALS_MAX)
          .default(0)
          .describe('Digits behind a decimal point that is not written.'),
        sign: z
          .enum(['none', 'leading', 'trailing', 'overpunch'])
          .default('none')
          .describe('Where the sign stands; overpunch: in the last digit, as in 1234} for -12340.'),
      })
      .optional()
      .describe('Digits that become plain text such as -12.50.'),
  })
  .meta({ id: 'FixedField', description: 'Where a field stands in its line.' });

const markerAt = z.strictObject({ at: place.default(1), text: markerText.min(1, 'the text of the marker') });

const count = z.strictObject({
  at: place,
  length,
  of: z
    .union([z.enum(['records', 'lines']), z.array(name).min(1, 'at least one kind of line')])
    .default('records')
    .describe('What is counted: lines that are records, all lines, or those of the kinds in this list.'),
});

const kind = z
  .strictObject({
    marker: z
      .union([markerText, markerAt, z.array(markerAt).min(1).max(MARKERS_MAX)])
      .optional()
      .describe(
        'Text by which its lines are known: where lines begin with it, or { at, text }, or several of which all must stand there. ' +
          'Without it the name of the kind. "": every line of no other kind.',
      ),
    use: z
      .enum(['record', 'carried', 'passed', 'trailer'])
      .default('record')
      .describe(
        'record: each line is one. carried: its fields are those of all records that follow, until the next such line. ' +
          'passed: nobody reads it. trailer: ends the file or a part of it, and with it what is carried.',
      ),
    fields: z.record(name, field).default({}),
    count: count.optional().describe('Of a trailer: how many lines it says there are.'),
    ends: name
      .optional()
      .describe('Of a trailer: the outermost kind whose carried fields end with it; all of them otherwise.'),
  })
  .meta({ id: 'FixedKind', description: 'One kind of line.' });

const shape = z.strictObject({
  format: z.literal('fixed'),
  encoding: z.enum(ENCODINGS).default('utf-8'),
  lineEnds: z
    .enum(['any', 'none'])
    .default('any')
    .describe('any: lines end at CR, LF or both. none: they follow each other without, each of lineLength characters.'),
  lineLength: length.optional().describe('Characters of each line; a longer one is an error.'),
  shortLines: z
    .enum(['pad', 'reject'])
    .default('pad')
    .describe('A line shorter than lineLength: read as if blanks followed, with a note (pad), or an error.'),
  tabStops: z
    .int()
    .min(1)
    .max(TAB_STOP_MAX)
    .optional()
    .describe('Columns between two tab stops, where tabs stand for blanks. Without it a tab is an error.'),
  records: z.record(name, kind).describe('The kinds of line, by name. Those carried stand outermost first.'),
});

/** The block with all defaults filled in. */
export type FixedSource = z.output<typeof shape>;
export type FixedKind = FixedSource['records'][string];
export type FixedField = FixedKind['fields'][string];
/** What a trailer counts. */
export type CountedKinds = NonNullable<FixedKind['count']>['of'];
export type NumberForm = NonNullable<FixedField['number']>;
export type Marker = z.output<typeof markerAt>;

/** All of these must be in a line of the kind; none: the kind takes every line that no other takes. */
export function markersOf(kindName: string, { marker }: FixedKind): readonly Marker[] {
  if (marker === undefined) return [{ at: 1, text: kindName }];
  if (typeof marker === 'string') return marker === '' ? [] : [{ at: 1, text: marker }];
  return Array.isArray(marker) ? marker : [marker];
}

/** Every conflict between the settings is reported with its own path. */
export const fixedSource = shape.superRefine((source, context) => {
  for (const { path, message } of disagreements(source)) context.addIssue({ code: 'custom', path, message });
});

interface Disagreement {
  path: string[];
  message: string;
}

function disagreements(source: FixedSource): Disagreement[] {
  const kinds = Object.entries(source.records);
  const found = kinds.flatMap(([kindName, each]) =>
    kindFaults(source, each).map(({ path, message }) => ({ path: ['records', kindName, ...path], message })),
  );
  if (source.lineEnds === 'none' && source.lineLength === undefined) {
    found.push({ path: ['lineLength'], message: 'without line ends the length of every line is needed here' });
  }
  if (kinds.length > KINDS_MAX) found.push({ path: ['records'], message: `at most ${KINDS_MAX} kinds of line` });
  if (!kinds.some(([, { use }]) => use === 'record')) {
    found.push({ path: ['records'], message: 'at least one kind of line that is a record (use: record)' });
  }
  return [...found, ...equalMarkers(source), ...sharedNames(source)];
}

function kindFaults({ lineLength = LINE_CHARACTERS_MAX, records }: FixedSource, each: FixedKind): Disagreement[] {
  const found: Disagreement[] = [];
  const fields = Object.entries(each.fields);
  const isRead = each.use === 'record' || each.use === 'carried';
  if (isRead && fields.length === 0) found.push({ path: ['fields'], message: 'at least one field' });
  if (!isRead && fields.length > 0) {
    found.push({ path: ['fields'], message: `no fields: nobody reads those of a line with use: ${each.use}` });
  }
  if (fields.length > FIELDS_MAX) found.push({ path: ['fields'], message: `at most ${FIELDS_MAX} fields` });
  if (each.count !== undefined && each.use !== 'trailer') {
    found.push({ path: ['count'], message: 'a count only where use is trailer' });
  }
  if (each.ends !== undefined && each.use !== 'trailer') {
    found.push({ path: ['ends'], message: 'what it ends only where use is trailer' });
  } else if (each.ends !== undefined && records[each.ends]?.use !== 'carried') {
    found.push({ path: ['ends'], message: 'the name of a kind of line that is carried' });
  }
  found.push(...countedFaults(records, each));
  const places = [...fields.map(([key, { at, length: long }]) => ({ path: ['fields', key], end: at + long - 1 }))];
  if (each.count !== undefined) places.push({ path: ['count'], end: each.count.at + each.count.length - 1 });
  for (const { path, end } of places) {
    if (end > lineLength) found.push({ path, message: `ends at ${end}, behind the end of the line at ${lineLength}` });
  }
  if (RECORD_KIND in each.fields) {
    found.push({
      path: ['fields', RECORD_KIND],
      message: `another name: ${RECORD_KIND} is the name of the kind itself`,
    });
  }
  return found;
}

/** Another trailer begins to count again, so that its lines cannot be counted here. */
function countedFaults(records: FixedSource['records'], each: FixedKind): Disagreement[] {
  const { of = 'records' } = each.count ?? {};
  if (typeof of === 'string') return [];
  const countable = Object.entries(records).flatMap(([kindName, other]) =>
    other.use === 'trailer' && other !== each ? [] : [kindName],
  );
  return of.flatMap((kindName, index): Disagreement[] => {
    const path = ['count', 'of', String(index)];
    if (of.indexOf(kindName) !== index) return [{ path, message: 'each kind of line once' }];
    if (countable.includes(kindName)) return [];
    return [{ path, message: `the name of a kind of line that is no other trailer: ${countable.join(', ')}` }];
  });
}

function equalMarkers({ records }: FixedSource): Disagreement[] {
  const seen = new Map<string, string>();
  return Object.entries(records).flatMap(([kindName, each]) => {
    const key = JSON.stringify(
      markersOf(kindName, each)
        .map(({ at, text }) => [at, text])
        .sort(),
    );
    const other = seen.get(key);
    if (other === undefined) seen.set(key, kindName);
    return other === undefined
      ? []
      : [{ path: ['records', kindName, 'marker'], message: `another marker than that of ${JSON.stringify(other)}` }];
  });
}

/** A record has its own fields and the carried ones: one name cannot be both. */
function sharedNames({ records }: FixedSource): Disagreement[] {
  const kinds = Object.entries(records);
  return kinds
    .filter(([, { use }]) => use === 'carried')
    .flatMap(([kindName, { fields }]) =>
      Object.keys(fields).flatMap((key) => {
        const other = kinds.find(([otherName, each]) => otherName !== kindName && Object.hasOwn(each.fields, key));
        if (other === undefined) return [];
        const message = `a name of its own: ${JSON.stringify(other[0])} has this field too, and this one is carried`;
        return [{ path: ['records', kindName, 'fields', key], message }];
      }),
    );
}

/* Digits with an implied decimal point and a sign → plain text such as `-12.50`. Pure. */

const DIGITS = /^\d+$/;
/** The last digit and the sign in one character, as mainframes print zoned decimals (EBCDIC zones C and D). */
const POSITIVE = '{ABCDEFGHI';
const NEGATIVE = '}JKLMNOPQR';

interface Signed {
  digits: string;
  isNegative: boolean;
}

/** @returns '' for blanks; undefined when the text is not such a number. */
export function plainNumber(text: string, { decimals, sign }: NumberForm): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const { digits, isNegative } = SIGNED[sign](trimmed);
  if (!DIGITS.test(digits)) return undefined;
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals).replace(/^0+(?=\d)/, '');
  const plain = decimals === 0 ? whole : `${whole}.${padded.slice(padded.length - decimals)}`;
  const isZero = /^[0.]+$/.test(plain);
  return isNegative && !isZero ? `-${plain}` : plain;
}

const SIGNED: Record<NumberForm['sign'], (text: string) => Signed> = {
  none: (text) => ({ digits: text, isNegative: false }),
  leading: (text) =>
    text.startsWith('-') || text.startsWith('+')
      ? { digits: text.slice(1).trimStart(), isNegative: text.startsWith('-') }
      : { digits: text, isNegative: false },
  trailing: (text) =>
    text.endsWith('-') || text.endsWith('+')
      ? { digits: text.slice(0, -1).trimEnd(), isNegative: text.endsWith('-') }
      : { digits: text, isNegative: false },
  overpunch: (text) => {
    const last = text.slice(-1);
    const [positive, negative] = [POSITIVE.indexOf(last), NEGATIVE.indexOf(last)];
    if (positive === -1 && negative === -1) return { digits: text, isNegative: false };
    return { digits: text.slice(0, -1) + Math.max(positive, negative), isNegative: negative !== -1 };
  },
};

/** What such a field holds, for messages. */
export function numberMessage({ decimals, sign }: NumberForm): string {
  const signed = {
    none: 'digits only',
    leading: 'digits, with + or - before them',
    trailing: 'digits, with + or - behind them',
    overpunch: 'digits, of which the last may be a letter, { or } that holds the sign',
  }[sign];
  return decimals === 0 ? signed : `${signed}; the last ${decimals} stand behind a decimal point that is not written`;
}
