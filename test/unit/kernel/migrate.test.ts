/** Steps of what is stored: each once, in order, each whole or not at all; and nothing of what a newer release wrote is touched. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { REPLAY_MIGRATIONS } from '../../../src/batch/store/replay-migrations.ts';
import { FEED_MIGRATIONS } from '../../../src/feed/feed-tables.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { isStoredNewer, type Migrations, migrate, type Step } from '../../../src/kernel/migrate.ts';
import { LOAD_MIGRATIONS, ORDER_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
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
    expect(database.tables).toEqual(expect.arrayContaining([...before, 'schema_version']));
    expect(versionOf(database)).toEqual([{ version: migrations.steps.length }]);
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
