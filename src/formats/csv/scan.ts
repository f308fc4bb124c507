/**
 * Cuts one record after another out of a string of units, strictly by RFC 4180: a quote opens only at the start of a
 * cell and closes only before a delimiter or a line end; LF, CRLF and CR all end a record outside quotes.
 *
 * A violation costs the lines up to the one on which the offending cell began, and reading continues with the next
 * line, so that one stray quote does not swallow the rows after it. Every decision depends on the text from the
 * record's start up to the longest record allowed, never on where a slice happens to end. Pure.
 */
import { afterLineEnd, CR, findLineEnd, isLineEnd, LF, type TextSlice } from '../text-slice.ts';
import { type Dialect, isBlank } from './declaration.ts';

/** Columns count from 1; offsets are units from the start of the text. */
export type QuoteFault = {
  code: 'unclosed_quote' | 'text_after_quote' | 'quote_in_text';
  column: number;
  /** Where the offending cell's quote opened; for a quote inside unquoted text, that quote. */
  quoteAt: number;
  /** Line breaks between the record's start and that quote. */
  linesBefore: number;
  /** Where reading became impossible. */
  faultAt: number;
};

interface LargeCell {
  column: number;
  at: number;
  units: number;
}

/**
 * - `record`: cells as units, unquoted; at most `columnsMax` of them are kept, `count` says how many there are.
 * - `fault`: a record that breaks the quoting rules; `cells` are those before the fault.
 * - `skip`: an empty line, a line of blanks or a comment.
 * - `oversize`: longer than allowed; the end of its last line, begun after `linesBefore` others, is not in sight.
 * - `more`: undecided at the end of the text.
 *
 * `to` ends the text, `next` follows the line end; `lines` counts the physical lines read.
 */
export type Scan =
  | {
      kind: 'record';
      cells: string[];
      count: number;
      to: number;
      next: number;
      lines: number;
      ascii: boolean;
      large: LargeCell | null;
    }
  | { kind: 'fault'; fault: QuoteFault; cells: string[]; to: number; next: number; lines: number }
  | { kind: 'skip'; next: number; lines: number }
  | { kind: 'oversize'; linesBefore: number; column: number; cellAt: number }
  | { kind: 'more' };

const MORE: Scan = { kind: 'more' };
const NOWHERE = -1;

export class RecordScanner {
  readonly text: string;
  private readonly atEnd: boolean;
  private readonly dialect: Dialect;

  // State of the record being scanned.
  private from = 0;
  private at = 0;
  /** First offset that may not be read: the end of the text, or one unit more than the longest record. */
  private limit = 0;
  private cells: string[] = [];
  private count = 0;
  private quoted = false;
  private lineBreaks = 0;
  private unitsSeen = 0;
  private large: LargeCell | null = null;
  private cellAt = 0;
  // State of the quoted cell being scanned.
  private openAt = 0;
  private linesBeforeOpen = 0;
  /** End of the line on which the cell's quote opened; NOWHERE while the cell is still on that line. */
  private openLineEnd = NOWHERE;

  constructor({ text, atEnd }: Pick<TextSlice, 'text' | 'atEnd'>, dialect: Dialect) {
    this.text = text;
    this.atEnd = atEnd;
    this.dialect = dialect;
  }

  /** Reads the record that begins at `from`, which is before the end of the text and at the start of a line. */
  scan(from: number): Scan {
    this.begin(from);
    const { comment } = this.dialect;
    if (comment !== null && this.text.startsWith(comment, from)) return this.scanComment();
    for (;;) {
      this.cellAt = this.at;
      this.openLineEnd = NOWHERE;
      const fault = this.scanCell();
      if (fault === 'more') return MORE;
      if (fault !== null) return this.recover(fault);
      if (this.at >= this.limit) return this.border();
      if (isLineEnd(this.text, this.at)) return this.finish(this.at);
      this.at += this.dialect.delimiter.length;
    }
  }

  private begin(from: number): void {
    this.from = from;
    this.at = from;
    this.limit = Math.min(this.text.length, from + this.dialect.recordUnitsMax + 1);
    this.cells = [];
    this.count = 0;
    this.quoted = false;
    this.lineBreaks = 0;
    this.unitsSeen = 0;
    this.large = null;
    this.cellAt = from;
    this.openLineEnd = NOWHERE;
  }

  /** Leaves `at` on the delimiter or line end after the cell, or at the limit. */
  private scanCell(): QuoteFault | 'more' | null {
    const { text, dialect } = this;
    let at = this.at;
    if (dialect.trim) while (at < this.limit && isBlank(text.charCodeAt(at), dialect)) at++;
    if (at < this.limit && text.charCodeAt(at) === dialect.quote) return this.scanQuoted(at);
    return this.scanPlain();
  }

  private scanPlain(): QuoteFault | null {
    const { text, limit } = this;
    const { delimiter, delimiterFirst, quote } = this.dialect;
    const single = delimiter.length === 1;
    let at = this.at;
    let seen = this.unitsSeen;
    while (at < limit) {
      const unit = text.charCodeAt(at);
      if (unit === delimiterFirst && (single || text.startsWith(delimiter, at))) break;
      if (unit === LF || unit === CR) break;
      if (unit === quote) {
        this.at = at;
        return this.faultAt('quote_in_text', at, this.lineBreaks, at);
      }
      seen |= unit;
      at++;
    }
    this.unitsSeen = seen;
    this.keepCell(this.at, at);
    this.at = at;
    return null;
  }

  private scanQuoted(openAt: number): QuoteFault | 'more' | null {
    const { text, limit } = this;
    const { quote } = this.dialect;
    this.quoted = true;
    this.openAt = openAt;
    this.linesBeforeOpen = this.lineBreaks;
    let doubled = false;
    let at = openAt + 1;
    let seen = this.unitsSeen;
    while (at < limit) {
      const unit = text.charCodeAt(at);
      if (unit === quote) {
        if (text.charCodeAt(at + 1) !== quote) {
          this.unitsSeen = seen;
          return this.closeQuoted(at, doubled);
        }
        doubled = true;
        at++;
      } else if (unit === LF || unit === CR) {
        if (this.openLineEnd === NOWHERE) this.openLineEnd = at;
        if (unit === LF || text.charCodeAt(at + 1) !== LF) this.lineBreaks++;
      }
      seen |= unit;
      at++;
    }
    return this.quotedBorder(at);
  }

  /** The limit was reached inside quotes. */
  private quotedBorder(at: number): QuoteFault | 'more' | null {
    this.at = at;
    if (!this.isTooLong() && !this.atEnd) return 'more';
    if (this.isTooLong() && this.openLineEnd === NOWHERE) {
      // Still on its first line: the line is too long, rather than a quote missing.
      this.keepCell(this.openAt + 1, at);
      return null;
    }
    return this.faultAt('unclosed_quote', this.openAt, this.linesBeforeOpen, at);
  }

  private closeQuoted(closeAt: number, doubled: boolean): QuoteFault | 'more' | null {
    const { text, limit, dialect } = this;
    let at = closeAt + 1;
    if (dialect.trim) while (at < limit && isBlank(text.charCodeAt(at), dialect)) at++;
    this.at = at;
    if (at < limit && !isLineEnd(text, at) && !text.startsWith(dialect.delimiter, at)) {
      if (text.length - at < dialect.delimiter.length && !this.atEnd) return 'more';
      return this.faultAt('text_after_quote', this.openAt, this.linesBeforeOpen, at);
    }
    this.keepCell(this.openAt + 1, closeAt, doubled);
    return null;
  }

  private keepCell(from: number, to: number, doubled = false): void {
    const { dialect } = this;
    this.count++;
    if (to - from > dialect.cellUnitsMax && this.large === null) {
      this.large = { column: this.count, at: this.cellAt, units: to - from };
    }
    if (this.count > dialect.columnsMax) return;
    const written = this.text.slice(from, to);
    const { quoteText } = dialect;
    this.cells.push(doubled ? written.replaceAll(quoteText + quoteText, quoteText) : written);
  }

  private faultAt(code: QuoteFault['code'], quoteAt: number, linesBefore: number, faultAt: number): QuoteFault {
    return { code, column: this.count + 1, quoteAt, linesBefore, faultAt };
  }

  private finish(to: number): Scan {
    const next = afterLineEnd(this.text, to, this.atEnd);
    if (next === null) return MORE;
    const lines = this.lineBreaks + 1;
    if (this.count === 1 && !this.quoted && isAllBlank(this.cells[0] ?? '')) return { kind: 'skip', next, lines };
    const { cells, count, large } = this;
    return { kind: 'record', cells, count, to, next, lines, ascii: this.unitsSeen < 0x80, large };
  }

  /** The limit was reached between cells or in unquoted text. */
  private border(): Scan {
    if (this.isTooLong()) {
      return { kind: 'oversize', linesBefore: this.lineBreaks, column: this.count, cellAt: this.cellAt };
    }
    return this.atEnd ? this.finish(this.text.length) : MORE;
  }

  /** Gives up the record up to the end of the line on which the offending cell began. */
  private recover(fault: QuoteFault): Scan {
    let to = this.openLineEnd;
    if (to === NOWHERE) {
      to = findLineEnd(this.text, this.at, this.limit);
      if (to >= this.limit) {
        if (this.isTooLong()) {
          return { kind: 'oversize', linesBefore: this.lineBreaks, column: fault.column, cellAt: this.cellAt };
        }
        if (!this.atEnd) return MORE;
      }
    }
    const next = afterLineEnd(this.text, to, this.atEnd);
    if (next === null) return MORE;
    return { kind: 'fault', fault, cells: this.cells, to, next, lines: fault.linesBefore + 1 };
  }

  private scanComment(): Scan {
    this.count = 1;
    this.at = findLineEnd(this.text, this.at, this.limit);
    if (this.at >= this.limit && (this.isTooLong() || !this.atEnd)) return this.border();
    const next = afterLineEnd(this.text, this.at, this.atEnd);
    return next === null ? MORE : { kind: 'skip', next, lines: 1 };
  }

  /**
   * True only if the text of a whole delimiter is in sight, so that the last cell found does not depend on the slice.
   */
  private isTooLong(): boolean {
    const { recordUnitsMax, delimiter } = this.dialect;
    const needed = this.from + recordUnitsMax + 1;
    return this.text.length >= (this.atEnd ? needed : needed + delimiter.length);
  }
}

function isAllBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x09) return false;
  }
  return true;
}
