/** Checks of grouping: what is made of several rows must have something to do with all of them. */
import type { DocumentParts } from '../document/document-parts.ts';
import type { PlacedProblem } from '../document/document-problem.ts';

export function checkGroup({ group, plans }: DocumentParts): PlacedProblem[] {
  if (group === undefined) return [];
  const each = plans.filter((plan) => plan.each !== undefined);
  return [
    ...each.map((plan): PlacedProblem => {
      const message = 'A group is one record made of several, so that "each" of one of them cannot be told.';
      return { at: [...plan.at, 'each'], code: 'keys_exclude', message, wanted: 'no group, or no each under requests' };
    }),
    ...repeatedColumns(group.by),
  ];
}

function repeatedColumns(by: readonly string[]): PlacedProblem[] {
  return by.flatMap((column, index) => {
    if (by.findIndex((other) => other.trim() === column.trim()) === index) return [];
    const message = `"${column}" stands twice in the key of the group.`;
    return [{ at: ['group', 'by', index], code: 'no_effect', value: column, message, wanted: 'each column once' }];
  });
}
