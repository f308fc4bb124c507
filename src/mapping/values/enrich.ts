/**
 * A field's value looked up among vehicles and locations: the text the file has is the key, and what stands under it is sent.
 *
 * Answers are an input: equal records and equal answers give equal requests.
 */

import type { Enrich } from '../document/field-spec.ts';
import type { Fact, LookedUp, LookUp, LookUpAnswer, LookUps } from '../lookups/look-up.ts';
import type { FieldFault, FieldPlace } from './fault.ts';
import { type ReadValue, refuse } from './text.ts';

export function withEnrichment(
  spec: Enrich | undefined,
  read: ReadValue<string>,
  place: FieldPlace,
  lookUps: LookUps | undefined,
): ReadValue<string> {
  if (spec === undefined) return read;
  const { onMiss = 'reject' } = spec;
  const { of, fact, asks } = wantedOf(spec);
  return (fields, errors) => {
    const key = read(fields, errors);
    if (key === undefined) return undefined;
    const asked = asks(key);
    const answer = lookUps?.answers(asked);
    if (answer === undefined) return refuse({ code: 'look_up_unanswered', value: key, of }, place, errors);
    const found = answer.outcome === 'found' ? answer.facts[fact] : undefined;
    const outcome: LookedUp['outcome'] = answer.outcome === 'found' && found === undefined ? 'silent' : answer.outcome;
    lookUps?.note?.({ ...asked, outcome, fields: { [place.target]: fact }, atMs: answer.atMs });
    if (found !== undefined) return found;
    if (onMiss === 'keep') return key;
    return onMiss === 'empty' ? undefined : refuse(faultOf(asked, fact, answer), place, errors);
  };
}

function wantedOf(spec: Enrich): { of: LookUp['of']; fact: Fact; asks(key: string): LookUp } {
  if ('location' in spec) {
    return { of: 'location', fact: spec.location, asks: (key) => ({ of: 'location', by: 'locationNumber', key }) };
  }
  const { vehicle: fact, by = 'vehicleNumber' } = spec;
  return { of: 'vehicle', fact, asks: (key) => ({ of: 'vehicle', by, key }) };
}

function faultOf({ of, by, key: value }: LookUp, fact: Fact, answer: LookUpAnswer): FieldFault {
  switch (answer.outcome) {
    case 'found':
      return { code: 'look_up_silent', value, of, by, fact };
    case 'none':
      return { code: 'look_up_missing', value, of, by };
    case 'several':
      return { code: 'look_up_ambiguous', value, of, by, count: answer.count };
    case 'unavailable':
      return { code: 'look_up_unavailable', value, of, why: answer.why };
  }
}
