/** The segments that make up an envelope, by tag, and how one is found inside another whose terminator is missing. */
import { headAt, type SegmentScanner } from './scan.ts';

export type ServiceTag = 'UNA' | 'UNB' | 'UNG' | 'UNH' | 'UNT' | 'UNE' | 'UNZ';

const BY_THIRD_LETTER: ReadonlyMap<string, ServiceTag> = new Map([
  ['G', 'UNG'],
  ['H', 'UNH'],
  ['T', 'UNT'],
  ['E', 'UNE'],
  ['Z', 'UNZ'],
]);

/** @returns the tag of the segment the scanner stands at where it belongs to an envelope; null else, also for UNS. */
export function serviceTag({ text, from, to, dividers, hasLines }: SegmentScanner): ServiceTag | null {
  if (text[from] !== 'U') return null;
  const head = headAt(text, from, hasLines);
  if (!head.startsWith('UN')) return null;
  const follows = head[3];
  if (from + 3 < to && follows !== dividers.element && follows !== dividers.component) return null;
  return BY_THIRD_LETTER.get(head.charAt(2)) ?? null;
}

/** Reads one element on from its separator: what must follow a tag, so that no text that ends in these letters is one. */
const FOLLOWS: Record<ServiceTag, RegExp> = {
  UNA: /^[^A-Za-z0-9\s]/,
  UNB: /^[A-Za-z]{4}[^A-Za-z0-9]\d/,
  UNG: /^[A-Z]{3,6}[^A-Za-z0-9]/,
  UNH: /^[^\s]{1,14}[^A-Za-z0-9\s][A-Z]{3,6}[^A-Za-z0-9\s]/,
  UNT: /^\d{1,10}[^A-Za-z0-9]/,
  UNE: /^\d{1,6}[^A-Za-z0-9]/,
  UNZ: /^\d{1,6}[^A-Za-z0-9]/,
};

/** What can stand behind each of these in a sound file. */
const NEXT: Record<'UNB' | 'UNG' | 'UNT' | 'UNE' | 'UNZ', readonly ServiceTag[]> = {
  UNB: ['UNG', 'UNH'],
  UNG: ['UNH'],
  UNT: ['UNH', 'UNE', 'UNZ', 'UNB'],
  UNE: ['UNG', 'UNZ', 'UNB'],
  UNZ: ['UNA', 'UNB'],
};

const LOOKED_AT = 40;

/** @returns the tag of the next segment that begins inside this one, and its offset; null: this one ends as it should. */
export function swallowed(
  { text, from, to, dividers }: SegmentScanner,
  tag: keyof typeof NEXT,
): { tag: ServiceTag; at: number } | null {
  // Cut out first: a search in the whole slice would go through all of it for every segment.
  const units = text.slice(from, to + 1);
  if (units.indexOf('UN', 1) === -1) return null;
  let found: { tag: ServiceTag; at: number } | null = null;
  for (const next of NEXT[tag]) {
    for (let at = units.indexOf(next, 4); at !== -1; at = units.indexOf(next, at + 3)) {
      if (found !== null && from + at > found.at) break;
      if (next !== 'UNA' && units[at + 3] !== dividers.element) continue;
      const before = units[at - 1];
      if (before === dividers.element || before === dividers.component) continue;
      const behind = at + (next === 'UNA' ? 3 : 4);
      if (FOLLOWS[next].test(units.slice(behind, behind + LOOKED_AT))) found = { tag: next, at: from + at };
    }
  }
  return found;
}
