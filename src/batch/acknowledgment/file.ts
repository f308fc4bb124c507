/** Stored files and their rows → the acknowledgment that their sender can read. */
import { Buffer } from 'node:buffer';
import { edifactBytes } from '../../formats/edifact/write.ts';
import { isSegmented, type RecordSource, segmentsOf } from '../../formats/reader.ts';
import type { EnvelopePolicy } from '../../formats/segments/parts.ts';
import { setTaker } from '../../formats/segments/reader.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { CompiledMapping } from '../../mapping/compile.ts';
import { rowsInOrder } from '../rows-in-order.ts';
import type { BatchRow } from '../summary.ts';
import { contrlAcknowledgment } from './contrl.ts';
import { type Judged, judgeParts } from './judge.ts';
import { x12Acknowledgment } from './x12.ts';

export type AcknowledgmentKind = '997' | '999' | 'CONTRL';

/** The usual one first; none: the format has no acknowledgments. */
export function kindsFor({ format }: RecordSource): readonly AcknowledgmentKind[] {
  if (format === 'x12') return ['997', '999'];
  return format === 'edifact' ? ['CONTRL'] : [];
}

export interface AcknowledgmentPort {
  kind: AcknowledgmentKind;
  mapping: CompiledMapping;
  policy: EnvelopePolicy;
  /** One, or those of an archive in its order that could be read. */
  sources: readonly StoredBytes[];
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<readonly BatchRow[]>;
  /** Own control number for an interchange of the upload, from 1; the same at every call. */
  control(interchange: number): Promise<number>;
  /** The time it bears: the same at every call. */
  atMs: number;
}

/** An acknowledgment as it is sent: an EDIFACT one in the character set that it declares, an X12 one is ASCII. */
export const acknowledgmentBytes = (kind: AcknowledgmentKind, text: string): Uint8Array<ArrayBuffer> =>
  kind === 'CONTRL' ? edifactBytes(text) : Buffer.from(text, 'utf8');

/** @returns a stream of bytes. Throws for a mapping whose format has no acknowledgments. */
export function acknowledgmentText(port: AcknowledgmentPort): ReadableStream<Uint8Array> {
  const { kind, mapping, atMs } = port;
  if (!isSegmented(mapping.source)) throw new Error(`${mapping.source.format} has no acknowledgments`);
  const judged = judgedFiles(segmentsOf(mapping.source, port.policy), port);
  const texts =
    kind === 'CONTRL'
      ? contrlAcknowledgment(judged, port.control, atMs)
      : x12Acknowledgment(judged, kind, port.control, atMs);
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next();
      if (next.done) controller.close();
      else controller.enqueue(acknowledgmentBytes(kind, next.value));
    },
  });
}

/** One file after the other; rows are numbered through all of them. */
async function* judgedFiles(
  { parts, taking }: ReturnType<typeof segmentsOf>,
  { sources, rows }: AcknowledgmentPort,
): AsyncGenerator<Judged> {
  const inOrder = rowsInOrder(rows);
  for (const source of sources) yield* judgeParts(storedParts(parts, source), inOrder, setTaker(taking));
}
