/** A number format → whether it shows a number as a day, as a time of day, as both, or as a length of time. Pure. */

/** `elapsed`: hours that count beyond 24, such as `[h]:mm`. */
export type DateKind = 'date' | 'time' | 'date_time' | 'elapsed';

/** Formats that are known by number alone (ECMA-376-1 18.8.30); those of East Asian languages are 27 to 36 and 50 to 58. */
export function builtInKind(id: number): DateKind | undefined {
  if (id >= 14 && id <= 17) return 'date';
  if ((id >= 18 && id <= 21) || id === 45 || id === 47) return 'time';
  if (id === 22) return 'date_time';
  if (id === 46) return 'elapsed';
  if (id === 32 || id === 33 || id === 55 || id === 56) return 'time';
  return (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'date' : undefined;
}

/** Ours: more digits than a number keeps. A longer run of zeros is no number's look. */
const ZEROS_MAX = 30;

/** @returns how many digits a format of zeros alone shows at least, such as `000000`: a number that stands for a name. */
export function zerosOf(code: string): number | undefined {
  const [positive = ''] = code.split(';', 1);
  return positive.length > 1 && positive.length <= ZEROS_MAX && /^0+$/.test(positive) ? positive.length : undefined;
}

/** Letters by which a format shows parts of a date or time, each run of them one part. */
const PART_LETTERS = new Set(['y', 'm', 'd', 'h', 's', 'e', 'b']);
const ELAPSED = /^\[(?:h+|m+|s+)\]/i;
const HALF_DAY = /^(?:am\/pm|a\/p)/i;

/** @param code as the workbook has it. Only its first section is looked at: that of positive numbers (ECMA-376-1 18.8.31). */
export function formatKind(code: string): DateKind | undefined {
  const parts = partsOf(code);
  const isMinute = (at: number): boolean =>
    parts[at] === 'm' && (parts[at - 1] === 'h' || parts[at - 1] === '[' || parts[at + 1] === 's');
  const isTime = parts.some((part, at) => 'hs['.includes(part) || isMinute(at));
  const isDate = parts.some((part, at) => 'ydeb'.includes(part) || part === 'M' || (part === 'm' && !isMinute(at)));
  if (isDate) return isTime ? 'date_time' : 'date';
  if (!isTime) return undefined;
  return parts.includes('[') ? 'elapsed' : 'time';
}

/** First letters of the runs, in order; `[` stands for elapsed time, `M` for a month written as a word. */
function partsOf(code: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < code.length; ) {
    const character = code.charAt(at);
    const letter = character.toLowerCase();
    if (character === ';') break;
    if (character === '"') at = after(code, '"', at + 1);
    else if (character === '\\' || character === '_' || character === '*') at += 2;
    else if (character === '[') {
      if (ELAPSED.test(code.slice(at, at + 12))) parts.push('[');
      at = after(code, ']', at + 1);
    } else if (letter === 'a' && HALF_DAY.test(code.slice(at, at + 5))) {
      at += code.charAt(at + 1) === '/' ? 3 : 5;
    } else if (letter === 'g' && /^general/i.test(code.slice(at, at + 7))) {
      at += 7;
    } else if (PART_LETTERS.has(letter)) {
      let end = at + 1;
      while (code.charAt(end).toLowerCase() === letter) end++;
      // E+ and E- are exponents.
      const isExponent = letter === 'e' && (code.charAt(end) === '+' || code.charAt(end) === '-');
      if (!isExponent) parts.push(letter === 'm' && end - at > 2 ? 'M' : letter);
      at = end;
    } else at += 1;
  }
  return parts;
}

function after(code: string, mark: string, from: number): number {
  const at = code.indexOf(mark, from);
  return at === -1 ? code.length : at + 1;
}
