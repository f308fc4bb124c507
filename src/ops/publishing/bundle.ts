/**
 * The documents and code lists that came with this deploy: what a name points at until something is published under it.
 * Each is fully checked on first use. The compiled form depends only on the deploy, so it is cached.
 */

import { sha256Hex } from '../../kernel/secret.ts';
import { checkMapping } from '../../mapping/check/check.ts';
import { checkCodeLists } from '../../mapping/check/code-list.ts';
import { canonicalJson, type Json } from '../../mapping/document/canonical.ts';
import type { CodeList, CodeLists } from '../../mapping/document/code-list.ts';
import type { MappingDocument } from '../../mapping/document/document.ts';
import type { DocumentProblem } from '../../mapping/document/problems.ts';
import { type MappingVersion, mappingVersion } from '../../mapping/document/versions.ts';
import { type CodeListSummary, codeListSummary, type MappingSummary, mappingSummary } from './publication.ts';

export interface BundledTexts {
  documents: ReadonlyMap<string, string>;
  codeLists: ReadonlyMap<string, string>;
}

interface BundledMapping extends MappingVersion {
  name: string;
  summary: MappingSummary;
}

interface BundledCodeList {
  name: string;
  sha256: string;
  summary: CodeListSummary;
}

export interface Bundle {
  texts: BundledTexts;
  /** Sorted. */
  names: readonly string[];
  lists(): CodeLists;
  mapping(name: string): Promise<BundledMapping | undefined>;
  codeList(name: string): Promise<BundledCodeList | undefined>;
}

/** The tests of the build prove bundled documents; a wrong one is a bug, so this throws with all its problems. */
export function bundleOf(texts: BundledTexts): Bundle {
  let lists: CodeLists | undefined;
  const mappings = new Map<string, BundledMapping>();
  const checkedLists = (): CodeLists => {
    lists ??= wellFormed('code lists', checkCodeLists(texts.codeLists));
    return lists;
  };
  return {
    texts,
    names: [...texts.documents.keys()].sort(),
    lists: checkedLists,
    async mapping(name) {
      const text = texts.documents.get(name);
      if (text === undefined) return undefined;
      const known = mappings.get(name);
      if (known) return known;
      const document: MappingDocument = wellFormed(
        `mapping ${name}`,
        checkMapping(text, checkedLists(), { name, bases: texts.documents }),
      );
      const version = mappingVersion(document, checkedLists());
      const mapping = { name, ...version, summary: mappingSummary(document, version.claimedAs) };
      mappings.set(name, mapping);
      return mapping;
    },
    async codeList(name) {
      const list = checkedLists().get(name);
      return list && { name, sha256: codeListSha256(list), summary: codeListSummary(list) };
    },
  };
}

/** Comments and the order of keys do not change the hash. */
export const codeListSha256 = ({ document }: CodeList): string =>
  // It was just read from YAML or JSON, so it contains nothing that JSON cannot.
  sha256Hex(canonicalJson(document as unknown as Json));

function wellFormed<T>(what: string, checked: { ok: true; value: T } | { ok: false; error: DocumentProblem[] }): T {
  if (checked.ok) return checked.value;
  const problems = checked.error.map(({ path, message, wanted }) => `${path}: ${message} Wanted: ${wanted}.`);
  throw new Error(`bundled ${what} refused: ${problems.join(' ')}`);
}
