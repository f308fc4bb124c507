/** Writes a moment in the form of a date pattern: the other direction of `date-time-pattern.ts`. Pure. */
import type { MomentText } from '../../formats/xlsx/declaration.ts';
import { capital } from '../../kernel/text.ts';
import { MONTH_NAMES } from './date-time-steps.ts';

/** @property has what the letters stand for. */
interface Writer {
  has: 'date' | 'time' | 'seconds' | 'half';
  write(at: Date): string;
}

const two = (value: number): string => String(value).padStart(2, '0');
const monthName = (at: Date): string => MONTH_NAMES[at.getUTCMonth()] ?? '';
const halfHour = (at: Date): number => at.getUTCHours() % 12 || 12;

const date = (write: Writer['write']): Writer => ({ has: 'date', write });
const time = (write: Writer['write']): Writer => ({ has: 'time', write });
const seconds = (write: Writer['write']): Writer => ({ has: 'seconds', write });

/** Letters that can be written. Without an offset: a workbook knows none. */
const LETTERS: Readonly<Record<string, Writer>> = {
  yyyy: date((at) => String(at.getUTCFullYear()).padStart(4, '0')),
  yy: date((at) => two(at.getUTCFullYear() % 100)),
  M: date((at) => String(at.getUTCMonth() + 1)),
  MM: date((at) => two(at.getUTCMonth() + 1)),
  MMM: date((at) => capital(monthName(at).slice(0, 3))),
  MMMM: date((at) => capital(monthName(at))),
  d: date((at) => String(at.getUTCDate())),
  dd: date((at) => two(at.getUTCDate())),
  H: time((at) => String(at.getUTCHours())),
  HH: time((at) => two(at.getUTCHours())),
  HHH: time((at) => two(at.getUTCHours())),
  h: time((at) => String(halfHour(at))),
  hh: time((at) => two(halfHour(at))),
  m: time((at) => String(at.getUTCMinutes())),
  mm: time((at) => two(at.getUTCMinutes())),
  s: seconds((at) => String(at.getUTCSeconds())),
  ss: seconds((at) => two(at.getUTCSeconds())),
  a: { has: 'half', write: (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM') },
};

const PIECE = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z'[\]]+/y;
/** Quoted text, or an optional section without another one in it. */
const INNERMOST = /'(?:[^']|'')*'|\[((?:'(?:[^']|'')*'|[^'[\]])*)\]/g;
/** Each doubles the forms of its pattern. Ours: a date and time has three parts that may be missing. */
const SECTIONS_MAX = 5;

/**
 * Every way in which a pattern with optional sections is written, the shortest first: `HH:mm[:ss]` as `HH:mm` and
 * `HH:mm:ss`. @returns none for one with too many of them.
 */
export function writtenForms(pattern: string): string[] {
  let forms = [pattern];
  for (let sections = 0; ; sections++) {
    const next = forms.flatMap((form) => {
      const section = [...form.matchAll(INNERMOST)].find(([, inside]) => inside !== undefined);
      if (section === undefined) return [form];
      const before = form.slice(0, section.index);
      const after = form.slice(section.index + section[0].length);
      return [`${before}${after}`, `${before}${section[1]}${after}`];
    });
    if (next.length === forms.length) break;
    if (sections === SECTIONS_MAX) return [];
    forms = next;
  }
  return [...new Set(forms)].sort((one, other) => one.length - other.length);
}

/** @param pattern without optional sections. @returns undefined for one that cannot be written, such as one with an offset from UTC. */
export function momentWriter(pattern: string): MomentText | undefined {
  const pieces: (Writer | string)[] = [];
  for (let at = 0; at < pattern.length; ) {
    PIECE.lastIndex = at;
    const match = PIECE.exec(pattern);
    if (match === null) return undefined;
    const [whole, quoted, letter] = match;
    if (quoted !== undefined) pieces.push(quoted === '' ? "'" : quoted.replaceAll("''", "'"));
    else if (letter !== undefined) {
      const writer = LETTERS[whole];
      if (writer === undefined) return undefined;
      pieces.push(writer);
    } else pieces.push(whole);
    at += whole.length;
  }
  const has = new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.has])));
  const hasClock = has.has('time') || has.has('half') || has.has('seconds');
  return ({ localMs, hasDate, hasTime }) => {
    const at = new Date(localMs);
    const isClock = at.getUTCHours() + at.getUTCMinutes() + at.getUTCSeconds() > 0;
    if (has.has('date') !== hasDate) return undefined;
    if (hasTime && isClock && !has.has('time')) return undefined;
    // A day alone is no midnight: its text in the file lacks the time, too.
    if (!hasTime && !isClock && hasClock) return undefined;
    if (hasTime && at.getUTCSeconds() > 0 && !has.has('seconds')) return undefined;
    return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.write(at))).join('');
  };
}
