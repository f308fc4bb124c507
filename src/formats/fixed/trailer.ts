/** Compares what a trailer says with what was counted, and writes a count into one. Pure. */
import { headOf } from '../../kernel/text.ts';
import type { Characters } from './characters.ts';
import type { CountedKinds } from './declaration.ts';
import type { Kind } from './kinds.ts';
import type { TrailerFault } from './problems.ts';
import { SHOWN_CHARACTERS } from './shape.ts';

const COUNT = /^\d{1,15}$/;

/** Lines since the trailer before: `kinds` by their kind, those of no known kind by ''. */
export interface Counted {
  records: number;
  lines: number;
  kinds: Readonly<Record<string, number>>;
}

export const NOTHING_COUNTED: Counted = { records: 0, lines: 0, kinds: {} };

/** @param kind null: it is of no known one. */
export function withLine({ kinds, ...counted }: Counted, kind: string | null): Counted {
  const key = kind ?? '';
  return { ...counted, lines: counted.lines + 1, kinds: { ...kinds, [key]: (kinds[key] ?? 0) + 1 } };
}

/** @returns how many lines there are of what a trailer counts. */
export function countOf(of: CountedKinds, { kinds, ...counted }: Counted): number {
  if (typeof of === 'string') return counted[of];
  return of.reduce((sum, name) => sum + (kinds[name] ?? 0), 0);
}

/** @param counted its own line with them. */
export function trailerFault(
  { name: kind, count }: Kind,
  text: Characters,
  counted: Counted,
  line: number,
): TrailerFault | null {
  if (count === undefined) return null;
  const said = text.cut(count.at, count.length);
  if (!COUNT.test(said.trim())) {
    return { code: 'trailer_count_unreadable', line, kind, text: headOf(said, SHOWN_CHARACTERS) };
  }
  const found = countOf(count.of, counted);
  // Each line of no known kind is told by itself, and may have been of one that is counted.
  const doubtful = typeof count.of === 'string' ? 0 : (counted.kinds[''] ?? 0);
  if (Number(said) >= found && Number(said) <= found + doubtful) return null;
  return { code: 'trailer_count_differs', line, kind, counted: found, said: Number(said), of: count.of };
}

/** @returns the line with this count in its place, digits to the right; blanks before them where the line has blanks there. */
export function trailerWith({ count }: Kind, text: Characters, counted: number): string {
  if (count === undefined) return text.text;
  const fill = text.cut(count.at, 1) === ' ' ? ' ' : '0';
  const behind = text.cut(count.at + count.length, text.length);
  return text.cut(1, count.at - 1) + String(counted).padStart(count.length, fill) + behind;
}
