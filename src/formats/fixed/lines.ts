/** The declared kinds of line, compiled: which kind a line is, and where the values of its fields go. Pure. */

import { headOf } from '../../kernel/text.ts';
import type { TextCodec } from '../encoding.ts';
import { findLineEnd, isLineEnd, type TextSlice } from '../text-slice.ts';
import {
  type CountedKinds,
  type FixedField,
  type FixedKind,
  type FixedSource,
  type Marker,
  markersOf,
  plainNumber,
  RECORD_KIND,
} from './declaration.ts';
import type { FieldRef, FixedRecordProblem, TrailerFault } from './problems.ts';

/** A line as characters: positions count what a person counts, so a character of two UTF-16 units counts once. Pure. */
const SURROGATE = /[\ud800-\udfff]/;
const TAB = '\t';

export class Characters {
  readonly text: string;
  readonly length: number;
  /** Null where every character is one unit. */
  private readonly points: readonly string[] | null;

  constructor(text: string) {
    this.text = text;
    this.points = SURROGATE.test(text) ? Array.from(text) : null;
    this.length = this.points?.length ?? text.length;
  }

  /** @param at from 1. @returns the text there, shorter if the line ends. */
  cut(at: number, length: number): string {
    if (this.points === null) return this.text.slice(at - 1, at - 1 + length);
    return this.points.slice(at - 1, at - 1 + length).join('');
  }

  /** @returns the position, from 1, of the first of these characters; 0 where there is none. */
  find(character: string): number {
    return (this.points?.indexOf(character) ?? this.text.indexOf(character)) + 1;
  }
}

/** @param tabStop columns between two stops. */
export function withoutTabs(text: string, tabStop: number): string {
  if (!text.includes(TAB)) return text;
  const parts: string[] = [];
  let column = 0;
  for (const character of text) {
    const part = character === TAB ? ' '.repeat(tabStop - (column % tabStop)) : character;
    column += character === TAB ? part.length : 1;
    parts.push(part);
  }
  return parts.join('');
}

export interface Kind {
  name: string;
  use: FixedKind['use'];
  count: FixedKind['count'];
  markers: readonly Marker[];
  fields: readonly KindField[];
  /** Of a carried kind, outermost 0; else -1. */
  level: number;
  /** Of a trailer: the outermost level that ends with it. */
  ends: number;
}

interface KindField extends FixedField {
  name: string;
  /** Index of its column. */
  column: number;
}

export interface Kinds {
  columns: readonly string[];
  all: ReadonlyMap<string, Kind>;
  carries: boolean;
  /** Markers of each kind, for messages. */
  known: readonly (readonly Marker[])[];
  /** Kinds of trailer that state a count: it is reported when they are missing. */
  counting: readonly string[];
  /** Kinds whose lines a trailer counts by name, and '' for lines of no known kind, which may belong to them. */
  counted: ReadonlySet<string>;
  find(line: Characters): Kind | undefined;
}

export function kindsOf({ records }: FixedSource): Kinds {
  const columns = [...new Set(Object.values(records).flatMap(({ fields }) => Object.keys(fields))), RECORD_KIND];
  const columnOf = new Map(columns.map((column, index) => [column, index]));
  const carried = Object.keys(records).filter((name) => records[name]?.use === 'carried');
  const kinds = Object.entries(records).map(
    ([name, kind]): Kind => ({
      name,
      use: kind.use,
      count: kind.count,
      markers: markersOf(name, kind),
      fields: Object.entries(kind.fields).map(([field, place]) => ({
        name: field,
        column: columnOf.get(field) ?? -1,
        ...place,
      })),
      level: carried.indexOf(name),
      ends: kind.ends === undefined ? 0 : carried.indexOf(kind.ends),
    }),
  );
  // The more a kind requires, the earlier it is tried: 9999 before 9, and what takes any line last. Else by name, for a
  // stored version does not keep the order of its keys.
  const asks = ({ markers }: Kind): number => markers.reduce((sum, { text }) => sum + text.length, 0);
  const ordered = kinds.toSorted((one, other) => asks(other) - asks(one) || (one.name < other.name ? -1 : 1));
  const named = kinds.flatMap(({ count }) => (typeof count?.of === 'object' ? count.of : []));
  return {
    columns,
    all: new Map(kinds.map((kind) => [kind.name, kind])),
    carries: carried.length > 0,
    known: kinds.map(({ markers }) => markers),
    counted: new Set(named.length === 0 ? [] : ['', ...named]),
    counting: kinds.filter(({ count }) => count !== undefined).map(({ name }) => name),
    find: (line) =>
      ordered.find(({ markers }) => markers.every(({ at, text }) => line.cut(at, [...text].length) === text)),
  };
}

/*
 * Where lines of a fixed-width file end: at line ends, or after a number of characters. Pure; no result depends on the
 * slice.
 */

/** Offsets in units. `to`: where the line ends without its line end; `next`: where the next one begins. */
type Division = { kind: 'line'; from: number; to: number; next: number } | { kind: 'more' } | { kind: 'overlong' };

/** Most units of one character: UTF-8 has four bytes (RFC 3629, 3). */
const CHARACTER_UNITS_MAX = 4;

/** @param at where a line begins; there is text after it. */
export function divideLine(source: FixedSource, slice: TextSlice, lineUnitsMax: number, at: number): Division {
  return source.lineEnds === 'none' && source.lineLength !== undefined
    ? lineOfLength(source.lineLength, slice, at)
    : lineWithEnd(slice, lineUnitsMax, at);
}

function lineWithEnd(slice: TextSlice, lineUnitsMax: number, from: number): Division {
  const to = findLineEnd(slice.text, from, Math.min(slice.text.length, from + lineUnitsMax + 1));
  if (to > from + lineUnitsMax) return { kind: 'overlong' };
  const next = slice.nextLine(to);
  return next === null ? { kind: 'more' } : { kind: 'line', from, to, next };
}

/** Line ends between lines are skipped, as some programs add one at the end of the file. */
function lineOfLength(characters: number, { text, atEnd, codec }: TextSlice, at: number): Division {
  let from = at;
  while (from < text.length && isLineEnd(text, from)) from++;
  if (from === text.length) return atEnd || from > at ? { kind: 'line', from, to: from, next: from } : { kind: 'more' };
  const limit = from + characters * CHARACTER_UNITS_MAX;
  let to = from;
  let begun = 0;
  for (; to < text.length && to < limit; to++) {
    if (goesOn(text.charCodeAt(to), codec)) continue;
    if (begun === characters) break;
    begun++;
  }
  const isWhole = to === limit || to < text.length || (begun === characters && !mayGoOn(codec));
  return isWhole || atEnd ? { kind: 'line', from, to, next: to } : { kind: 'more' };
}

const isUtf16 = ({ unitBytes }: TextCodec): boolean => unitBytes === 2;
const mayGoOn = (codec: TextCodec): boolean => codec.encoding === 'utf-8' || isUtf16(codec);

/** The unit belongs to a character that began before it: the second half of a pair, a continuation byte of UTF-8. */
function goesOn(unit: number, codec: TextCodec): boolean {
  if (isUtf16(codec)) return unit >= 0xdc00 && unit <= 0xdfff;
  return codec.encoding === 'utf-8' && unit >= 0x80 && unit <= 0xbf;
}

/* Cuts one line into the texts of its kind's fields, and finds what is wrong with it. */

/** Characters of a line that are stored with a problem. */
export const SHOWN_CHARACTERS = 400;
const BLANKS = /^\s*$/;

interface ShapedLine {
  /** In the order of the kind's fields; '' for one at fault. */
  values: string[];
  problems: FixedRecordProblem[];
  /** Blanks were added at its end. */
  isShort: boolean;
}

/** @param line physical, from 1, for problems. */
export function shapeLine(source: FixedSource, kind: Kind, text: Characters, line: number): ShapedLine {
  const problems: FixedRecordProblem[] = [];
  const wanted = source.lineLength ?? null;
  const facts = { line, kind: kind.name, characters: text.length };
  if (wanted !== null && text.length > wanted) {
    const surplus = text.cut(wanted + 1, SHOWN_CHARACTERS);
    // Blanks at the end move nothing.
    if (!BLANKS.test(text.cut(wanted + 1, text.length)))
      problems.push({ code: 'line_too_long', ...facts, wanted, surplus });
  }
  const isShort = wanted !== null && text.length < wanted;
  if (isShort && source.shortLines === 'reject') problems.push({ code: 'line_too_short', ...facts, wanted });
  problems.push(...strayCharacters(kind, text, line));
  const values = kind.fields.map((field) => {
    const { value, problem } = readField(field, text, line);
    if (problem !== undefined) problems.push(problem);
    return value;
  });
  return { values, problems, isShort };
}

function readField(field: KindField, text: Characters, line: number): { value: string; problem?: FixedRecordProblem } {
  const cut = text.cut(field.at, field.length);
  if (field.number === undefined) return { value: trimmed(cut, field.trim) };
  const shown = headOf(cut, SHOWN_CHARACTERS);
  const end = field.at + field.length - 1;
  if (text.length < end && text.length >= field.at && !BLANKS.test(cut)) {
    return {
      value: '',
      problem: { code: 'field_cut', line, field: refOf(field), characters: text.length, text: shown },
    };
  }
  const value = plainNumber(cut, field.number);
  if (value !== undefined) return { value };
  return {
    value: '',
    problem: { code: 'number_malformed', line, field: refOf(field), form: field.number, text: shown },
  };
}

/** A NUL or a tab inside a line makes every position after it doubtful. */
function strayCharacters(kind: Kind, text: Characters, line: number): FixedRecordProblem[] {
  const codes = [
    ['nul_character', '\0'],
    ['tab_character', '\t'],
  ] as const;
  return codes.flatMap(([code, character]) => {
    const at = text.find(character);
    if (at === 0) return [];
    const field = fieldAt(kind, at);
    const shown = field === null ? text.cut(at, 20) : text.cut(field.at, field.length);
    return [{ code, line, field, at, text: headOf(shown, SHOWN_CHARACTERS) }];
  });
}

/** @returns the field that contains a position. */
export function fieldAt(kind: Kind, at: number): FieldRef | null {
  const field = kind.fields.find((each) => each.at <= at && at < each.at + each.length);
  return field === undefined ? null : refOf(field);
}

const refOf = ({ name, at, length }: KindField): FieldRef => ({ name, at, length });

function trimmed(text: string, side: FixedField['trim']): string {
  switch (side) {
    case 'both':
      return text.trim();
    case 'left':
      return text.trimStart();
    case 'right':
      return text.trimEnd();
    case 'none':
      return text;
  }
}

/* Compares what a trailer says with what was counted, and writes a count into one. */

const COUNT = /^\d{1,15}$/;

/** Lines since the trailer before: `kinds` by their kind, those of no known kind by ''. */
export interface Counted {
  records: number;
  lines: number;
  kinds: Readonly<Record<string, number>>;
}

export const NOTHING_COUNTED: Counted = { records: 0, lines: 0, kinds: {} };

/** @param kind null: not known. */
export function withLine({ kinds, ...counted }: Counted, kind: string | null): Counted {
  const key = kind ?? '';
  return { ...counted, lines: counted.lines + 1, kinds: { ...kinds, [key]: (kinds[key] ?? 0) + 1 } };
}

/** @returns how many lines there are of what a trailer counts. */
export function countOf(of: CountedKinds, { kinds, ...counted }: Counted): number {
  if (typeof of === 'string') return counted[of];
  return of.reduce((sum, name) => sum + (kinds[name] ?? 0), 0);
}

/** @param counted including its own line. */
export function trailerFault(
  { name: kind, count }: Kind,
  text: Characters,
  counted: Counted,
  line: number,
): TrailerFault | null {
  if (count === undefined) return null;
  const said = text.cut(count.at, count.length);
  if (!COUNT.test(said.trim())) {
    return { code: 'trailer_count_unreadable', line, kind, text: headOf(said, SHOWN_CHARACTERS) };
  }
  const found = countOf(count.of, counted);
  // Each line of no known kind is reported by itself, and may have been of one that is counted.
  const doubtful = typeof count.of === 'string' ? 0 : (counted.kinds[''] ?? 0);
  if (Number(said) >= found && Number(said) <= found + doubtful) return null;
  return { code: 'trailer_count_differs', line, kind, counted: found, said: Number(said), of: count.of };
}

/** @returns the line with this count in its field, right-aligned; padded with blanks if the line has blanks there. */
export function trailerWith({ count }: Kind, text: Characters, counted: number): string {
  if (count === undefined) return text.text;
  const fill = text.cut(count.at, 1) === ' ' ? ' ' : '0';
  const behind = text.cut(count.at + count.length, text.length);
  return text.cut(1, count.at - 1) + String(counted).padStart(count.length, fill) + behind;
}
