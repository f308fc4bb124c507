/**
 * A line of a fixed-width file as cells: each field of its kind under its name. A changed one is written into the line at
 * its place and in its width, so that nothing else of the line moves. Pure.
 */
import { type Encoding, encodedText } from '../../formats/encoding.ts';
import type { FixedSource } from '../../formats/fixed/declaration.ts';
import { Characters, type Kind, kindsOf } from '../../formats/fixed/lines.ts';

interface FixedCell {
  column: string;
  text: string;
  /** Characters of its field. */
  charactersMax: number;
}

type Field = Kind['fields'][number];

/** @returns null for a line of no known kind, or with a tab, which stands for others. */
export function fixedCells(line: string, source: FixedSource): FixedCell[] | null {
  const text = new Characters(line);
  const kind = line.includes('\t') ? undefined : kindsOf(source).find(text);
  if (kind === undefined) return null;
  return kind.fields.map(({ name, at, length }) => ({
    column: name,
    text: text.cut(at, length).trim(),
    charactersMax: length,
  }));
}

/** @param changes by name of the field, each one that fits. */
export function withFixedChanges(line: string, source: FixedSource, changes: Readonly<Record<string, string>>): string {
  const fields = kindsOf(source).find(new Characters(line))?.fields ?? [];
  const characters = [...line];
  for (const field of fields) {
    const value = changes[field.name];
    if (value === undefined) continue;
    const from = field.at - 1;
    while (characters.length < from + field.length) characters.push(' ');
    const before = characters.slice(from, from + field.length).join('');
    characters.splice(from, field.length, ...filled(field, before, value));
  }
  return characters.join('');
}

const DIGITS = /^\d+$/;

/** On the side where the line has its padding; digits of a number are led by zeros. */
function filled({ length, number }: Field, before: string, value: string): string[] {
  const missing = length - [...value].length;
  if (number !== undefined && DIGITS.test(value)) return [...'0'.repeat(missing), ...value];
  const isRight = before.startsWith(' ') && !before.endsWith(' ');
  return isRight ? [...' '.repeat(missing), ...value] : [...value, ...' '.repeat(missing)];
}

/** @returns the first cell that its field cannot hold; undefined: all fit. */
export const notWritableCell = <Cell extends { text: string; charactersMax?: number }>(
  cells: readonly Cell[],
  encoding: Encoding,
): Cell | undefined =>
  cells.find(
    ({ text, charactersMax = Number.POSITIVE_INFINITY }) =>
      [...text].length > charactersMax || /[\r\n\t\0]/.test(text) || encodedText(text, encoding) === undefined,
  );
