/** Real X12 files of other people, read where they lie, and what can be counted in them without this product's reader. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import type { Position, Problem } from '../../../src/kernel/problem.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import type { MappedRequest } from '../../../src/mapping/request.ts';
import { isInCorpus, CORPUS as REAL_FILES } from '../../corpus.ts';
import { SHIPPED } from './shipped.ts';

const FOLDER = join(REAL_FILES, 'x12');

/** Sets that a mapping of the project takes. */
const SETS = ['204', '214', '850', '940'] as const;
export type SetId = (typeof SETS)[number];

export interface CorpusFile {
  path: string;
  id: SetId;
  bytes: Uint8Array;
  /** One character per byte: byte positions are positions in it. */
  text: string;
}

const filesIn = (folder: string): string[] =>
  isInCorpus(folder)
    ? readdirSync(folder).flatMap((owner) => readdirSync(join(folder, owner)).map((name) => `${owner}/${name}`))
    : [];

export const CORPUS: readonly CorpusFile[] = filesIn(FOLDER).flatMap((path) => {
  const bytes = new Uint8Array(readFileSync(join(FOLDER, path)));
  const text = Buffer.from(bytes).toString('latin1');
  const id = SETS.find((set) => new RegExp(`(?:^|[^A-Za-z0-9])ST[*|^]${set}[*|^]`).test(text));
  return id === undefined ? [] : [{ path, id, bytes, text }];
});

/** What is wrong with files, as written down beside them: `SE01 12!=9`. */
export function knownFaults(path: string): readonly string[] {
  const index = JSON.parse(readFileSync(join(REAL_FILES, 'malformed_index.json'), 'utf8'));
  return index.x12[`x12/${path}`]?.reasonFacts ?? [];
}

export interface CountedSet {
  /** Elements of each segment, its tag first. */
  segments: string[][];
  /** Its trailer counts what is there and has its number, which no other set of the group has. */
  isWhole: boolean;
}

/**
 * As one would on the command line: cut at the last character between ISA16 and GS, then at the one behind `ISA`. Where ISA16 is
 * missing, that character stands in its place.
 */
export function countSets(text: string): CountedSet[] {
  const isa = text.slice(text.indexOf('ISA'));
  const element = isa[3] ?? '*';
  const end = isa
    .split(element)
    .slice(16)
    .join(element)
    .replace(/GS[^A-Za-z][\s\S]*$/, '');
  const delimiters = end.trim();
  const terminator = delimiters.length > 1 ? delimiters.slice(-1) : delimiters === '~' ? '~' : '\n';
  const sets: CountedSet[] = [];
  let numbers: string[] = [];
  for (const line of text.split(terminator)) {
    const segment = line.trim().split(element);
    const tag = segment[0] ?? '';
    if (tag === 'GS') numbers = [];
    if (tag === 'ST') sets.push({ segments: [], isWhole: false });
    const set = sets.at(-1);
    if (set === undefined || /^(?:GS|GE|IEA|)$/.test(tag) || /ISA$/.test(tag)) continue;
    set.segments.push(segment);
    if (tag !== 'SE') continue;
    const number = set.segments[0]?.[2] ?? '';
    const [, count, end] = segment;
    set.isWhole = Number(count) === set.segments.length && Number(end) === Number(number) && !numbers.includes(number);
    numbers.push(number);
  }
  return sets;
}

export interface CorpusRecord {
  position: Position;
  requests: readonly MappedRequest[];
  errors: readonly Problem[];
}

export async function mapCorpusFile({ id, bytes }: CorpusFile): Promise<CorpusRecord[]> {
  const { mapping } = SHIPPED.get(`x12-${id}`) ?? {};
  if (mapping === undefined) throw new Error(`no mapping for ${id}`);
  const records: CorpusRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    for (const { position, mapped } of step.records) {
      records.push({ position, requests: mapped.requests, errors: mapped.errors });
    }
  }
  return records;
}
