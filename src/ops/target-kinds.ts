/** What kinds of request a document's records become: the one place that knows how a document names its targets. */
import type { MappingDocument } from '../mapping/document.ts';
import type { RequestKind } from '../mapping/request.ts';

export const targetKinds = (document: Pick<MappingDocument, 'target'>): readonly RequestKind[] => [document.target];
