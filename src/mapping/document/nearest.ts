/**
 * "Did you mean …?": the known names most similar to an unknown one.
 *
 * Names that differ only in case, blanks or punctuation come first, then those within a few typing mistakes.
 */
import { NEAREST_CANDIDATES_MAX, NEAREST_CHARACTERS_MAX } from '../limits.ts';

/** One typing mistake per this many characters is allowed; two-letter codes are all alike and get none. */
const CHARACTERS_PER_MISTAKE = 3;
/** Shortest name that is searched for inside another. */
const PART_CHARACTERS_MIN = 4;

/** @returns at most `count` candidates, best first, in their own spelling. */
export function nearest(text: string, candidates: Iterable<string>, count = 1): string[] {
  const wanted = plain(text);
  if (wanted === '' || wanted.length > NEAREST_CHARACTERS_MAX) return [];
  const found: { name: string; mistakes: number }[] = [];
  let seen = 0;
  for (const name of candidates) {
    seen += 1;
    if (seen > NEAREST_CANDIDATES_MAX) break;
    const mistakes = mistakesBetween(wanted, plain(name));
    if (mistakes !== undefined) found.push({ name, mistakes });
  }
  found.sort((left, right) => left.mistakes - right.mistakes);
  return found.slice(0, count).map(({ name }) => name);
}

/** @returns ` Did you mean "…"?`, or nothing if no candidate is near. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const [name] = nearest(text, candidates);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

/** Letters and digits in lower case; a name of punctuation alone is unchanged. */
function plain(text: string): string {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return letters === '' ? text.trim() : letters;
}

/** Undefined if too different. A name that is part of the other counts as one mistake ("Load" and "Load number"). */
function mistakesBetween(left: string, right: string): number | undefined {
  if (right.length > NEAREST_CHARACTERS_MAX) return undefined;
  const shorter = Math.min(left.length, right.length);
  if (left === right) return 0;
  if (shorter >= PART_CHARACTERS_MIN && (left.includes(right) || right.includes(left))) return 1;
  const most = Math.floor(shorter / CHARACTERS_PER_MISTAKE);
  // They differ, and each letter that one has more is a mistake.
  if (most < Math.max(1, Math.abs(left.length - right.length))) return undefined;
  const mistakes = distance(left, right);
  return mistakes <= most ? mistakes : undefined;
}

/** Letters inserted, deleted, replaced, or swapped with a neighbour, each counted as one. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwapped && i > 1 && j > 1 ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
