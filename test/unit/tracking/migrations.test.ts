/** Loads and orders that release 0.1 stored in tables have all of their rows in the journal, and new ones nothing else. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { JOURNAL, JOURNAL_VERSION } from '../../../src/kernel/journal-table.ts';
import { type Migrations, migrate, orNoTable } from '../../../src/kernel/migrate.ts';
import { requestKey } from '../../../src/kernel/names.ts';
import type { Rows } from '../../../src/kernel/row-journal.ts';
import {
  isWritten,
  LOAD_MIGRATIONS,
  LOAD_TABLES,
  ORDER_MIGRATIONS,
  ORDER_TABLES,
  SUBJECT_TABLES,
} from '../../../src/tracking/store/migrations.ts';
import { storageOf, storageOn } from '../object-storage.ts';
import { aTaken, loadStored, orderStored } from './samples.ts';

type Planted = Record<string, string | number | null>;

/** What release 0.1 runs whenever an object starts. */
const TABLES_01 = new Map([
  [LOAD_MIGRATIONS, SUBJECT_TABLES + LOAD_TABLES],
  [ORDER_MIGRATIONS, SUBJECT_TABLES + ORDER_TABLES],
]);
function startAs01(sql: SqlStorage, migrations: Migrations): void {
  for (const statement of (TABLES_01.get(migrations) ?? '').split(/;\n/)) if (statement !== '') sql.exec(statement);
}

/** An object as release 0.1 left it: its tables, and no version. */
function old(migrations: Migrations) {
  const database = new ObjectDatabase(() => '');
  const { sql } = storageOn(database);
  startAs01(sql, migrations);
  return { database, sql };
}

/** Three rows, whose values are all different: the first has a value everywhere, the last only where it must. */
function plant(database: ObjectDatabase, table: string): void {
  const columns = database.read<{ name: string; type: string; must: number; isKey: number; other: string | null }>(
    `SELECT name, type, "notnull" AS must, pk AS isKey, dflt_value AS other FROM pragma_table_info('${table}')`,
  );
  const isAlone = table === 'identity' || table === 'feed_link';
  for (const row of isAlone ? [1] : [1, 2, 3]) {
    const filled = columns.filter(({ must, isKey, other }) => row < 3 || isKey > 0 || (must === 1 && other === null));
    const values = filled.map(({ name, type, must }, at) => {
      if (name === 'id' && isAlone) return 1;
      if (row === 2 && must === 0 && at % 2 === 0 && name !== 'seq') return null;
      return type === 'TEXT' ? `${name} ${row} "é"` : row * 1_000 + at;
    });
    const names = filled.map(({ name }) => name).join(', ');
    database.exec(`INSERT INTO ${table} (${names}) VALUES (${names.replaceAll(/\w+/g, '?')})`, values);
  }
}

const tablesOf = (database: ObjectDatabase): string[] =>
  database.tables.filter((name) => !name.startsWith('sqlite_')).sort();
const versionOf = (database: ObjectDatabase) => JOURNAL_VERSION.read(storageOn(database).sql);
const entriesOf = (database: ObjectDatabase): number =>
  orNoTable(() => database.read<{ entries: number }>(`SELECT count(*) AS entries FROM ${JOURNAL}`)[0]?.entries ?? 0, 0);

/** What a table of 0.1 has in the columns that are still read. */
function storedIn(database: ObjectDatabase, { name, columns }: Rows<never>['form']): Planted[] {
  return database.read<Planted>(`SELECT ${Object.keys(columns).join(', ')} FROM ${name}`);
}

describe.each([
  { of: 'load', migrations: LOAD_MIGRATIONS, opened: loadStored, unlike: ['event', 'audited'] },
  { of: 'order', migrations: ORDER_MIGRATIONS, opened: orderStored, unlike: [] },
])('$of of release 0.1', ({ migrations, opened, unlike }) => {
  const planted = () => {
    const made = old(migrations);
    for (const table of tablesOf(made.database)) plant(made.database, table);
    return made;
  };
  const unused = () => {
    const database = new ObjectDatabase(() => '');
    return { database, sql: storageOn(database).sql };
  };
  const rowsOf = (sql: SqlStorage): Rows<never>[] => {
    const { journal: _, ...tables } = opened(sql).tables;
    return Object.values(tables) as unknown as Rows<never>[];
  };

  it('comes over whole, once, and says its version', () => {
    const { database, sql } = planted();
    expect([versionOf(database), isWritten(sql)]).toEqual([null, true]);
    migrate(storageOn(database), migrations);
    expect(versionOf(database)).toBe(migrations.steps.length);
    expect(isWritten(sql)).toBe(true);
    const read = rowsOf(sql).filter(({ form }) => !unlike.some((name) => name === form.name));
    for (const rows of read) {
      expect([rows.form.name, [...rows.values()]]).toEqual([rows.form.name, storedIn(database, rows.form)]);
      expect(rows.size).toBeGreaterThan(0);
    }
    const all = tablesOf(database).filter((name) => ![...unlike, JOURNAL].some((other) => other === name));
    expect(read.map(({ form }) => form.name).sort()).toEqual(all);
    const entries = entriesOf(database);
    migrate(storageOn(database), migrations);
    expect(entriesOf(database)).toBe(entries);
  });

  it('that is interrupted at any statement is as it was, and comes over whole the next time', () => {
    const whole = planted();
    migrate(storageOn(whole.database), migrations);
    const expected = rowsOf(whole.sql).map((rows) => [...rows.values()]);
    const { database, sql } = planted();
    const storage = storageOn(database);
    const tables = () => database.read('SELECT type, name, sql FROM sqlite_master ORDER BY name');
    const before = tables();
    let interruptions = 0;
    for (let left = 1; ; left += 1) {
      let statements = 0;
      const exec = (text: string, ...values: never[]) => {
        statements += 1;
        if (statements > left) throw new Error('planned');
        return storage.sql.exec(text, ...values);
      };
      try {
        migrate({ ...storage, sql: { exec } } as unknown as typeof storage, migrations);
        break;
      } catch (thrown) {
        expect(String(thrown)).toBe('Error: planned');
        interruptions += 1;
        expect([tables(), isWritten(sql)]).toEqual([before, true]);
      }
    }
    expect(interruptions).toBeGreaterThan(8);
    expect(rowsOf(sql).map((rows) => [...rows.values()])).toEqual(expected);
  });

  it('goes on with its rows, and its old tables are neither read nor written', () => {
    const { database, sql } = planted();
    migrate(storageOn(database), migrations);
    const before = database.read('SELECT * FROM request');
    const { store } = opened(sql);
    store.commit(() => store.add([aTaken(7)]));
    database.exec('DELETE FROM attempt', []);
    expect([...opened(sql).tables.request.values()]).toHaveLength(4);
    expect([...opened(sql).tables.attempt.values()]).toHaveLength(3);
    expect(database.read('SELECT * FROM request')).toEqual(before);
  });

  it('that nothing was stored for comes over empty, and was never written', () => {
    const { database, sql } = old(migrations);
    migrate(storageOn(database), migrations);
    expect([versionOf(database), entriesOf(database), isWritten(sql)]).toEqual(['new', 0, false]);
    migrate(storageOn(database), migrations);
    const { store } = opened(sql);
    store.commit(() => store.identify({ environment: 'test', partner: 'acme' }));
    expect([versionOf(database), isWritten(sql)]).toEqual([migrations.steps.length, true]);
  });

  it('that is new makes its journal alone, with its first entry', () => {
    const database = new ObjectDatabase(() => '');
    const { sql } = storageOf(database, migrations);
    expect([isWritten(sql), tablesOf(database)]).toEqual([false, []]);
    const { store } = opened(sql);
    store.commit(() => store.identify({ environment: 'test', partner: 'acme' }));
    expect([versionOf(database), isWritten(sql)]).toEqual([migrations.steps.length, true]);
    expect(tablesOf(database)).toEqual([JOURNAL]);
    migrate(storageOn(database), migrations);
    expect([opened(sql).tables.identity.size, tablesOf(database)]).toEqual([1, [JOURNAL]]);
  });

  it.each(['new', 'upgraded'])('does not start over what this release stored, and leaves it whole: %s', (which) => {
    const { database, sql } = which === 'new' ? unused() : planted();
    migrate(storageOn(database), migrations);
    const { store } = opened(sql);
    store.commit(() => {
      store.identify({ environment: 'test', partner: 'acme' });
      store.add([aTaken(7)]);
    });
    const before = rowsOf(sql).map((rows) => [...rows.values()]);
    expect(() => startAs01(sql, migrations)).toThrow(`there is already a table named ${JOURNAL}`);
    migrate(storageOn(database), migrations);
    expect(rowsOf(sql).map((rows) => [...rows.values()])).toEqual(before);
  });

  it('that is longer than one stored value comes over whole', () => {
    const { database, sql } = old(migrations);
    for (let seq = 1; seq <= 30; seq += 1) {
      database.exec(
        `INSERT INTO request (seq, key, lane, batch_id, record, request, generation, kind, scac, channel, body, live,
           accepted_at_ms, taken_at_ms, deadline_ms)
         VALUES (?1, ?3, 'milestones', 'b_1', ?1, 1, 1, 'milestone', 'DEMO', 'main', ?2, 0, 1, 2, 3)`,
        [seq, `€${seq}`.padEnd(100_000, '"'), requestKey('b_1', seq, 1)],
      );
    }
    migrate(storageOn(database), migrations);
    const { store } = opened(sql);
    expect([...store.all()].map(({ seq, key, body }) => [seq, key, body.length])).toEqual(
      Array.from({ length: 30 }, (_, at) => [at + 1, requestKey('b_1', at + 1, 1), 100_000]),
    );
    expect([...store.openSeqs('milestones')]).toHaveLength(30);
  });
});

describe('the events of a load of release 0.1', () => {
  const AT_MS = Date.UTC(2026, 2, 2, 8);

  /** Arrivals at one stop, one a minute. @param each what became of it, and what its row in `event` says of it; null: it has none. */
  function aLoad(each: readonly { state: string; known: 0 | 1 | 2 | null; tried?: boolean; outcome?: string }[]) {
    const { database, sql } = old(LOAD_MIGRATIONS);
    for (const [index, { state, known, tried = true, outcome = null }] of each.entries()) {
      const seq = index + 1;
      const minute = String(seq).padStart(2, '0');
      const time = {
        dateTime: `2026-03-02T08:${minute}:00.0000000+00:00`,
        timeZoneCode: 'UTC',
        timeZoneOffset: 'UTC+0',
      };
      const body = JSON.stringify({ loadNumber: 'L1', eventCode: 'X3', time, stopsequenceNumber: 1 });
      database.exec(
        `INSERT INTO request (seq, key, lane, batch_id, record, request, generation, kind, scac, channel, body, live,
           accepted_at_ms, taken_at_ms, deadline_ms, state, outcome, first_tried_at_ms)
         VALUES (?1, ?7, 'milestones', 'b_1', ?1, 1, 1, 'milestone', 'DEMO', 'main', ?2, 0, ?3, ?3, ?3, ?4, ?5, ?6)`,
        [seq, body, AT_MS, state, outcome, tried ? AT_MS : null, requestKey('b_1', seq, 1)],
      );
      if (known !== null) {
        const values = [seq, AT_MS + seq * 60_000, `2026-03-02T08:${minute}:00.0000000+00:00`, known];
        database.exec(
          `INSERT INTO event (seq, at_ms, what, time, stop, phase, stop_key, known) VALUES (?, ?, 'X3', ?, 1, 'arrival', '#1', ?)`,
          values,
        );
      }
    }
    migrate(storageOn(database), LOAD_MIGRATIONS);
    const load = loadStored(sql);
    return { ...load, audited: [...load.tables.audited.values()].map(({ seq, known }) => [seq, known]) };
  }

  it('that were checked count as they did; those that were not are checked at their step', () => {
    const { audited, store, journey } = aLoad([
      { state: 'rejected', known: 2 },
      { state: 'delivered', known: 1 },
      { state: 'queued', known: 0, tried: false },
      { state: 'waiting', known: 1 },
    ]);
    expect(audited).toEqual([
      [1, 2],
      [2, 1],
      [4, 1],
    ]);
    expect(journey.first('#1', 'arrival')?.atMs).toBe(AT_MS + 2 * 60_000);
    const { refusal } = store.commit(() => journey.classify(store.bySeq(3)));
    expect([refusal, store.commit(() => journey.classify(store.bySeq(3))).surprises]).toEqual([null, []]);
    expect(journey.around({ resource: '', atMs: AT_MS })).toEqual([]);
  });

  it('that no row was made of count where they were sent, and only there', () => {
    const { audited, journey } = aLoad([
      { state: 'delivered', known: 1 },
      { state: 'delivered', known: null },
      { state: 'queued', known: null, tried: false },
      { state: 'coalesced', known: null, tried: false },
      { state: 'dead', known: null, outcome: 'not_applied' },
      { state: 'dead', known: null, outcome: 'unknown' },
      { state: 'rejected', known: null },
      { state: 'cancelled', known: null },
      { state: 'duplicate', known: null },
      { state: 'held', known: null },
    ]);
    expect(audited).toEqual([1, 2, 4, 6, 10].map((seq) => [seq, 1]));
    expect(journey.latest('#1')?.atMs).toBe(AT_MS + 10 * 60_000);
  });
});
