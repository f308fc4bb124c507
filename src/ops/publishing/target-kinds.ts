/** What kinds of request a document's records become, each once. */
import type { MappingDocument } from '../../mapping/document/document.ts';
import { documentParts } from '../../mapping/document/document-parts.ts';
import type { RequestKind } from '../../mapping/request.ts';

export const targetKinds = (document: MappingDocument): readonly RequestKind[] => [
  ...new Set(documentParts(document).plans.flatMap(({ target }) => target ?? [])),
];
