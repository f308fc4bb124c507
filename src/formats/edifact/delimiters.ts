/** The characters that divide an interchange: from its UNA, or else the standard's defaults. */

/** `release`, `repetition`: '' where there is none. Each of the others is one byte. */
export interface Delimiters {
  component: string;
  element: string;
  decimal: string;
  release: string;
  /** The fifth character of UNA as written; it separates repetitions only in syntax 4 (ISO 9735-1 §7). */
  reserved: string;
  terminator: string;
}

/** ISO 9735-1 §7.1: the defaults without UNA. */
export const LEVEL_A: Delimiters = {
  component: ':',
  element: '+',
  decimal: '.',
  release: '?',
  reserved: '*',
  terminator: "'",
};

/** ISO 9735 (1988) §5.2, level B: the information separators; nothing is released. */
const LEVEL_B: Delimiters = {
  component: '\x1f',
  element: '\x1d',
  decimal: '.',
  release: '',
  reserved: '',
  terminator: '\x1c',
};

/** UNA and six characters. */
export const UNA_BYTES = 9;

type DelimiterRole = 'component separator' | 'element separator' | 'release character' | 'segment terminator';
/**
 * `short`: characters of UNA are missing, so that the text after it was read as them. `absent`: the file ends before
 * it.
 */
type DelimiterFault = 'absent' | 'alphanumeric' | 'blank' | 'not_ascii' | 'equal' | 'short';

/** @property at place of the character in UNA, from 0. */
export interface BadDelimiter {
  role: DelimiterRole;
  fault: DelimiterFault;
  character: string;
  at: number;
}

const ALPHANUMERIC = /^[A-Za-z0-9]$/;
const LINE_BREAK = /^[\r\n]$/;
const BLANK = /^[\s\0]$/;

/** @param una the nine characters, from `UNA` on; fewer where the file ends */
export function delimitersOf(una: string): { ok: true; value: Delimiters } | { ok: false; error: BadDelimiter } {
  const character = (at: number): string => una.charAt(at);
  const roles: [DelimiterRole, number][] = [
    ['component separator', 3],
    ['element separator', 4],
    ['release character', 6],
    ['segment terminator', 8],
  ];
  const seen = new Set<string>();
  for (const [role, at] of roles) {
    const found = character(at);
    const bad = (fault: DelimiterFault): { ok: false; error: BadDelimiter } => ({
      ok: false,
      error: { role, fault, character: found, at },
    });
    if (found === '') return bad('absent');
    if (role === 'release character' && found === ' ') continue;
    if (ALPHANUMERIC.test(found)) return bad('alphanumeric');
    if (found > '\x7f') return bad('not_ascii');
    // A line break may end segments; a tab may separate elements.
    if (BLANK.test(found) && !(role === 'segment terminator' ? LINE_BREAK.test(found) : found === '\t')) {
      return bad('blank');
    }
    if (seen.has(found)) return bad('equal');
    // The usual terminator one character too early: a character is missing before it.
    if (role === 'segment terminator' && character(7) === LEVEL_A.terminator) return bad('short');
    seen.add(found);
  }
  const [component, element, decimal] = [character(3), character(4), character(5)];
  const [release, reserved] = [character(6).trim(), character(7).trim()];
  return { ok: true, value: { component, element, decimal, release, reserved, terminator: character(8) } };
}

/**
 * The delimiters of an interchange without UNA, chosen by the character after its `UNB`.
 *
 * @param before those of the interchange before it: some senders write UNA only once.
 * @returns null if that character fits none of them.
 */
export function delimitersWithoutUna(separator: string, before: Delimiters | null): Delimiters | null {
  const known = before === null ? [LEVEL_A, LEVEL_B] : [LEVEL_A, before, LEVEL_B];
  return known.find(({ element }) => element === separator) ?? null;
}

/** @returns the repetition separator, '' if there is none. @param version UNB S001 0002 */
export function repetitionSeparator(
  { component, element, release, reserved, terminator }: Delimiters,
  version: string,
): string {
  if (!/^[4-9]$/.test(version.trim())) return '';
  return ALPHANUMERIC.test(reserved) || [component, element, release, terminator].includes(reserved) ? '' : reserved;
}
