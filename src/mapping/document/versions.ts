/**
 * Immutable versions of a mapping: the document with every code list it uses, as one canonical text named by its
 * SHA-256. A batch pins that name, so a later edit of the mapping or a list changes nothing for it; comments and key
 * order make no new version, but for the order in which lines of fixed width are carried.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { checkMappingValue } from '../check/check.ts';
import { checkCodeListValue } from '../check/code-list.ts';
import { mayIsolate } from '../check/plans.ts';
import { type CompiledMapping, compileMapping } from '../compile/compile.ts';
import { canonicalJson, type Json } from './canonical.ts';
import type { CodeList, CodeListDocument, CodeLists } from './code-list.ts';
import type { MappingDocument } from './document.ts';
import { documentParts, leavesOf } from './document-parts.ts';
import { longForm, lookupNames, type TextObject } from './field-spec.ts';
import { type DocumentProblem, formatPath, type LocatedProblem } from './problems.ts';

/**
 * The form of the stored text; a later form gets another number, and all stay readable. In form 1 (release 0.1) a
 * document without `isolate` means `record`, since form 2 it means `event`.
 */
const FORM = 2;

export interface MappingVersion {
  sha256: string;
  /** The exact text to store under that name, UTF-8. */
  text: string;
  claimedAs: ClaimNames;
}

/**
 * Names that files are claimed under: first by what is done with them, ignoring descriptions and examples; then as
 * release 0.1 claimed them, which knew only the version's own name.
 */
export type ClaimNames = readonly [string, ...string[]];

/** @param document as `checkMapping` returned it, with the lists it was checked against. */
export function mappingVersion(document: MappingDocument, lists: CodeLists): MappingVersion {
  const text = versionText(document, lists);
  return { sha256: sha256Hex(text), text, claimedAs: claimNames(document, lists) };
}

/**
 * @param stored the text that both were read from, if there is one: what release 0.1 wrote is its own name, as today's
 * document says more.
 */
export function claimNames(document: MappingDocument, lists: CodeLists, stored?: string): ClaimNames {
  const isFirst = stored !== undefined && parseJson(stored)?.form === 1;
  const first = isFirst ? stored : versionText(document, lists, 1);
  return [sha256Hex(workText(document, lists)), sha256Hex(first)];
}

export const versionText = (document: MappingDocument, lists: CodeLists, form = FORM): string =>
  // Both were just read from YAML or JSON, so they hold nothing that JSON cannot.
  canonicalJson(
    { form, document, codeLists: listsIn(document, lists) } as unknown as Json,
    form === FORM ? nestedKinds(document) : null,
  );

/**
 * Kinds of line are nested in the order in which those carried are written. null: it is that of their names. Earlier
 * versions were stored by name, whatever was written: so they are read, until they are published again.
 */
function nestedKinds({ source }: MappingDocument): object | null {
  if (source.format !== 'fixed') return null;
  const { records } = source;
  const carried = Object.keys(records).filter((name) => records[name]?.use === 'carried');
  return carried.join('\n') === carried.toSorted().join('\n') ? null : records;
}

/** All that decides what becomes of a file, without descriptions and examples. */
function workText(document: MappingDocument, lists: CodeLists): string {
  const { description: _, examples: __, ...work } = document;
  const codeLists = listsIn(document, lists).map(({ description, meanings, unverified, ...codes }) => codes);
  return canonicalJson({ document: work, codeLists } as unknown as Json, nestedKinds(document));
}

const listsIn = (document: MappingDocument, lists: CodeLists): CodeListDocument[] =>
  [...usedLists(document)].sort().flatMap((name) => lists.get(name)?.document ?? []);

/** @returns the mapping of a stored version; problems only if this program did not write the text. */
export function readVersion(text: string): Result<CompiledMapping, DocumentProblem[]> {
  const opened = openVersion(text);
  return opened.ok ? ok(compileMapping(opened.value.document, opened.value.lists)) : opened;
}

/** @returns the document of a stored version, with the lists it is checked against; problems as above. */
export function openVersion(text: string): Result<{ document: MappingDocument; lists: CodeLists }, DocumentProblem[]> {
  const stored = versionContent(text);
  if (stored === undefined) return err([notAVersion()]);
  const lists = new Map<string, CodeList>();
  const problems: LocatedProblem[] = [];
  for (const value of stored.codeLists) {
    const list = checkCodeListValue(value);
    if (list.ok) lists.set(list.value.name, list.value);
    else problems.push(...list.error);
  }
  const document = checkMappingValue(stored.document, lists);
  if (!document.ok) problems.push(...document.error);
  if (!document.ok || problems.length > 0)
    return err(problems.map(({ at, ...rest }) => ({ path: formatPath(at), ...rest })));
  return ok({ document: document.value, lists });
}

/** @returns a stored version in the form of today's documents, not validated; undefined if it is none. */
export function versionContent(text: string): { document: unknown; codeLists: unknown[] } | undefined {
  const { form, document, codeLists } = parseJson(text) ?? {};
  if ((form !== 1 && form !== FORM) || !Array.isArray(codeLists)) return undefined;
  return { document: form === 1 ? withIsolate(document) : document, codeLists };
}

function withIsolate(document: unknown): unknown {
  const parts = documentParts(document);
  return parts.hasIsolate || !mayIsolate(parts) ? document : { ...(document as object), isolate: 'record' };
}

function parseJson(text: string): { form?: unknown; document?: unknown; codeLists?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const notAVersion = (): DocumentProblem => ({
  path: '',
  code: 'wrong_form',
  message: 'This text is not a stored mapping version.',
  wanted: `the text that was stored, form 1 or ${FORM}`,
});

/** Names of the code lists that a document uses. */
export function usedLists(document: MappingDocument): ReadonlySet<string> {
  const leaves = leavesOf(documentParts(document));
  return new Set(
    leaves.flatMap((leaf) => {
      if (leaf.kind === 'condition') return [];
      const spec = longForm<Pick<TextObject, 'from' | 'lookup'>>(leaf.field);
      return lookupNames(spec.lookup);
    }),
  );
}
