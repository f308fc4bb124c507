/**
 * A document that extends a shipped one: a partner's dialect of it, which says only what differs. Pure.
 *
 * What comes out is a whole document. It is what is checked, proved and stored, so that a batch knows nothing of its base, and a
 * base that a later deploy changes reaches a dialect when that is published again.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { PlacedProblem } from './document-problem.ts';
import { didYouMean } from './nearest.ts';
import { readYaml } from './read-yaml.ts';

/** Whole documents that may be extended, as text by name. */
export type Bases = ReadonlyMap<string, string>;

export interface Expanded {
  value: unknown;
  /** Whether the list of paths that must find one value is the base's. */
  hasInheritedSingle: boolean;
}

/** What a document is about is its own. */
const OWN_KEYS = ['mapping', 'description', 'examples'];
/** Laid over the base's by name; anything else takes the place of the base's as a whole. */
const MERGED_KEYS = ['source', 'fields', 'order'];

type Members = Readonly<Record<string, unknown>>;

export function expanded(own: unknown, bases: Bases): Result<Expanded, PlacedProblem[]> {
  if (!isMembers(own) || own.extends === undefined) return ok({ value: own, hasInheritedSingle: false });
  const { extends: name, ...others } = own;
  const text = typeof name === 'string' ? bases.get(name) : undefined;
  const yaml = text === undefined ? undefined : readYaml(text);
  const base = yaml?.ok === true ? yaml.value.value : undefined;
  if (!isMembers(base) || base.extends !== undefined) return err([unknownBase(name, bases)]);
  const inherited = Object.fromEntries(Object.entries(base).filter(([key]) => !OWN_KEYS.includes(key)));
  const merged = MERGED_KEYS.flatMap((key) => {
    const [before, after] = [inherited[key], others[key]];
    return isMembers(before) && isMembers(after) ? [[key, { ...before, ...after }] as const] : [];
  });
  const hasInheritedSingle = !(isMembers(others.source) && 'single' in others.source);
  return ok({ value: { ...inherited, ...others, ...Object.fromEntries(merged) }, hasInheritedSingle });
}

/** A path that the base asks one value of, and that the dialect does not read, is asked of no more. */
export function withoutUnread(value: unknown, problems: readonly PlacedProblem[]): unknown {
  const unread = new Set(problems.filter(isUnreadSingle).map(({ at }) => at[2]));
  if (unread.size === 0 || !isMembers(value) || !isMembers(value.source)) return value;
  const { single, ...source } = value.source;
  const kept = Array.isArray(single) ? single.filter((_, index) => !unread.has(index)) : [];
  return { ...value, source: kept.length === 0 ? source : { ...source, single: kept } };
}

const isUnreadSingle = ({ at, code }: PlacedProblem): boolean =>
  code === 'no_effect' && at[0] === 'source' && at[1] === 'single' && at.length === 3;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownBase = (name: unknown, bases: Bases): PlacedProblem => ({
  at: ['extends'],
  code: 'base_unknown',
  value: String(name),
  message: `"extends" names no shipped mapping that is whole in itself.${didYouMean(String(name), bases.keys())}`,
  wanted: 'the name of a shipped mapping that extends none',
});
