/**
 * What became of the sets of a file → the acknowledgment in the sender's format. It is kept when the file is read; where
 * it is not, the stored files are read again with their rows.
 */
import { Buffer } from 'node:buffer';
import { isSegmented, type RecordSource, segmentsOf } from '../../formats/reader.ts';
import { type EnvelopePolicy, storedParts } from '../../formats/segments/parts.ts';
import { readParts } from '../../formats/segments/reader.ts';
import type { ReadPart } from '../../formats/segments/tree.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import type { MappedRow } from '../core/run.ts';
import { rowsInOrder } from '../report/report.ts';
import type { BatchRow } from '../report/summary.ts';
import { contrlAcknowledgment } from './contrl.ts';
import { packSets, unpackSets } from './packed-sets.ts';
import { type Audited, auditedAsRead, auditedParts, type ValidatedRow } from './set-outcomes.ts';
import { x12Acknowledgment } from './x12.ts';

export type AcknowledgmentKind = '997' | '999' | 'CONTRL';

/** The default one first; none: the format has no acknowledgments. */
export function kindsFor({ format }: Pick<RecordSource, 'format'>): readonly AcknowledgmentKind[] {
  if (format === 'x12') return ['997', '999'];
  return format === 'edifact' ? ['CONTRL'] : [];
}

export interface AcknowledgmentPort {
  kind: AcknowledgmentKind;
  /** What became of the sets, in file order: from the first interchange at every call. */
  outcomes(): AsyncIterable<Audited>;
  /** Own control number for an interchange of the upload, from 1; the same at every call. */
  control(interchange: number): Promise<number>;
  /** Time in the acknowledgment: the same at every call. */
  atMs: number;
}

/**
 * What became of the sets of a slice, as it is stored.
 * @param rows as they are stored, of all records of the parts, in order.
 */
export const setsOf = (
  parts: readonly ReadPart[],
  rows: readonly Pick<MappedRow, 'state' | 'problems' | 'requests'>[],
): string => {
  const validated = rows.map(({ state, problems, requests }) => ({
    isInvalid: state === 'invalid',
    isLeftOut: state === 'skipped',
    errors: problems,
    requests: requests.length,
  }));
  return JSON.stringify(packSets(auditedParts(parts, validated)));
};

/** A part of what is kept. @property next where the next part begins; null: there is none. */
export interface SetsPage {
  sets: readonly string[];
  next: SetsPosition | null;
}

/** @property texts how many are before it; slice the last one that was looked at. */
export interface SetsPosition {
  texts: number;
  slice: number;
}

/** @param first page, which most files do not go beyond. */
export const outcomesStored = (
  first: SetsPage,
  pageAt: (position: SetsPosition) => Promise<SetsPage | null>,
): AcknowledgmentPort['outcomes'] =>
  async function* () {
    for (let page: SetsPage | null = first; page !== null; page = page.next && (await pageAt(page.next)))
      for (const sets of page.sets) yield* unpackSets(sets);
  };

/** What outcomes are made of again where none are kept. */
export interface StoredFiles {
  mapping: CompiledMapping;
  policy: EnvelopePolicy;
  /** One, or the readable files of an archive, in order. */
  sources: readonly StoredBytes[];
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<readonly BatchRow[]>;
}

/** Throws for a mapping whose format has no acknowledgments. */
export function outcomesReadAgain({ mapping, policy, sources, rows }: StoredFiles): AcknowledgmentPort['outcomes'] {
  if (!isSegmented(mapping.source)) throw new Error(`${mapping.source.format} has no acknowledgments`);
  const { parts, taking } = segmentsOf(mapping.source, policy);
  // One file after the other; rows are numbered across all of them.
  return async function* () {
    const inOrder = validatedRows(rowsInOrder(rows));
    for (const source of sources) yield* auditedAsRead(readParts(storedParts(parts, source), taking), inOrder);
  };
}

async function* validatedRows(rows: AsyncIterable<BatchRow>): AsyncGenerator<ValidatedRow> {
  for await (const { state, errors, requests } of rows)
    yield { isInvalid: state === 'invalid', isLeftOut: state === 'skipped', errors, requests: requests.length };
}

/** Bytes passed on at once. Ours: the report on one set is a few dozen. */
const CHUNK_BYTES = 65_536;

/** @returns a stream of bytes. */
export function acknowledgmentText({ kind, outcomes, control, atMs }: AcknowledgmentPort): ReadableStream<Uint8Array> {
  const pieces =
    kind === 'CONTRL'
      ? contrlAcknowledgment(outcomes, control, atMs)
      : asciiBytes(x12Acknowledgment(outcomes, kind, control, atMs));
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
