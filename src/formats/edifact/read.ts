/**
 * Reads an EDIFACT file slice by slice into messages and facts of their envelopes, with exact positions.
 *
 * A slice begins where the checkpoint says and ends anywhere; parts, positions and problems do not depend on where. A
 * message is taken whole or not at all. What is wrong with it costs that message; what is wrong with an envelope stands
 * in the facts of that envelope. Pure: no clock, no I/O.
 */
import { Buffer } from 'node:buffer';
import type { EnvelopePolicy, PartsRead } from '../segments/parts.ts';
import type { EdifactCheckpoint } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import type { EdifactLimits } from './limits.ts';
import { readOpening } from './opening.ts';
import { describeFault, describeFileFault } from './problems.ts';
import { excerptAt } from './shown.ts';
import { SliceReader } from './slice-reader.ts';

export interface EdifactSlice {
  source: Pick<EdifactSource, 'encoding' | 'bare'>;
  policy: EnvelopePolicy;
  checkpoint: EdifactCheckpoint;
  /** From `checkpoint.byte` on. */
  bytes: Uint8Array;
  /** The bytes reach the end of the file. */
  atEnd: boolean;
}

export function readEdifactWithin(limits: EdifactLimits, slice: EdifactSlice): PartsRead<EdifactCheckpoint> {
  const { source, policy, checkpoint, bytes, atEnd } = slice;
  if (checkpoint.stage === 'end') {
    return { outcome: 'parts', parts: [], checkpoint, finished: true, endProblem: checkpoint.endProblem };
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const reader = new SliceReader({ source, policy, limits, text, atEnd }, checkpoint);
  if (checkpoint.stage !== 'start') return reader.read();
  const start = { text, bytes, base: checkpoint.byte, atEnd, sniffBytes: limits.sniffBytes };
  const opening = readOpening(start, source.bare);
  if (opening.outcome === 'more') return opening;
  if (opening.outcome === 'unreadable') {
    return { outcome: 'unreadable', problems: [describeFileFault(opening.fault)] };
  }
  if (opening.hasMark) reader.note({ kind: 'byte_order_mark' });
  if (opening.hasBlanks) reader.note({ kind: 'blanks_before' });
  const { at, line, garbageFrom } = opening;
  if (garbageFrom !== null) {
    const passed = text.slice(garbageFrom, at);
    const place = { line: checkpoint.line + line - passed.split('\n').length + 2 };
    const bytesAt = { byteFrom: checkpoint.byte + garbageFrom, byteTo: checkpoint.byte + at };
    const fault = { code: 'text_outside_interchange', text: excerptAt(passed, 0), bytes: passed.length } as const;
    reader.addPending(describeFault(fault, { segment: null, element: null, ...place, ...bytesAt }));
  }
  return reader.readFrom(at, line, opening.isFound ? 'between' : 'start');
}
