/**
 * The beginning of a file, and the mappings that its sender may use → which of them it fits, the best first, each with why.
 *
 * Each mapping of a fitting format is tried on the first records, as a preview would: whether its columns are there,
 * how many of the file's columns it reads, and how many records it can read. Nothing is stored. Pure but for the
 * unpacking of a workbook.
 */
import { type FileLook, looksLike } from '../../formats/magic.ts';
import type { RecordSource } from '../../formats/reader.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { beginningOf } from '../../mapping/compile/map-file.ts';
import { type Preview, previewFile } from './preview.ts';

type Fit = 'certain' | 'likely' | 'unlikely';

export interface MatchedMapping {
  mapping: string;
  description: string;
  format: RecordSource['format'];
  fit: Fit;
  reason: string;
}

/** Texts that look like this are of one of these formats; what looks like nothing is a table or has fixed widths. */
const FORMATS: Partial<Record<FileLook, readonly RecordSource['format'][]>> = {
  zip: ['csv', 'xlsx'],
  json: ['json', 'ndjson'],
  x12: ['x12'],
  edifact: ['edifact'],
  xml: ['xml'],
};
const PLAIN: readonly RecordSource['format'][] = ['csv', 'xlsx', 'fixed'];

/** @returns the formats that a file can have which begins like this. */
export function formatsOfLook(head: Uint8Array): readonly RecordSource['format'][] {
  const look = looksLike(head);
  return look === null ? PLAIN : (FORMATS[look] ?? []);
}

/** How much better than the next one a mapping must be to be certain. Ours. */
const LEAD_MIN = 0.15;
/** Of the records, how many it must be able to read to be certain. Ours: a clerk's file may have wrong rows, not mostly. */
const READ_MIN = 0.5;

interface Tried {
  mapping: CompiledMapping;
  /** From 0 to 1; 0: it does not fit. */
  score: number;
  read: number;
  reason: string;
}

export async function matchFile(
  head: Uint8Array,
  mappings: readonly CompiledMapping[],
  isPart: boolean,
): Promise<MatchedMapping[]> {
  const formats = formatsOfLook(head);
  const fitting = mappings.filter(({ source }) => formats.includes(source.format));
  const tried: Tried[] = [];
  for (const mapping of fitting) tried.push(await tryOn(mapping, head, isPart));
  tried.sort((one, other) => other.score - one.score);
  const [best, next] = tried;
  const isAhead = best !== undefined && best.score - (next?.score ?? 0) >= LEAD_MIN && best.read >= READ_MIN;
  return tried.map((each) => {
    const { name, description, source } = each.mapping;
    const fit = each.score === 0 ? 'unlikely' : each === best && isAhead ? 'certain' : 'likely';
    return { mapping: name, description, format: source.format, fit, reason: each.reason };
  });
}

async function tryOn(mapping: CompiledMapping, head: Uint8Array, isPart: boolean): Promise<Tried> {
  const preview = await previewFile(isPart ? beginningOf(mapping) : mapping, head);
  const { records, mapped, skipped } = preview.counts;
  if (records === 0) return { mapping, score: 0, read: 0, reason: whyNot(preview) };
  const read = mapped / Math.max(1, records - skipped);
  const columns = columnsOf(preview);
  const used = columns.filter((column) => mapping.shape.paths.includes(column)).length;
  const isTable = mapping.sheet !== null;
  if (!isTable) return { mapping, score: read, read, reason: `${rowsText(preview)}.` };
  const reason = `${used} of its ${columns.length} columns are used, and ${rowsText(preview)}.`;
  return { mapping, score: 0.2 + 0.4 * read + 0.4 * (used / Math.max(1, columns.length)), read, reason };
}

const columnsOf = ({ records }: Preview): string[] =>
  (records.find(({ columns }) => columns !== null)?.columns ?? []).map(([name]) => name.trim());

const rowsText = ({ counts: { records, mapped, skipped } }: Preview): string =>
  `${mapped} of the first ${records} rows can be sent${skipped === 0 ? '' : ` and ${skipped} left out`}`;

function whyNot({ fileProblems }: Preview): string {
  const missing = fileProblems.filter(({ code }) => code === 'missing_column').map(({ path }) => `"${path}"`);
  if (missing.length > 0)
    return `It needs ${missing.length === 1 ? 'a column' : 'columns'} that the file lacks: ${missing.join(', ')}.`;
  return fileProblems[0]?.message ?? 'No row was found in it.';
}
