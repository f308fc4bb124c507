/** Reads a whole small file through slices of a chosen size, as the caller of the reader does: longer slices on `more`. */
import { Buffer } from 'node:buffer';
import type { EdifactCheckpoint } from '../../../../src/formats/edifact/checkpoint.ts';
import { type EdifactSource, edifactSource } from '../../../../src/formats/edifact/declaration.ts';
import { EDIFACT_LIMITS, type EdifactLimits } from '../../../../src/formats/edifact/limits.ts';
import { edifactPartsReaderWithin } from '../../../../src/formats/edifact/reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../../../src/formats/segments/parts.ts';
import type {
  EnvelopeFact,
  EnvelopeProblem,
  Segment,
  SegmentPart,
  SegmentSet,
} from '../../../../src/formats/segments/segment.ts';
import type { Problem } from '../../../../src/kernel/problem.ts';
import { divided } from '../segments/divided.ts';

export interface WholeRead {
  parts: SegmentPart[];
  sets: SegmentSet[];
  facts: EnvelopeFact[];
  notes: readonly string[];
  /** Of the file as a whole: nothing was read. */
  unreadable: Problem[];
  endProblem: EnvelopeProblem | null;
  checkpoint: EdifactCheckpoint;
}

export interface Options {
  policy?: Partial<EnvelopePolicy>;
  source?: Partial<EdifactSource>;
  limits?: EdifactLimits;
  sliceBytes?: number;
}

export const declare = (source: Partial<EdifactSource> = {}): EdifactSource =>
  edifactSource.parse({ format: 'edifact', messages: ['IFTSTA'], ...source });

/** One byte per character, so that offsets in a test's text are bytes of its file. */
export const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');

export function readWhole(input: string | Uint8Array, options: Options = {}): WholeRead {
  const file = typeof input === 'string' ? Buffer.from(input, 'utf8') : input;
  const { sliceBytes = Number.POSITIVE_INFINITY, limits = EDIFACT_LIMITS } = options;
  const reader = edifactPartsReaderWithin(limits, declare(options.source), { ...DEFAULT_POLICY, ...options.policy });
  const parts: SegmentPart[] = [];
  let checkpoint = reader.start;
  let length = sliceBytes;
  for (let steps = 0; steps <= 20 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const bytes = Uint8Array.from(file.subarray(checkpoint.byte, to));
    const given: SegmentPart[] = [];
    const take = (part: SegmentPart): void => void given.push(divided(part));
    const read = reader.read(frozen(checkpoint), bytes, to === file.byteLength, take);
    if (read.outcome === 'more') {
      if (given.length > 0) throw new Error('parts were given, and then more was asked for');
      if (to === file.byteLength) throw new Error('the reader asks for more than the whole file');
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    if (read.outcome === 'unreadable') {
      if (parts.length + given.length > 0) throw new Error('unreadable after a part was given');
      return { ...wholeOf(parts), notes: [], unreadable: read.problems, endProblem: null, checkpoint };
    }
    parts.push(...given);
    length = sliceBytes;
    // As it comes back from storage.
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint)) as EdifactCheckpoint;
    if (read.finished) {
      const { notes } = checkpoint;
      return { ...wholeOf(parts), notes, unreadable: [], endProblem: read.endProblem, checkpoint };
    }
  }
  throw new Error('the reader does not come to an end');
}

/** A caller may read from one checkpoint twice: the reader changes nothing of it. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const wholeOf = (parts: SegmentPart[]): Pick<WholeRead, 'parts' | 'sets' | 'facts'> => ({
  parts,
  sets: parts.flatMap((part) => ('set' in part ? [part.set] : [])),
  facts: parts.flatMap((part) => ('fact' in part ? [part.fact] : [])),
});

/** All problems, wherever they stand, in the order of the file. */
export const problemsOf = ({ parts, unreadable, endProblem }: WholeRead): Problem[] => [
  ...unreadable,
  ...parts.flatMap((part): readonly EnvelopeProblem[] => ('set' in part ? part.set.problems : part.fact.problems)),
  ...(endProblem === null ? [] : [endProblem]),
];

export const codesOf = (read: WholeRead): string[] => problemsOf(read).map(({ code }) => code);

export const wellFormedOf = ({ sets }: WholeRead): SegmentSet[] => sets.filter(({ problems }) => problems.length === 0);

/** A segment as its sender would write it without anything to release. */
export const written = ({ tag, elements }: Segment): string =>
  [tag, ...elements.map((element) => (typeof element === 'string' ? element : element.join(':')))].join('+');

/** What a message says, whatever its bytes are. */
export const saidBy = ({ id, segments }: SegmentSet): string => `${id} ${segments.map(written).join("'")}`;
