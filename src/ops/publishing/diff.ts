/**
 * The differences between two documents, by meaning: comments, the order of keys and YAML style do not count.
 * Pure. Lists are compared from both ends towards the middle, so that one inserted item is one difference.
 */

import { checkCodeList } from '../../mapping/check/code-list.ts';
import { canonicalJson, type Json } from '../../mapping/document/canonical.ts';
import type { CodeList } from '../../mapping/document/code-list.ts';
import { type DocumentPath, formatPath } from '../../mapping/document/problems.ts';
import type { VersionContent } from './version-content.ts';

/** `from` absent: added; `to` absent: removed. */
export interface Difference {
  path: string;
  from?: Json;
  to?: Json;
}

/** Code lists are under `codeLists` by their names. @param from null: there was nothing before. */
export const versionDifferences = (from: VersionContent | null, to: VersionContent | null): Difference[] =>
  valueDifferences(from === null ? undefined : byName(from), to === null ? undefined : byName(to));

/** @param written a code list that was checked. @param from absent: there was no such list. */
export function listDifferences(from: CodeList | undefined, written: string): Difference[] {
  const to = checkCodeList(written);
  return valueDifferences(from?.document, to.ok ? to.value.document : undefined);
}

function byName({ document, codeLists }: VersionContent): Json {
  const lists = Object.fromEntries(codeLists.map((list) => [list.list, list]));
  return { ...document, codeLists: lists } as unknown as Json;
}

/** Descends to the smallest parts that differ. */
export function valueDifferences(from: Json | undefined, to: Json | undefined, at: DocumentPath = []): Difference[] {
  if (from !== undefined && to !== undefined && canonicalJson(from) === canonicalJson(to)) return [];
  if (from === undefined && to === undefined) return [];
  if (isList(from) && isList(to)) return itemDifferences(from, to, at);
  if (isRecord(from) && isRecord(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return keys.flatMap((key) => valueDifferences(member(from, key), member(to, key), [...at, key]));
  }
  const difference: Difference = { path: formatPath(at) };
  if (from !== undefined) difference.from = from;
  if (to !== undefined) difference.to = to;
  return [difference];
}

function itemDifferences(from: readonly Json[], to: readonly Json[], at: DocumentPath): Difference[] {
  const shorter = Math.min(from.length, to.length);
  const same = (left: Json | undefined, right: Json | undefined): boolean =>
    left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right);
  let head = 0;
  while (head < shorter && same(from[head], to[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && same(from.at(-1 - tail), to.at(-1 - tail))) tail += 1;
  const middle = Math.max(from.length, to.length) - head - tail;
  return Array.from({ length: middle }, (_, index) => head + index).flatMap((index) =>
    valueDifferences(
      index < from.length - tail ? from[index] : undefined,
      index < to.length - tail ? to[index] : undefined,
      [...at, index],
    ),
  );
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: { readonly [key: string]: Json | undefined }, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;
