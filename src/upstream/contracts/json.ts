/** JSON of the other side: read without throwing, and the value at a path of member names. Pure. */

/** @returns undefined, which is not a JSON value, if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns undefined if the path leads out of the document. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** @returns a copy with the value at the path, in objects of its own where there are none. */
export function withValueAt(document: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const inner = valueAt(document, [name]);
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  return { ...document, [name]: rest.length === 0 ? value : withValueAt(isObject ? inner : {}, rest, value) };
}
