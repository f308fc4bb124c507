/** What lists and admission need to know of a document or a code list, so that nobody has to open it for them. Pure. */
import type { RecordSource } from '../../formats/reader.ts';
import type { CodeList } from '../../mapping/document/code-list.ts';
import type { MappingDocument } from '../../mapping/document/document.ts';
import { type ClaimNames, usedLists } from '../../mapping/document/versions.ts';
import type { RequestKind } from '../../mapping/request.ts';
import { targetKinds } from './target-kinds.ts';

export interface MappingSummary {
  description: string;
  format: RecordSource['format'];
  kinds: readonly RequestKind[];
  /** Whether it reads the SCAC from each record. */
  namesScac: boolean;
  /** Names of the code lists it looks anything up in. */
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
