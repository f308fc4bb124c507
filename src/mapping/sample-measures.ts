/** Numbers, units and positions as the fields of a mapping want them written. */
import type { Axis, CoordinateForm } from './coordinate.ts';
import type { NumberKeys } from './field-spec.ts';
import { rotated } from './sample-draft.ts';
import type { WantedText } from './sample-time.ts';
import { placeAt } from './sample-words.ts';
import { dimensionOf, readUnit, UNITS } from './units.ts';

/** With the marks the field declares, among them such as only some fields take: decimals, thousands. */
export function numberTexts({ decimal = '.', thousands }: NumberKeys, turn: number): string[] {
  const small = String(1 + (turn % 3));
  const marked = [
    `12${decimal}5`,
    ...(thousands === undefined ? [] : [`12${thousands}345`, `1${thousands}234${decimal}5`]),
  ];
  return turn % 2 === 0 ? [small, ...rotated(marked, turn / 2)] : [...rotated(marked, (turn - 1) / 2), small];
}

/** The units that convert to this one, as the table of units writes them. */
export function unitTexts(to: string, turn: number): string[] {
  const wanted = readUnit(to);
  if (wanted === undefined) return [];
  const dimension = dimensionOf(wanted);
  return rotated(
    UNITS.filter((unit) => dimensionOf(unit) === dimension),
    turn,
  );
}

const LETTERS: Record<Axis, { positive: string; negative: string }> = {
  latitude: { positive: 'N', negative: 'S' },
  longitude: { positive: 'E', negative: 'W' },
};
const DEGREE_DIGITS = 3;

/** @param join what stands between the columns; undefined: there is one column, and a sign needs none for a letter. */
export function coordinateTexts(
  axis: Axis,
  { form, decimal, join }: { form: CoordinateForm; decimal: string; join: string | undefined },
  turn: number,
): WantedText[] {
  const degrees = placeAt(turn)[axis];
  const isNegative = degrees < 0;
  const size = form === 'DDDMMSS' ? digitsOf(Math.abs(degrees)) : String(Math.abs(degrees)).replace('.', () => decimal);
  const letter = isNegative ? LETTERS[axis].negative : LETTERS[axis].positive;
  const sign = isNegative ? '-' : form === 'decimal' ? '' : '+';
  const lettered = [join ?? ' ', ' ', ''].flatMap((between) => [
    { text: size + between + letter, seam: size.length },
    { text: letter + between + size, seam: letter.length },
  ]);
  const signed = [{ text: sign + size, seam: sign.length }];
  return join === undefined ? [...signed, ...lettered] : [...lettered, ...signed];
}

function digitsOf(degrees: number): string {
  const seconds = Math.round(degrees * 3_600);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part, index) => `${part}`.padStart(index === 0 ? DEGREE_DIGITS : 2, '0')).join('');
}
