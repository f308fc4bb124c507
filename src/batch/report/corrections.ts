/**
 * The undelivered rows of a batch as a file of the kind that was sent: corrected and sent again, each row replaces its
 * original. Whole groups are written. CSV is UTF-8 with a byte order mark, in the mapping's delimiter and quote; JSON
 * records stay as written. Pure but for the ports passed in.
 */

import type { CsvSource } from '../../formats/csv/declaration.ts';
import { type Encoding, encodedText, type TextCodec, textCodec } from '../../formats/encoding.ts';
import { type FixedCheckpoint, fixedStart, type LineLocation } from '../../formats/fixed/checkpoint.ts';
import type { FixedSource } from '../../formats/fixed/declaration.ts';
import { FIXED_LIMITS } from '../../formats/fixed/limits.ts';
import {
  Characters,
  type Counted,
  countOf,
  type Kind,
  kindsOf,
  NOTHING_COUNTED,
  trailerWith,
  withLine,
} from '../../formats/fixed/lines.ts';
import { type FixedRecord, fixedSlices } from '../../formats/fixed/reader.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../../formats/record-reader.ts';
import { type StoredBytes, slicesOf } from '../../formats/slices.ts';
import { byteOrderMark } from '../../formats/sniff.ts';
import type { CellLook, WrittenCell } from '../../formats/xlsx/write.ts';
import { type XmlCheckpoint, xmlStart } from '../../formats/xml/checkpoint.ts';
import type { XmlSource } from '../../formats/xml/declaration.ts';
import { xmlSlices } from '../../formats/xml/reader.ts';
import { shownPath, withoutList } from '../../mapping/values/fault.ts';
import { withoutMembers } from './json-cells.ts';
import { cellsUnder, type ReportFile, type ReportPort, recordsOfRows, reportColumns, rowsInOrder } from './report.ts';
import { BYTE_ORDER_MARK, decidingRequest, neutralised, ownColumns } from './report-csv.ts';
import type { BatchRow } from './summary.ts';

interface CorrectableRows {
  /** The rows that are to be corrected after a record number, in order. */
  rows(after: number, limit: number): Promise<BatchRow[]>;
}

/** Without those in whose place another was delivered. */
async function* rowsToCorrect(port: CorrectableRows): AsyncGenerator<BatchRow, undefined> {
  for await (const row of rowsInOrder(port.rows)) if (row.replacedBy === null) yield row;
  return undefined;
}

async function* numbersInOrder(port: CorrectableRows): AsyncGenerator<number, undefined> {
  for await (const { record } of rowsToCorrect(port)) yield record;
  return undefined;
}

/** What identifies the row that another replaces. */
const LOCATION_NAMES: readonly string[] = [REPLACED_BATCH, REPLACED_RECORD];

/** Why the row is here; two further columns identify it. */
const REASON_COLUMNS = ['_code', '_column', '_problem', '_fix'] as const;

/**
 * @yields lines of text. Without a header the extra columns could not be told from the row's own, so there are none.
 * @param isForPeople it says why each row is here, and no cell can run as a formula; a program gets the cells as they are.
 */
export async function* csvCorrections(
  port: ReportPort,
  batchId: string,
  source: CsvSource,
  isForPeople: boolean,
): AsyncGenerator<string> {
  const columns = ownColumns(await reportColumns(port));
  const cellsOf = cellsUnder(columns);
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell) => csvCell(cell, source)).join(source.delimiter)}\r\n`;
  yield BYTE_ORDER_MARK + '\r\n'.repeat(source.skipLines);
  if (source.header) yield line([...columns, REPLACED_BATCH, REPLACED_RECORD, ...(isForPeople ? REASON_COLUMNS : [])]);
  for await (const part of recordsOfRows(port)) {
    if (part.row.replacedBy !== null) continue;
    const cells = cellsOf(part);
    if (!source.header) yield line(cells);
    else {
      const own = isForPeople ? cells.map(neutralised) : cells;
      yield line([...own, batchId, String(part.row.record), ...(isForPeople ? reasons(part.row) : [])]);
    }
  }
}

/**
 * The same rows as those of a workbook: the cells at fault are marked, and beside the row stands why. What names the row it
 * replaces is the same, so that the sheet is taken back as the file would be.
 * @param cellsOfProblem places among the columns of the cells that a problem is about.
 * @returns null: more rows than `rowsMax`.
 */
export async function sheetCorrections(
  port: ReportPort,
  batchId: string,
  rowsMax: number,
  cellsOfProblem: (path: string, columns: readonly string[]) => readonly number[],
): Promise<WrittenCell[][] | null> {
  const columns = ownColumns(await reportColumns(port));
  const cellsOf = cellsUnder(columns);
  const named = (texts: readonly string[], look: CellLook): WrittenCell[] => texts.map((text) => ({ text, look }));
  const rows = [named([...columns, REPLACED_BATCH, REPLACED_RECORD, ...REASON_COLUMNS], 'name')];
  for await (const part of recordsOfRows(port)) {
    if (part.row.replacedBy !== null) continue;
    if (rows.length > rowsMax) return null;
    const wrong = new Set(part.row.errors.flatMap(({ path }) => cellsOfProblem(path, columns)));
    const own = cellsOf(part).map(
      (text, at): WrittenCell => ({ text: neutralised(text), look: wrong.has(at) ? 'wrong' : 'plain' }),
    );
    rows.push([...own, ...named([batchId, String(part.row.record), ...reasons(part.row)], 'note')]);
  }
  return rows;
}

/** If cells are never quoted, a cell cannot contain what would end it. */
export function csvCell(text: string, { quote, delimiter }: CsvSource): string {
  if (quote !== '') return quote + text.replaceAll(quote, quote + quote) + quote;
  return text.replaceAll(delimiter, ' ').replace(/[\r\n]+/g, ' ');
}

function reasons(row: BatchRow): string[] {
  const { errors, state } = row;
  const told = decidingRequest(row);
  const refused = [told?.reason ?? state, '', told?.answer ?? '', ''];
  if (errors.length === 0) return refused;
  // In a row of several events some can be in error, and others refused.
  return (['code', 'path', 'message', 'fix'] as const).map((part, at) =>
    [
      ...errors.map((error) => (part === 'path' ? shownPath(error) : withoutList(error[part]))),
      ...(told === undefined ? [] : [refused[at] ?? '']),
    ].join(' | '),
  );
}

interface JsonPort extends CorrectableRows {
  files: readonly { source: StoredBytes }[];
  /** Which of the files has the row. */
  fileOf(row: BatchRow): number;
}

/** @param around `lines`: one record on each; else the member names around the array of records. */
export async function* jsonCorrections(port: JsonPort, batchId: string, around: AroundJson): AsyncGenerator<string> {
  let between = '';
  yield openOf(around);
  for await (const row of rowsToCorrect(port)) {
    const text = await recordText(port, row);
    const named = text === undefined ? undefined : withLocation(text, batchId, row.record);
    if (named === undefined) continue; // not a JSON object: it can neither name the row it replaces nor be read again
    yield between + named;
    between = around === 'lines' ? '\n' : ',\n';
  }
  yield around === 'lines' && between !== '' ? '\n' : closeOf(around);
}

export type AroundJson = 'lines' | readonly string[];

const openOf = (around: AroundJson): string =>
  around === 'lines' ? '' : `${around.map((name) => `{${JSON.stringify(name)}:`).join('')}[\n`;
const closeOf = (around: AroundJson): string => (around === 'lines' ? '' : `\n]${'}'.repeat(around.length)}\n`);

/** Corrected records as a file. @property text of a record, an object. */
export const correctedJson = (
  batchId: string,
  around: AroundJson,
  rows: readonly { record: number; text: string }[],
): string =>
  openOf(around) +
  rows.map(({ record, text }) => withLocation(text, batchId, record) ?? '').join(around === 'lines' ? '\n' : ',\n') +
  (around === 'lines' ? '\n' : closeOf(around));

async function recordText(port: JsonPort, row: BatchRow): Promise<string | undefined> {
  const { byteFrom, byteTo } = row.position;
  const file = port.files[port.fileOf(row)];
  if (file === undefined || byteTo <= byteFrom) return undefined;
  const bytes = await file.source.read(byteFrom, byteTo - byteFrom);
  return new TextDecoder().decode(bytes);
}

/** A location left from an earlier correction is replaced by its own. */
function withLocation(text: string, batchId: string, record: number): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  const rest = withoutMembers(trimmed, LOCATION_NAMES).slice(1).trimStart();
  const isEmpty = rest === '}';
  return `{"${REPLACED_BATCH}":${JSON.stringify(batchId)},"${REPLACED_RECORD}":${record}${isEmpty ? '' : ','}${rest}`;
}

/*
 * The undelivered records of an XML batch: the document itself, byte for byte, without the records that need no
 * correction. Everything around the records stays, so that it reads the same; each record names the row it replaces in
 * two attributes.
 */

interface XmlPort extends CorrectableRows {
  source: StoredBytes;
}

/** Bytes copied at once. Ours. */
const COPIED_BYTES = 64 * 1024;
/** Longest stretch between two records that is checked for being blank. Ours. */
const BLANK_BYTES_MAX = 1_024;

export async function* xmlCorrections(port: XmlPort, batchId: string, source: XmlSource): AsyncGenerator<Uint8Array> {
  const { source: file } = port;
  const rows = numbersInOrder(port);
  let next = (await rows.next()).value;
  let written = 0;
  let last: XmlCheckpoint = xmlStart;
  for await (const slice of slicesOf(file, { start: xmlStart, read: xmlSlices(source, []) })) {
    if (slice.outcome === 'unreadable') break;
    const { records, checkpoint } = slice;
    last = checkpoint;
    const codec = textCodec(checkpoint.encoding ?? source.encoding);
    for (const { position } of records) {
      while (next !== undefined && next < position.record) next = (await rows.next()).value;
      const { byteFrom, byteTo } = position;
      if (next === position.record) {
        yield* copied(file, written, byteFrom);
        const bytes = await file.read(byteFrom, byteTo - byteFrom);
        yield elementWithLocation(bytes, codec, batchId, position.record);
      } else if (!(await isBlank(file, written, byteFrom, codec))) {
        yield* copied(file, written, byteFrom);
      }
      written = byteTo;
    }
  }
  const isWhole = last.endProblem === null;
  yield* copied(file, written, isWhole ? file.bytes : last.byte);
  const ends = last.open.toReversed().map(({ name }) => `</${name}>`);
  if (!isWhole) yield encodedText(`${ends.join('')}\n`, last.encoding ?? source.encoding) ?? new Uint8Array();
}

async function* copied(file: StoredBytes, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += COPIED_BYTES) yield await file.read(at, Math.min(COPIED_BYTES, to - at));
}

async function isBlank(file: StoredBytes, from: number, to: number, codec: TextCodec): Promise<boolean> {
  if (from === 0 || to - from > BLANK_BYTES_MAX) return false;
  return codec.toText(codec.toUnits(await file.read(from, to - from), true)).trim() === '';
}

/** One attribute with the blanks before it. */
const ATTRIBUTE = /\s+([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')/y;

/** A location left from an earlier correction is replaced by its own. */
function elementWithLocation(bytes: Uint8Array, codec: TextCodec, batchId: string, record: number): Uint8Array {
  const text = codec.toText(codec.toUnits(bytes, true));
  const nameEnd = text.search(/[\s/>]/);
  let tag = `${text.slice(0, nameEnd)} ${REPLACED_BATCH}="${batchId}" ${REPLACED_RECORD}="${record}"`;
  let at = nameEnd;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    const [whole, name = ''] = match;
    if (!LOCATION_NAMES.includes(name)) tag += whole;
    at += whole.length;
  }
  return encodedText(tag + text.slice(at), codec.encoding) ?? bytes;
}

/*
 * The undelivered rows of a fixed-width batch: each line byte for byte, below the carried lines it belongs to, and
 * after the trailer that separates them from those before. A trailer with a count gets the count of what is written. A
 * line has no room for its location, so such a row replaces nothing: it is a new one. Lines of several files are one, with
 * the byte-order mark of the first.
 */

export interface FixedPort extends CorrectableRows {
  files: readonly ReportFile[];
  /** Lines as somebody corrected them, by record; the others are written as they came. */
  corrected?: ReadonlyMap<number, string>;
}

const LINE_END_UNITS_MAX = 2;

export async function* fixedCorrections(port: FixedPort, source: FixedSource): AsyncGenerator<Uint8Array> {
  const rows = numbersInOrder(port);
  let next = (await rows.next()).value;
  const files = port.files.filter(({ problems }) => problems.length === 0);
  const common = await commonEncoding(files, source);
  let recordsBefore = 0;
  let isBegun = false;
  for (const { source: bytes } of files) {
    const file = new CorrectedFile(bytes, source, common);
    for await (const read of slicesOf(bytes, { start: fixedStart, read: fixedSlices(source) })) {
      if (read.outcome === 'unreadable') break;
      file.reached(read.checkpoint);
      for (const record of read.records) {
        const number = recordsBefore + record.position.record;
        while (next !== undefined && next < number) next = (await rows.next()).value;
        if (next !== number) continue;
        if (!isBegun) yield common === null ? await signatureOf(bytes) : COMMON_SIGNATURE;
        isBegun = true;
        yield* file.lines(record, port.corrected?.get(number));
      }
    }
    yield* file.end();
    recordsBefore += file.records;
  }
}

/** Holds every text, and is read under any declaration once a mark names it. */
const COMMON_ENCODING = 'utf-8';
/** A byte that stands nowhere in it. */
const NO_TEXT = 0xff;
const COMMON_SIGNATURE = new TextEncoder().encode(BYTE_ORDER_MARK);

/** What files of several encodings are written in as one. @returns null: all have the same, and their bytes stay. */
async function commonEncoding(files: readonly ReportFile[], source: FixedSource): Promise<Encoding | null> {
  if (files.length === 1) return null;
  const found = new Set<Encoding>();
  for (const file of files) found.add(byteOrderMark(await signatureOf(file.source))?.encoding ?? source.encoding);
  return found.size > 1 ? COMMON_ENCODING : null;
}

/** Its byte-order mark; empty: it has none. */
async function signatureOf(bytes: StoredBytes): Promise<Uint8Array> {
  const start = await bytes.read(0, Math.min(bytes.bytes, FIXED_LIMITS.sniffBytes));
  return start.subarray(0, byteOrderMark(start)?.bytes ?? 0);
}

class CorrectedFile {
  records = 0;
  private readonly bytes: StoredBytes;
  private readonly source: FixedSource;
  /** What it is written in; null: its own encoding. */
  private readonly common: Encoding | null;
  private checkpoint: FixedCheckpoint = fixedStart;
  private readonly written = new Set<number>();
  private counted: Counted = NOTHING_COUNTED;
  private lineEnd: Uint8Array | null = null;
  private trailerBefore: LineLocation | null = null;

  constructor(bytes: StoredBytes, source: FixedSource, common: Encoding | null) {
    this.bytes = bytes;
    this.source = source;
    this.common = common;
  }

  reached(checkpoint: FixedCheckpoint): void {
    this.checkpoint = checkpoint;
    this.records = checkpoint.record;
  }

  private get codec(): TextCodec {
    return textCodec(this.checkpoint.encodingByMark ?? this.source.encoding);
  }

  /** The lines it belongs to, unless already written above, and its own. */
  async *lines(record: FixedRecord, corrected: string | undefined): AsyncGenerator<Uint8Array> {
    const { position, fields, above, isCounted, trailerBefore } = record;
    if (this.lineEnd === null) {
      this.lineEnd = await this.lineEndAfter(position);
    } else if (trailerBefore !== null && trailerBefore.byteFrom !== this.trailerBefore?.byteFrom) {
      yield* this.trailer(trailerBefore);
      this.written.clear();
      this.counted = NOTHING_COUNTED;
    }
    this.trailerBefore = trailerBefore;
    const own = { ...position, kind: fields.at(-1) ?? null };
    for (const line of [...above, own]) {
      if (this.written.has(line.byteFrom)) continue;
      this.written.add(line.byteFrom);
      this.counted = withLine(this.counted, line.kind);
      const text = line === own && corrected !== undefined ? this.encoded(corrected) : undefined;
      yield text ?? (await this.asWritten(line));
      yield this.lineEnd;
    }
    if (isCounted) this.counted = { ...this.counted, records: this.counted.records + 1 };
  }

  /** The last trailer of the file, if the corrections have a line it covers. */
  async *end(): AsyncGenerator<Uint8Array> {
    const { trailer } = this.checkpoint;
    if (this.lineEnd === null) return;
    if (trailer !== null && this.kindOf(await this.textOf(trailer))?.count !== undefined) yield* this.trailer(trailer);
  }

  private async *trailer(place: LineLocation): AsyncGenerator<Uint8Array> {
    if (this.lineEnd === null) return;
    const text = await this.textOf(place);
    const kind = this.kindOf(text);
    const written = kind === undefined ? text.text : trailerWith(kind, text, this.countFor(kind));
    yield this.encoded(written) ?? (await this.bytesOf(place));
    yield this.lineEnd;
  }

  /** Lines of no known kind count, too: they are to be corrected into some that do. */
  private countFor({ name, count }: Kind): number {
    const of = count?.of ?? 'records';
    return countOf(typeof of === 'string' ? of : [...of, ''], withLine(this.counted, name));
  }

  private bytesOf({ byteFrom, byteTo }: LineLocation): Promise<Uint8Array> {
    return this.bytes.read(byteFrom, byteTo - byteFrom);
  }

  private async textOf(place: LineLocation): Promise<Characters> {
    return new Characters(this.codec.toText(this.codec.toUnits(await this.bytesOf(place), true)));
  }

  private kindOf(text: Characters): Kind | undefined {
    return kindsOf(this.source).find(text);
  }

  private encoded(text: string): Uint8Array | undefined {
    return encodedText(text, this.common ?? this.codec.encoding);
  }

  /** What is no text in its own encoding is none in the common one either: it is not read again as if it were right. */
  private async asWritten(line: LineLocation): Promise<Uint8Array> {
    const { common, codec } = this;
    const bytes = await this.bytesOf(line);
    if (common === null || common === codec.encoding) return bytes;
    const units = codec.toUnits(bytes, true);
    const bad = codec.badAt(units);
    const text = (from: number, to: number) => this.encoded(codec.toText(units.slice(from, to))) ?? new Uint8Array();
    if (bad === -1) return text(0, units.length);
    return new Uint8Array([...text(0, bad), NO_TEXT, ...text(bad + 1, units.length)]);
  }

  /** As in the file: the line's own or, behind a last line that has none, that of the first. */
  private async lineEndAfter({ byteTo }: LineLocation): Promise<Uint8Array> {
    if (this.source.lineEnds === 'none') return new Uint8Array();
    const { bytes, codec } = this;
    const unitsFrom = async (from: number, bytesMax: number): Promise<string> =>
      codec.toUnits(await bytes.read(from, Math.min(bytes.bytes - from, bytesMax)), true);
    const own = /^(?:\r\n|\n|\r)/.exec(await unitsFrom(byteTo, LINE_END_UNITS_MAX * codec.unitBytes));
    const [found = '\r\n'] = own ?? /\r\n|\n|\r/.exec(await unitsFrom(0, FIXED_LIMITS.sniffBytes)) ?? [];
    return this.encoded(found) ?? new Uint8Array();
  }
}
