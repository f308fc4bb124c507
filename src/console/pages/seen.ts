/** What a form shows travels with it as it was seen, so that nobody's change in between is overwritten. */
import type { Field, Values } from '../actions.ts';
import type { ApiProblem } from '../api.ts';

const NONE = '0';

/** @param edition undefined: there is none yet. */
export const seenField = (edition: number | undefined): Field => ({
  name: 'seen',
  label: 'Revision seen',
  kind: 'hidden',
  value: String(edition ?? NONE),
});

export const ifSeen = ({ seen = '' }: Values): { ifMatch?: string } => (seen === '' ? {} : { ifMatch: seen });

/**
 * After a refusal for what was seen, in the words of a page: the API names a header. What the form holds now is seen
 * with it; whoever has seen none knows nothing of the one that there is, and does not replace it.
 */
export function seenAnew(
  sent: Values,
  fields: readonly Field[],
  problem: ApiProblem,
): { values: Values; problem: ApiProblem } {
  if (sent.seen === NONE)
    return {
      values: sent,
      problem: {
        ...problem,
        title: 'There is one already',
        detail: 'This form was for a new one, and there is one now, so yours was not done.',
        fix: 'Look in another tab at what it is, and change it from there. What you entered is still here.',
      },
    };
  const anew = new Set(fields.flatMap(({ name, kind, value }) => (kind === 'hidden' && value ? [name] : [])));
  return {
    values: Object.fromEntries(Object.entries(sent).filter(([name]) => !anew.has(name))),
    problem: {
      ...problem,
      detail: 'Somebody changed this after you opened it, so yours was not done.',
      fix: 'What you entered is still here. Look in another tab at what it is now; if yours is still wanted, send it again.',
    },
  };
}
