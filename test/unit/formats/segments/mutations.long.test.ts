/**
 * What can be lost or moved on the way, tried at every place of our own files of both standards: problems with their places or
 * whole sets, never a crash and never half a set.
 */
import { Buffer } from 'node:buffer';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type EnvelopeProblem, elementText, type SegmentSet } from '../../../../src/formats/segments/segment.ts';
import type { Problem } from '../../../../src/kernel/problem.ts';
import * as edifact from '../edifact/reading.ts';
import * as x12 from '../x12/reading.ts';

interface Read {
  sets: readonly SegmentSet[];
  problems: readonly (EnvelopeProblem | Problem)[];
}

interface Standard {
  read(file: Uint8Array): Read;
  opening: string;
  trailer: string;
  /** Tags of what stands around sets. */
  envelope: RegExp;
}

const STANDARDS: Record<'x12' | 'edifact', Standard> = {
  x12: {
    read: (file) => {
      const read = x12.readX12(file);
      return { sets: read.sets, problems: x12.problemsOf(read) };
    },
    opening: 'ST',
    trailer: 'SE',
    envelope: /^(?:ISA|TA1|GS|GE|IEA)$/,
  },
  edifact: {
    read: (file) => {
      const read = edifact.readWhole(file);
      return { sets: read.sets, problems: edifact.problemsOf(read) };
    },
    opening: 'UNH',
    trailer: 'UNT',
    envelope: /^(?:UNA|UNB|UNG|UNE|UNZ)$/,
  },
};

/** One segment as it stands in a file of one terminator, with the line break behind it. */
interface Piece {
  tag: string;
  from: number;
  to: number;
  /** Of its set in the file, counted from 0; null: it stands in none. */
  set: number | null;
}

interface Sample {
  name: string;
  standard: Standard;
  text: string;
  separators: string;
  pieces: readonly Piece[];
}

const FILES = globSync('fixtures/{x12,edifact}-*/{clean,mixed,three-sets,own-delimiters}/input.*').sort();

function sampleOf(name: string): Sample {
  const text = readFileSync(name, 'latin1');
  if (name.startsWith('fixtures/x12')) {
    const [element, component, terminator] = [3, 104, 105].map((at) => text.charAt(at)) as [string, string, string];
    const pieces = piecesOf(text, { element, terminator, release: '', from: 0 }, STANDARDS.x12);
    return { name, standard: STANDARDS.x12, text, separators: element + component, pieces };
  }
  const una = text.startsWith('UNA') ? text.slice(3, 9) : ":+.? '";
  const [component, element, , release, , terminator] = [...una] as [string, string, string, string, string, string];
  const pieces = piecesOf(text, { element, terminator, release, from: text.indexOf('UNB') }, STANDARDS.edifact);
  return { name, standard: STANDARDS.edifact, text, separators: element + component, pieces };
}

function piecesOf(
  text: string,
  { element, terminator, release, from: start }: { element: string; terminator: string; release: string; from: number },
  { opening, trailer }: Standard,
): Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  let sets = 0;
  let isInside = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === release) at++;
    else if (text[at] === terminator) {
      while (/[\r\n]/.test(text[at + 1] ?? '')) at++;
      const [tag = ''] = text.slice(from, at).split(element, 1);
      if (tag === opening) isInside = true;
      pieces.push({ tag, from, to: at + 1, set: isInside ? sets : null });
      if (tag === trailer) {
        isInside = false;
        sets++;
      }
      from = at + 1;
    }
  }
  return pieces;
}

const SAMPLES = FILES.map(sampleOf);

const isSound = ({ problems }: SegmentSet): boolean => problems.length === 0;
const said = ({ segments }: SegmentSet): string => JSON.stringify(segments.map(({ tag, elements }) => [tag, elements]));

/** Whatever was done to the file: places, and sets that are whole in themselves. */
function expectWhole(sample: Sample, mutated: string, about: string): Read {
  const read = sample.standard.read(Buffer.from(mutated, 'latin1'));
  const bytes = mutated.length;
  for (const problem of read.problems) {
    expect(problem.message, about).toMatch(/\S/);
    if (!('at' in problem)) continue;
    expect(problem.at.line, about).toBeGreaterThanOrEqual(1);
    expect(problem.at.byteFrom, about).toBeGreaterThanOrEqual(0);
    expect(problem.at.byteTo, about).toBeLessThanOrEqual(bytes);
  }
  for (const { segments } of read.sets.filter(isSound)) {
    const [first] = segments;
    const last = segments.at(-1);
    expect([first?.tag, last?.tag], about).toEqual([sample.standard.opening, sample.standard.trailer]);
    expect(Number(last && elementText(last, 1, null)), about).toBe(segments.length);
    const control = first && elementText(first, sample.standard === STANDARDS.x12 ? 2 : 1, null);
    expect(Number(last && elementText(last, 2, null)), about).toBe(Number(control));
  }
  return read;
}

/** What was touched costs itself; a segment that opens or closes a set its neighbour too, and one of an envelope what is in that. */
function expectOthers(
  before: Read,
  read: Read,
  touched: readonly Piece[],
  { opening, trailer }: Standard,
  about: string,
): void {
  if (touched.some(({ set }) => set === null)) return;
  const reach = touched.some(({ tag }) => tag === opening || tag === trailer) ? 1 : 0;
  const sound = new Set(read.sets.filter(isSound).map(said));
  before.sets.forEach((set, index) => {
    const isFar = touched.every((piece) => Math.abs((piece.set ?? index) - index) > reach);
    if (isSound(set) && isFar) expect(sound.has(said(set)), `${about}, set ${index}`).toBe(true);
  });
}

/** That something is wrong is told: a problem more than the file had before, or in its place where a set was broken already. */
function expectTold(before: Read, read: Read, about: string): void {
  const lost = soundIn(read).length < soundIn(before).length;
  expect(lost || read.problems.length > before.problems.length || isOther(before, read), about).toBe(true);
  expect(read.problems.length, about).toBeGreaterThan(0);
}
const soundIn = ({ sets }: Read): string[] => sets.filter(isSound).map(said);
const messagesOf = ({ problems }: Read): string => problems.map(({ message }) => message).join();
const isOther = (before: Read, read: Read): boolean => messagesOf(before) !== messagesOf(read);

const isFrame = ({ opening, trailer, envelope }: Standard, tag: string): boolean =>
  tag === opening || tag === trailer || envelope.test(tag);
const without = (text: string, { from, to }: Pick<Piece, 'from' | 'to'>): string =>
  text.slice(0, from) + text.slice(to);

it('are tried on files of both standards', () => {
  expect(SAMPLES.filter(({ standard }) => standard === STANDARDS.x12).length).toBeGreaterThan(9);
  expect(SAMPLES.filter(({ standard }) => standard === STANDARDS.edifact).length).toBeGreaterThan(4);
});

describe.each(SAMPLES.map((sample) => [sample.name, sample] as const))('%s', (_, sample) => {
  const { text, pieces, standard, separators } = sample;
  const before = standard.read(Buffer.from(text, 'latin1'));
  const soundBefore = soundIn(before);
  const pieceAt = (at: number): Piece | undefined => pieces.find(({ from, to }) => at >= from && at < to);

  it('is divided here as it is read', () => {
    expect(soundBefore.length).toBeGreaterThan(0);
    expect(before.sets.flatMap(({ segments }) => segments.map(({ tag }) => tag))).toEqual(
      pieces.filter(({ set }) => set !== null).map(({ tag }) => tag),
    );
  });

  it('without any one of its separators gives problems with places or whole sets', () => {
    for (let at = 0; at < text.length; at++) {
      if (!separators.includes(text.charAt(at))) continue;
      const about = `without the separator at ${at}`;
      const read = expectWhole(sample, without(text, { from: at, to: at + 1 }), about);
      const piece = pieceAt(at);
      if (piece !== undefined) expectOthers(before, read, [piece], standard, about);
    }
  });

  it('without any one of its segments says so, and has no set that was not sent', () => {
    for (const piece of pieces) {
      const about = `without the ${piece.tag} at ${piece.from}`;
      const read = expectWhole(sample, without(text, piece), about);
      expectTold(before, read, about);
      for (const set of soundIn(read)) expect(soundBefore, about).toContain(set);
      const own = before.sets[piece.set ?? -1];
      if (own !== undefined && isSound(own)) expect(soundIn(read), about).not.toContain(said(own));
      expectOthers(before, read, [piece], standard, about);
    }
  });

  it('with any two neighbouring segments swapped gives problems with places or whole sets', () => {
    for (const [index, piece] of pieces.entries()) {
      const next = pieces[index + 1];
      if (next === undefined) break;
      const about = `with ${piece.tag} and ${next.tag} swapped at ${piece.from}`;
      const swapped =
        text.slice(0, piece.from) +
        text.slice(next.from, next.to) +
        text.slice(piece.from, piece.to) +
        text.slice(next.to);
      const read = expectWhole(sample, swapped, about);
      if ([piece, next].some(({ tag }) => isFrame(standard, tag))) expectTold(before, read, about);
      expectOthers(before, read, [piece, next], standard, about);
    }
  });

  it('cut at any byte gives whole sets that were sent, in their order, and a problem where one is missing', () => {
    for (let to = 0; to < text.length; to++) {
      const about = `cut at ${to}`;
      const read = expectWhole(sample, text.slice(0, to), about);
      const sound = soundIn(read);
      expect(sound, about).toEqual(soundBefore.slice(0, sound.length));
      if (sound.length < soundBefore.length) expect(read.problems.length, about).toBeGreaterThan(0);
    }
  });
});
