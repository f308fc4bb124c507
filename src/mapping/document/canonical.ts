/** Canonical JSON: one text for equal content, in any key order. For hashing and storing, not for reading. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Keys in code unit order, no blanks, undefined members left out. Numbers must be finite. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
    });
  return `{${members.join(',')}}`;
}

// Array.isArray does not narrow a readonly list.
const isList = (value: object): value is readonly Json[] => Array.isArray(value);
