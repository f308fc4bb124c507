/** Digits with an implied decimal point and a sign → plain text such as `-12.50`. Pure. */
import type { NumberForm } from './declaration.ts';

const DIGITS = /^\d+$/;
/** The last digit and the sign in one character, as mainframes print zoned decimals (EBCDIC zones C and D). */
const POSITIVE = '{ABCDEFGHI';
const NEGATIVE = '}JKLMNOPQR';

interface Signed {
  digits: string;
  isNegative: boolean;
}

/** @returns '' for blanks; undefined when the text is no such number. */
export function plainNumber(text: string, { decimals, sign }: NumberForm): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const { digits, isNegative } = SIGNED[sign](trimmed);
  if (!DIGITS.test(digits)) return undefined;
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals).replace(/^0+(?=\d)/, '');
  const plain = decimals === 0 ? whole : `${whole}.${padded.slice(padded.length - decimals)}`;
  const isZero = /^[0.]+$/.test(plain);
  return isNegative && !isZero ? `-${plain}` : plain;
}

const SIGNED: Record<NumberForm['sign'], (text: string) => Signed> = {
  none: (text) => ({ digits: text, isNegative: false }),
  leading: (text) =>
    text.startsWith('-') || text.startsWith('+')
      ? { digits: text.slice(1).trimStart(), isNegative: text.startsWith('-') }
      : { digits: text, isNegative: false },
  trailing: (text) =>
    text.endsWith('-') || text.endsWith('+')
      ? { digits: text.slice(0, -1).trimEnd(), isNegative: text.endsWith('-') }
      : { digits: text, isNegative: false },
  overpunch: (text) => {
    const last = text.slice(-1);
    const [positive, negative] = [POSITIVE.indexOf(last), NEGATIVE.indexOf(last)];
    if (positive === -1 && negative === -1) return { digits: text, isNegative: false };
    return { digits: text.slice(0, -1) + Math.max(positive, negative), isNegative: negative !== -1 };
  },
};

/** What such a field holds, for messages. */
export function numberWords({ decimals, sign }: NumberForm): string {
  const signed = {
    none: 'digits only',
    leading: 'digits, with + or - before them',
    trailing: 'digits, with + or - behind them',
    overpunch: 'digits, of which the last may be a letter, { or } that holds the sign',
  }[sign];
  return decimals === 0 ? signed : `${signed}; the last ${decimals} stand behind a decimal point that is not written`;
}
