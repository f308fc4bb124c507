/** Reads a whole small file through slices of a chosen size, as the caller of the reader does: longer slices on `more`. */
import { Buffer } from 'node:buffer';
import type { Encoding } from '../../../../src/formats/encoding.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../../../src/formats/segments/parts.ts';
import type {
  EnvelopeFact,
  EnvelopeProblem,
  SegmentPart,
  SegmentSet,
} from '../../../../src/formats/segments/segment.ts';
import { x12Start } from '../../../../src/formats/x12/checkpoint.ts';
import { X12_LIMITS, type X12Limits } from '../../../../src/formats/x12/limits.ts';
import { readX12SliceWithin } from '../../../../src/formats/x12/reader.ts';
import type { Problem } from '../../../../src/kernel/problem.ts';
import { divided } from '../segments/divided.ts';

export interface WholeRead {
  parts: SegmentPart[];
  sets: SegmentSet[];
  facts: EnvelopeFact[];
  notes: readonly string[];
  /** Of the file as a whole: then no parts were read. */
  unreadable: Problem[];
  endProblem: EnvelopeProblem | null;
}

export interface Options {
  sliceBytes?: number;
  policy?: Partial<EnvelopePolicy>;
  limits?: Partial<X12Limits>;
  encoding?: Encoding;
}

/** Text in UTF-8; bytes as they are. */
export const bytesOf = (input: string | Uint8Array): Uint8Array =>
  typeof input === 'string' ? Buffer.from(input, 'utf8') : input;

export function readX12(input: string | Uint8Array, options: Options = {}): WholeRead {
  const { sliceBytes = Number.POSITIVE_INFINITY, encoding = 'windows-1252' } = options;
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const limits = { ...X12_LIMITS, ...options.limits };
  const file = bytesOf(input);
  const parts: SegmentPart[] = [];
  let checkpoint = x12Start;
  let length = sliceBytes;
  for (let steps = 0; steps <= 8 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const bytes = file.slice(checkpoint.byte, to);
    const given: SegmentPart[] = [];
    const take = (part: SegmentPart): void => void given.push(divided(part));
    const atEnd = to === file.byteLength;
    const read = readX12SliceWithin(limits, { encoding, policy, checkpoint, bytes, atEnd, take });
    if (read.outcome === 'unreadable') {
      if (parts.length + given.length > 0) throw new Error('parts were given before the file was called unreadable');
      return { parts, sets: [], facts: [], notes: [], unreadable: read.problems, endProblem: null };
    }
    if (read.outcome === 'more') {
      if (given.length > 0) throw new Error('parts were given, and then more was asked for');
      if (to === file.byteLength) throw new Error('the reader wants more than the whole file');
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    parts.push(...given);
    // As it comes back from storage.
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint));
    length = sliceBytes;
    if (read.finished)
      return { ...setsAndFacts(parts), parts, notes: checkpoint.notes, unreadable: [], endProblem: read.endProblem };
  }
  throw new Error('the reader does not come to an end');
}

function setsAndFacts(parts: readonly SegmentPart[]): { sets: SegmentSet[]; facts: EnvelopeFact[] } {
  return {
    sets: parts.flatMap((part) => ('set' in part ? [part.set] : [])),
    facts: parts.flatMap((part) => ('fact' in part ? [part.fact] : [])),
  };
}

/** Everything that is wrong, wherever it is told. */
export const problemsOf = ({ parts, unreadable, endProblem }: WholeRead): (EnvelopeProblem | Problem)[] => [
  ...unreadable,
  ...parts.flatMap((part) => ('set' in part ? part.set.problems : part.fact.problems)),
  ...(endProblem === null ? [] : [endProblem]),
];

export const codesOf = (read: WholeRead): string[] => problemsOf(read).map(({ code }) => code);

export const wellFormedSets = ({ sets }: WholeRead): SegmentSet[] =>
  sets.filter(({ problems }) => problems.length === 0);

/** A set as text: what a mapping can see of it. */
export const written = ({ segments }: SegmentSet): string =>
  segments.map(({ tag, elements }) => [tag, ...elements.map((each) => [each].flat().join('>'))].join('*')).join('~');

/** One letter for each part, in order: i I interchange and its end, g G group and its end, s sound set, x broken one. */
export const outline = ({ parts }: WholeRead): string =>
  parts
    .map((part) => {
      if ('set' in part) return part.set.problems.length === 0 ? 's' : 'x';
      return { interchange: 'i', group: 'g', group_end: 'G', interchange_end: 'I' }[part.fact.kind];
    })
    .join('');
