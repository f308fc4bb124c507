/**
 * Views of a mapping or a code list: as JSON, or the YAML as its author wrote it. The same for partners and operators.
 */
import type { Context } from 'hono';
import type { Difference } from '../../ops/publishing/diff.ts';
import { DIFFERENCES_MAX } from '../../ops/publishing/limits.ts';
import type { Current, CurrentMapping } from '../../ops/publishing/names.ts';
import type { Publication } from '../../ops/publishing/publication.ts';
import { contentOf } from '../../ops/publishing/version-content.ts';
import { acceptedTypes } from '../edge/query.ts';

/** RFC 9512, and the types in use before it. */
const YAML_TYPES: ReadonlySet<string> = new Set([
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
  'text/vnd.yaml',
]);

/** @returns the YAML type that the caller prefers; undefined: it prefers JSON, or accepts anything. */
export function yamlType(accept: string | undefined): string | undefined {
  const preferred = acceptedTypes(accept ?? null).find((type) => type === 'application/json' || YAML_TYPES.has(type));
  return preferred === undefined || preferred === 'application/json' ? undefined : preferred;
}

/** For If-Match: of the version, whatever else the answer says. Whether an answer is still the same shows another tag. */
export const versionTag = (sha256: string): string => `"${sha256}"`;

/** The text as written, in the YAML type that the caller accepts; undefined when it accepts none. @param tag as `ETag`. */
export function yamlAnswer(context: Context, written: string, tag: string): Response | undefined {
  const type = yamlType(context.req.header('Accept'));
  if (type === undefined) return undefined;
  return context.body(written, 200, { 'Content-Type': `${type}; charset=utf-8`, ETag: tag });
}

export const mappingLine = ({ name, sha256, summary }: CurrentMapping) => {
  const { description, format, kinds } = summary;
  return { name, description, format, kinds, sha256 };
};

export const mappingWhole = (standing: CurrentMapping & { text: string }) => {
  const { document, codeLists } = contentOf(standing.text);
  return { ...mappingLine(standing), document, codeLists };
};

/** What a name points at, and since when. */
export const phaseMessage = ({ publication, bundledSha256 }: Current<unknown>) => ({
  origin: publication === null ? ('bundled' as const) : ('published' as const),
  bundledSha256,
  publication: publication === null ? null : publicationMessage(publication),
});

export const publicationMessage = (made: Publication<unknown>) => ({
  edition: made.edition,
  action: made.action,
  beforeSha256: made.beforeSha256,
  ...(made.becauseOf === null ? {} : { codeList: made.becauseOf }),
  by: made.by,
  at: made.at,
  note: made.note,
});

export const differencesShown = (differences: readonly Difference[]) => ({
  differences: differences.slice(0, DIFFERENCES_MAX),
  differencesOmitted: Math.max(0, differences.length - DIFFERENCES_MAX),
});
