/**
 * Where a batch stands, read from a copy of its SQLite file: also while the bridge starts or is too busy to answer, and
 * without touching what the bridge will find.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BatchProgress } from '../../src/batch/core/progress.ts';
import type { BatchTicket } from '../../src/batch/core/ticket.ts';

/** What was committed last. */
export interface Standing {
  /** Bytes read so far. */
  byte: number;
  /** Rows whose fate is known; staged ones are not. */
  rows: number;
  readingFinished: boolean;
}

/** @returns undefined while nothing is committed, or when the file was caught in a change. */
export function currentOf(path: string): Standing | undefined {
  const copies = mkdtempSync(join(tmpdir(), 'transload-copy-'));
  const copy = join(copies, 'batch.sqlite');
  let database: DatabaseSync | undefined;
  try {
    for (const end of ['-wal', '']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
    database = new DatabaseSync(copy);
    const names = database.prepare('SELECT name, json FROM kept').all() as unknown as { name: string; json: string }[];
    const kept = new Map(names.map(({ name, json }) => [name, JSON.parse(json) as unknown]));
    const ticket = kept.get('ticket') as BatchTicket | undefined;
    const state = kept.get('state') as
      | { progress?: BatchProgress; openSlice?: { slice: { rows: number } } | null }
      | undefined;
    const progress = state?.progress;
    if (!ticket || !progress) return undefined;
    const { rows } = database.prepare('SELECT coalesce(sum(rows), 0) AS rows FROM slice').get() as { rows: number };
    const { checkpoint, readingFinished } = progress;
    return {
      byte: readingFinished ? ticket.bytes : (checkpoint?.byte ?? 0),
      rows: rows + (state?.openSlice?.slice.rows ?? 0),
      readingFinished,
    };
  } catch {
    return undefined; // the next look will tell
  } finally {
    database?.close();
    rmSync(copies, { recursive: true, force: true });
  }
}
