/** The edition of a setting that a form shows travels with it, so that nobody's change in between is overwritten. */
import type { Field, Values } from '../../actions.ts';

/** @param edition undefined: there is none yet. */
export const seenField = (edition: number | undefined): Field => ({
  name: 'seen',
  label: 'Revision seen',
  kind: 'hidden',
  value: String(edition ?? 0),
});

export const ifSeen = ({ seen = '' }: Values): { ifMatch?: string } => (seen === '' ? {} : { ifMatch: seen });
