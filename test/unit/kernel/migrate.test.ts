/** Steps of what is stored: each once, in order, each whole or not at all; and nothing of what a newer release wrote is touched. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { REPLAY_MIGRATIONS } from '../../../src/batch/store/replay-migrations.ts';
import { FEED_MIGRATIONS } from '../../../src/feed/feed-tables.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import {
  isStoredNewer,
  type MigratedStorage,
  type Migrations,
  migrate,
  type Step,
} from '../../../src/kernel/migrate.ts';
import {
  LOAD_MIGRATIONS,
  LOAD_TABLES,
  ORDER_MIGRATIONS,
  ORDER_TABLES,
  SUBJECT_TABLES,
} from '../../../src/tracking/store/migrations.ts';
import { loadTables } from '../../../src/tracking/store/subject-tables.ts';
import { GATE_MIGRATIONS } from '../../../src/upstream/gate/store.ts';
import { WEBHOOK_MIGRATIONS } from '../../../src/webhooks/store.ts';
import { storageOf, storageOn } from '../object-storage.ts';

const ALL = [
  REGISTER_MIGRATIONS,
  BATCH_MIGRATIONS,
  LOAD_MIGRATIONS,
  ORDER_MIGRATIONS,
  FEED_MIGRATIONS,
  WEBHOOK_MIGRATIONS,
  GATE_MIGRATIONS,
  REPLAY_MIGRATIONS,
];

const opened = (): ObjectDatabase => new ObjectDatabase(() => '');
const FIRST: Step = { number: 1, run: (sql) => sql.exec('CREATE TABLE IF NOT EXISTS thing (name TEXT)') };
const SECOND: Step = { number: 2, run: (sql) => sql.exec('ALTER TABLE thing ADD COLUMN colour TEXT') };
const THIRD: Step = { number: 3, run: (sql) => sql.exec(`UPDATE thing SET colour = 'blue' WHERE colour IS NULL`) };
const things = (...steps: Step[]): Migrations => ({ of: 'Thing', steps });
const versionOf = (database: ObjectDatabase) => database.read('SELECT version FROM schema_version');

describe('steps', () => {
  it('run in order, each once, from where the object stands', () => {
    const database = opened();
    const ran: number[] = [];
    const noted = ({ number, run }: Step): Step => ({
      number,
      run: (sql, kv) => {
        ran.push(number);
        run(sql, kv);
      },
    });
    storageOf(database, things(FIRST));
    database.exec(`INSERT INTO thing (name) VALUES ('old')`, []);
    const all = things(...[FIRST, SECOND, THIRD].map(noted));
    storageOf(database, all);
    storageOf(database, all);
    expect(ran).toEqual([2, 3]);
    expect(database.read('SELECT * FROM thing')).toEqual([{ name: 'old', colour: 'blue' }]);
    expect(versionOf(database)).toEqual([{ version: 3 }]);
  });

  it('take over an object of release 0.1, which says no version and may lack a table', () => {
    const database = opened();
    database.exec('CREATE TABLE thing (name TEXT)', []);
    database.exec(`INSERT INTO thing (name) VALUES ('old')`, []);
    storageOf(database, things(FIRST, SECOND));
    expect(database.read('SELECT * FROM thing')).toEqual([{ name: 'old', colour: null }]);
  });

  it('leave the version before them where one throws, with what that one had', () => {
    const database = opened();
    const failing: Step = {
      number: 3,
      run: (sql) => {
        sql.exec(`UPDATE thing SET colour = 'red'`);
        throw new Error('planned');
      },
    };
    storageOf(database, things(FIRST));
    database.exec(`INSERT INTO thing (name) VALUES ('old')`, []);
    expect(() => storageOf(database, things(FIRST, SECOND, failing))).toThrow('planned');
    expect(versionOf(database)).toEqual([{ version: 2 }]);
    expect(database.read('SELECT * FROM thing')).toEqual([{ name: 'old', colour: null }]);
    storageOf(database, things(FIRST, SECOND, THIRD));
    expect(database.read('SELECT * FROM thing')).toEqual([{ name: 'old', colour: 'blue' }]);
  });

  it('cost an object that is up to date one statement, which reads', () => {
    const database = opened();
    const storage = storageOf(database, things(FIRST, SECOND));
    const asked: string[] = [];
    const exec = (text: string) => {
      asked.push(text);
      return storage.sql.exec(text);
    };
    migrate({ ...storage, sql: { exec } } as typeof storage, things(FIRST, SECOND));
    expect(asked).toEqual(['SELECT version FROM schema_version']);
  });
});

describe('a new object', () => {
  const freshThings = (...steps: Step[]): Migrations => ({
    ...things(...steps),
    fresh: { old: { type: 'table', name: 'thing' }, run: (sql) => sql.exec('CREATE TABLE other (name TEXT)') },
  });

  it('creates at once what its class says, and is as far as one that ran all steps', () => {
    const database = opened();
    storageOf(database, freshThings(FIRST, SECOND));
    expect(database.tables).toEqual(expect.arrayContaining(['other', 'schema_version']));
    expect(database.tables).not.toContain('thing');
    expect(versionOf(database)).toEqual([{ version: 2 }]);
    storageOf(database, freshThings(FIRST, SECOND));
    expect(() => storageOf(database, things(FIRST))).toThrow('stored_data_newer: ');
    const third: Step = { number: 3, run: (sql) => sql.exec('ALTER TABLE other ADD COLUMN colour TEXT') };
    storageOf(database, freshThings(FIRST, SECOND, third));
    expect(versionOf(database)).toEqual([{ version: 3 }]);
    expect(database.read('SELECT colour FROM other')).toEqual([]);
  });

  it('is none that release 0.1 stored, which says no version, or that ran some of the steps', () => {
    const unversioned = opened();
    unversioned.exec('CREATE TABLE thing (name TEXT)', []);
    storageOf(unversioned, freshThings(FIRST, SECOND));
    expect(unversioned.tables).not.toContain('other');
    expect(versionOf(unversioned)).toEqual([{ version: 2 }]);
    const begun = opened();
    storageOf(begun, things(FIRST));
    storageOf(begun, freshThings(FIRST, SECOND));
    expect(begun.tables).not.toContain('other');
    expect(versionOf(begun)).toEqual([{ version: 2 }]);
  });

  it('that could not create all of it has nothing, and begins again', () => {
    const database = opened();
    const failing: Migrations = {
      ...freshThings(FIRST),
      fresh: {
        old: { type: 'table', name: 'thing' },
        run: (sql) => {
          sql.exec('CREATE TABLE other (name TEXT)');
          throw new Error('planned');
        },
      },
    };
    expect(() => storageOf(database, failing)).toThrow('planned');
    expect(database.tables).not.toContain('other');
    storageOf(database, freshThings(FIRST));
    expect(database.tables).toContain('other');
  });
});

describe('what a newer release stored', () => {
  it('is refused with what to do, and not touched', () => {
    const database = opened();
    storageOf(database, things(FIRST, SECOND));
    const thrown = () => storageOf(database, things(FIRST));
    expect(thrown).toThrow(
      'stored_data_newer: this Thing is stored in version 2, and this release knows Thing up to version 1. Deploy the release that wrote it, or a later one. Nothing was changed.',
    );
    expect(versionOf(database)).toEqual([{ version: 2 }]);
    expect(isStoredNewer(new Error('stored_data_newer: this'))).toBe(true);
    expect(isStoredNewer(new Error('no such table: stored_data_newer'))).toBe(false);
  });
});

describe('the steps of each class', () => {
  it.each(ALL)('of $of are numbered from 1 without gaps', ({ steps }) => {
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
  });

  it.each(ALL)('of $of can be made over what release 0.1 left, and end there', (migrations) => {
    const database = opened();
    const [first] = migrations.steps;
    first?.run(storageOn(database).sql, storageOn(database).kv);
    const before = database.tables;
    storageOf(database, migrations);
    expect(database.tables).toEqual(expect.arrayContaining(before));
    const said = migrations.version === undefined ? versionOf(database) : [];
    expect(said).toEqual(migrations.version === undefined ? [{ version: migrations.steps.length }] : []);
  });
});

/** What release 0.1 runs whenever an object of the class starts: its tables and indexes, where they are missing. */
function startAs01({ of, steps }: Migrations, { sql, kv }: MigratedStorage): void {
  const journaled: Record<string, string> = {
    Load: SUBJECT_TABLES + LOAD_TABLES,
    Order: SUBJECT_TABLES + ORDER_TABLES,
  };
  const tables = journaled[of];
  if (tables !== undefined) sql.exec(tables);
  else steps[0]?.run(sql, kv);
}

describe('release 0.1', () => {
  const CHANGED = [LOAD_MIGRATIONS, ORDER_MIGRATIONS, BATCH_MIGRATIONS, REGISTER_MIGRATIONS];
  const began = (migrations: Migrations, isUpgraded: boolean) => {
    const database = opened();
    if (isUpgraded) startAs01(migrations, storageOn(database));
    const storage = storageOf(database, migrations);
    if (migrations.version !== undefined) {
      const { journal, identity } = loadTables(storage.sql); // those that orders have, too
      journal.commit(() => identity.put({ id: 1, named: '{}' }));
    }
    return { database, storage };
  };

  it.each(CHANGED.flatMap((each) => [false, true].map((isUpgraded) => ({ of: each.of, each, isUpgraded }))))(
    'cannot start over what this one stored otherwise: $of, upgraded: $isUpgraded',
    ({ each, isUpgraded }) => {
      const { storage } = began(each, isUpgraded);
      expect(() => startAs01(each, storage)).toThrow('there is already a table named');
      expect(() => migrate(storage, each)).not.toThrow();
    },
  );

  it.each(ALL.filter((each) => !CHANGED.includes(each)))('finds its tables as it left them: $of', (each) => {
    const { database, storage } = began(each, false);
    const tables = () => database.read('SELECT name, sql FROM sqlite_master ORDER BY name');
    const before = tables();
    startAs01(each, storage);
    expect(tables()).toEqual(before);
  });
});

it('the steps of every object are numbered from 1, and name its class to who reads that they are too new', () => {
  const named = [
    ['IntakeRegister', REGISTER_MIGRATIONS],
    ['Batch', BATCH_MIGRATIONS],
    ['Load', LOAD_MIGRATIONS],
    ['Order', ORDER_MIGRATIONS],
    ['OrderFeed', FEED_MIGRATIONS],
    ['Webhooks', WEBHOOK_MIGRATIONS],
    ['UpstreamGate', GATE_MIGRATIONS],
    ['ReplayAction', REPLAY_MIGRATIONS],
  ] as const;
  expect(named.map(([, { of }]) => of)).toEqual(named.map(([name]) => name));
  for (const [, { steps }] of named) expect(steps.map(({ number }) => number)).toEqual(steps.map((_, at) => at + 1));
});
