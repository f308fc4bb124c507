/**
 * Reads an X12 file slice by slice into transaction sets and facts of their envelopes, with exact positions.
 *
 * A slice begins where the checkpoint says and ends anywhere; parts, positions and problems do not depend on where.
 * Each set is judged alone: a broken one has problems, and its neighbours do not. Trailers of groups and interchanges
 * are judged where they stand, behind their sets. Where a broken set costs its interchange, that is first gone through
 * to its end and then read again. Pure: no clock, no I/O.
 */
import { Buffer, isAscii } from 'node:buffer';
import { type Encoding, textCodec } from '../encoding.ts';
import type { EnvelopePolicy, PartsRead, TakePart } from '../segments/parts.ts';
import type { X12Checkpoint } from './checkpoint.ts';
import { X12_LIMITS, type X12Limits } from './limits.ts';
import { SliceReader } from './slice.ts';

export interface X12Slice {
  /** Of text that is not UTF-8. */
  encoding: Encoding;
  policy: EnvelopePolicy;
  checkpoint: X12Checkpoint;
  bytes: Uint8Array;
  atEnd: boolean;
  take: TakePart;
}

/**
 * `X12_SLICE_BYTES_ENOUGH` bytes are never answered with `more`. No part may be given (a slice of blank lines, or of an
 * interchange that is being judged), but its checkpoint has moved on or the file is finished. The checkpoint of an
 * interchange that is judged moves back once to its ISA.
 */
export function readX12Slice(input: X12Slice): PartsRead<X12Checkpoint> {
  return readX12SliceWithin(X12_LIMITS, input);
}

/** The same under other limits, so that tests can reach them with small files. */
export function readX12SliceWithin(
  limits: X12Limits,
  { encoding, policy, checkpoint, bytes, atEnd, take }: X12Slice,
): PartsRead<X12Checkpoint> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const fallback = textCodec(encoding);
  const isPlain = isAscii(bytes) && !text.includes('\0');
  const byteBase = checkpoint.byte;
  return new SliceReader({ text, isPlain, atEnd, byteBase, limits, policy, fallback, take }, checkpoint).read();
}
