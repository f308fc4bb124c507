/**
 * Brings an object's stored data to the form this release reads: numbered steps, each once, in order, each one commit
 * with its number.
 *
 * An object says its version in a table of one row, or where its class says. A new object, and one of release 0.1, which
 * knew no versions, both begin with step 1: it creates what is missing of the tables of 0.1. A class can say what a new
 * object creates in place of all steps. Data of a newer release is not touched.
 */
import { STORED_DATA_PAUSE_MS } from './limits.ts';
import { log, messageOf } from './log.ts';

/** `kv`: for objects that store values and no tables. */
export interface Step {
  /** Counts from 1, without gaps. */
  number: number;
  run(sql: SqlStorage, kv: SyncKvStorage): void;
}

/**
 * @property of the class whose objects these steps are for. A released step is never changed. @property fresh absent: a
 * new object runs all steps. @property version absent: in a table of its own.
 */
export interface Migrations {
  of: string;
  steps: readonly Step[];
  fresh?: Fresh;
  version?: StoredVersion;
}

/** Where an object says in which version it is stored. */
export interface StoredVersion {
  /** null: it says none, as in release 0.1 or where nothing is stored; `new`: it is known that nothing is. */
  read(sql: SqlStorage): number | null | 'new';
  /** Within the commit of a step. */
  write(sql: SqlStorage, version: number): void;
}

/**
 * What a new object creates at once, in place of all steps: it needs no tables that only earlier releases filled. It
 * changes with every step added.
 */
export interface Fresh {
  /** What every object of release 0.1 has: those say no version, and are not new. */
  old: { type: 'table' | 'index'; name: string };
  /** null: nothing, and it says no version before it stores something. */
  run: Step['run'] | null;
}

export type MigratedStorage = Pick<DurableObjectStorage, 'sql' | 'kv' | 'transactionSync'>;

/** Prefix of the message: nothing else of an error passes from one object to another. */
export const STORED_DATA_NEWER = 'stored_data_newer';

/** The stored data was written by a newer release. */
export const isStoredNewer = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith(`${STORED_DATA_NEWER}: `);

/** @throws if a newer release wrote the stored data, or a step fails: then the state before the step stays. */
export function migrate(storage: MigratedStorage, { of, steps, fresh, version = VERSION_TABLE }: Migrations): void {
  const { sql, kv } = storage;
  const said = version.read(sql);
  const stored = typeof said === 'number' ? said : 0;
  const known = steps.at(-1)?.number ?? 0;
  if (stored > known) {
    const what = `this ${of} is stored in version ${stored}, and this release knows ${of} up to version ${known}`;
    throw new Error(
      `${STORED_DATA_NEWER}: ${what}. Deploy the release that wrote it, or a later one. Nothing was changed.`,
    );
  }
  const keep = (number: number, run: Step['run']): void =>
    storage.transactionSync(() => {
      run(sql, kv);
      version.write(sql, number);
    });
  if (fresh !== undefined && (said === 'new' || (said === null && !isThere(sql, fresh.old)))) {
    if (fresh.run !== null) keep(known, fresh.run);
  } else for (const { number, run } of steps) if (number > stored) keep(number, run);
}

const isThere = (sql: SqlStorage, { type, name }: Fresh['old']): boolean =>
  sql.exec('SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?', type, name).toArray().length > 0;

/** What reading from a table gives; `otherwise` where there is no such table. */
export function orNoTable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (thrown) {
    // PRAGMA user_version is refused by the platform, and checking for a table would be a second statement at every
    // start.
    if (thrown instanceof Error && thrown.message.includes('no such table')) return otherwise;
    throw thrown;
  }
}

const VERSION_TABLE: StoredVersion = {
  read: (sql) =>
    orNoTable(() => sql.exec<{ version: number }>('SELECT version FROM schema_version').one().version, null),
  write(sql, version) {
    sql.exec(
      'CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)',
    );
    sql.exec('INSERT OR REPLACE INTO schema_version (id, version) VALUES (1, ?)', version);
  },
};

type Storage = MigratedStorage & Pick<DurableObjectStorage, 'setAlarm'>;

/**
 * What an object creates over its storage, once its stored data is migrated. Created on first use, and again after the
 * storage was emptied, so that an object that has ended leaves nothing behind and works when it is called again.
 */
export class Cached<Parts> {
  readonly #storage: Storage;
  readonly #migrations: Migrations;
  readonly #build: () => Parts;
  #parts: Parts | undefined;

  constructor(storage: Storage, migrations: Migrations, build: () => Parts) {
    this.#storage = storage;
    this.#migrations = migrations;
    this.#build = build;
  }

  /** @throws if this release cannot read the stored data. */
  get parts(): Parts {
    if (this.#parts !== undefined) return this.#parts;
    migrate(this.#storage, this.#migrations);
    this.#parts = this.#build();
    return this.#parts;
  }

  /**
   * For alarms. Never throws: after six failed retries the platform would drop the alarm.
   * @returns false if this release cannot read the stored data: the alarm comes again later, and may find another
   * release.
   */
  async isReady(): Promise<boolean> {
    try {
      return this.parts !== undefined;
    } catch (thrown) {
      log('error', isStoredNewer(thrown) ? STORED_DATA_NEWER : 'stored_data_not_migrated', {
        detail: messageOf(thrown),
      });
    }
    await this.#storage.setAlarm(Date.now() + STORED_DATA_PAUSE_MS);
    return false;
  }

  /** The storage was emptied. */
  forget(): void {
    this.#parts = undefined;
  }
}
