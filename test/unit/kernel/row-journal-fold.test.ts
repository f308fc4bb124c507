/** Rows over a journal do as plain maps do, whatever is committed, left for later, thrown or read again. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { labelOf, type Opened, opened, planned, readAgain, type Shelf, type Thing } from './things.ts';

/* Any sequence of commits. */

type Change =
  | { does: 'put'; row: Thing }
  | { does: 'putAll'; rows: Thing[] }
  | { does: 'patch'; id: number; to: Partial<Thing> }
  | { does: 'drop'; id: number }
  | { does: 'shelve'; row: Shelf };
type Turn =
  | { how: 'commit' | 'commitSoon' | 'throws' | 'nested'; changes: Change[] }
  | { how: 'flush' }
  | { how: 'restart' };

const id = fc.integer({ min: 1, max: 6 });
const colour = fc.constantFrom(null, 'red', 'blue');
const size = fc.oneof(fc.constant(0), fc.integer());
const name = fc.oneof(
  { weight: 8, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constant('x'.repeat(300_000)) },
);
const thing = fc
  .record({ id, name, colour, size, ownLabel: fc.option(fc.string(), { nil: undefined }) })
  .map(({ ownLabel, ...row }): Thing => ({ ...row, label: ownLabel ?? labelOf(row) }));
const change: fc.Arbitrary<Change> = fc.oneof(
  thing.map((row) => ({ does: 'put' as const, row })),
  fc.array(thing, { maxLength: 5 }).map((rows) => ({ does: 'putAll' as const, rows })),
  fc
    .record({ id, to: fc.record({ name, colour, size }, { requiredKeys: [] }) })
    .map((each) => ({ does: 'patch' as const, ...each })),
  id.map((each) => ({ does: 'drop' as const, id: each })),
  fc
    .record({ place: fc.constantFrom('left', 'right'), things: fc.nat({ max: 1 }) })
    .map((row) => ({ does: 'shelve' as const, row })),
);
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      how: fc.constantFrom('commit', 'commit', 'commitSoon', 'throws', 'nested'),
      changes: fc.array(change, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Turn>({ how: 'flush' }, { how: 'restart' }) },
);

/** The same on plain maps. */
interface Model {
  things: Map<number, Thing>;
  shelves: Map<string, Shelf>;
}
const copied = ({ things, shelves }: Model): Model => ({ things: new Map(things), shelves: new Map(shelves) });

function applied(change: Change, { things, shelves }: Opened, model: Model): void {
  switch (change.does) {
    case 'put':
      things.put(change.row);
      model.things.set(change.row.id, change.row);
      return;
    case 'putAll':
      things.putAll(change.rows);
      for (const row of change.rows) model.things.set(row.id, row);
      return;
    case 'patch': {
      const before = model.things.get(change.id);
      if (before === undefined) return;
      const after = { ...before, ...change.to };
      expect(things.patch(change.id, change.to)).toEqual(after);
      model.things.set(change.id, after);
      return;
    }
    case 'drop':
      things.drop(change.id);
      model.things.delete(change.id);
      return;
    case 'shelve':
      shelves.put(change.row);
      model.shelves.set(change.row.place, change.row);
  }
}

const shown = ({ things, shelves }: Model) => {
  const colours = Map.groupBy(things.values(), (row) => row.colour);
  const ids = [...colours].map(([each, rows]) => [each, rows.map((row) => row.id).sort()]);
  return { things: [...things.values()], shelves: [...shelves.values()], colours: Object.fromEntries(ids) };
};

it('rows are what was committed, with the same answers of an index, whenever they are read again', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 30 }), (turns) => {
      let of = opened();
      let now: Model = { things: new Map(), shelves: new Map() };
      let stored = copied(now);
      for (const each of turns) {
        if (each.how === 'restart') {
          of = readAgain(of); // what was left for later is lost
          now = copied(stored);
        } else if (each.how === 'flush') {
          of.journal.flush();
          stored = copied(now);
        } else {
          const before = copied(now);
          const run = (): void => {
            for (const one of each.changes) applied(one, of, now);
            if (each.how === 'throws') planned();
          };
          if (each.how === 'commit') of.journal.commit(run);
          if (each.how === 'nested') of.journal.commit(() => of.journal.commitSoon(run));
          if (each.how === 'commitSoon') of.journal.commitSoon(run);
          if (each.how === 'throws') {
            expect(() => of.journal.commit(run)).toThrow('planned');
            now = before;
          }
          if (each.how !== 'commitSoon') stored = copied(now);
        }
        expect(of.seen()).toEqual(shown(now));
        expect(readAgain(of).seen()).toEqual(shown(stored));
      }
    }),
  );
});
