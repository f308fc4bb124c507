/** Whether a document looks like what its mapping reads. A guess from its first bytes: where they say nothing, the reader decides. Pure. */
import { type FileLook, isArchive, looksLike } from '../formats/magic.ts';
import type { RecordSource } from '../formats/reader.ts';
import type { OfferedMapping } from './ports.ts';
import type { UploadError } from './upload-error.ts';

/** What files of a format can look like; text without marks of its own looks like nothing. */
const LOOKS: Record<RecordSource['format'], readonly FileLook[]> = {
  csv: [],
  json: ['json'],
  ndjson: ['json'],
  x12: ['x12'],
  xml: ['xml', 'html'],
  edifact: ['edifact'],
  fixed: [],
  xlsx: [],
};

/** @returns undefined where nothing speaks against the mapping. */
export function lookProblem(
  head: Uint8Array,
  { name, format }: Pick<OfferedMapping, 'name' | 'format'>,
): UploadError | undefined {
  const look = looksLike(head);
  if (look === null || isArchive(look) || LOOKS[format].includes(look)) return undefined;
  return { code: 'content_disagrees', mapping: name, format, looksLike: look };
}
