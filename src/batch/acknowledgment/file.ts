/** Stored files and their rows → the acknowledgment in the sender's format. */
import { Buffer } from 'node:buffer';
import { isSegmented, type RecordSource, segmentsOf } from '../../formats/reader.ts';
import { type EnvelopePolicy, storedParts } from '../../formats/segments/parts.ts';
import { setTaker } from '../../formats/segments/reader.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { rowsInOrder } from '../report/report.ts';
import type { BatchRow } from '../report/summary.ts';
import { contrlAcknowledgment } from './contrl.ts';
import { type Audited, validateParts } from './set-outcomes.ts';
import { x12Acknowledgment } from './x12.ts';

export type AcknowledgmentKind = '997' | '999' | 'CONTRL';

/** The default one first; none: the format has no acknowledgments. */
export function kindsFor({ format }: RecordSource): readonly AcknowledgmentKind[] {
  if (format === 'x12') return ['997', '999'];
  return format === 'edifact' ? ['CONTRL'] : [];
}

export interface AcknowledgmentPort {
  kind: AcknowledgmentKind;
  mapping: CompiledMapping;
  policy: EnvelopePolicy;
  /** One, or the readable files of an archive, in order. */
  sources: readonly StoredBytes[];
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<readonly BatchRow[]>;
  /** Own control number for an interchange of the upload, from 1; the same at every call. */
  control(interchange: number): Promise<number>;
  /** Time in the acknowledgment: the same at every call. */
  atMs: number;
}

/** Bytes passed on at once. Ours: the report on one set is a few dozen. */
const CHUNK_BYTES = 65_536;

/** @returns a stream of bytes. Throws for a mapping whose format has no acknowledgments. */
export function acknowledgmentText(port: AcknowledgmentPort): ReadableStream<Uint8Array> {
  const { kind, mapping, atMs } = port;
  if (!isSegmented(mapping.source)) throw new Error(`${mapping.source.format} has no acknowledgments`);
  const { parts, taking } = segmentsOf(mapping.source, port.policy);
  const sources = readTwice(port.sources);
  const rows = requestedTwice(port.rows);
  // Starts over at each call: one file after the other; rows are numbered across all of them.
  async function* validated(): AsyncGenerator<Audited> {
    const inOrder = rowsInOrder(rows);
    for (const source of sources) yield* validateParts(storedParts(parts, source), inOrder, setTaker(taking));
  }
  const pieces =
    kind === 'CONTRL'
      ? contrlAcknowledgment(validated, port.control, atMs)
      : asciiBytes(x12Acknowledgment(validated, kind, port.control, atMs));
  return new ReadableStream({
    async pull(controller) {
      const chunk = await nextChunk(pieces);
      if (chunk === null) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

async function* asciiBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text, 'utf8');
}

/** @returns null at the end. */
async function nextChunk(pieces: AsyncGenerator<Uint8Array>): Promise<Uint8Array | null> {
  const taken: Uint8Array[] = [];
  for (let bytes = 0; bytes < CHUNK_BYTES; ) {
    const next = await pieces.next();
    if (next.done) break;
    taken.push(next.value);
    bytes += next.value.byteLength;
  }
  return taken.length === 0 ? null : new Uint8Array(Buffer.concat(taken));
}

/**
 * The same files, with the last slice read cached: a file of one slice, as most are, is fetched once for all passes.
 */
function readTwice(sources: readonly StoredBytes[]): StoredBytes[] {
  let held: { source: StoredBytes; offset: number; length: number; read: Uint8Array } | null = null;
  return sources.map((source) => ({
    bytes: source.bytes,
    async read(offset, length) {
      if (held?.source === source && held.offset === offset && held.length === length) return held.read;
      const read = await source.read(offset, length);
      held = { source, offset, length, read };
      return read;
    },
  }));
}

/** The same rows, with the last page cached. */
function requestedTwice(rows: AcknowledgmentPort['rows']): AcknowledgmentPort['rows'] {
  let held: { after: number; limit: number; page: readonly BatchRow[] } | null = null;
  return async (after, limit) => {
    if (held?.after === after && held.limit === limit) return held.page;
    const page = await rows(after, limit);
    held = { after, limit, page };
    return page;
  };
}
