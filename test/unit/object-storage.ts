/** An object's storage on the simulator's database, as its class makes it. */
import type { ObjectDatabase } from '../../scripts/simulate/sql.ts';
import { type MigratedStorage, type Migrations, migrate } from '../../src/kernel/migrate.ts';

export function storageOn(database: ObjectDatabase): MigratedStorage {
  const storage = {
    sql: { exec: (text: string, ...values: never[]) => database.exec(text, values) },
    kv: {},
    transactionSync: <T>(run: () => T): T => database.transaction(run),
  };
  return storage as unknown as MigratedStorage;
}

/** With the tables of the newest version. */
export function storageOf(database: ObjectDatabase, migrations: Migrations): MigratedStorage {
  const storage = storageOn(database);
  migrate(storage, migrations);
  return storage;
}
