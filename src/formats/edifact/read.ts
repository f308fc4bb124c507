/**
 * Reads an EDIFACT file slice by slice into messages and facts of their envelopes, with exact positions.
 *
 * A slice begins where the checkpoint says and ends anywhere; parts, positions and problems do not depend on where. A
 * message is taken whole or not at all. What is wrong with it costs that message; what is wrong with an envelope stands
 * in the facts of that envelope. Pure: no clock, no I/O.
 */
import { Buffer, isAscii } from 'node:buffer';
import type { EnvelopePolicy, PartsRead, TakePart } from '../segments/parts.ts';
import { between, passGarbage } from './between.ts';
import type { EdifactCheckpoint } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import { inside } from './inside.ts';
import type { EdifactLimits } from './limits.ts';
import { type Opening, readOpening } from './opening.ts';
import { passMessage } from './passing.ts';
import { describeFault, describeFileFault } from './problems.ts';
import { excerptAt } from './shown.ts';
import { SliceReading } from './slice-reading.ts';

export interface EdifactSlice {
  source: Pick<EdifactSource, 'encoding' | 'bare'>;
  policy: EnvelopePolicy;
  checkpoint: EdifactCheckpoint;
  /** From `checkpoint.byte` on. */
  bytes: Uint8Array;
  /** The bytes reach the end of the file. */
  atEnd: boolean;
  take: TakePart;
}

export function readEdifactWithin(limits: EdifactLimits, slice: EdifactSlice): PartsRead<EdifactCheckpoint> {
  const { source, policy, checkpoint, bytes, atEnd, take } = slice;
  if (checkpoint.stage === 'end') {
    return { outcome: 'parts', checkpoint, finished: true, endProblem: checkpoint.endProblem };
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const reading = new SliceReading({ source, policy, limits, text, isAscii: isAscii(bytes), atEnd, take }, checkpoint);
  if (checkpoint.stage === 'start') {
    const start = { text, bytes, base: checkpoint.byte, atEnd, sniffBytes: limits.sniffBytes };
    const opening = readOpening(start, source.bare);
    if (opening.outcome === 'more') return opening;
    if (opening.outcome === 'unreadable') {
      return { outcome: 'unreadable', problems: [describeFileFault(opening.fault)] };
    }
    open(reading, opening);
  }
  while (reading.at >= 0 && step(reading));
  return resultOf(reading, checkpoint);
}

function open(reading: SliceReading, opening: Opening & { outcome: 'opened' }): void {
  if (opening.hasMark) reading.note({ kind: 'byte_order_mark' });
  if (opening.hasBlanks) reading.note({ kind: 'blanks_before' });
  const { at, garbageFrom } = opening;
  reading.passTo(garbageFrom ?? at);
  if (garbageFrom !== null) {
    const { base, line } = reading;
    const passed = reading.input.text.slice(garbageFrom, at);
    const where = { line: line + 1, byteFrom: base + garbageFrom, byteTo: base + at };
    const fault = { code: 'text_outside_interchange', text: excerptAt(passed, 0), bytes: passed.length } as const;
    reading.addPending(describeFault(fault, { segment: null, element: null, ...where }));
    reading.passTo(at);
  }
  reading.state.stage = opening.isFound ? 'between' : 'start';
}

/** @returns false when the slice holds nothing whole any more, or the file is finished. */
function step(reading: SliceReading): boolean {
  switch (reading.state.stage) {
    case 'start':
    case 'end':
      return false;
    case 'between':
      return between(reading);
    case 'garbage':
      return passGarbage(reading);
    case 'inside':
      return inside(reading);
    case 'passing':
      return passMessage(reading);
  }
}

function resultOf(
  { state, fileFault, envelopes: { hasGiven }, base, at, line }: SliceReading,
  from: EdifactCheckpoint,
): PartsRead<EdifactCheckpoint> {
  if (fileFault !== null) return { outcome: 'unreadable', problems: [describeFileFault(fileFault)] };
  state.byte = base + at;
  state.line = line;
  const finished = state.stage === 'end';
  // Nothing was ever read: the file as a whole is at fault.
  if (finished && state.interchange === 0 && state.endProblem !== null) {
    return { outcome: 'unreadable', problems: [state.endProblem] };
  }
  const hasMoved = finished || hasGiven || at !== 0 || state.stage !== from.stage;
  if (!hasMoved) return { outcome: 'more' };
  return { outcome: 'parts', checkpoint: state, finished, endProblem: finished ? state.endProblem : null };
}
