/** What a row was made from: its cells, or the text of its record, read again from the stored bytes. Pure but for them. */
import { textCodec } from '../../formats/encoding.ts';
import { type Checkpoint, encodingOf, isTabular } from '../../formats/reader.ts';
import type { ReadRecord } from '../../formats/record-reader.ts';
import { readSlice, type StoredBytes } from '../../formats/slices.ts';
import type { Position } from '../../kernel/problem.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { ORIGINAL_BYTES_MAX } from '../limits.ts';

/** @property cells of a table; null: the record is no row of a table, or too long to be read here. */
export interface OriginalRow {
  cells: { column: string; text: string }[] | null;
  text: string;
  /** The text is only its beginning. */
  isCut: boolean;
}

export async function originalRow(
  source: StoredBytes,
  mapping: Pick<CompiledMapping, 'source' | 'reader'>,
  { byteFrom, byteTo, line }: Position,
): Promise<OriginalRow> {
  const length = Math.min(byteTo - byteFrom, ORIGINAL_BYTES_MAX);
  const isCut = byteTo - byteFrom > length;
  const bytes = length > 0 ? await source.read(byteFrom, length) : new Uint8Array();
  const { columns, record, encoding } =
    isCut || !isTabular(mapping.source) ? NO_TABLE : await tableRow(source, mapping, { byteFrom, line, bytes });
  const codec = textCodec(encoding ?? encodingOf(mapping.source));
  const text = codec.toText(codec.toUnits(bytes, true));
  if (record === undefined) return { cells: null, text, isCut };
  const width = Math.max(columns.length, record.fields.length);
  const cells = Array.from({ length: width }, (_, at) => ({
    column: columns[at] ?? '',
    text: record.fields[at] ?? '',
  }));
  return { cells, text, isCut };
}

interface TableRow {
  columns: readonly string[];
  record: ReadRecord | undefined;
  encoding: ReturnType<typeof encodingOf> | null;
}

const NO_TABLE: TableRow = { columns: [], record: undefined, encoding: null };

/** The file's beginning says its columns; the row is then read by itself, as if the beginning ended just before it. */
async function tableRow(
  source: StoredBytes,
  { reader }: Pick<CompiledMapping, 'reader'>,
  { byteFrom, line, bytes }: { byteFrom: number; line: number; bytes: Uint8Array },
): Promise<TableRow> {
  const first = await readSlice(source, 0, (slice) => reader.read(reader.start, slice.bytes, slice.atEnd));
  if (first.outcome !== 'records') return NO_TABLE;
  const { columns, checkpoint } = first;
  const encoding = 'encodingByMark' in checkpoint ? checkpoint.encodingByMark : null;
  const known = first.records.find(({ position }) => position.byteFrom === byteFrom);
  if (known !== undefined) return { columns, record: known, encoding };
  const before = { ...checkpoint, byte: byteFrom, line: Math.max(0, line - 1), overlong: null } as Checkpoint;
  const read = reader.read(before, bytes, true);
  return { columns, record: read.outcome === 'records' ? read.records[0] : undefined, encoding };
}
