/**
 * What is asked of the cells of a record, or of an element of an array: a question per leaf, one per column whose values
 * are counted, and one per column that no leaf fills.
 */
import type { CodeLists } from './code-list.ts';
import type { CompiledMapping } from './compile.ts';
import type { DocumentParts } from './document-parts.ts';
import { longForm, type TextField } from './field-spec.ts';
import type { Answers } from './look-up.ts';
import { originColumns } from './origin.ts';
import type { Domains, Effort } from './sample-domains.ts';
import { columnsOf, draftsIn, rotated, shapeIn } from './sample-draft.ts';
import type { SampleExamples } from './sample-examples.ts';
import { columnIdeas, type IdeaContext, ideasFor, isFree, leafColumns } from './sample-ideas.ts';
import { type AskedLeaf, isRequired, type Judge, judgeOf, type LeafScope } from './sample-leaf.ts';
import { isAt, type Reading } from './sample-scenarios.ts';
import type { Question } from './sample-solve.ts';

export interface Composing {
  mapping: CompiledMapping;
  parts: DocumentParts;
  lists: CodeLists;
  /** To what is looked up among vehicles and locations. */
  answers: Answers;
  examples: SampleExamples;
  /** SCACs that may be used; none: any. */
  scacs: readonly string[];
  dayMs: number;
  /** Subjects that the file has already. */
  taken: ReadonlySet<string>;
  effort: Effort;
  /** The file's columns; undefined: it has whatever is written. */
  columns: readonly string[] | undefined;
  /** Whether the file's form and encoding can write a text. */
  writes(text: string): boolean;
}

/** @property turn chooses among words, patterns and ways; number is the record's own, counted from 1. */
export interface Turn {
  turn: number;
  number: number;
}

export interface Asking extends Turn {
  reading: Reading;
  /** Of arrays; none: the record itself. */
  path: readonly string[];
  domains: Domains;
}

export function questionsOf(composing: Composing, asking: Asking): Question[] {
  const { path, domains } = asking;
  const { shape } = composing.mapping;
  const columns = columnsOf(shapeIn(shape, path));
  const scope: LeafScope = { columns, around: path.length === 0 ? [] : columnsOf(shape) };
  const context = ideaContext(composing, path);
  const leaves = asking.reading.leaves.filter((leaf) => isAt(leaf.scope, path));
  const filled = new Set(leaves.flatMap(leafColumns));
  const unasked = columns.filter((column) => !filled.has(column));
  return [
    ...[...domains].flatMap(([column, { allowed }]) => (allowed === undefined ? [] : counted(column, allowed, asking))),
    ...leaves.map((leaf) => leafQuestion(leaf, { composing, scope, context, asking, leaves })),
    ...unasked.map((column) => unaskedQuestion(column, context, asking)),
  ];
}

function ideaContext({ parts, lists, examples, scacs, dayMs }: Composing, path: readonly string[]): IdeaContext {
  const identities = new Set((path.length === 0 ? parts.group?.by : [])?.map((column) => column.trim()));
  return { lists, scacs, dayMs, examples: draftsIn(examples.drafts, path), identities };
}

/** Asked in this order: what leaves the least choice comes first. */
const RANKS = { counted: 0, zone: 1, code: 2, time: 3, measure: 4, pattern: 5, free: 6, unasked: 7 } as const;

const ANY_TEXT: Judge = () => 'value';

/** A column that conditions leave only some values. */
const counted = (column: string, allowed: readonly string[], { turn }: Turn): Question => ({
  columns: [column],
  needs: [],
  rank: RANKS.counted,
  required: false,
  judge: ANY_TEXT,
  ideas: () => rotated(allowed, turn).map((text) => new Map([[column, text]])),
});

interface LeafAsking {
  composing: Composing;
  scope: LeafScope;
  context: IdeaContext;
  asking: Asking;
  leaves: readonly AskedLeaf[];
}

function leafQuestion(leaf: AskedLeaf, { composing, scope, context, asking, leaves }: LeafAsking): Question {
  const { turn, number } = asking;
  const later = leaves.filter(({ kind }) => kind === 'time').indexOf(leaf);
  return {
    columns: leafColumns(leaf),
    needs: zoneColumns(leaf, composing, asking.path),
    rank: rankOf(leaf),
    required: isRequired(leaf),
    judge: judgeOf(leaf, scope, composing),
    ideas: (cells) => ideasFor(leaf, context, { turn, number, later: Math.max(0, later), cells }),
  };
}

/** The columns of a time's zone, where they are filled together with the time's own. */
function zoneColumns(leaf: AskedLeaf, { parts }: Composing, path: readonly string[]): string[] {
  if (leaf.kind !== 'time') return [];
  const zone = leaf.field.zone ?? (path.length === 0 ? parts.zone : undefined);
  return zone === undefined
    ? []
    : originColumns(longForm<Exclude<TextField, string>>(zone)).map((column) => column.trim());
}

function rankOf(leaf: AskedLeaf): number {
  if (leaf.kind === 'zone') return RANKS.zone;
  if (leaf.kind === 'time') return RANKS.time;
  if (leaf.kind !== 'text') return RANKS.measure;
  if (!isFree(leaf)) return RANKS.code;
  return typeof leaf.field === 'object' && leaf.field.capture !== undefined ? RANKS.pattern : RANKS.free;
}

/** A column that only a condition, the switch or the group looks at, or another kind of record: empty where it may be. */
const unaskedQuestion = (column: string, context: IdeaContext, { turn, number }: Turn): Question => ({
  columns: [column],
  needs: [],
  rank: RANKS.unasked,
  required: false,
  judge: ANY_TEXT,
  ideas: (cells) => {
    const texts = columnIdeas({ column, target: column, leaf: undefined }, context, { turn, number, later: 0, cells });
    const others = context.identities.has(column) ? texts : ['', ...texts];
    return others.map((text) => new Map([[column, text]]));
  },
});
