/** The directory's tables for a test that needs them. */
import { env } from 'cloudflare:workers';

/** All migrations in one call, where they are not there yet: one by one they take longer than most tests. */
export async function migratedDirectory(): Promise<void> {
  const { DIRECTORY, MIGRATIONS } = env;
  const there = `SELECT 1 FROM sqlite_master WHERE name = 'batch_index'`;
  if ((await DIRECTORY.prepare(there).first()) !== null) return;
  await DIRECTORY.batch(MIGRATIONS.flatMap(({ queries }) => queries).map((query) => DIRECTORY.prepare(query)));
}
