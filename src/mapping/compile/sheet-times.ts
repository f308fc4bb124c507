/**
 * What a mapping of CSV expects in its columns of dates and times, for cells of a workbook that hold a date or a time and
 * no text: each is written in the form of its column, so that the same mapping reads it. Pure.
 *
 * The form is the mapping's own pattern: the whole of it where one column has the time, a part of it for each column
 * where several are joined; with optional sections, the shortest writing that holds all. It must hold all that the cell holds, or the cell keeps our form (`2026-03-02 08:15:30`),
 * which the mapping then refuses visibly. Texts are left as they are, also where they look like dates.
 */
import type { MomentText, SheetReading } from '../../formats/xlsx/declaration.ts';
import { type DocumentParts, leavesOf } from '../document/document-parts.ts';
import { ownPatterns, type TimeField } from '../document/field-spec.ts';
import { momentWriter, writtenForms } from '../values/date-time-text.ts';

/** Keys that leave the text of a time as it is. Any other changes it before the pattern reads it. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(
  'from firstOf join parse zone gap overlap when optional trim as required'.split(' '),
);

export function sheetTimes(parts: DocumentParts): SheetReading['moments'] {
  const forms = new Map<string, string[]>();
  for (const leaf of leavesOf(parts)) {
    if (leaf.kind !== 'time') continue;
    for (const [column, pieces] of formsOf(leaf.field)) {
      const known = forms.get(column.trim());
      if (known === undefined) forms.set(column.trim(), pieces);
      else if (known.join('\n') !== pieces.join('\n')) forms.set(column.trim(), []); // two forms: no telling which
    }
  }
  return new Map([...forms].flatMap(([column, pieces]) => (pieces.length === 0 ? [] : [[column, writerOf(pieces)]])));
}

/** The first of the forms that can hold all of it. */
function writerOf(pieces: readonly string[]): MomentText {
  const writers = pieces.flatMap((piece) => momentWriter(piece) ?? []);
  return (cell) => {
    for (const write of writers) {
      const text = write(cell);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

function formsOf(field: TimeField): [column: string, pieces: string[]][] {
  if (Object.keys(field).some((key) => !PLAIN_KEYS.has(key))) return [];
  const patterns = ownPatterns(field.parse).flatMap(writtenForms);
  if (typeof field.from === 'string') return [[field.from, patterns]];
  if (field.firstOf !== undefined) return field.firstOf.map((column) => [column, patterns]);
  const { from = [], join = ' ' } = field;
  const columns = from.flatMap((part) => (typeof part === 'string' ? [part] : []));
  if (columns.length !== from.length || join === '') return [];
  const split = patterns.map((pattern) => piecesOf(pattern, join, columns.length));
  return columns.map((column, index) => [column, split.flatMap((pieces) => pieces?.[index] ?? [])]);
}

/** `MM/dd/yyyy h:mm a` for two columns: the last one has all that is left. */
function piecesOf(pattern: string, join: string, count: number): string[] | undefined {
  const all = pattern.split(join);
  if (all.length < count) return undefined;
  return [...all.slice(0, count - 1), all.slice(count - 1).join(join)];
}
