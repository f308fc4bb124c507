/**
 * "Did you mean …?": the known names that look most like an unknown one.
 *
 * Names that differ only in case, blanks or punctuation come first, then those within a few typing mistakes.
 */
import { NEAREST_CANDIDATES_MAX, NEAREST_CHARACTERS_MAX } from './limits.ts';

/** One typing mistake in this many characters is still taken for the same word. */
const CHARACTERS_PER_MISTAKE = 3;

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

/** @returns ` Did you mean "…"?`, or nothing when no candidate is near. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const [name] = nearest(text, candidates);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

/** Letters and digits in lower case; a name made of punctuation alone stays as it is. */
function plain(text: string): string {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return letters === '' ? text.trim() : letters;
}

/** Undefined when too far apart. A name that begins with the other counts as one mistake ("Load" and "Load number"). */
function mistakesBetween(left: string, right: string): number | undefined {
  if (right.length > NEAREST_CHARACTERS_MAX) return undefined;
  const allowed = Math.max(1, Math.floor(Math.min(left.length, right.length) / CHARACTERS_PER_MISTAKE));
  const startsAlike = Math.min(left.length, right.length) >= 3 && (left.startsWith(right) || right.startsWith(left));
  const mistakes = startsAlike ? Math.min(1, Math.abs(left.length - right.length)) : distance(left, right);
  return mistakes <= allowed ? mistakes : undefined;
}

/** Levenshtein distance, one row of the table at a time. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
