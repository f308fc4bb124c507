/** Checks of what a document asks of delivery: a rule that can never matter is a misunderstanding. */
import type { DocumentParts } from '../document/document-parts.ts';
import type { PlacedProblem } from '../document/document-problem.ts';
import { isOrderKind, kindsWith } from '../document/targets.ts';

export function checkDelivery({ deliveryKeys, plans }: DocumentParts): PlacedProblem[] {
  const kinds = plans.map(({ target }) => target);
  if (kinds.length === 0 || kinds.includes(undefined)) return []; // what it makes is not known yet
  const naming = kindsWith('references');
  return deliveryKeys.flatMap((key): PlacedProblem[] => {
    if (kinds.every((kind) => kind !== undefined && isOrderKind(kind))) {
      const message = 'Orders have rules of their own: one that is not clear is looked up, never sent again by itself.';
      return [
        {
          at: ['delivery', key],
          code: 'no_effect',
          value: key,
          message,
          wanted: 'no such key, or a target that is an event',
        },
      ];
    }
    if (key !== 'requestKey' || kinds.some((kind) => kind !== undefined && naming.includes(kind))) return [];
    const message = 'Nothing this document makes has references.';
    return [
      {
        at: ['delivery', key],
        code: 'no_effect',
        value: key,
        message,
        wanted: `one of ${naming.join(', ')} as target`,
      },
    ];
  });
}
