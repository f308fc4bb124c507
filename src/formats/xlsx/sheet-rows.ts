/**
 * The XML of a sheet → its rows, one after the other: texts by column, from column 1 to the last cell that is not empty.
 *
 * Rows and cells may lack their references and then follow the one before; rows without any cell are left out.
 */
import { columnLetters, readReference } from './cell-reference.ts';
import { type CellContext, cellText, type StoredCell } from './cell-text.ts';
import { COLUMNS_MAX, ROW_UNITS_MAX, ROWS_MAX } from './limits.ts';
import { type WorkbookProblem, WorkbookRefusal } from './problems.ts';
import { TextRuns } from './text-runs.ts';
import { wholeNumber } from './workbook.ts';
import type { Attributes, XmlEvents } from './xml.ts';

/** @property row from 1. */
export interface SheetRow {
  row: number;
  texts: readonly string[];
}

export class SheetRows implements XmlEvents {
  readonly #sheet: string;
  readonly #context: CellContext;
  #ready: SheetRow[] = [];
  #isInData = false;
  #isInRow = false;
  #row = 0;
  #column = 0;
  #texts: string[] = [];
  /** Of the texts kept of the row, and of all that its open cell has held. */
  #units = 0;
  #cellUnits = 0;
  #cell: StoredCell | null = null;
  #isValue = false;
  #inlineDepth = 0;
  readonly #runs = new TextRuns();

  constructor(sheet: string, context: CellContext) {
    this.#sheet = sheet;
    this.#context = context;
  }

  /** The rows that ended since it was last asked. */
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
  }

  #closeRow(): void {
    this.#isInRow = false;
    this.#cell = null;
    if (this.#texts.length > 0) this.#ready.push({ row: this.#row, texts: this.#texts });
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
    const text = cellText(this.#cell, this.#context);
    if (text === undefined) this.#refuseCell(`${columnLetters(this.#column)}${this.#row}`, this.#cell.value);
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
