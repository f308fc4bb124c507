/** Cell styles → which of them show a number as a date or time. A style is known by its number alone. */
import { SMALL_PART_BYTES_MAX, STYLES_MAX } from './limits.ts';
import { builtInKind, type DateKind, formatKind } from './number-format.ts';
import type { WorkbookParts } from './parts.ts';
import { bounded, wholeNumber } from './workbook.ts';
import { readXml } from './xml.ts';

/** By number of the style, from 0; undefined: a plain number. */
export type DateStyles = readonly (DateKind | undefined)[];

/** Throws a refusal. */
export async function readDateStyles(parts: WorkbookParts, part: string | undefined): Promise<DateStyles> {
  if (part === undefined || !parts.has(part)) return [];
  const formats = new Map<number, DateKind | undefined>();
  const formatOf: number[] = [];
  let within = '';
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (name === 'numFmts' || name === 'cellXfs') within = name;
      else if (name === 'numFmt' && within === 'numFmts') {
        bounded(part, 'number formats', formats.size, STYLES_MAX);
        formats.set(wholeNumber(attribute, 'numFmtId') ?? -1, formatKind(attribute('formatCode') ?? ''));
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
  return formatOf.map((id) => (formats.has(id) ? formats.get(id) : builtInKind(id)));
}
