/** Cuts one line into the texts of its kind's fields, and finds what is wrong with it. Pure. */
import { headOf } from '../../kernel/text.ts';
import type { Characters } from './characters.ts';
import type { FixedField, FixedSource } from './declaration.ts';
import type { Kind, KindField } from './kinds.ts';
import { plainNumber } from './number.ts';
import type { FieldRef, FixedRecordProblem } from './problems.ts';

/** Characters of a line that are kept with a problem. */
export const SHOWN_CHARACTERS = 400;
const BLANKS = /^\s*$/;

export interface ShapedLine {
  /** In the order of the kind's fields; '' where one is at fault. */
  values: string[];
  problems: FixedRecordProblem[];
  /** Blanks were added at its end. */
  isShort: boolean;
}

/** @param line physical, from 1, for problems. */
export function shapeLine(source: FixedSource, kind: Kind, text: Characters, line: number): ShapedLine {
  const problems: FixedRecordProblem[] = [];
  const wanted = source.lineLength ?? null;
  const facts = { line, kind: kind.name, characters: text.length };
  if (wanted !== null && text.length > wanted) {
    const surplus = text.cut(wanted + 1, SHOWN_CHARACTERS);
    // Nothing is moved by blanks at the end.
    if (!BLANKS.test(text.cut(wanted + 1, text.length)))
      problems.push({ code: 'line_too_long', ...facts, wanted, surplus });
  }
  const isShort = wanted !== null && text.length < wanted;
  if (isShort && source.shortLines === 'reject') problems.push({ code: 'line_too_short', ...facts, wanted });
  problems.push(...strayCharacters(kind, text, line));
  const values = kind.fields.map((field) => {
    const { value, problem } = readField(field, text, line);
    if (problem !== undefined) problems.push(problem);
    return value;
  });
  return { values, problems, isShort };
}

function readField(field: KindField, text: Characters, line: number): { value: string; problem?: FixedRecordProblem } {
  const cut = text.cut(field.at, field.length);
  if (field.number === undefined) return { value: trimmed(cut, field.trim) };
  const shown = headOf(cut, SHOWN_CHARACTERS);
  const end = field.at + field.length - 1;
  if (text.length < end && text.length >= field.at && !BLANKS.test(cut)) {
    return {
      value: '',
      problem: { code: 'field_cut', line, field: refOf(field), characters: text.length, text: shown },
    };
  }
  const value = plainNumber(cut, field.number);
  if (value !== undefined) return { value };
  return {
    value: '',
    problem: { code: 'number_malformed', line, field: refOf(field), form: field.number, text: shown },
  };
}

/** A NUL or a tab inside a line makes every position behind it doubtful. */
function strayCharacters(kind: Kind, text: Characters, line: number): FixedRecordProblem[] {
  const codes = [
    ['nul_character', '\0'],
    ['tab_character', '\t'],
  ] as const;
  return codes.flatMap(([code, character]) => {
    const at = text.find(character);
    if (at === 0) return [];
    const field = fieldAt(kind, at);
    const shown = field === null ? text.cut(at, 20) : text.cut(field.at, field.length);
    return [{ code, line, field, at, text: headOf(shown, SHOWN_CHARACTERS) }];
  });
}

/** @returns the field in which a position lies. */
export function fieldAt(kind: Kind, at: number): FieldRef | null {
  const field = kind.fields.find((each) => each.at <= at && at < each.at + each.length);
  return field === undefined ? null : refOf(field);
}

const refOf = ({ name, at, length }: KindField): FieldRef => ({ name, at, length });

function trimmed(text: string, side: FixedField['trim']): string {
  switch (side) {
    case 'both':
      return text.trim();
    case 'left':
      return text.trimStart();
    case 'right':
      return text.trimEnd();
    case 'none':
      return text;
  }
}
