/**
 * A publication: what a name of one environment was pointed at, by whom, when and why. Types, and the summary of a
 * document.
 */

import type { RecordSource } from '../../formats/reader.ts';
import type { Environment } from '../../kernel/names.ts';
import type { CodeList } from '../../mapping/document/code-list.ts';
import type { MappingDocument } from '../../mapping/document/document.ts';
import { documentParts } from '../../mapping/document/document-parts.ts';
import { type ClaimNames, usedLists } from '../../mapping/document/versions.ts';
import type { RequestKind } from '../../mapping/request.ts';

/* The kinds of request that a document's records become, each once. */

const targetKinds = (document: MappingDocument): readonly RequestKind[] => [
  ...new Set(documentParts(document).plans.flatMap(({ target }) => target ?? [])),
];

/* What lists and admission need to know of a document or a code list, so that nobody has to open it. */

export interface MappingSummary {
  description: string;
  format: RecordSource['format'];
  kinds: readonly RequestKind[];
  /** Whether it reads the SCAC from each record. */
  namesScac: boolean;
  /** Names of the code lists it uses. */
  codeLists: readonly string[];
  /** Absent: published by a release that claimed files under the version's own name alone. */
  claimedAs?: ClaimNames;
}

export interface CodeListSummary {
  description: string;
  codes: number;
}

export const mappingSummary = (document: MappingDocument, claimedAs: ClaimNames): MappingSummary => ({
  description: document.description,
  format: document.source.format,
  kinds: targetKinds(document),
  namesScac: document.scac !== undefined,
  codeLists: [...usedLists(document)].sort(),
  claimedAs,
});

export const codeListSummary = ({ document }: CodeList): CodeListSummary => ({
  description: document.description,
  codes: Object.keys(document.codes).length,
});

export type Artifact = 'mapping' | 'code_list';

/**
 * - `publish`: a document or a list was published under its name.
 * - `rollback`: the name went back to an earlier version, or to the bundled one.
 * - `code_list`: a code list that this mapping uses was changed.
 */
export type Action = 'publish' | 'rollback' | 'code_list';

/** Who may use a published mapping: only these partners, or every partner. */
export type Owners = readonly string[] | 'everybody';

export interface Author {
  keyId: string;
  name: string;
}

/** What a name is to point at. */
export type NewPublication = {
  name: string;
  sha256: string;
  /** The YAML as its author wrote it. */
  written: string;
  /** From here on the name points at whatever is bundled. */
  isBundled: boolean;
  action: Action;
  beforeSha256: string | null;
  becauseOf: string | null;
} & ({ artifact: 'mapping'; summary: MappingSummary } | { artifact: 'code_list'; summary: CodeListSummary });

/** All that is written at once: the first is the requested change, the others are the mappings that change with it. */
export interface Change {
  environment: Environment;
  /** The revision it was decided on; it becomes the next one. */
  edition: number;
  by: Author;
  at: string;
  note: string;
  publications: readonly NewPublication[];
  /** The new owners of the name; null: as before. */
  owners: NewOwners | null;
}

/** The owners of a mapping's name, decided on what was read before. */
export interface NewOwners {
  name: string;
  /** The revision they were decided on; they become the next one. 0: there were none. */
  edition: number;
  owners: Owners;
}

/** As stored, without its text. */
export interface Publication<Summary = MappingSummary | CodeListSummary> {
  name: string;
  edition: number;
  sha256: string;
  isBundled: boolean;
  summary: Summary;
  action: Action;
  beforeSha256: string | null;
  becauseOf: string | null;
  by: Author;
  at: string;
  note: string;
}

/** What the published names of an environment point at, at one moment. Names not in it point at the bundle. */
export interface Pointers {
  edition: number;
  mappings: ReadonlyMap<string, Publication<MappingSummary>>;
  codeLists: ReadonlyMap<string, Publication<CodeListSummary>>;
  /** Of mappings that were given any. */
  owners: ReadonlyMap<string, Pick<NewOwners, 'edition' | 'owners'>>;
}

/** As stored: who set the owners of a mapping, when and why. */
export interface OwnersChange extends Omit<NewOwners, 'name'> {
  by: Author;
  at: string;
  note: string;
}
