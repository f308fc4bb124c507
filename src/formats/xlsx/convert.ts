/**
 * A stored workbook → the wanted sheet as CSV text, piece by piece.
 *
 * Only shared strings, styles and one row are held in memory, not the workbook, the sheet or the text. All bounds are
 * in limits.ts. Nothing is stored between two calls, so a second run gives the same text.
 */

import { err, ok, type Result } from '../../kernel/result.ts';
import type { StoredBytes } from '../slices.ts';
import { type CellContext, cellText, NOT_CALCULATED, readCellStyles, type StoredCell } from './cell-text.ts';
import { isComment, type MomentText, type SheetReading } from './declaration.ts';
import {
  COLUMNS_MAX,
  CSV_STEP_UNITS,
  ROW_UNITS_MAX,
  ROWS_MAX,
  SHEET_TEXT_BYTES_MAX,
  SHEET_XML_BYTES_MAX,
  SHEETS_LISTED_MAX,
  WORKBOOK_BYTES_MAX,
} from './limits.ts';
import { type WorkbookProblem, WorkbookRefusal } from './problems.ts';
import { readSharedStrings, TextRuns } from './shared-strings.ts';
import {
  type Attributes,
  packageKind,
  readWorkbook,
  type Sheet,
  WorkbookParts,
  wholeNumber,
  type XmlEvents,
  XmlPart,
} from './workbook.ts';

/* `AB12` → row and column, both from 1 (ECMA-376-1 18.18.62). */

interface CellReference {
  row: number;
  column: number;
}

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/;
const BEFORE_A = 64;

/** @returns undefined if it is not a reference. */
export function readReference(text: string): CellReference | undefined {
  const [, letters, digits] = REFERENCE.exec(text) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - BEFORE_A;
  return { row: Number(digits), column };
}

/** @param column from 1. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(BEFORE_A + 1 + ((left - 1) % 26)) + letters;
  }
  return letters;
}

/*
 * The XML of a sheet → its rows, one after the other: texts by column, from column 1 to the last cell that is not
 * empty.
 *
 * Rows and cells without references follow the one before; rows before the header, blank rows and comments are left
 * out.
 */

/** @property row from 1. */
interface SheetRow {
  row: number;
  texts: readonly string[];
}

class SheetRows implements XmlEvents {
  readonly #sheet: string;
  readonly #context: CellContext;
  readonly #reading: SheetReading;
  /** By column, from 1; empty until the row with the column names. */
  #moments: readonly (MomentText | undefined)[] = [];
  #ready: SheetRow[] = [];
  #isInData = false;
  #isInRow = false;
  #isComment = false;
  #isNamed = false;
  #row = 0;
  #column = 0;
  #texts: string[] = [];
  /** Of the texts stored of the row, and of everything in its open cell. */
  #units = 0;
  #cellUnits = 0;
  #cell: StoredCell | null = null;
  #isValue = false;
  #inlineDepth = 0;
  readonly #runs = new TextRuns();

  constructor(sheet: string, context: CellContext, reading: SheetReading) {
    this.#sheet = sheet;
    this.#context = context;
    this.#reading = reading;
    if (!reading.header) this.#name(reading.columns ?? []);
  }

  #name(columns: readonly string[]): void {
    const { moments } = this.#reading;
    if (moments.size > 0) this.#moments = [undefined, ...columns.map((name) => moments.get(name.trim()))];
  }

  /** The rows that ended since the last call. */
  take(): SheetRow[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  open(name: string, attribute: Attributes): void {
    if (this.#inlineDepth > 0) {
      this.#inlineDepth += 1;
      this.#runs.open(name);
    } else if (name === 'sheetData') this.#isInData = true;
    else if (!this.#isInData) return;
    else if (name === 'row') this.#openRow(attribute);
    else if (name === 'c' && this.#isInRow) this.#openCell(attribute);
    else if (name === 'v') this.#openValue();
    else if (name === 'f' && this.#cell !== null) this.#cell.isFormula = true;
    else if (name === 'is' && this.#cell !== null) {
      this.#inlineDepth = 1;
      this.#runs.clear();
    }
  }

  text(text: string): void {
    if (this.#cell === null) return;
    this.#cellUnits += text.length;
    if (this.#cellUnits > ROW_UNITS_MAX) this.#refuseLong();
    if (this.#inlineDepth > 0) this.#runs.text(text);
    else if (this.#isValue) this.#cell.value += text;
  }

  close(name: string): void {
    if (this.#inlineDepth > 0) {
      this.#inlineDepth -= 1;
      if (this.#inlineDepth > 0) this.#runs.close(name);
      else if (this.#cell !== null) this.#cell.inline = this.#runs.whole();
    } else if (!this.#isInData) return;
    else if (name === 'sheetData') this.#isInData = false;
    else if (name === 'v') this.#isValue = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
  }

  #openRow(attribute: Attributes): void {
    const written = attribute('r');
    const row = written === undefined ? this.#row + 1 : wholeNumber(attribute, 'r');
    if (this.#isInRow || row === undefined || row <= this.#row || row > ROWS_MAX) {
      this.#refuse({ code: 'workbook_broken', fault: 'row', sheet: this.#sheet, row: written ?? String(row) });
    }
    this.#isInRow = true;
    this.#row = row;
    this.#column = 0;
    this.#units = 0;
    this.#texts = [];
    this.#isComment = false;
  }

  #closeRow(): void {
    this.#isInRow = false;
    this.#cell = null;
    const { header, headerRow } = this.#reading;
    if (this.#row < headerRow || this.#isComment || this.#texts.every((text) => text.trim() === '')) return;
    this.#ready.push({ row: this.#row, texts: this.#texts });
    if (!header || this.#isNamed) return;
    this.#isNamed = true;
    this.#name(this.#texts.map(oneLine));
  }

  #openCell(attribute: Attributes): void {
    const written = attribute('r');
    const column = written === undefined ? this.#column + 1 : readReference(written)?.column;
    if (column === undefined || column > COLUMNS_MAX) this.#refuseCell(written ?? `${this.#column + 1}`, '');
    this.#column = column;
    this.#cellUnits = 0;
    const [kind, style] = [attribute('t') ?? 'n', wholeNumber(attribute, 's') ?? 0];
    this.#cell = { kind, style, value: '', hasValue: false, isFormula: false, inline: '' };
  }

  #openValue(): void {
    this.#isValue = this.#cell !== null;
    if (this.#cell !== null) this.#cell.hasValue = true;
  }

  #closeCell(): void {
    if (this.#cell === null) return;
    const text = cellText(this.#cell, this.#context, this.#moments[this.#column]);
    if (text === undefined) this.#refuseCell(`${columnLetters(this.#column)}${this.#row}`, this.#cell.value);
    // `#N/A` and its like are no mark: that row has to be seen.
    const isFault = this.#cell.kind === 'e' || text === NOT_CALCULATED;
    if (this.#column === 1) this.#isComment = !isFault && isComment(this.#reading, text);
    this.#cell = null;
    if (text === '') return;
    this.#units += text.length;
    if (this.#units > ROW_UNITS_MAX) this.#refuseLong();
    while (this.#texts.length < this.#column - 1) this.#texts.push('');
    this.#texts[this.#column - 1] = text;
  }

  #refuseLong(): never {
    const facts = { of: 'row', sheet: this.#sheet, row: this.#row, unitsMax: ROW_UNITS_MAX } as const;
    return this.#refuse({ code: 'workbook_too_large', ...facts });
  }

  #refuseCell(cell: string, text: string): never {
    return this.#refuse({ code: 'workbook_broken', fault: 'cell', sheet: this.#sheet, cell, text });
  }

  #refuse(problem: WorkbookProblem): never {
    throw new WorkbookRefusal(problem);
  }
}

/*
 * The rows of a sheet → lines of CSV in UTF-8. Line N is row N, unless cells contain line breaks.
 * Pure.
 *
 * Rows that are left out are empty lines. A row is at least as wide as the header, so that empty cells at its end are
 * not missing; cells beyond the header stay, and the CSV reader reports them.
 */

class CsvLines {
  readonly #reading: SheetReading;
  /** What a cell can only hold in quotes. */
  readonly #marks: readonly string[];
  /** Of a sheet without header; 0: the header determines them. */
  #columns: number;
  #row = 0;
  /** Whether there was any row. */
  hasRows = false;

  constructor(reading: SheetReading) {
    this.#reading = reading;
    this.#columns = reading.columns?.length ?? 0;
    this.#marks = [reading.delimiter, reading.quote, '\r', '\n'].filter((mark) => mark !== '');
  }

  /** @returns the line of the row, and the empty lines before it. */
  write({ row, texts }: SheetRow): string {
    const before = LINE_END.repeat(row - this.#row - 1);
    this.#row = row;
    const isHeader = this.#reading.header && !this.hasRows;
    this.hasRows = true;
    if (!isHeader) return before + this.#line(withoutBlankEnd(texts, this.#columns), this.#columns);
    const names = texts.map(oneLine);
    this.#columns = names.length;
    return before + this.#line(names, names.length);
  }

  /** The first cell is always quoted: then no start of a file can be mistaken for another format or a delimiter line. */
  #line(texts: readonly string[], columns: number): string {
    const { delimiter } = this.#reading;
    const isPlain = (text: string): boolean => !this.#marks.some((mark) => text.includes(mark));
    const cells = texts.map((text, index) => (index > 0 && isPlain(text) ? text : this.#quoted(text)));
    return cells.join(delimiter) + delimiter.repeat(Math.max(0, columns - texts.length)) + LINE_END;
  }

  /** If cells are never quoted, a cell cannot contain what would end it. */
  #quoted(text: string): string {
    const { quote, delimiter } = this.#reading;
    if (quote !== '') return quote + text.replaceAll(quote, quote + quote) + quote;
    return text.replaceAll(delimiter, ' ').replace(/[\r\n]+/g, ' ');
  }
}

/** Cells beyond the header that are only formatted are empty. */
const withoutBlankEnd = (texts: readonly string[], columns: number): readonly string[] =>
  texts.slice(0, Math.max(columns, texts.findLastIndex((text) => text.trim() !== '') + 1));

const LINE_END = '\r\n';

/** A heading with line breaks is one name: its lines are joined by blanks. */
const oneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');

interface OpenedSheet {
  name: string;
  /** What a person should know though nothing is wrong. */
  notes: string[];
  /** The sheet as text; returns why it ends early, or null. Throws what the store throws. */
  csv(): AsyncGenerator<Uint8Array, WorkbookProblem | null>;
}

/**
 * @param stored a ZIP, by its first bytes.
 * @returns null for a ZIP that is an archive of files, not a workbook. Throws what the store throws.
 */
export async function openSheet(
  stored: StoredBytes,
  reading: SheetReading,
): Promise<Result<OpenedSheet | null, WorkbookProblem>> {
  try {
    const parts = reading.isDeclared ? await WorkbookParts.open(stored) : await partsOrNone(stored);
    const kind = parts === null ? 'archive' : packageKind(parts);
    if (parts === null || kind === 'archive' || (kind !== 'package' && !reading.isDeclared)) return ok(null);
    if (kind !== 'package') return err({ code: 'not_a_workbook', looksLike: kind });
    const { bytes } = stored;
    if (bytes > WORKBOOK_BYTES_MAX) {
      return err({ code: 'workbook_too_large', of: 'file', bytes, bytesMax: WORKBOOK_BYTES_MAX });
    }
    const workbook = await readWorkbook(parts);
    const sheet = findSheet(workbook.sheets, reading.sheet);
    if (sheet === undefined) {
      const sheets = workbook.sheets.map(({ name }) => name);
      return err({ code: 'sheet_missing', wanted: reading.sheet, sheets, listedMax: SHEETS_LISTED_MAX });
    }
    const context: CellContext = {
      is1904: workbook.is1904,
      wholeDates: reading.dates === 'whole',
      styles: await readCellStyles(parts, workbook.stylesPart),
      strings: await readSharedStrings(parts, workbook.sharedStringsPart),
    };
    const notes = sheet.isHidden ? [`The sheet "${sheet.name}", which was read, is hidden in the workbook.`] : [];
    return ok({ name: sheet.name, notes, csv: () => csvOf(parts, sheet, context, reading) });
  } catch (thrown) {
    if (thrown instanceof WorkbookRefusal) return err(thrown.problem);
    throw thrown;
  }
}

/** @returns null for a ZIP that cannot be opened: whoever unpacks archives says why. */
async function partsOrNone(stored: StoredBytes): Promise<WorkbookParts | null> {
  try {
    return await WorkbookParts.open(stored);
  } catch (thrown) {
    if (thrown instanceof WorkbookRefusal) return null;
    throw thrown;
  }
}

/** By number in the order of the tabs; by exact name, else ignoring case (no two sheets may differ in case alone). */
function findSheet(sheets: readonly Sheet[], wanted: string | number): Sheet | undefined {
  if (typeof wanted === 'number') return sheets[wanted - 1];
  const same = (name: string): boolean => name.trim().toLowerCase() === wanted.toLowerCase();
  return sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => same(name));
}

async function* csvOf(
  parts: WorkbookParts,
  sheet: Sheet,
  context: CellContext,
  reading: SheetReading,
): AsyncGenerator<Uint8Array, WorkbookProblem | null> {
  const encoder = new TextEncoder();
  const lines = new CsvLines(reading);
  let bytes = 0;
  let text = reading.isMarked ? '\ufeff' : '';
  const encoded = (): Uint8Array => {
    const piece = encoder.encode(text);
    text = '';
    bytes += piece.byteLength;
    if (bytes > SHEET_TEXT_BYTES_MAX) {
      const facts = { of: 'text', sheet: sheet.name, bytesMax: SHEET_TEXT_BYTES_MAX } as const;
      throw new WorkbookRefusal({ code: 'workbook_too_large', ...facts });
    }
    return piece;
  };
  const rows = new SheetRows(sheet.name, context, reading);
  const xml = new XmlPart(sheet.part, rows);
  try {
    for await (const piece of parts.bytesOf(sheet.part, SHEET_XML_BYTES_MAX)) {
      for (const xmlText of xml.texts(piece)) {
        xml.write(xmlText);
        for (const row of rows.take()) {
          text += lines.write(row);
          if (text.length >= CSV_STEP_UNITS) yield encoded();
        }
      }
    }
    xml.end();
    for (const row of rows.take()) text += lines.write(row);
    if (text !== '') yield encoded();
    return lines.hasRows ? null : { code: 'sheet_empty', sheet: sheet.name, fromRow: reading.headerRow };
  } catch (thrown) {
    if (thrown instanceof WorkbookRefusal) return thrown.problem;
    throw thrown;
  }
}
