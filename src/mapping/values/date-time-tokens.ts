/** The letters a date pattern may use, each with the step that reads it. Unicode's date letters, as Java writes them. */
import {
  fractionStep,
  halfDayStep,
  monthNameStep,
  type NumberStep,
  numberStep,
  offsetStep,
  type Step,
  twoDigitYear,
} from './date-time-steps.ts';

export type PatternField =
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fraction of a second'
  | 'AM/PM'
  | 'offset';

/**
 * @property reads digits from its first character on, or not.
 * @property open reads as many digits as stand there, so that a digit straight after it would be taken or left by chance.
 * @property clock which hours it counts: 1 to 12 (needs AM/PM), or of a service day (beyond 23).
 */
export interface Token {
  letters: string;
  field: PatternField;
  step: Step;
  digitsFirst: boolean;
  open: boolean;
  clock?: 'half_day' | 'service_day';
}

function numeric(
  letters: string,
  digits: [number, number],
  range: [number, number],
  field: NumberStep['field'],
): Token {
  const [digitsMin, digitsMax] = digits;
  const [low, high] = range;
  const shown = (value: number): string => `${value}`.padStart(digitsMin, '0');
  const wanted = field === 'year' ? 'year of four digits' : `${field} ${shown(low)} to ${shown(high)}`;
  const step = numberStep({ field, digitsMin, digitsMax, low, high, wanted });
  return { letters, field, step, digitsFirst: true, open: digitsMin !== digitsMax };
}

function other(letters: string, field: PatternField, step: Step): Token {
  return { letters, field, step, digitsFirst: false, open: false };
}

const LIST: readonly Token[] = [
  numeric('yyyy', [4, 4], [0, 9_999], 'year'),
  { letters: 'yy', field: 'year', step: twoDigitYear, digitsFirst: true, open: false },
  numeric('M', [1, 2], [1, 12], 'month'),
  numeric('MM', [2, 2], [1, 12], 'month'),
  other('MMM', 'month', monthNameStep(true)),
  other('MMMM', 'month', monthNameStep(false)),
  numeric('d', [1, 2], [1, 31], 'day'),
  numeric('dd', [2, 2], [1, 31], 'day'),
  numeric('H', [1, 2], [0, 23], 'hour'),
  numeric('HH', [2, 2], [0, 23], 'hour'),
  { ...numeric('HHH', [1, 2], [0, 99], 'hour'), clock: 'service_day' },
  { ...numeric('h', [1, 2], [1, 12], 'hour'), clock: 'half_day' },
  { ...numeric('hh', [2, 2], [1, 12], 'hour'), clock: 'half_day' },
  numeric('m', [1, 2], [0, 59], 'minute'),
  numeric('mm', [2, 2], [0, 59], 'minute'),
  numeric('s', [1, 2], [0, 59], 'second'),
  numeric('ss', [2, 2], [0, 59], 'second'),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => ({
    ...other('S'.repeat(digits), 'fraction of a second', fractionStep(digits, digits)),
    digitsFirst: true,
  })),
  other('a', 'AM/PM', halfDayStep),
  {
    ...other(
      'X',
      'offset',
      offsetStep({ zulu: true, minutes: ['plain', 'none'], wanted: 'offset as Z, -06 or -0600' }),
    ),
    open: true,
  },
  other('XX', 'offset', offsetStep({ zulu: true, minutes: ['plain'], wanted: 'offset as Z or -0600' })),
  other('XXX', 'offset', offsetStep({ zulu: true, minutes: ['colon'], wanted: 'offset as Z or -06:00' })),
  other('Z', 'offset', offsetStep({ zulu: false, minutes: ['plain'], wanted: 'offset as -0600' })),
];

export const TOKENS: ReadonlyMap<string, Token> = new Map(LIST.map((token) => [token.letters, token]));

/** @returns the lengths in which a letter may stand (`MM`, `MMM`), none for a letter that means nothing. */
export function formsOf(letter: string): string[] {
  return LIST.filter(({ letters }) => letters[0] === letter).map(({ letters }) => letters);
}
