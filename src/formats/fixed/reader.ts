/**
 * Fixed-width text as a `RecordReader`: a record has all declared fields, and the name of its kind.
 *
 * The kind of a line is recognised by its markers; fields of carried lines go into the records after them. A line that
 * cannot be read is a record with a problem, and reading continues after it; if it may have been a carried line, the
 * records after it are problems too, because it is not known to what they belong. Records, positions and problems do
 * not depend on where a slice ends. Pure: no clock, no I/O.
 */
import type { Position } from '../../kernel/problem.ts';
import { textCodec, utf8InsteadAt } from '../encoding.ts';
import type { Format } from '../format.ts';
import { NO_LISTS, type ReadRecord, recordReader, type Slices } from '../record-reader.ts';
import { sniffStart } from '../sniff.ts';
import { findLineEnd, hexOf, TextSlice } from '../text-slice.ts';
import { type CarriedLine, type FixedCheckpoint, fixedStart, type LineLocation } from './checkpoint.ts';
import { type FixedSource, fixedSource } from './declaration.ts';
import { FIXED_LIMITS, type FixedLimits } from './limits.ts';
import {
  Characters,
  divideLine,
  fieldAt,
  type Kind,
  type Kinds,
  kindsOf,
  SHOWN_CHARACTERS,
  shapeLine,
  trailerFault,
  withoutTabs,
} from './lines.ts';
import { describeFixedProblem, type FixedFileProblem, type FixedRecordProblem, type TrailerFault } from './problems.ts';

/** One line that is a record, or one that could not be read. @property above the carried lines whose fields it has. */
export interface FixedRecord {
  position: Position;
  fields: readonly string[];
  problems: readonly FixedRecordProblem[];
  above: readonly CarriedLine[];
  /** A trailer counts it. */
  isCounted: boolean;
  /** The last one before it, which ended the carried lines. */
  trailerBefore: LineLocation | null;
}

type FixedSlices = Slices<FixedCheckpoint, FixedRecord, FixedFileProblem, TrailerFault>;

/** @returns what reads the slices; `FIXED_SLICE_BYTES_ENOUGH` bytes never give `more`. */
export function fixedSlices(source: FixedSource, limits: FixedLimits = FIXED_LIMITS): FixedSlices {
  const kinds = kindsOf(source);
  return (checkpoint, bytes, atEnd) => {
    const open = (from: FixedCheckpoint): SliceReader => {
      const slice = new TextSlice(textCodec(from.encodingByMark ?? source.encoding), from.byte, bytes, atEnd);
      return new SliceReader({ source, kinds, limits, slice }, from);
    };
    if (checkpoint.byte > 0) return open(checkpoint).read(0);
    if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
    const sniffed = sniffStart(bytes.subarray(0, limits.sniffBytes), source.encoding, 'not_fixed_width');
    if (!sniffed.ok) return { outcome: 'unreadable', problems: [sniffed.error] };
    const { markBytes, encodingByMark } = sniffed.value;
    const unitBytes = textCodec(encodingByMark ?? source.encoding).unitBytes;
    return open({ ...checkpoint, encodingByMark }).read(markBytes / unitBytes);
  };
}

/** What one slice is read with. */
interface Reading {
  source: FixedSource;
  kinds: Kinds;
  limits: FixedLimits;
  slice: TextSlice;
}

/** Lines without content: blanks, a form feed, the old end-of-file mark. */
const isEmpty = (units: string): boolean => units.replaceAll('\u001a', '').trim() === '';
const NON_ASCII = /[\u0080-\uffff]/;

class SliceReader {
  private readonly source: FixedSource;
  private readonly kinds: Kinds;
  private readonly limits: FixedLimits;
  private readonly slice: TextSlice;
  private readonly byteStart: number;
  private readonly records: FixedRecord[] = [];
  private state: FixedCheckpoint;
  /** Offset in the slice, in units. */
  private at = 0;

  constructor({ source, kinds, limits, slice }: Reading, checkpoint: FixedCheckpoint) {
    this.source = source;
    this.kinds = kinds;
    this.limits = limits;
    this.slice = slice;
    this.byteStart = checkpoint.byte;
    this.state = { ...fixedStart, ...checkpoint }; // one that an earlier release stored counts no kinds
  }

  read(at: number): ReturnType<FixedSlices> {
    this.at = at;
    let moved = true;
    while (moved && this.isUnread()) moved = this.state.overlong === null ? this.takeLine() : this.passOverlong();
    const finished = this.slice.atEnd && !this.isUnread();
    if (finished) this.endCarried(0);
    const byte = this.slice.byteAt(this.at);
    if (byte === this.byteStart && !finished) return { outcome: 'more' };
    if (finished && this.state.lines === 0)
      return { outcome: 'unreadable', problems: [{ code: 'empty_file', bytes: byte }] };
    const checkpoint = { ...this.state, byte };
    const { columns } = this.kinds;
    const endProblem = finished ? this.endProblem() : null;
    return { outcome: 'records', columns, records: this.records, checkpoint, finished, endProblem };
  }

  private isUnread(): boolean {
    const { text, atEnd } = this.slice;
    return this.at < text.length || (atEnd && this.state.overlong !== null);
  }

  private endProblem(): TrailerFault | null {
    const { trailerFault: fault, trailer, recordsInPart } = this.state;
    if (fault !== null) return fault;
    const { counting } = this.kinds;
    const isMissing = counting.length > 0 && (trailer === null || recordsInPart > 0);
    return isMissing ? { code: 'trailer_missing', kinds: counting, records: recordsInPart } : null;
  }

  /** @returns false when the slice ends before the line does. */
  private takeLine(): boolean {
    const { slice, limits } = this;
    const lineUnitsMax = Math.floor(limits.lineBytesMax / slice.codec.unitBytes);
    const division = divideLine(this.source, slice, lineUnitsMax, this.at);
    if (division.kind === 'more') return false;
    if (division.kind === 'overlong') {
      this.state.overlong = { byteFrom: slice.byteAt(this.at), line: this.state.line + 1 };
      this.at += lineUnitsMax;
      return true;
    }
    const { from, to, next } = division;
    this.at = next;
    if (next === from && to === from) return true; // line ends alone, at the end of the file
    this.state.line++;
    const units = slice.text.slice(from, to);
    if (!isEmpty(units)) this.takeUnits(units, from, to);
    return true;
  }

  private takeUnits(units: string, from: number, to: number): void {
    const { source, state, slice } = this;
    const decoded = slice.codec.toText(units);
    const characters = new Characters(source.tabStops === undefined ? decoded : withoutTabs(decoded, source.tabStops));
    const kind = this.kinds.find(characters);
    const position = { line: state.line, byteFrom: slice.byteAt(from), byteTo: slice.byteAt(to) };
    this.countLine(kind);
    if (kind === undefined) {
      this.unknown(position, {
        code: 'unknown_record_kind',
        line: state.line,
        text: characters.cut(1, SHOWN_CHARACTERS),
        known: this.kinds.known,
      });
      return;
    }
    switch (kind.use) {
      case 'passed':
        return;
      case 'trailer':
        this.trailer(kind, characters, position);
        return;
      case 'carried':
        this.carried(kind, position, this.shaped(kind, characters, units, from));
        return;
      case 'record':
        this.record(kind, position, this.shaped(kind, characters, units, from));
        return;
    }
  }

  private countLine(kind: Kind | undefined): void {
    const { state, kinds } = this;
    state.lines++;
    state.linesInPart++;
    const name = kind?.name ?? '';
    if (!kinds.counted.has(name)) return;
    state.kindsInPart = { ...state.kindsInPart, [name]: (state.kindsInPart[name] ?? 0) + 1 };
  }

  private shaped(kind: Kind, characters: Characters, units: string, from: number) {
    const shaped = shapeLine(this.source, kind, characters, this.state.line);
    if (shaped.isShort && this.isCutAt(from + units.length)) {
      const facts = { line: this.state.line, kind: kind.name, characters: characters.length };
      shaped.problems.push({ code: 'last_line_cut', ...facts, wanted: this.source.lineLength ?? 0 });
    } else if (shaped.isShort) {
      const { lines, firstLine } = this.state.short ?? { lines: 0, firstLine: this.state.line };
      this.state.short = { lines: lines + 1, firstLine };
    }
    const bad = NON_ASCII.test(units) ? this.badEncoding(kind, units, from) : undefined;
    if (bad !== undefined) shaped.problems.unshift(bad);
    return shaped;
  }

  /** If no other line is short, a last one without its end did not lose blanks alone. */
  private isCutAt(to: number): boolean {
    const { slice, state } = this;
    return slice.atEnd && to === slice.text.length && state.short === null && state.lines > 1;
  }

  private badEncoding(kind: Kind, units: string, from: number): FixedRecordProblem | undefined {
    const { slice } = this;
    const { codec } = slice;
    const utf8At = utf8InsteadAt(units, codec);
    const bad = utf8At === -1 ? codec.badAt(units) : utf8At;
    if (bad === -1) return undefined;
    const before = new Characters(codec.toText(units.slice(0, bad))).length;
    return {
      code: 'bad_encoding',
      line: this.state.line,
      encoding: codec.encoding,
      found: utf8At === -1 ? null : 'utf-8',
      field: fieldAt(kind, before + 1),
      byte: slice.byteAt(from + bad),
      hex: hexOf(units, bad, codec),
      text: new Characters(codec.toText(units)).cut(before + 1, 20),
    };
  }

  private record(kind: Kind, place: LineFound, { values, problems }: ReturnType<SliceReader['shaped']>): void {
    const { uncertain } = this.state;
    this.state.recordsInPart++;
    const above: FixedRecordProblem[] =
      uncertain === null ? [] : [{ code: 'carried_line_unusable', line: uncertain.line, kind: uncertain.kind }];
    this.keep(place, [...above, ...problems], this.fields(kind, values), true);
  }

  private carried(kind: Kind, place: LineFound, { values, problems }: ReturnType<SliceReader['shaped']>): void {
    const { state } = this;
    const outer = this.carriedOutside(kind.level);
    this.endCarried(outer.length);
    if (problems.length > 0) {
      this.keep(place, problems, this.fields(kind, values), false);
      state.carried = outer;
      if (state.uncertain === null || state.uncertain.level >= kind.level) {
        state.uncertain = { line: place.line, kind: kind.name, level: kind.level };
      }
      return;
    }
    state.carried = [...outer, { kind: kind.name, values, ...place }];
    state.unread++;
    if (state.uncertain !== null && state.uncertain.level >= kind.level) state.uncertain = null;
  }

  private carriedOutside(level: number): CarriedLine[] {
    return this.state.carried.filter((line) => (this.kinds.all.get(line.kind)?.level ?? 0) < level);
  }

  /** Notes which of the carried lines after these have had no record. A record reads all of them: they are the last. */
  private endCarried(kept: number): void {
    const { state } = this;
    const ended = Math.min(state.unread, state.carried.length - kept);
    if (ended <= 0) return;
    state.unread -= ended;
    const first = state.carried.at(-ended);
    const { lines, firstLine } = state.recordless ?? { lines: 0, firstLine: first?.line ?? 0 };
    state.recordless = { lines: lines + ended, firstLine };
  }

  private fields(kind: Kind, values: readonly string[]): string[] {
    const { columns, all } = this.kinds;
    const fields = columns.map(() => '');
    const fill = (of: Kind | undefined, texts: readonly string[]) =>
      of?.fields.forEach(({ column }, index) => {
        fields[column] = texts[index] ?? '';
      });
    for (const line of this.state.carried) fill(all.get(line.kind), line.values);
    fill(kind, values);
    fields[columns.length - 1] = kind.name;
    return fields;
  }

  private keep(
    { line, byteFrom, byteTo }: LineFound,
    problems: readonly FixedRecordProblem[],
    fields: readonly string[],
    isCounted: boolean,
  ): void {
    const { carried, trailer } = this.state;
    this.state.record++;
    this.state.unread = 0;
    const position = { record: this.state.record, line, byteFrom, byteTo };
    this.records.push({ position, fields, problems, above: carried, isCounted, trailerBefore: trailer });
  }

  /** It may have been a record, or a line whose fields are carried: the outermost one, for all we know. */
  private unknown(place: LineFound, problem: FixedRecordProblem): void {
    this.state.recordsInPart++;
    this.keep(place, [problem], [], true);
    if (this.kinds.carries) this.state.uncertain = { line: place.line, kind: null, level: 0 };
  }

  private trailer(kind: Kind, characters: Characters, place: LineFound): void {
    const { state } = this;
    const counted = { records: state.recordsInPart, lines: state.linesInPart, kinds: state.kindsInPart };
    state.trailerFault ??= trailerFault(kind, characters, counted, place.line);
    state.trailer = place;
    const outer = this.carriedOutside(kind.ends);
    this.endCarried(outer.length);
    state.carried = outer;
    if (state.uncertain !== null && state.uncertain.level >= kind.ends) state.uncertain = null;
    state.recordsInPart = 0;
    state.linesInPart = 0;
    state.kindsInPart = {};
  }

  private passOverlong(): boolean {
    const { slice, state, limits } = this;
    if (state.overlong === null) return false;
    const to = findLineEnd(slice.text, this.at, slice.text.length);
    this.at = to;
    const next = slice.nextLine(to);
    if (next === null) return false;
    const { line, byteFrom } = state.overlong;
    const byteTo = slice.byteAt(to);
    state.overlong = null;
    state.line = line;
    this.countLine(undefined);
    const bytes = byteTo - byteFrom;
    this.unknown({ line, byteFrom, byteTo }, { code: 'line_too_large', line, bytes, bytesMax: limits.lineBytesMax });
    this.at = next;
    return true;
  }
}

type LineFound = Pick<Position, 'line' | 'byteFrom' | 'byteTo'>;

export const fixedFormat: Format<FixedSource, FixedCheckpoint> = {
  declaration: fixedSource,
  reader: (source) =>
    recordReader(fixedStart, fixedSlices(source), { describe: describeFixedProblem, recordOf: () => fixedRecord }),
  isTabular: true,
  encodingOf: ({ encoding }) => encoding,
  ending: 'txt',
  contentTypeOf: ({ encoding }) => `text/plain; charset=${encoding}`,
};

function fixedRecord({ position, fields, problems }: FixedRecord): ReadRecord {
  const [problem, ...otherProblems] = problems.map(describeFixedProblem);
  if (problem === undefined) return { position, fields, lists: NO_LISTS };
  return { position, fields, lists: NO_LISTS, problem, ...(otherProblems.length === 0 ? {} : { otherProblems }) };
}

/** What a person should know of how the file was read though nothing is wrong. A checkpoint may be of an earlier release. */
export const fixedNotes = ({ short, recordless = null }: FixedCheckpoint): string[] => [
  ...(short === null ? [] : [shortNote(short)]),
  ...(recordless === null ? [] : [recordlessNote(recordless)]),
];

const shortNote = ({ lines, firstLine }: NonNullable<FixedCheckpoint['short']>): string =>
  lines === 1
    ? `Line ${firstLine} is shorter than the mapping declares: it was read as if blanks followed.`
    : `${lines} lines are shorter than the mapping declares, the first of them line ${firstLine}: they were read as if blanks followed.`;

const recordlessNote = ({ lines, firstLine }: NonNullable<FixedCheckpoint['recordless']>): string =>
  lines === 1
    ? `Line ${firstLine} belongs to the records below it, and there are none: nothing came of it.`
    : `${lines} lines belong to the records below them, and there are none, the first of them line ${firstLine}: nothing came of them.`;
