/** Two tables of things and shelves over a journal, with an index, as an object makes them over its storage. */

import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { JOURNAL } from '../../../src/kernel/journal-table.ts';
import { orNoTable } from '../../../src/kernel/migrate.ts';
import { type StoredText, textIn } from '../../../src/kernel/packed-text.ts';
import { RowJournal, STORED, type TableForm } from '../../../src/kernel/row-journal.ts';
import { storageOn } from '../object-storage.ts';

export interface Thing {
  id: number;
  /** Computed from the two others, unless it is stored. */
  label: string;
  name: string;
  colour: string | null;
  size: number;
}
export interface Shelf {
  place: string;
  things: number;
}

export const labelOf = ({ id, name }: Pick<Thing, 'id' | 'name'>): string => `${id}:${name}`;
export const THING: TableForm<Thing> = {
  name: 'thing',
  keyOf: ({ id }) => id,
  columns: { id: STORED, label: labelOf, name: STORED, colour: null, size: 0 },
};
export const SHELF: TableForm<Shelf> = {
  name: 'shelf',
  keyOf: ({ place }) => place,
  columns: { place: STORED, things: 0 },
};
export const aThing = (id: number, more: Partial<Thing> = {}): Thing => {
  const { name = 'cup' } = more;
  return { id, name, label: labelOf({ id, name }), colour: null, size: 0, ...more };
};

export const newStorage = (): SqlStorage => storageOn(new ObjectDatabase(() => '')).sql;

export const VERSION = 7;

/** What an object makes over its storage, with an index of its own: ids by colour. */
export function opened(sql = newStorage()) {
  const journal = new RowJournal(sql, VERSION);
  const things = journal.table(THING);
  const shelves = journal.table(SHELF);
  const byColour = new Map<string | null, Set<number>>();
  things.watch((after, before) => {
    if (before !== null) byColour.get(before.colour)?.delete(before.id);
    if (after !== null) byColour.set(after.colour, (byColour.get(after.colour) ?? new Set()).add(after.id));
  });
  journal.read();
  const seen = () => ({
    things: [...things.values()],
    shelves: [...shelves.values()],
    colours: Object.fromEntries(
      [...byColour].filter(([, ids]) => ids.size > 0).map(([colour, ids]) => [colour, [...ids].sort()]),
    ),
  });
  return { sql, journal, things, shelves, seen };
}
export type Opened = ReturnType<typeof opened>;

export const entriesOf = (sql: SqlStorage): string[] =>
  orNoTable(() => sql.exec<{ entry: StoredText }>(`SELECT entry FROM ${JOURNAL} ORDER BY n`).toArray(), []).map(
    ({ entry }) => textIn(entry),
  );
export const charactersOf = (sql: SqlStorage): number => entriesOf(sql).reduce((sum, { length }) => sum + length, 0);
export const readAgain = ({ sql }: Opened): Opened => opened(sql);

export const planned = (): never => {
  throw new Error('planned');
};
