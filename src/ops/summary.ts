/** What lists and admission need to know of a document or a code list, so that nobody has to open it for them. Pure. */
import type { RecordSource } from '../formats/reader.ts';
import type { CodeList } from '../mapping/code-list.ts';
import type { MappingDocument } from '../mapping/document.ts';
import type { RequestKind } from '../mapping/request.ts';
import { usedLists } from '../mapping/versions.ts';
import { targetKinds } from './target-kinds.ts';

export interface MappingSummary {
  description: string;
  format: RecordSource['format'];
  kinds: readonly RequestKind[];
  /** Whether it reads the SCAC from each record. */
  namesScac: boolean;
  /** Names of the code lists it looks anything up in. */
  codeLists: readonly string[];
}

export interface CodeListSummary {
  description: string;
  codes: number;
}

export const mappingSummary = (document: MappingDocument): MappingSummary => ({
  description: document.description,
  format: document.source.format,
  kinds: targetKinds(document),
  namesScac: document.scac !== undefined,
  codeLists: [...usedLists(document)].sort(),
});

export const codeListSummary = ({ document }: CodeList): CodeListSummary => ({
  description: document.description,
  codes: Object.keys(document.codes).length,
});
