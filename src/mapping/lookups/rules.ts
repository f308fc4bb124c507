/** What a document looks up, and what its look-ups do while nobody answers. Pure. */
import type { MappingDocument } from '../document/document.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import { type Enrich, longForm, type TextObject } from '../document/field-spec.ts';
import { leavesOf } from '../document/leaves.ts';
import type { LookUp } from './look-up.ts';

export interface EnrichmentRules {
  whenDown: 'wait' | 'miss';
  /** What is looked up. */
  of: readonly LookUp['of'][];
}

/** @returns null where a document looks nothing up. */
export function enrichmentRules(
  { enrichment }: Pick<MappingDocument, 'enrichment'>,
  parts: DocumentParts,
): EnrichmentRules | null {
  const of = [
    ...new Set(enrichesOf(parts).map((spec) => ('location' in spec ? 'location' : 'vehicle') as LookUp['of'])),
  ];
  return of.length === 0 ? null : { whenDown: enrichment?.whenDown ?? 'wait', of };
}

export const enrichesOf = (parts: DocumentParts): Enrich[] =>
  leavesOf(parts).flatMap((leaf) => {
    if (leaf.kind === 'condition' || leaf.kind === 'time') return [];
    const { enrich } = longForm<Partial<Pick<TextObject, 'from' | 'enrich'>>>(leaf.field as string | TextObject);
    return enrich === undefined ? [] : [enrich];
  });
