/**
 * Conditions turned around: what each column must hold so that they are true, or false.
 *
 * A condition can be met in several ways; each is tried on top of what other conditions demand already, and ways that
 * contradict them are passed over.
 */
import { type Condition, innerConditions } from './condition.ts';
import { rotated } from './sample-draft.ts';

/** @property allowed the only values a column may have; undefined: any but the refused ones. */
export interface Domain {
  allowed: readonly string[] | undefined;
  refused: ReadonlySet<string>;
}

export type Domains = ReadonlyMap<string, Domain>;

/** What is left to be tried for one file: conditions and columns can be combined in more ways than can be looked at. */
export interface Effort {
  left: number;
}

export interface Narrowing {
  /** Which of several ways comes first. */
  turn: number;
  effort: Effort;
}

const ANYTHING: Domain = { allowed: undefined, refused: new Set() };

/** Conditions compare without blanks around the value, so that is how a text is judged here, too. */
export function fitsDomain(domains: Domains, column: string, text: string): boolean {
  const { allowed, refused } = domains.get(column) ?? ANYTHING;
  const value = text.trim();
  return !refused.has(value) && (allowed === undefined || allowed.includes(value));
}

/** @returns all ways in which the condition is met, or not met, within the domains. */
export function* narrowed(domains: Domains, of: Condition, holds: boolean, how: Narrowing): Generator<Domains> {
  if (how.effort.left <= 0) return;
  how.effort.left -= 1;
  if (of.not !== undefined) return yield* narrowed(domains, of.not, !holds, how);
  if (of.all === undefined && of.any === undefined) return yield* narrowedByOne(domains, of, holds);
  const inner = innerConditions(of).map(({ condition }) => condition);
  if ((of.all !== undefined) === holds) return yield* narrowedByEach(domains, inner, holds, how);
  for (const one of rotated(inner, how.turn)) yield* narrowed(domains, one, holds, how);
}

function* narrowedByEach(
  domains: Domains,
  conditions: readonly Condition[],
  holds: boolean,
  how: Narrowing,
): Generator<Domains> {
  const [first, ...others] = conditions;
  if (first === undefined) return yield domains;
  for (const next of narrowed(domains, first, holds, how)) yield* narrowedByEach(next, others, holds, how);
}

function* narrowedByOne(domains: Domains, of: Condition, holds: boolean): Generator<Domains> {
  const column = of.field?.trim();
  if (column === undefined) return;
  const { values, among } = question(of);
  const next = within(domains.get(column) ?? ANYTHING, values, among === holds);
  if (next !== undefined) yield new Map([...domains, [column, next]]);
}

/** Whether the value is asked to be among these, or not among them. */
function question(of: Condition): { values: readonly string[]; among: boolean } {
  if (of.equals !== undefined) return { values: [of.equals], among: true };
  if (of.empty !== undefined) return { values: [''], among: of.empty };
  return of.in === undefined ? { values: of.notIn ?? [], among: false } : { values: of.in, among: true };
}

/** @returns undefined when no value is left. */
function within(domain: Domain, values: readonly string[], among: boolean): Domain | undefined {
  const { allowed, refused } = domain;
  if (!among) {
    const more = new Set([...refused, ...values]);
    const left = allowed?.filter((value) => !more.has(value));
    return left?.length === 0 ? undefined : { allowed: left, refused: more };
  }
  const known = new Set(allowed ?? values);
  // A cell is compared without blanks around it, so a value with blanks is never met.
  const left = values.filter((value) => known.has(value) && !refused.has(value) && value === value.trim());
  return left.length === 0 ? undefined : { allowed: left, refused };
}
