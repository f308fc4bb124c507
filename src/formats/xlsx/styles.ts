/** Cell styles → which of them show a number as a date or time, or with zeros before it. A style is known by its number alone. */
import { SMALL_PART_BYTES_MAX, STYLES_MAX } from './limits.ts';
import { builtInKind, type DateKind, formatKind, zerosOf } from './number-format.ts';
import type { WorkbookParts } from './parts.ts';
import { bounded, wholeNumber } from './workbook.ts';
import { readXml } from './xml.ts';

/** `zeros`: a whole number is shown with at least so many digits. */
export type CellStyle = { kind: DateKind } | { zeros: number };

/** By number of the style, from 0; undefined: a plain number. */
export type CellStyles = readonly (CellStyle | undefined)[];

/** Throws a refusal. */
export async function readCellStyles(parts: WorkbookParts, part: string | undefined): Promise<CellStyles> {
  if (part === undefined || !parts.has(part)) return [];
  const formats = new Map<number, CellStyle | undefined>();
  const formatOf: number[] = [];
  let within = '';
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (name === 'numFmts' || name === 'cellXfs') within = name;
      else if (name === 'numFmt' && within === 'numFmts') {
        bounded(part, 'number formats', formats.size, STYLES_MAX);
        formats.set(wholeNumber(attribute, 'numFmtId') ?? -1, styleOf(attribute('formatCode') ?? ''));
      } else if (name === 'xf' && within === 'cellXfs') {
        bounded(part, 'cell styles', formatOf.length, STYLES_MAX);
        formatOf.push(wholeNumber(attribute, 'numFmtId') ?? 0);
      }
    },
    text: () => undefined,
    close(name) {
      if (name === within) within = '';
    },
  });
  return formatOf.map((id) => (formats.has(id) ? formats.get(id) : dateStyle(builtInKind(id))));
}

const dateStyle = (kind: DateKind | undefined): CellStyle | undefined => kind && { kind };

function styleOf(code: string): CellStyle | undefined {
  const zeros = zerosOf(code);
  return zeros === undefined ? dateStyle(formatKind(code)) : { zeros };
}
