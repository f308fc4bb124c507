/** A stored file and its rows → the acknowledgment that its sender can read. */
import { isSegmented, type RecordSource, segmentsOf } from '../../formats/reader.ts';
import type { EnvelopePolicy } from '../../formats/segments/parts.ts';
import { setTaker } from '../../formats/segments/reader.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { CompiledMapping } from '../../mapping/compile.ts';
import type { BatchRow } from '../summary.ts';
import { contrlAcknowledgment } from './contrl.ts';
import { judgeParts } from './judge.ts';
import { judgedRows } from './rows.ts';
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
  source: StoredBytes;
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<readonly BatchRow[]>;
  /** Own control number for an interchange of the file, from 1; the same at every call. */
  control(interchange: number): Promise<number>;
  /** The time it bears: the same at every call. */
  atMs: number;
}

/** @returns a stream of text. Throws for a mapping whose format has no acknowledgments. */
export function acknowledgmentText(port: AcknowledgmentPort): ReadableStream<Uint8Array> {
  const { kind, mapping, source, atMs } = port;
  if (!isSegmented(mapping.source)) throw new Error(`${mapping.source.format} has no acknowledgments`);
  const segments = segmentsOf(mapping.source, port.policy);
  const parts = storedParts(segments.parts, source);
  const judged = judgeParts(parts, judgedRows(port.rows), setTaker(segments.taking));
  const texts =
    kind === 'CONTRL'
      ? contrlAcknowledgment(judged, port.control, atMs)
      : x12Acknowledgment(judged, kind, port.control, atMs);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
}
