/** The tables of every object class, as they stand in a folder of the local runtime. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** @returns text per class: every statement that made a table or an index, sorted. @param persistTo the bridge's folder. */
export function objectSchemas(persistTo: string): string {
  const folder = join(persistTo, 'v3', 'do');
  const classes = readdirSync(folder).sort();
  return classes.map((name) => `--- ${name}\n${schemaOf(join(folder, name))}\n`).join('');
}

function schemaOf(folder: string): string {
  const statements = new Set<string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite')) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      const rows = database.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL').all() as { sql: string }[];
      for (const { sql } of rows) statements.add(sql.replaceAll(/\s+/g, ' '));
    } finally {
      database.close();
    }
  }
  return [...statements].sort().join('\n');
}
