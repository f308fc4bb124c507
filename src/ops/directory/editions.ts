/** Settings of which every edition is kept in D1, append-only: the newest counts, and it says who set it, when and why. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from './directory-reached.ts';

/** `changed_meanwhile`: somebody else made the same edition. */
export type EditionRefusal = DirectoryUnavailable | { code: 'changed_meanwhile' };

/** Who asks for a change, and why. */
export interface EditionAuthor {
  keyId: string;
  author: string;
  note: string;
  atMs: number;
}

export interface Edition<Value> {
  /** 0: nothing was ever set, and the value is the usual one. */
  edition: number;
  value: Value;
  changedBy: string | null;
  changedAt: string | null;
  note: string;
}

/** A table of two key columns, `edition`, a column of JSON, then `key_id`, `key_name`, `changed_at` and `note`. */
export interface EditionTable<Value> {
  table: string;
  keys: readonly [string, string];
  column: string;
  usual: Value;
  parse(json: string): Value;
}

type Row = { edition: number; value: string; key_name: string; changed_at: string; note: string };

export function editionsIn<Value>(database: D1Database, { table, keys, column, usual, parse }: EditionTable<Value>) {
  const newest = `SELECT edition, ${column} AS value, key_name, changed_at, note FROM ${table}
                  WHERE ${keys[0]} = ? AND ${keys[1]} = ? ORDER BY edition DESC LIMIT 1`;
  const read = async (key: readonly [string, string]): Promise<Edition<Value>> => {
    const row = await database
      .prepare(newest)
      .bind(...key)
      .first<Row>();
    if (row === null) return { edition: 0, value: usual, changedBy: null, changedAt: null, note: '' };
    const { edition, value, key_name: changedBy, changed_at: changedAt, note } = row;
    return { edition, value: parse(value), changedBy, changedAt, note };
  };
  return {
    read: (key: readonly [string, string]): Promise<Result<Edition<Value>, EditionRefusal>> =>
      directoryReached(async () => ok(await read(key))),
    set: (
      key: readonly [string, string],
      value: Value,
      { keyId, author, note, atMs }: EditionAuthor,
    ): Promise<Result<Edition<Value>, EditionRefusal>> =>
      directoryReached<Edition<Value>, EditionRefusal>(async () => {
        const edition = (await read(key)).edition + 1;
        const changedAt = new Date(atMs).toISOString();
        const inserted = await database
          .prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
          .bind(...key, edition, JSON.stringify(value), keyId, author, changedAt, note)
          .run();
        if (inserted.meta.changes === 0) return err({ code: 'changed_meanwhile' });
        return ok({ edition, value, changedBy: author, changedAt, note });
      }),
  };
}
