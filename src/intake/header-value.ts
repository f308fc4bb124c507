/**
 * A header such as `form-data; name="file"; filename="events.csv"` → its value and its parameters. Pure and lenient:
 * what cannot be read is left out, and the caller misses it.
 */
export interface HeaderValue {
  /** In lower case. */
  value: string;
  /** By name in lower case; of a name that stands twice, the first. */
  parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]*))/g;

export function readHeaderValue(text: string): HeaderValue {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1'));
  }
  return { value: (text.split(';')[0] ?? '').trim().toLowerCase(), parameters };
}

/** Browsers and curl write these three characters of a name in this way (WHATWG HTML, multipart/form-data), and no others. */
const ESCAPED = new Map([
  ['%22', '"'],
  ['%0d', '\r'],
  ['%0a', '\n'],
]);

/** The file name of a form's part; `filename*` (RFC 8187) says it best where it stands and can be read. */
export function fileNameOf({ parameters }: HeaderValue): string | null {
  const extended = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '')?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // Not what it says it is: the plain name may be.
    }
  }
  return (
    parameters.get('filename')?.replace(/%22|%0d|%0a/gi, (code) => ESCAPED.get(code.toLowerCase()) ?? code) ?? null
  );
}
