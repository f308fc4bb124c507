/** What a document may say of its look-ups as a whole, and what it looks up at all. */
import { z } from 'zod';
import type { MappingDocument } from './document.ts';
import type { DocumentParts } from './document-parts.ts';
import { type Enrich, longForm, type TextObject } from './field-spec.ts';
import { leavesOf } from './leaves.ts';
import type { LookUp } from './look-up.ts';

export const enrichmentSpec = z
  .strictObject({
    whenDown: z
      .enum(['wait', 'miss'])
      .optional()
      .describe('Nobody answers a look-up: the file waits (wait, the default), or it counts as a miss (miss).'),
  })
  .meta({ id: 'Enrichment', description: 'What its look-ups of vehicles and locations do where there is a choice.' });

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
