/** Compares what a trailer says with what was counted, and writes a count into one. Pure. */
import { headOf } from '../../kernel/text.ts';
import type { Characters } from './characters.ts';
import type { Kind } from './kinds.ts';
import type { TrailerFault } from './problems.ts';
import { SHOWN_CHARACTERS } from './shape.ts';

const COUNT = /^\d{1,15}$/;

/** @param counted since the trailer before it; lines include its own. */
export function trailerFault(
  { name: kind, count }: Kind,
  text: Characters,
  counted: Record<'records' | 'lines', number>,
  line: number,
): TrailerFault | null {
  if (count === undefined) return null;
  const said = text.cut(count.at, count.length);
  if (!COUNT.test(said.trim())) {
    return { code: 'trailer_count_unreadable', line, kind, text: headOf(said, SHOWN_CHARACTERS) };
  }
  const found = counted[count.of];
  if (Number(said) === found) return null;
  return { code: 'trailer_count_differs', line, kind, counted: found, said: Number(said), of: count.of };
}

/** @returns the line with this count in its place, digits to the right; blanks before them where the line has blanks there. */
export function trailerWith({ count }: Kind, text: Characters, counted: number): string {
  if (count === undefined) return text.text;
  const fill = text.cut(count.at, 1) === ' ' ? ' ' : '0';
  const behind = text.cut(count.at + count.length, text.length);
  return text.cut(1, count.at - 1) + String(counted).padStart(count.length, fill) + behind;
}
