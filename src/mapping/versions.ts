/**
 * Immutable versions of a mapping: the document with every code list it uses, as one canonical text named by its SHA-256.
 *
 * A batch pins that name. What is compiled depends on the text alone, so a mapping or a list that is edited later changes
 * nothing for it; comments and the order of keys make no new version.
 */
import { err, ok, type Result } from '../kernel/result.ts';
import { canonicalJson, type Json, sha256Hex } from './canonical.ts';
import { checkMappingValue } from './check.ts';
import { checkCodeListValue } from './check-code-list.ts';
import type { CodeList, CodeLists } from './code-list.ts';
import { type CompiledMapping, compileMapping } from './compile.ts';
import type { MappingDocument } from './document.ts';
import { documentParts } from './document-parts.ts';
import { type DocumentProblem, formatPath, type PlacedProblem } from './document-problem.ts';
import { longForm, lookupNames, type TextObject } from './field-spec.ts';
import { leavesOf } from './leaves.ts';

/** The form of the stored text; a later form gets another number, and this one stays readable. */
const FORM = 1;

export interface MappingVersion {
  sha256: string;
  /** The exact text to store under that name, UTF-8. */
  text: string;
}

/** @param document as `checkMapping` returned it, with the lists it was checked against. */
export async function mappingVersion(document: MappingDocument, lists: CodeLists): Promise<MappingVersion> {
  const text = versionText(document, lists);
  return { sha256: await sha256Hex(text), text };
}

export function versionText(document: MappingDocument, lists: CodeLists): string {
  const used = [...usedLists(document)].sort().flatMap((name) => lists.get(name)?.document ?? []);
  // Both have just been read from YAML or JSON, so they hold nothing that JSON cannot.
  return canonicalJson({ form: FORM, document, codeLists: used } as unknown as Json);
}

/** @returns the mapping a stored version stands for; problems only when the text is not one this program wrote. */
export function readVersion(text: string): Result<CompiledMapping, DocumentProblem[]> {
  const opened = openVersion(text);
  return opened.ok ? ok(compileMapping(opened.value.document, opened.value.lists)) : opened;
}

/** @returns the document in a stored version, with the lists it is checked against; problems as above. */
export function openVersion(text: string): Result<{ document: MappingDocument; lists: CodeLists }, DocumentProblem[]> {
  const stored = parseJson(text);
  if (stored?.form !== FORM || !Array.isArray(stored.codeLists)) return err([notAVersion()]);
  const lists = new Map<string, CodeList>();
  const problems: PlacedProblem[] = [];
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
  wanted: `the text that was stored, form ${FORM}`,
});

/** Names of the code lists a document looks anything up in. */
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
