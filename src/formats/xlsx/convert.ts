/**
 * A stored workbook → the wanted sheet as CSV text, piece by piece.
 *
 * What is not held in memory: the workbook, the sheet, the text. What is: its shared strings, its styles, one row. All
 * bounds are in limits.ts. Nothing is kept between two calls, so that a second run gives the same text.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { StoredBytes } from '../slices.ts';
import type { CellContext } from './cell-text.ts';
import { CsvLines } from './csv-lines.ts';
import type { XlsxSource } from './declaration.ts';
import {
  CSV_STEP_UNITS,
  SHEET_TEXT_BYTES_MAX,
  SHEET_XML_BYTES_MAX,
  SHEETS_LISTED_MAX,
  WORKBOOK_BYTES_MAX,
} from './limits.ts';
import { WorkbookParts } from './parts.ts';
import { type WorkbookProblem, WorkbookRefusal } from './problems.ts';
import { readSharedStrings } from './shared-strings.ts';
import { SheetRows } from './sheet-rows.ts';
import { readCellStyles } from './styles.ts';
import { packageKind, readWorkbook, type Sheet } from './workbook.ts';
import { XmlPart } from './xml.ts';

export interface OpenedSheet {
  name: string;
  /** What a person should know though nothing is wrong. */
  notes: string[];
  /** The sheet as CSV in UTF-8; returns why it ends early, or null. Throws what the store throws. */
  csv(): AsyncGenerator<Uint8Array, WorkbookProblem | null>;
}

/**
 * @param stored a ZIP, by its first bytes.
 * @returns null for a ZIP that is no workbook but an archive of files. Throws what the store throws.
 */
export async function openSheet(
  stored: StoredBytes,
  source: XlsxSource,
): Promise<Result<OpenedSheet | null, WorkbookProblem>> {
  try {
    const parts = await WorkbookParts.open(stored);
    const kind = packageKind(parts);
    if (kind === 'archive') return ok(null);
    if (kind !== 'package') return err({ code: 'not_a_workbook', looksLike: kind });
    const { bytes } = stored;
    if (bytes > WORKBOOK_BYTES_MAX) {
      return err({ code: 'workbook_too_large', of: 'file', bytes, bytesMax: WORKBOOK_BYTES_MAX });
    }
    const workbook = await readWorkbook(parts);
    const sheet = findSheet(workbook.sheets, source.sheet);
    if (sheet === undefined) {
      const sheets = workbook.sheets.map(({ name }) => name);
      return err({ code: 'sheet_missing', wanted: source.sheet, sheets, listedMax: SHEETS_LISTED_MAX });
    }
    const context: CellContext = {
      is1904: workbook.is1904,
      wholeDates: source.dates === 'whole',
      styles: await readCellStyles(parts, workbook.stylesPart),
      strings: await readSharedStrings(parts, workbook.sharedStringsPart),
    };
    const notes = sheet.isHidden ? [`The sheet "${sheet.name}", which was read, is hidden in the workbook.`] : [];
    return ok({ name: sheet.name, notes, csv: () => csvOf(parts, sheet, context, source) });
  } catch (thrown) {
    if (thrown instanceof WorkbookRefusal) return err(thrown.problem);
    throw thrown;
  }
}

/** By number in the order of the tabs; by name as written, else without regard to case, by which no two sheets may differ. */
function findSheet(sheets: readonly Sheet[], wanted: string | number): Sheet | undefined {
  if (typeof wanted === 'number') return sheets[wanted - 1];
  const same = (name: string): boolean => name.trim().toLowerCase() === wanted.toLowerCase();
  return sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => same(name));
}

async function* csvOf(
  parts: WorkbookParts,
  sheet: Sheet,
  context: CellContext,
  { header, headerRow, columns }: XlsxSource,
): AsyncGenerator<Uint8Array, WorkbookProblem | null> {
  const encoder = new TextEncoder();
  const lines = new CsvLines({ firstRow: headerRow, hasHeader: header, columns: columns?.length ?? 0 });
  let bytes = 0;
  let text = '';
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
  const rows = new SheetRows(sheet.name, context);
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
    return lines.hasRows ? null : { code: 'sheet_empty', sheet: sheet.name, fromRow: headerRow };
  } catch (thrown) {
    if (thrown instanceof WorkbookRefusal) return thrown.problem;
    throw thrown;
  }
}
