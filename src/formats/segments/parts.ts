/**
 * What the readers of X12 and EDIFACT return: sets and facts of envelopes, slice by slice, under the partner's policy.
 */
import type { Problem } from '../../kernel/problem.ts';
import type { AnyCheckpoint } from '../record-reader.ts';
import { readSlice, type StoredBytes } from '../slices.ts';
import type { EnvelopeProblem, SegmentPart } from './segment.ts';

/** How strictly a partner's envelopes are validated. */
export interface EnvelopePolicy {
  /** What a broken set costs: itself, or every set of its interchange. */
  broken: 'set' | 'interchange';
  /** `lenient`: a wrong count is a note, not a problem. */
  counts: 'strict' | 'lenient';
  /** `strict`: the elements of ISA must have their fixed widths. */
  width: 'tolerant' | 'strict';
}

export const DEFAULT_POLICY: EnvelopePolicy = { broken: 'set', counts: 'strict', width: 'tolerant' };

/**
 * Where reading continues, always between two sets or envelopes.
 *
 * @property notes what a person should know though nothing is wrong: each once, in the order in which they were met.
 */
export interface SegmentCheckpoint extends AnyCheckpoint {
  line: number;
  notes: readonly string[];
}

/**
 * Receives each part as soon as it is read, in the order of the file: a set is large, and nobody needs two of them at a
 * time.
 */
export type TakePart = (part: SegmentPart) => void;

/**
 * - `parts`: all whole ones were passed on; `checkpoint` names the first unread byte. `endProblem` (only when
 *   finished): why the file ends early.
 * - `more`: no whole part fits in the bytes given; call again with a longer slice from the same checkpoint.
 * - `unreadable`: there is no interchange here at all. Never after a part was passed on.
 */
export type PartsRead<Own extends SegmentCheckpoint> =
  | {
      outcome: 'parts';
      checkpoint: Own;
      finished: boolean;
      endProblem: EnvelopeProblem | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Problem[] };

export interface PartsReader<Own extends SegmentCheckpoint> {
  start: Own;
  read(checkpoint: Own, bytes: Uint8Array, atEnd: boolean, take: TakePart): PartsRead<Own>;
}

/* All sets and envelopes of a stored file, slice by slice, in bounded memory. */

/** Ends silently if the file cannot be read: the first reader of the file has already said why. */
export async function* storedParts<Own extends SegmentCheckpoint>(
  reader: PartsReader<Own>,
  source: StoredBytes,
): AsyncGenerator<SegmentPart> {
  for (let checkpoint = reader.start; ; ) {
    const from = checkpoint;
    const parts: SegmentPart[] = [];
    const take = (part: SegmentPart): void => void parts.push(part);
    const read = await readSlice(source, from.byte, ({ bytes, atEnd }) => reader.read(from, bytes, atEnd, take));
    if (read.outcome !== 'parts') return;
    yield* parts;
    if (read.finished) return;
    checkpoint = read.checkpoint;
  }
}
