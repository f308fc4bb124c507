/** What a document looks up, and what happens while nobody answers. Pure. */
import type { MappingDocument } from '../document/document.ts';
import { type DocumentParts, leavesOf } from '../document/document-parts.ts';
import { type Enrich, longForm, type TextObject } from '../document/field-spec.ts';
import type { RecordMapper } from '../request.ts';
import { type LookedUp, type Lookup, lookupKey } from './lookup.ts';

export interface EnrichmentRules {
  whenDown: 'wait' | 'miss';
  /** What is looked up. */
  of: readonly Lookup['of'][];
}

/** @returns null if a document looks nothing up. */
export function enrichmentRules(
  { enrichment }: Pick<MappingDocument, 'enrichment'>,
  parts: DocumentParts,
): EnrichmentRules | null {
  const of = [
    ...new Set(enrichesOf(parts).map((spec) => ('location' in spec ? 'location' : 'vehicle') as Lookup['of'])),
  ];
  return of.length === 0 ? null : { whenDown: enrichment?.whenDown ?? 'wait', of };
}

export const enrichesOf = (parts: DocumentParts): Enrich[] =>
  leavesOf(parts).flatMap((leaf) => {
    if (leaf.kind === 'condition' || leaf.kind === 'time') return [];
    const { enrich } = longForm<Partial<Pick<TextObject, 'from' | 'enrich'>>>(leaf.field as string | TextObject);
    return enrich === undefined ? [] : [enrich];
  });

/* What was looked up while a record was mapped, returned with the record. */

/** @param looked where lookups are noted while a record is mapped: each record takes its own. */
export function withLookedUp(map: RecordMapper, looked: LookedUp[]): RecordMapper {
  return (fields, lists) => {
    looked.length = 0;
    const mapped = map(fields, lists);
    return looked.length === 0 ? mapped : { ...mapped, lookedUp: merged(looked) };
  };
}

/** One lookup that fills several fields is reported once. */
function merged(looked: readonly LookedUp[]): LookedUp[] {
  const all = new Map<string, LookedUp>();
  for (const one of looked) {
    const key = JSON.stringify([lookupKey(one), one.outcome]);
    all.set(key, { ...one, fields: { ...all.get(key)?.fields, ...one.fields } });
  }
  return [...all.values()];
}
