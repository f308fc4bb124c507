/**
 * What could stand in the columns of a leaf so that it has a value: ideas, best first, none of them tried yet.
 *
 * They come from what the leaf asks for (a word of its list, a time in its pattern, a number in its marks) and from the
 * document's own examples. A plain text is taken from the examples first: they are the partner's own words.
 */
import type { CodeList, CodeLists } from './code-list.ts';
import type { Axis } from './coordinate.ts';
import { compileDateTimePattern } from './date-time-pattern.ts';
import {
  longForm,
  lookupNames,
  type NumberKeys,
  type Origin,
  patternsOf,
  type TextFunctions,
  type TextObject,
} from './field-spec.ts';
import { ORDER_REF_MEMBER } from './order-spec.ts';
import { originColumns } from './origin.ts';
import { type Draft, rotated } from './sample-draft.ts';
import { type AskedLeaf, type CellTexts, isBoolean, isScac } from './sample-leaf.ts';
import { coordinateTexts, numberTexts, unitTexts } from './sample-measures.ts';
import { columnTexts } from './sample-source.ts';
import { dayOf, momentOn, momentsNear, timeTexts, type WantedText } from './sample-time.ts';
import { booleanTexts, identityText, scacTexts, wordFor, zoneTexts } from './sample-words.ts';
import { compileWorkingText, placeOf } from './text-value.ts';
import { indexIn } from './tree-scope.ts';

export interface IdeaContext {
  lists: CodeLists;
  /** Those that may be used; none: any. */
  scacs: readonly string[];
  /** The day, at midnight, around which times lie. */
  dayMs: number;
  /** Records or elements of the document's examples that are like the one that is filled. */
  examples: readonly Draft[];
  /** Columns in which every record, or every group, has another value. */
  identities: ReadonlySet<string>;
}

/**
 * @property turn chooses among ideas that are equally good; number no other record has, it counts from 1; later how many
 * times of the same record come before this one.
 */
export interface Choice {
  turn: number;
  number: number;
  later: number;
  cells: CellTexts;
}

type AnyField = Origin & TextFunctions & Pick<TextObject, 'lookup' | 'reverse' | 'onMiss' | 'enrich'> & NumberKeys;

const fieldOf = (leaf: AskedLeaf): AnyField => longForm(leaf.field as string | AnyField);

/** The columns a leaf gets its value from, each once. */
export function leafColumns(leaf: AskedLeaf): string[] {
  const field = fieldOf(leaf);
  const unit = field.unit?.from;
  const columns = [...originColumns(field), ...(typeof unit === 'object' ? [unit.column] : [])];
  return [...new Set(columns.map((column) => column.trim()))];
}

/** Any text will do, within its length. */
export const isFree = (leaf: AskedLeaf): boolean =>
  leaf.kind === 'text' && !isTranslated(leaf) && !isBoolean(leaf) && !isScac(leaf);

const isTranslated = (leaf: AskedLeaf): boolean =>
  fieldOf(leaf).lookup !== undefined || fieldOf(leaf).enrich !== undefined;

export function* ideasFor(leaf: AskedLeaf, context: IdeaContext, choice: Choice): Generator<CellTexts> {
  if (isFree(leaf)) yield* freeIdeas(leaf, context, choice);
  // What is known is what the examples know.
  if (fieldOf(leaf).enrich !== undefined) return yield* exampleIdeas(leaf, context, choice);
  const examplesFirst =
    leaf.kind === 'zone' ? fieldOf(leaf).lookup === undefined : leaf.kind === 'number' && choice.turn % 2 === 0;
  if (examplesFirst) yield* exampleIdeas(leaf, context, choice);
  for (const wanted of wantedTexts(leaf, context, choice)) {
    for (const texts of columnTexts(fieldOf(leaf), wanted, choice.turn)) yield* withUnits(leaf, texts, choice.turn);
  }
  if (!examplesFirst) yield* exampleIdeas(leaf, context, choice);
}

/** What the examples have in all columns of the leaf together. */
function* exampleIdeas(leaf: AskedLeaf, { examples }: IdeaContext, { turn }: Choice): Generator<CellTexts> {
  const columns = leafColumns(leaf);
  for (const { cells } of rotated(examples, turn)) {
    const texts = columns.map((column) => [column, cells.get(column) ?? ''] as const);
    if (texts.some(([, text]) => text !== '')) yield new Map(texts);
  }
}

function* withUnits(leaf: AskedLeaf, texts: CellTexts, turn: number): Generator<CellTexts> {
  const { unit } = fieldOf(leaf);
  if (typeof unit?.from !== 'object') return yield texts;
  const column = unit.from.column.trim();
  for (const text of unitTexts(unit.to, turn)) yield new Map([...texts, [column, text]]);
}

/** Each column gets a text of its own. */
function* freeIdeas(leaf: AskedLeaf, context: IdeaContext, choice: Choice): Generator<CellTexts> {
  const columns = leafColumns(leaf);
  const texts = columns.map((column) => columnIdeas({ column, target: leaf.target, leaf }, context, choice));
  const isFirstOf = fieldOf(leaf).firstOf !== undefined;
  const none = columns.map((column) => [column, ''] as const);
  const most = Math.max(0, ...texts.map(({ length }) => length));
  for (let index = 0; index < most; index += 1) {
    const filled = columns.map((column, at) => [column, texts[at]?.[index] ?? texts[at]?.at(-1) ?? ''] as const);
    if (isFirstOf) yield* rotated(filled, choice.turn).map((one) => new Map([...none, one]));
    else yield new Map(filled);
  }
}

/** Texts for one column that is read as it is, best first; what it holds already comes before all. */
export function columnIdeas(
  { column, target, leaf }: { column: string; target: string; leaf: AskedLeaf | undefined },
  { examples, identities }: IdeaContext,
  { turn, number, cells }: Choice,
): string[] {
  const known = cells.get(column);
  if (known !== undefined) return [known];
  const shown = examples.flatMap((draft) => draft.cells.get(column) ?? []);
  if (identities.has(column) || (leaf !== undefined && isIdentity(leaf))) {
    return [identityText(shown[0], target, number), identityText(undefined, target, number)];
  }
  const words = [...rotated(shown, turn), wordFor(target, column, turn)];
  // A position and its town belong together, and positions are made up here.
  return [...new Set(leaf?.request === 'trace' ? words.reverse() : words)];
}

const IDENTITIES: ReadonlySet<string> = new Set(['loadNumber', 'load_id', ORDER_REF_MEMBER]);

/** Names a load or an order. */
const isIdentity = ({ target, request }: AskedLeaf): boolean => request !== undefined && IDENTITIES.has(target);

const wordOf = (leaf: AskedLeaf, { turn, number }: Choice): string =>
  isIdentity(leaf) ? identityText(undefined, leaf.target, number) : wordFor(leaf.target, '', turn);

/** Texts the field may come to before its lookup and its cast. */
function* wantedTexts(leaf: AskedLeaf, context: IdeaContext, choice: Choice): Generator<WantedText> {
  const { turn, number } = choice;
  const field = fieldOf(leaf);
  const text = (one: string): WantedText => ({ text: one });
  if (leaf.kind === 'time') return yield* timesWanted(leaf, context, choice);
  if (leaf.kind === 'coordinate') {
    const { form = 'decimal', decimal = '.' } = longForm<Exclude<typeof leaf.field, string>>(leaf.field);
    const joined = field.template === undefined ? (field.join ?? ' ') : '';
    const join = leafColumns(leaf).length > 1 ? joined : undefined;
    return yield* coordinateTexts(leaf.target as Axis, { form, decimal, join }, turn);
  }
  if (field.lookup !== undefined) yield* listTexts(field, context.lists, turn).map(text);
  if (field.lookup !== undefined && field.onMiss !== 'keep') return;
  if (leaf.kind === 'zone') yield* zoneTexts(turn).map(text);
  else if (leaf.kind === 'number') yield* numberTexts(field, turn).map(text);
  else if (isBoolean(leaf)) yield* booleanTexts(turn).map(text);
  else if (isScac(leaf)) yield* scacTexts(context.scacs, turn).map(text);
  else yield* [wordOf(leaf, choice), String(number)].map(text);
}

/** Words of the lists in turn, so that all lists are met. */
function listTexts({ lookup, reverse }: AnyField, lists: CodeLists, turn: number): string[] {
  const known = lookupNames(lookup).flatMap((name) => lists.get(name) ?? []);
  const round = Math.floor(turn / Math.max(1, known.length));
  return rotated(known, turn).flatMap((list) => rotated(reverse === true ? codesOf(list) : wordsOf(list), round));
}

const wordsOf = ({ document }: CodeList): string[] => Object.keys(document.codes);
const codesOf = (list: CodeList): string[] =>
  [...new Set(Object.values(list.document.codes))].filter((code) => list.findWord(code) !== undefined);

/** Every pattern of the list in turn. */
function* timesWanted(leaf: TimeLeaf, context: IdeaContext, choice: Choice): Generator<WantedText> {
  const { turn } = choice;
  const patterns = patternsOf(leaf.field.parse);
  const round = Math.floor(turn / patterns.length);
  const moments = [
    ...momentsNear(context.dayMs, choice),
    ...exampleDays(leaf, context).map((day) => momentOn(day, choice)),
  ];
  for (const localMs of moments) {
    for (const pattern of rotated(patterns, turn)) yield* timeTexts(pattern, { localMs, turn: round });
  }
}

type TimeLeaf = AskedLeaf & { kind: 'time' };

/** Days that stand in the document: where a constant says the day, no other will do. */
function exampleDays(leaf: TimeLeaf, { lists, examples }: IdeaContext): number[] {
  const columns = leafColumns(leaf);
  const scope = { indexOf: indexIn(columns), lists, within: '' };
  const read = compileWorkingText(leaf.field, placeOf(leaf.field, leaf.target, scope), scope);
  const patterns = patternsOf(leaf.field.parse).flatMap((source) => {
    const compiled = compileDateTimePattern(source);
    return compiled.ok ? [compiled.value] : [];
  });
  const days = examples.flatMap(({ cells }) => {
    const text = read(
      columns.map((column) => cells.get(column) ?? ''),
      [],
    );
    const parsed = text === undefined ? undefined : patterns.map(({ parse }) => parse(text)).find(({ ok }) => ok);
    return parsed?.ok === true ? dayOf(parsed.value) : [];
  });
  return [...new Set(days)].slice(0, EXAMPLE_DAYS_MAX);
}

/** Days of examples that are tried for one time. */
const EXAMPLE_DAYS_MAX = 3;
