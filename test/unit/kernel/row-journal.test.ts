/** Rows in memory over one journal: whatever was committed is read again as it was, and nothing else is. */
import { describe, expect, it } from 'vitest';
import { JOURNAL, JOURNAL_VERSION } from '../../../src/kernel/journal-table.ts';
import { RowJournal, type Rows } from '../../../src/kernel/row-journal.ts';
import {
  aThing,
  charactersOf,
  entriesOf,
  newStorage,
  type Opened,
  opened,
  planned,
  readAgain,
  SHELF,
  THING,
  type Thing,
  VERSION,
} from './things.ts';

describe('rows', () => {
  it('have their defaults again, which are not stored', () => {
    const of = opened();
    of.journal.commit(() => of.things.put(aThing(1)));
    expect(entriesOf(of.sql)).toEqual(['[[0,0,0,1,2,"cup"]]']); // its id and its name
    expect(readAgain(of).things.get(1)).toEqual({ id: 1, label: '1:cup', name: 'cup', colour: null, size: 0 });
  });

  it('have a computed value as it was, also where it was another, or what it is computed from changed', () => {
    const of = opened();
    of.journal.commit(() => {
      of.things.put(aThing(1, { label: 'my own' }));
      of.things.put(aThing(2));
      of.things.putAll([aThing(3), aThing(4, { label: 'mine, too' })]);
    });
    of.journal.commit(() => of.things.patch(2, { name: 'jug' }));
    const labels = ({ things }: Opened) => [1, 2, 3, 4].map((each) => things.get(each)?.label);
    expect(labels(of)).toEqual(['my own', '2:cup', '3:cup', 'mine, too']);
    expect(labels(readAgain(of))).toEqual(labels(of));
    makeLong(of);
    expect(labels(readAgain(of))).toEqual(labels(of));
  });

  it('never change under the hands of who holds them', () => {
    const { journal, things } = opened();
    journal.commit(() => things.put(aThing(1)));
    const held = things.get(1);
    const changed = journal.commit(() => things.patch(1, { colour: 'red' }));
    expect([held, changed]).toEqual([aThing(1), aThing(1, { colour: 'red' })]);
    expect(things.get(1)).toBe(changed);
    journal.commit(() => things.drop(1));
    expect(held).toEqual(aThing(1));
  });

  it('are told with what they were before, to whom they are read, too', () => {
    const { sql, journal, things } = opened();
    journal.commit(() => things.put(aThing(1)));
    const told: [after: number | undefined, before: number | undefined][] = [];
    things.watch((after, before) => told.push([after?.size, before?.size]));
    journal.commit(() => {
      things.patch(1, { size: 7 });
      things.drop(1);
    });
    expect(told).toEqual([
      [7, 0],
      [undefined, 7],
    ]);
    const again = new RowJournal(sql, VERSION);
    const toldAgain: unknown[] = [];
    again.table(THING).watch((after, before) => toldAgain.push([after?.size, before?.size]));
    again.table(SHELF);
    again.read();
    expect(toldAgain).toEqual([
      [0, undefined],
      [7, 0],
      [undefined, 7],
    ]);
  });
});

describe('a change', () => {
  it('is stored only where something differs', () => {
    const of = opened();
    of.journal.commit(() => of.things.put(aThing(1)));
    const before = entriesOf(of.sql);
    of.journal.commit(() => {
      expect(of.things.patch(1, { name: 'cup', colour: null })).toBe(of.things.get(1));
      of.things.drop(2);
      of.things.putAll([]);
    });
    expect(entriesOf(of.sql)).toEqual(before);
    of.journal.commit(() => of.things.patch(1, { name: 'cup', colour: 'red' }));
    expect(entriesOf(of.sql).slice(before.length)).toEqual(['[[0,1,1,3,"red"]]']);
  });

  it('of a row that is not there is a bug, and leaves nothing', () => {
    const of = opened();
    expect(() =>
      of.journal.commit(() => {
        of.things.put(aThing(1));
        of.things.patch(2, { size: 1 });
      }),
    ).toThrow('no row 2 in thing');
    expect([of.things.size, entriesOf(of.sql)]).toEqual([0, []]);
  });

  it.each<[string, (things: Rows<Thing>) => void]>([
    ['put', (things) => things.put(aThing(2))],
    ['put with others', (things) => things.putAll([aThing(2), aThing(3)])],
    ['patched', (things) => things.patch(1, { size: 1 })],
    ['dropped', (things) => things.drop(1)],
  ])('outside a commit is a bug: %s', (_, run) => {
    const of = opened();
    of.journal.commit(() => of.things.put(aThing(1)));
    expect(() => run(of.things)).toThrow('a row was changed outside a commit');
    of.journal.flush();
    expect(readAgain(of).seen().things).toEqual([aThing(1)]);
  });
});

describe('a commit', () => {
  it('is one entry, whatever it changes', () => {
    const of = opened();
    const made = of.journal.commit(() => {
      of.things.putAll([aThing(1), aThing(2)]);
      of.shelves.put({ place: 'left', things: 2 });
      of.things.patch(2, { colour: 'red' });
      return 'made';
    });
    expect([made, entriesOf(of.sql).length]).toEqual(['made', 1]);
  });

  it('that changes nothing stores nothing', () => {
    const of = opened();
    of.journal.commit(() => undefined);
    of.journal.flush();
    expect(entriesOf(of.sql)).toEqual([]);
  });

  it('within another is part of it: it is stored with it, or not at all', () => {
    const of = opened();
    of.journal.commit(() => {
      of.journal.commit(() => of.things.put(aThing(1)));
      expect(entriesOf(of.sql)).toEqual([]);
      of.journal.flush();
      expect(entriesOf(of.sql)).toEqual([]);
      of.things.put(aThing(2));
    });
    expect(entriesOf(of.sql)).toHaveLength(1);
    const failing = (): void =>
      of.journal.commit(() => {
        of.journal.commit(() => of.things.put(aThing(3)));
        planned();
      });
    expect(failing).toThrow('planned');
    expect([of.things.size, readAgain(of).things.size]).toEqual([2, 2]);
  });

  it('that throws leaves nothing of itself, and all of what was left for later before it', () => {
    const of = opened();
    of.journal.commitSoon(() => of.things.put(aThing(1)));
    for (const how of ['commit', 'commitSoon'] as const) {
      const failing = (): void =>
        of.journal[how](() => {
          of.things.patch(1, { colour: 'red' });
          of.things.put(aThing(2));
          planned();
        });
      expect(failing).toThrow('planned');
      expect(of.seen()).toEqual({ things: [aThing(1)], shelves: [], colours: { null: [1] } });
      expect(readAgain(of).seen()).toEqual(of.seen());
    }
    of.journal.commit(() => of.things.patch(1, { size: 3 }));
    expect(readAgain(of).seen().things).toEqual([aThing(1, { size: 3 })]);
  });

  it('that cannot be stored leaves to others what they left for later, in their order, until it can be', () => {
    const of = opened();
    of.journal.commit(() => of.things.put(aThing(1)));
    of.journal.commitSoon(() => of.things.put(aThing(2)));
    of.journal.commitSoon(() => of.things.patch(1, { colour: 'red' }));
    expect(of.journal.isBehind).toBe(false);
    const real = of.sql.exec.bind(of.sql);
    of.sql.exec = ((text: string, ...values: unknown[]) =>
      text.includes('INSERT INTO') ? planned() : real(text, ...values)) as SqlStorage['exec'];
    expect(() => of.journal.commit(() => of.things.put(aThing(3)))).toThrow('planned');
    expect([of.things.size, of.things.get(1)?.colour, of.things.get(3)]).toEqual([2, 'red', undefined]);
    expect(() => of.journal.flush()).toThrow('planned');
    expect(of.journal.isBehind).toBe(true);
    of.sql.exec = real as SqlStorage['exec'];
    of.journal.flush();
    expect(of.journal.isBehind).toBe(false);
    expect(readAgain(of).seen()).toEqual(of.seen());
    expect(readAgain(of).things.size).toBe(2);
  });

  it('stores what was left for later with its own, in one entry; a flush stores it alone', () => {
    const of = opened();
    of.journal.commitSoon(() => of.things.put(aThing(1)));
    of.journal.commitSoon(() => of.things.patch(1, { colour: 'red' }));
    expect(entriesOf(of.sql)).toEqual([]);
    of.journal.commit(() => of.things.put(aThing(2)));
    expect(entriesOf(of.sql)).toHaveLength(1);
    of.journal.commitSoon(() => of.things.put(aThing(3)));
    of.journal.flush();
    of.journal.flush();
    expect(entriesOf(of.sql)).toHaveLength(2);
    expect(readAgain(of).seen()).toEqual(of.seen());
  });
});

/** A row of so many characters, about. */
const long = (id: number, characters: number, of = 'x'): Thing =>
  aThing(id, { name: of.repeat(characters / of.length) });

/** So much that the journal is written anew. */
function makeLong(of: Opened): void {
  for (let size = 1; size <= 4; size += 1) of.journal.commit(() => of.things.put(long(1_000, 400_000)));
  of.journal.commit(() => of.things.drop(1_000));
  for (let size = 1; size <= 4; size += 1) of.journal.commit(() => of.things.put(long(1_000, 400_000)));
}

const VALUE_BYTES_MAX = 2 * 1024 * 1024;

describe('what is long', () => {
  it('is several entries, each shorter than a stored value may be, and all of them or none', () => {
    const of = opened();
    const wide = (id: number) => long(id, 300_000, '\u20ac'); // three bytes a character
    of.journal.commit(() => {
      for (let id = 1; id <= 6; id += 1) of.things.put(wide(id));
      of.things.putAll([7, 8, 9, 10].map(wide));
      of.things.putAll(Array.from({ length: 5_000 }, (_, index) => aThing(11 + index, { size: index })));
    });
    const bytes = entriesOf(of.sql).map((entry) => Buffer.byteLength(entry));
    expect(bytes.length).toBeGreaterThan(5);
    expect(Math.max(...bytes)).toBeLessThan(VALUE_BYTES_MAX);
    expect(readAgain(of).seen()).toEqual(of.seen());
    expect(of.things.size).toBe(5_010);
  });

  it('of its texts the ones that JSON writes longer are stored, too', () => {
    const of = opened();
    of.journal.commit(() => of.things.putAll(Array.from({ length: 8 }, (_, id) => long(id, 240_000, '"\\'))));
    of.journal.commit(() => of.things.putAll(Array.from({ length: 4 }, (_, id) => long(10 + id, 240_000, '\u0001'))));
    expect(readAgain(of).seen()).toEqual(of.seen());
  });
});

describe('a journal', () => {
  it('is written anew, as long as its rows, once more was appended than there is', () => {
    const of = opened();
    of.journal.commit(() => of.things.putAll([long(1, 100_000), aThing(2, { colour: 'red' })]));
    let longest = 0;
    for (let size = 1; size <= 100; size += 1) {
      of.journal.commit(() => of.things.patch(1, { name: `${size}`.padEnd(100_000, 'y'), size }));
      longest = Math.max(longest, charactersOf(of.sql));
      if (size % 10 === 0) expect(readAgain(of).seen()).toEqual(of.seen());
    }
    expect(longest).toBeGreaterThan(900_000); // not with each commit
    expect(longest).toBeLessThan(1_400_000);
  });

  it('that is long by its rows is not written anew before as much was appended', () => {
    const of = opened();
    const rows = Array.from({ length: 20 }, (_, index) => long(1 + index, 200_000));
    of.journal.commit(() => of.things.putAll(rows)); // 4 million characters: written anew at once
    const [first] = [...of.sql.exec<{ n: number }>(`SELECT min(n) AS n FROM ${JOURNAL}`)];
    const firstNow = () => [...of.sql.exec<{ n: number }>(`SELECT min(n) AS n FROM ${JOURNAL}`)][0]?.n;
    for (let size = 1; size <= 15; size += 1) {
      of.journal.commit(() => of.things.patch(size, { name: 'z'.repeat(200_000) }));
    }
    expect(firstNow()).toBe(first?.n); // 3 million since
    for (let size = 1; size <= 8; size += 1) {
      of.journal.commit(() => of.things.patch(size, { name: 'a'.repeat(200_000) }));
    }
    expect(firstNow()).toBeGreaterThan(first?.n ?? 0);
    expect(readAgain(of).seen()).toEqual(of.seen());
  });

  it('keeps the order of its rows, those left for later, and where it stands, when it is written anew', () => {
    const of = opened();
    of.journal.commit(() => {
      of.things.put(aThing(3));
      of.things.put(aThing(1));
      of.things.put(aThing(2));
      of.shelves.put({ place: 'left', things: 1 });
    });
    of.journal.commitSoon(() => of.things.put(aThing(9)));
    makeLong(of);
    of.journal.commit(() => of.things.drop(1));
    of.journal.commit(() => of.things.put(aThing(1)));
    const again = readAgain(of);
    expect([...again.things.values()].map((each) => each.id)).toEqual([3, 2, 9, 1_000, 1]);
    expect(again.seen()).toEqual(of.seen());
    again.journal.commit(() => again.things.put(aThing(4)));
    expect(readAgain(again).seen()).toEqual(again.seen());
  });

  it('does not grow where rows come and go', () => {
    const of = opened();
    for (let round = 1; round <= 20; round += 1) {
      of.journal.commit(() => of.things.put(long(1, 400_000)));
      of.journal.commit(() => of.things.drop(1));
      expect(charactersOf(of.sql)).toBeLessThan(1_900_000);
    }
    expect(readAgain(of).seen()).toEqual({ things: [], shelves: [], colours: {} });
  });

  it.each([
    ['table', '[[2,0,0,1]]', 'a stored change of unknown table 2'],
    ['kind', '[[0,9,0,1]]', 'a stored change of unknown kind 9 in thing'],
    ['column', '[[0,0,0,1,5,1]]', 'a stored column of unknown number 5 in thing'],
    ['form of packed rows', '[[0,3,{"form":2,"rows":1,"columns":[]}]]', 'stored_data_newer'],
  ])('of a %s that this release does not know is not read', (_, entry, message) => {
    const { sql, journal, things } = opened();
    journal.commit(() => things.put(aThing(1)));
    sql.exec(`UPDATE ${JOURNAL} SET entry = ?`, entry);
    expect(() => opened(sql)).toThrow(message);
  });
});

describe('the version of a journal', () => {
  const versions = (sql: SqlStorage) => JOURNAL_VERSION.read(sql);

  it('is stored with its first entry; without one there is nothing, not even a table', () => {
    const of = opened();
    of.journal.commit(() => of.things.drop(1));
    expect([versions(of.sql), readAgain(of).things.size]).toEqual(['new', 0]);
    expect(() => of.sql.exec(`SELECT n FROM ${JOURNAL}`)).toThrow('no such table');
    JOURNAL_VERSION.write(of.sql, VERSION);
    expect(versions(of.sql)).toBe('new');
    of.journal.commit(() => of.things.put(aThing(1)));
    expect(versions(of.sql)).toBe(VERSION);
  });

  it('is that of the step that was made last, and of what was written since', () => {
    const of = opened();
    of.journal.commit(() => of.things.put(aThing(1)));
    of.journal.commit(() => of.things.put(aThing(2)));
    JOURNAL_VERSION.write(of.sql, VERSION + 1);
    expect(versions(of.sql)).toBe(VERSION + 1);
    expect(readAgain(of).seen()).toEqual(of.seen());
    of.journal.commit(() => of.things.put(aThing(3)));
    expect(versions(of.sql)).toBe(VERSION);
    JOURNAL_VERSION.write(of.sql, VERSION + 1);
    makeLong(of);
    expect(versions(of.sql)).toBe(VERSION);
  });
});

/** A storage that refuses to insert an entry, as a full one does, once it has taken `taken` more. */
function refusing(sql: SqlStorage) {
  const refusal = { taken: Number.POSITIVE_INFINITY };
  const exec = (text: string, ...values: never[]) => {
    if (!text.startsWith('INSERT')) return sql.exec(text, ...values);
    refusal.taken -= 1;
    if (refusal.taken < 0) throw new Error('database or disk is full: SQLITE_FULL');
    return sql.exec(text, ...values);
  };
  return { sql: { exec } as unknown as SqlStorage, refusal };
}

describe('a storage that is full', () => {
  it.each([0, 1, 2])('has nothing of a commit of which it took %i entries, and all from before', (taken) => {
    const { sql, refusal } = refusing(newStorage());
    const of = opened(sql);
    of.journal.commit(() => of.things.put(aThing(1)));
    refusal.taken = taken;
    const rows = [2, 3, 4, 5].map((id) => long(id, 400_000));
    const failing = (): void =>
      of.journal.commit(() => {
        of.things.patch(1, { colour: 'red' });
        of.things.putAll(rows);
      });
    expect(failing).toThrow('SQLITE_FULL');
    refusal.taken = Number.POSITIVE_INFINITY;
    expect(of.seen().things).toEqual([aThing(1)]);
    expect(readAgain(of).seen()).toEqual(of.seen());
    of.journal.commit(() => of.things.putAll(rows));
    expect(readAgain(of).seen()).toEqual(of.seen());
    expect(of.things.size).toBe(5);
  });

  it.each([0, 1, 2])('has all rows where it took %i entries of a journal that is written anew', (taken) => {
    const { sql, refusal } = refusing(newStorage());
    const of = opened(sql);
    const rows = [1, 2, 3, 4].map((id) => long(id, 240_000));
    for (const row of rows) of.journal.commit(() => of.things.put(row));
    refusal.taken = 1 + taken;
    const more = (): void => of.journal.commit(() => of.things.put(long(5, 240_000)));
    if (taken === 0) expect(more).toThrow('SQLITE_FULL');
    else {
      try {
        more();
      } catch {
        // the commit may be refused, and nothing else is lost
      }
    }
    refusal.taken = Number.POSITIVE_INFINITY;
    expect([...of.things.values()].slice(0, 4)).toEqual(rows);
    expect(readAgain(of).seen()).toEqual(of.seen());
  });
});
