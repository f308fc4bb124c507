/** What every name of an environment stands for: its publication, or else what is bundled. */
import type { Bundle } from './bundle.ts';
import type { Owners, Pointers, Publication } from './publication.ts';
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
/** @property owners null: it was published before mappings had owners, and nobody has assigned it; as then, every partner uses it. */
export type StandingMapping = Standing<MappingSummary> & { owners: Owners | null };
export type StandingCodeList = Standing<CodeListSummary>;

export const mappingNames = (bundle: Bundle, { mappings }: Pointers): string[] => union(bundle.names, mappings.keys());

export const codeListNames = (bundle: Bundle, { codeLists }: Pointers): string[] =>
  union(bundle.texts.codeLists.keys(), codeLists.keys());

const union = (...names: Iterable<string>[]): string[] => [...new Set(names.flatMap((each) => [...each]))].sort();

export async function standingMapping(
  bundle: Bundle,
  { mappings, owners }: Pointers,
  name: string,
): Promise<StandingMapping | undefined> {
  const found = standing(name, mappings.get(name), await bundle.mapping(name));
  return found && { ...found, owners: ownersOf(found, owners.get(name)?.owners) };
}

/** What is shipped is everybody's; what was published over it, too. */
const ownersOf = ({ publication, bundledSha256 }: Standing<unknown>, given: Owners | undefined): Owners | null => {
  if (publication === null) return 'everybody';
  return given ?? (bundledSha256 === null ? null : 'everybody');
};

/** What is published as one partner sees it: without what belongs to others. Beneath that, what is bundled shows. */
export function seenBy(pointers: Pointers, partner: string): Pointers {
  const isSeen = (name: string): boolean => {
    const owners = pointers.owners.get(name)?.owners ?? 'everybody';
    return owners === 'everybody' || owners.includes(partner);
  };
  return { ...pointers, mappings: new Map([...pointers.mappings].filter(([name]) => isSeen(name))) };
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
