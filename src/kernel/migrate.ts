/**
 * Brings an object's stored data to the form this release reads: numbered steps, each once, in order, each one commit
 * with its number.
 *
 * One row says how far an object is. A new object, and one of release 0.1, which had no such row, both begin with step
 * 1: it creates what is missing of the tables of 0.1. Data of a newer release is not touched.
 */
import { STORED_DATA_PAUSE_MS } from './limits.ts';
import { log, messageOf } from './log.ts';

/** `kv`: for objects that store values and no tables. */
export interface Step {
  /** Counts from 1, without gaps. */
  number: number;
  run(sql: SqlStorage, kv: SyncKvStorage): void;
}

/** @property of the class whose objects these steps are for. A released step is never changed. */
export interface Migrations {
  of: string;
  steps: readonly Step[];
}

export type MigratedStorage = Pick<DurableObjectStorage, 'sql' | 'kv' | 'transactionSync'>;

/** Prefix of the message: nothing else of an error passes from one object to another. */
export const STORED_DATA_NEWER = 'stored_data_newer';

/** The stored data was written by a newer release. */
export const isStoredNewer = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith(`${STORED_DATA_NEWER}: `);

/** @throws if a newer release wrote the stored data, or a step fails: then the state before the step stays. */
export function migrate(storage: MigratedStorage, { of, steps }: Migrations): void {
  const { sql, kv } = storage;
  const stored = storedVersion(sql);
  const known = steps.at(-1)?.number ?? 0;
  if (stored > known) {
    const what = `this ${of} is stored in version ${stored}, and this release knows ${of} up to version ${known}`;
    throw new Error(
      `${STORED_DATA_NEWER}: ${what}. Deploy the release that wrote it, or a later one. Nothing was changed.`,
    );
  }
  for (const { number, run } of steps) {
    if (number <= stored) continue;
    storage.transactionSync(() => {
      run(sql, kv);
      keepVersion(sql, number);
    });
  }
}

/** 0: it has no row, as in release 0.1 or where nothing was ever stored. */
function storedVersion(sql: SqlStorage): number {
  try {
    return sql.exec<{ version: number }>('SELECT version FROM schema_version').one().version;
  } catch (thrown) {
    // PRAGMA user_version is refused by the platform, and checking for a table would be a second statement at every
    // start.
    if (thrown instanceof Error && thrown.message.includes('no such table')) return 0;
    throw thrown;
  }
}

function keepVersion(sql: SqlStorage, version: number): void {
  if (version === 1)
    sql.exec('CREATE TABLE schema_version (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)');
  sql.exec('INSERT OR REPLACE INTO schema_version (id, version) VALUES (1, ?)', version);
}

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
