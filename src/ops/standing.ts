/** What every name of an environment stands for: its publication, or else what is bundled. */
import type { Bundle } from './bundle.ts';
import type { Pointers, Publication } from './publication.ts';
import type { CodeListSummary, MappingSummary } from './summary.ts';

export interface Standing<Summary> {
  name: string;
  sha256: string;
  summary: Summary;
  /** null: the name stands for what is bundled. */
  publication: Publication<Summary> | null;
  /** null: nothing is bundled under the name. */
  bundledSha256: string | null;
}
export type StandingMapping = Standing<MappingSummary>;
export type StandingCodeList = Standing<CodeListSummary>;

export const mappingNames = (bundle: Bundle, { mappings }: Pointers): string[] => union(bundle.names, mappings.keys());

export const codeListNames = (bundle: Bundle, { codeLists }: Pointers): string[] =>
  union(bundle.texts.codeLists.keys(), codeLists.keys());

const union = (...names: Iterable<string>[]): string[] => [...new Set(names.flatMap((each) => [...each]))].sort();

export async function standingMapping(
  bundle: Bundle,
  { mappings }: Pointers,
  name: string,
): Promise<StandingMapping | undefined> {
  return standing(name, mappings.get(name), await bundle.mapping(name));
}

export async function standingCodeList(
  bundle: Bundle,
  { codeLists }: Pointers,
  name: string,
): Promise<StandingCodeList | undefined> {
  return standing(name, codeLists.get(name), await bundle.codeList(name));
}

function standing<Summary>(
  name: string,
  publication: Publication<Summary> | undefined,
  bundled: { sha256: string; summary: Summary } | undefined,
): Standing<Summary> | undefined {
  const stands = publication ?? bundled;
  if (stands === undefined) return undefined;
  const { sha256, summary } = stands;
  return { name, sha256, summary, publication: publication ?? null, bundledSha256: bundled?.sha256 ?? null };
}
