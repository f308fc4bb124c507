/** Checks of what a document says about its look-ups as a whole: of use only where something is looked up. */
import type { DocumentParts } from '../document/document-parts.ts';
import type { PlacedProblem } from '../document/document-problem.ts';
import { enrichesOf } from '../lookups/rules.ts';

export function checkEnrichment(parts: DocumentParts): PlacedProblem[] {
  if (!parts.hasEnrichment || enrichesOf(parts).length > 0) return [];
  const message = 'No field of this document looks anything up.';
  return [{ at: ['enrichment'], code: 'no_effect', message, wanted: 'enrich: { vehicle: vin } in a field' }];
}
