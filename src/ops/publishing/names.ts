/** What every name of an environment points at: its publication, or else what is bundled. */

import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { checkCodeList } from '../../mapping/check/code-list.ts';
import type { CodeList, CodeLists } from '../../mapping/document/code-list.ts';
import type { Bundle } from './bundle.ts';
import type { Artifact, CodeListSummary, MappingSummary, Owners, Pointers, Publication } from './publication.ts';
import type { PublicationStore, Unavailable } from './publication-store.ts';
import type { Refusal } from './refusal.ts';

export interface Current<Summary> {
  name: string;
  sha256: string;
  summary: Summary;
  /** null: the name points at the bundle. */
  publication: Publication<Summary> | null;
  /** null: nothing is bundled under the name. */
  bundledSha256: string | null;
}
/**
 * @property owners null: it was published before mappings had owners, and none were assigned since; every partner uses
 * it.
 */
export type CurrentMapping = Current<MappingSummary> & { owners: Owners | null };
export type CurrentCodeList = Current<CodeListSummary>;

export const mappingNames = (bundle: Bundle, { mappings }: Pointers): string[] => union(bundle.names, mappings.keys());

export const codeListNames = (bundle: Bundle, { codeLists }: Pointers): string[] =>
  union(bundle.texts.codeLists.keys(), codeLists.keys());

export const namesOf = (bundle: Bundle, pointers: Pointers, artifact: Artifact): string[] =>
  artifact === 'mapping' ? mappingNames(bundle, pointers) : codeListNames(bundle, pointers);

export function unknownName(bundle: Bundle, pointers: Pointers, artifact: Artifact, name: string): Refusal {
  const code = artifact === 'mapping' ? 'unknown_mapping' : 'unknown_code_list';
  return { code, name, known: namesOf(bundle, pointers, artifact) };
}

const union = (...names: Iterable<string>[]): string[] => [...new Set(names.flatMap((each) => [...each]))].sort();

export async function currentMapping(
  bundle: Bundle,
  { mappings, owners }: Pointers,
  name: string,
): Promise<CurrentMapping | undefined> {
  const found = currentVersion(name, mappings.get(name), await bundle.mapping(name));
  return found && { ...found, owners: ownersOf(found, owners.get(name)?.owners) };
}

/** Bundled mappings are for everybody, and so is what was published over them. */
const ownersOf = ({ publication, bundledSha256 }: Current<unknown>, given: Owners | undefined): Owners | null => {
  if (publication === null) return 'everybody';
  return given ?? (bundledSha256 === null ? null : 'everybody');
};

/** The publications one partner sees: without what belongs to others. For those names the bundle shows. */
export function seenBy(pointers: Pointers, partner: string): Pointers {
  const isSeen = (name: string): boolean => {
    const owners = pointers.owners.get(name)?.owners ?? 'everybody';
    return owners === 'everybody' || owners.includes(partner);
  };
  return { ...pointers, mappings: new Map([...pointers.mappings].filter(([name]) => isSeen(name))) };
}

export async function currentCodeList(
  bundle: Bundle,
  { codeLists }: Pointers,
  name: string,
): Promise<CurrentCodeList | undefined> {
  return currentVersion(name, codeLists.get(name), await bundle.codeList(name));
}

function currentVersion<Summary>(
  name: string,
  publication: Publication<Summary> | undefined,
  bundled: { sha256: string; summary: Summary } | undefined,
): Current<Summary> | undefined {
  const stands = publication ?? bundled;
  if (stands === undefined) return undefined;
  const { sha256, summary } = stands;
  return { name, sha256, summary, publication: publication ?? null, bundledSha256: bundled?.sha256 ?? null };
}

/*
 * What a change of published names is decided on: the pointers at one moment, the bundle, and the texts they point at.
 */

export interface Facts {
  environment: Environment;
  bundle: Bundle;
  pointers: Pointers;
  /** Every current code list: published over bundled. */
  lists: CodeLists;
}

export async function readFacts(
  store: PublicationStore,
  bundle: Bundle,
  environment: Environment,
): Promise<Result<Facts, Unavailable>> {
  const pointers = await store.pointers(environment);
  if (!pointers.ok) return pointers;
  const written = await store.written(environment, 'code_list', pointers.value.codeLists.keys());
  if (!written.ok) return written;
  const lists = new Map<string, CodeList>(bundle.lists());
  for (const [name, text] of written.value) {
    const checked = checkCodeList(text, name);
    if (checked.ok) lists.set(name, checked.value);
    else lists.delete(name); // stored by a program with other rules: a mapping that needs it reports it
  }
  return ok({ environment, bundle, pointers: pointers.value, lists });
}

/** The mappings that use a code list, with their documents as written. */
export async function mappingsUsing(
  list: string,
  { environment, bundle, pointers }: Facts,
  store: PublicationStore,
): Promise<Result<{ name: string; written: string; sha256: string }[], Unavailable>> {
  const published = [...pointers.mappings.values()].filter(({ summary }) => summary.codeLists.includes(list));
  const written = await store.written(
    environment,
    'mapping',
    published.map(({ name }) => name),
  );
  if (!written.ok) return written;
  const using = published.map(({ name, sha256 }) => ({ name, sha256, written: written.value.get(name) ?? '' }));
  for (const name of mappingNames(bundle, pointers)) {
    const bundled = pointers.mappings.has(name) ? undefined : await bundle.mapping(name);
    if (!bundled?.summary.codeLists.includes(list)) continue;
    using.push({ name, sha256: bundled.sha256, written: bundle.texts.documents.get(name) ?? '' });
  }
  return ok(using);
}
