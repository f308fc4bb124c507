/**
 * Query parameters as filters over seeded records: case does not matter, several filters all have to hold.
 *
 * A parameter nobody knows is refused: ignoring it would answer with the whole list, which looks like success.
 */
import { type Answer, refuse } from './answers.ts';
import type { Received } from './received.ts';

/** @returns for each filter the texts it may equal. */
export type FilterTexts<T> = Record<string, (record: T) => readonly string[]>;

export function checkParameters(received: Received, known: readonly string[]): Answer | null {
  const unknown = received.query.filter(([name]) => !known.includes(name));
  if (unknown.length === 0) return null;
  const fields = unknown.map(([path]) => ({ path, problem: 'unknown parameter' }));
  return refuse('query_malformed', `Known parameters: ${known.join(', ')}.`, fields);
}

export function applyFilters<T>(records: readonly T[], received: Received, filters: FilterTexts<T>): T[] {
  const wanted = received.query.flatMap(([name, value]) => {
    const textsOf = filters[name];
    return textsOf === undefined ? [] : [{ textsOf, value: value.toLowerCase() }];
  });
  return records.filter((record) =>
    wanted.every(({ textsOf, value }) => textsOf(record).some((text) => text.toLowerCase() === value)),
  );
}
