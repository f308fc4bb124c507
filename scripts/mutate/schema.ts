/**
 * A source file with all its drawn mutants in it, of which at most one is active at a time: nothing is compiled or loaded
 * again from one mutant to the next. Lines stay where they are. Pure.
 */
import type { Mutant } from './mutants.ts';
import { childOf, childrenOf, isFunction, isLoop, moduleValueOf, type Node, treeOf } from './tree.ts';

export interface NumberedMutant extends Mutant {
  /** 1 and above; 0 is the source as it is. */
  id: number;
}

/** What the names in the changed source stand for: see `active.ts`. */
const PRELUDE = 'const{is:__is,loop:__loop,enter:__enter,again:__again}=globalThis.__mutation;';

/** Text around a span of the source; of equal spans the one with the lower rank is outside. */
interface Wrap {
  start: number;
  end: number;
  before: string;
  after: string;
  rank: number;
}

interface Edits {
  wraps: Wrap[];
  /** Text at a place, and how many characters of the source it stands for. */
  points: { at: number; text: string; instead: number }[];
}

/**
 * @param fileId under which a call of any of the file's functions is noted; null: nobody asks.
 * @param remade by constant of the file: mutants of others that it is made of.
 */
export function withMutants(
  path: string,
  text: string,
  mutants: readonly NumberedMutant[],
  fileId: number | null,
  remade: ReadonlyMap<string, readonly number[]> = new Map(),
): string {
  const tree = treeOf(path, text);
  const edits: Edits = { wraps: mutants.map(switched), points: [] };
  for (const statement of tree.body as Node[]) makeAgain(statement, mutants, remade, edits);
  watch(tree, fileId, edits);
  return PRELUDE + applied(text, edits);
}

function switched({ id, start, end, after, isStatement }: NumberedMutant): Wrap {
  if (isStatement) return { start, end, before: `{if(!__is(${id})){`, after: '}}', rank: id };
  return { start, end, before: `(__is(${id})?(${after}):(`, after: '))', rank: id };
}

/** The value of a module's constant is made once more when a mutant in it, or in what it is made of, comes or goes: whoever imports it sees it. */
function makeAgain(
  statement: Node,
  mutants: readonly NumberedMutant[],
  remade: ReadonlyMap<string, readonly number[]>,
  { wraps, points }: Edits,
): void {
  const value = moduleValueOf(statement);
  if (value === null) return;
  const inIt = mutants
    .filter(({ constant, madeWith }) => constant === value.name || madeWith === value.name)
    .map(({ id }) => id);
  const own = [...inIt, ...(remade.get(value.name) ?? [])];
  if (own.length === 0) return;
  const { declaration, init, name } = value;
  points.push({ at: declaration.start, text: 'let', instead: 'const'.length });
  wraps.push({ start: init.start, end: init.end, before: `(__of_${name}=()=>(`, after: '))()', rank: 0 });
  points.push({
    at: statement.end,
    text: `;var __of_${name};__again([${own}],()=>{${name}=__of_${name}()});`,
    instead: 0,
  });
}

/** Loops count their rounds, so that a mutant that never ends does end; functions note that they were called. */
function watch(node: Node, fileId: number | null, edits: Edits): void {
  const { wraps, points } = edits;
  const body = childOf(node, 'body');
  const call = isLoop(node) ? '__loop()' : isFunction(node) && fileId !== null ? `__enter(${fileId})` : null;
  if (body !== null && call !== null) {
    const { start, end } = body;
    if (body.type === 'BlockStatement') points.push({ at: start + 1, text: `${call};`, instead: 0 });
    else if (isLoop(node)) wraps.push({ start, end, before: `{${call};`, after: '}', rank: 0 });
    else wraps.push({ start, end, before: `(${call},(`, after: '))', rank: 0 });
  }
  for (const { child } of childrenOf(node)) watch(child, fileId, edits);
}

/** At one place: what ends there, inner ends first; what is put there; what begins there, outer ones first. */
function applied(text: string, { wraps, points }: Edits): string {
  const opening = [...wraps].sort((one, two) => one.start - two.start || two.end - one.end || one.rank - two.rank);
  const closing = [...wraps].sort((one, two) => one.end - two.end || two.start - one.start || two.rank - one.rank);
  const edits = [
    ...closing.map(({ end, after }) => ({ at: end, text: after, instead: 0, order: 0 })),
    ...points.map((point) => ({ ...point, order: 1 })),
    ...opening.map(({ start, before }) => ({ at: start, text: before, instead: 0, order: 2 })),
  ].sort((one, two) => one.at - two.at || one.order - two.order);
  let made = '';
  let from = 0;
  for (const { at, text: inserted, instead } of edits) {
    made += text.slice(from, at) + inserted;
    from = at + instead;
  }
  return made + text.slice(from);
}
