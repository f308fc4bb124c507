/**
 * Turns a date pattern's text into steps, or into everything that is wrong with it.
 *
 * First the text is cut into literals, tokens and section marks, then those are checked together and joined. A pattern
 * that could read one text in two ways is refused here, so that reading never has to choose.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { literalStep, optionalStep, type Step } from './date-time-steps.ts';
import { formsOf, type PatternField, TOKENS, type Token } from './date-time-tokens.ts';

/** `at` is the character in the pattern, counted from 0. */
export type PatternProblem =
  | { code: 'pattern_length'; characters: number; charactersMax: number }
  | { code: 'pattern_letter'; at: number; letter: string }
  | { code: 'pattern_letter_count'; at: number; letters: string; forms: string[] }
  | { code: 'pattern_quote'; at: number }
  | { code: 'pattern_section'; at: number; mark: '[' | ']' }
  | { code: 'pattern_field_twice'; at: number; letters: string; field: PatternField }
  | { code: 'pattern_field_missing'; field: PatternField; neededBy: PatternField | 'every pattern' }
  | { code: 'pattern_ambiguous'; at: number; letters: string };

/** @property serviceDay the hour is counted from the start of a service day and may exceed 23. */
export interface CompiledSteps {
  steps: readonly Step[];
  serviceDay: boolean;
}

/** Longest pattern, in characters. Ours: four times the longest form met. */
const PATTERN_CHARACTERS_MAX = 160;

export type Piece =
  | { kind: 'literal'; at: number; text: string }
  | { kind: 'token'; at: number; token: Token }
  | { kind: 'mark'; at: number; mark: '[' | ']' };

const isLetter = (character: string): boolean => /^[A-Za-z]$/.test(character);

/** @returns where the quote that opens at `at` ends (exclusive), and its text; two quotes in a row are one quote. */
function readQuoted(source: string, at: number): { end: number; text: string } | undefined {
  let text = '';
  for (let index = at + 1; index < source.length; index++) {
    if (source[index] !== "'") text += source[index];
    else if (source[index + 1] !== "'") return { end: index + 1, text: text === '' ? "'" : text };
    else {
      text += "'";
      index++;
    }
  }
  return undefined;
}

/** @returns the pattern in pieces, as far as it can be cut; what is wrong with them is added to `problems`. */
export function cut(source: string, problems: PatternProblem[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < source.length) {
    const character = source[at] ?? '';
    let end = at + 1;
    if (character === "'") {
      const quoted = source[at + 1] === "'" ? { end: at + 2, text: "'" } : readQuoted(source, at);
      if (quoted === undefined) {
        problems.push({ code: 'pattern_quote', at });
        return pieces;
      }
      end = quoted.end;
      pieces.push({ kind: 'literal', at, text: quoted.text });
    } else if (character === '[' || character === ']') {
      pieces.push({ kind: 'mark', at, mark: character });
    } else if (isLetter(character)) {
      while (source[end] === character) end++;
      const letters = source.slice(at, end);
      const token = TOKENS.get(letters);
      const forms = formsOf(character);
      if (token !== undefined) pieces.push({ kind: 'token', at, token });
      else if (forms.length > 0) problems.push({ code: 'pattern_letter_count', at, letters, forms });
      else problems.push({ code: 'pattern_letter', at, letter: character });
    } else {
      pieces.push({ kind: 'literal', at, text: character });
    }
    at = end;
  }
  return pieces;
}

interface Opening {
  at: number;
  letters: string;
}

/** Refuses `Md` and `M[/]d`: how many digits belong to the month would be chance. */
function checkAdjacent(pieces: readonly Piece[], problems: PatternProblem[]): void {
  /** Tokens that may stand right before the next piece and take as many digits as they find. */
  let open: Opening[] = [];
  const skipped: Opening[][] = [];
  for (const piece of pieces) {
    if (piece.kind === 'mark') {
      if (piece.mark === '[') skipped.push(open);
      else open = [...open, ...(skipped.pop() ?? []).filter((token) => !open.includes(token))];
      continue;
    }
    const digitsFirst = piece.kind === 'token' ? piece.token.digitsFirst : /^\d/.test(piece.text);
    if (digitsFirst) for (const { at, letters } of open) problems.push({ code: 'pattern_ambiguous', at, letters });
    open = piece.kind === 'token' && piece.token.open ? [{ at: piece.at, letters: piece.token.letters }] : [];
  }
}

/** Which field makes no sense without which other. */
const NEEDS: readonly [PatternField, PatternField][] = [
  ['minute', 'hour'],
  ['second', 'minute'],
  ['fraction of a second', 'second'],
  ['AM/PM', 'hour'],
];

/** @param places the open sections (by number) in which each field stands; an empty list is the pattern itself. */
function checkFields(places: ReadonlyMap<PatternField, Place>, problems: PatternProblem[]): void {
  const missing = (field: PatternField, neededBy: PatternField | 'every pattern') =>
    problems.push({ code: 'pattern_field_missing', field, neededBy });
  for (const field of ['year', 'month', 'day'] as const) {
    if (places.get(field)?.sections.length !== 0) missing(field, 'every pattern');
  }
  for (const [field, needed] of NEEDS) {
    const place = places.get(field);
    if (place !== undefined && !isAround(places.get(needed), place)) missing(needed, field);
  }
  const hour = places.get('hour');
  const half = places.get('AM/PM');
  if (hour?.token.clock === 'half_day' && !isAround(half, hour)) missing('AM/PM', 'hour');
  if (half !== undefined && hour !== undefined && hour.token.clock !== 'half_day') {
    problems.push({ code: 'pattern_field_twice', at: half.at, letters: half.token.letters, field: 'AM/PM' });
  }
}

interface Place {
  at: number;
  token: Token;
  sections: readonly number[];
}

/** Whether a field is there whenever the other is: it stands in the same section or in one around it. */
function isAround(outer: Place | undefined, inner: Place): boolean {
  return outer?.sections.every((section, depth) => inner.sections[depth] === section) ?? false;
}

function join(pieces: readonly Piece[], problems: PatternProblem[]): CompiledSteps {
  const places = new Map<PatternField, Place>();
  const open: { at: number; steps: Step[] }[] = [];
  const root: Step[] = [];
  let steps = root;
  for (const piece of pieces) {
    if (piece.kind === 'literal') steps.push(literalStep(piece.text));
    else if (piece.kind === 'token') {
      const { at, token } = piece;
      if (places.has(token.field)) {
        problems.push({ code: 'pattern_field_twice', at, letters: token.letters, field: token.field });
      } else places.set(token.field, { at, token, sections: open.map((section) => section.at) });
      steps.push(token.step);
    } else if (piece.mark === '[') {
      steps = [];
      open.push({ at: piece.at, steps });
    } else {
      const closed = open.pop();
      steps = open.at(-1)?.steps ?? root;
      if (closed === undefined) problems.push({ code: 'pattern_section', at: piece.at, mark: ']' });
      else steps.push(optionalStep(closed.steps));
    }
  }
  for (const { at } of open) problems.push({ code: 'pattern_section', at, mark: '[' });
  checkFields(places, problems);
  return { steps: root, serviceDay: places.get('hour')?.token.clock === 'service_day' };
}

/** @returns the steps in order, or every problem found (at least one). */
export function compileSteps(source: string): Result<CompiledSteps, PatternProblem[]> {
  if (source.length === 0 || source.length > PATTERN_CHARACTERS_MAX) {
    return err([{ code: 'pattern_length', characters: source.length, charactersMax: PATTERN_CHARACTERS_MAX }]);
  }
  const problems: PatternProblem[] = [];
  const pieces = cut(source, problems);
  if (problems.length > 0) return err(problems); // what a misspelt letter stood for is unknown: no word on missing fields
  checkAdjacent(pieces, problems);
  const compiled = join(pieces, problems);
  return problems.length === 0 ? ok(compiled) : err(problems);
}
