/** Canonical JSON: one text for equal content, in any key order; and where two JSON values differ. Pure. */
import { type DocumentPath, formatPath } from './problems.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * For hashing and storing, not for reading: keys in code unit order, no blanks, undefined members left out. Numbers must be
 * finite. @param asWritten an object within it whose keys keep their order.
 */
export function canonicalJson(value: Json, asWritten: object | null = null): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((each) => canonicalJson(each, asWritten)).join(',')}]`;
  const keys = Object.keys(value);
  const members = (value === asWritten ? keys : keys.sort()).flatMap((key) => {
    const member = value[key];
    return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member, asWritten)}`];
  });
  return `{${members.join(',')}}`;
}

// Array.isArray does not narrow a readonly list.
const isList = (value: object): value is readonly Json[] => Array.isArray(value);

/** Wanted and received are JSON, or a text if one of them is missing. */
export interface JsonDifference {
  path: string;
  wanted: string;
  received: string;
}

/** Goes down to the smallest parts that differ. */
export function jsonDifferences(
  wanted: Json | undefined,
  received: Json | undefined,
  at: DocumentPath,
): JsonDifference[] {
  if (wanted === received) return [];
  if (wanted !== undefined && received !== undefined && canonicalJson(wanted) === canonicalJson(received)) return [];
  const inner = innerOf(wanted);
  const others = innerOf(received);
  if (inner === undefined || others === undefined || Array.isArray(wanted) !== Array.isArray(received)) {
    return [{ path: formatPath(at), wanted: shown(wanted), received: shown(received) }];
  }
  const keys = new Set([...inner.keys(), ...others.keys()]);
  return [...keys].flatMap((key) => jsonDifferences(inner.get(key), others.get(key), [...at, key]));
}

function innerOf(value: Json | undefined): ReadonlyMap<string | number, Json | undefined> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? new Map(value.entries()) : new Map(Object.entries(value));
}

const shown = (value: Json | undefined): string => (value === undefined ? 'nothing' : canonicalJson(value));
