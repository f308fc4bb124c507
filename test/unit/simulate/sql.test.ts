/** The double of an object's storage does what the platform's does, as far as the bridge leans on it. */
import { expect, it } from 'vitest';
import { DatabasePool, ObjectDatabase } from '../../../scripts/simulate/sql.ts';

const TABLE = 'CREATE TABLE IF NOT EXISTS one (id INTEGER PRIMARY KEY, text TEXT)';
const opened = (): ObjectDatabase => {
  const database = new ObjectDatabase(() => '');
  database.exec(TABLE, []);
  return database;
};
const rows = (database: ObjectDatabase) => database.exec('SELECT id, text FROM one ORDER BY id', []).toArray();

it('forgets what was not committed', () => {
  const database = opened();
  database.exec('INSERT INTO one VALUES (?, ?)', [1, 'kept']);
  database.commit();
  database.exec('INSERT INTO one VALUES (?2, ?1)', ['lost', 2]);
  database.exec('UPDATE one SET text = ? RETURNING id', ['changed']);
  expect(rows(database)).toHaveLength(2);
  database.rollback();
  expect(rows(database)).toEqual([expect.objectContaining({ id: 1, text: 'kept' })]);
});

it('undoes only the inner transaction that threw', () => {
  const database = opened();
  database.exec('INSERT INTO one VALUES (1, NULL)', []);
  const failing = () => {
    database.exec('INSERT INTO one VALUES (2, NULL)', []);
    throw new Error('planned');
  };
  expect(() => database.transaction(failing)).toThrow('planned');
  database.commit();
  expect(rows(database)).toHaveLength(1);
});

it('refuses what the platform refuses: too many parameters, too long a value, several rows where one is asked for', () => {
  const database = opened();
  const many = Array.from({ length: 101 }, () => 1);
  expect(() => database.exec(`SELECT ${many.map(() => '?').join(', ')}`, many)).toThrow(/too many SQL variables/);
  expect(() => database.exec('SELECT ?', ['x'.repeat(2 * 1024 * 1024 + 1)])).toThrow(/too big/);
  expect(() => database.exec('SELECT ?', ['x'.repeat(2 * 1024 * 1024)])).not.toThrow();
  database.exec('INSERT INTO one VALUES (1, NULL), (2, NULL)', []);
  expect(() => database.exec('SELECT * FROM one', []).one()).toThrow(/exactly one/);
});

it('is empty when it is used again, and counts from 1', () => {
  const pool = new DatabasePool(() => '');
  const database = pool.take('Load');
  database.exec(TABLE, []);
  database.exec('INSERT INTO one (text) VALUES (?)', ['first']);
  pool.giveBack('Load', database);
  const again = pool.take('Load');
  expect(again).toBe(database);
  expect(rows(again)).toEqual([]);
  again.exec('INSERT INTO one (text) VALUES (?)', ['second']);
  expect(rows(again)[0]?.id).toBe(1);
});

it('tells of a row that was changed though it may not be', () => {
  const database = new ObjectDatabase(
    () => `CREATE TRIGGER IF NOT EXISTS stands BEFORE UPDATE ON one BEGIN SELECT breach('I23', OLD.text); END`,
  );
  const told: string[] = [];
  database.onBreach = (invariant, what) => told.push(`${invariant} ${what}`);
  database.exec(TABLE, []);
  database.exec('INSERT INTO one VALUES (1, ?)', ['before']);
  database.exec('UPDATE one SET text = ?', ['after']);
  expect(told).toEqual(['I23 before']);
});
