/** Whether nothing is left to be done: objects then only watch each other and grow old, for months if one lets them. */

import type { BatchProgress } from '../../src/batch/core/progress.ts';
import { AWAITS_EQUAL } from '../../src/tracking/request.ts';
import type { Home, World } from './world.ts';

export function isQuiet(world: World): boolean {
  for (const home of world.homes.values()) if (!isQuietHome(home, world)) return false;
  return true;
}

/** What nothing but itself keeps from going on: behind a held operation an order waits for a person, and an event for its like. */
export const undecided = (states: string): string => `SELECT key FROM request WHERE state IN (${states})
  AND NOT ${AWAITS_EQUAL} AND NOT EXISTS (SELECT 1 FROM request AS before
    WHERE before.lane = 'operations' AND before.state = 'held' AND before.seq < request.seq) LIMIT 1`;
const UNDECIDED = undecided(`'queued', 'sending', 'waiting', 'unknown'`);

/** Its feed does not know of it yet. */
const UNREGISTERED = 'SELECT 1 FROM feed_link WHERE told IS NULL';

const isDecided = ({ database }: Home): boolean =>
  database.read(UNDECIDED).length === 0 && database.read('SELECT 1 FROM outbox LIMIT 1').length === 0;

/** A poll under way, a gap, an order that is to be asked for, or one that is to be told. */
const UNFOLLOWED = `SELECT 1 FROM poll WHERE state IN ('asking', 'stored') UNION ALL
  SELECT 1 FROM gap WHERE closed_at_ms IS NULL UNION ALL
  SELECT 1 FROM order_book WHERE due = 1 UNION ALL
  SELECT 1 FROM event WHERE told = 0 LIMIT 1`;

/** A claim that no batch has heard of, or has not confirmed. */
const UNFINISHED = `SELECT 1 FROM batch WHERE created = 0 UNION ALL SELECT 1 FROM message WHERE part IS NOT NULL LIMIT 1`;

function isQuietHome(home: Home, world: World): boolean {
  const { className, database } = home;
  switch (className) {
    case 'Load':
      return isDecided(home);
    case 'Order':
      return isDecided(home) && (home.isLost || database.read(UNREGISTERED).length === 0);
    case 'Batch': {
      const [row] = database.read<{ json: string }>(`SELECT json FROM kept WHERE name = 'progress'`);
      if (row === undefined) return false;
      const progress = JSON.parse(row.json) as BatchProgress;
      if (progress.state === 'reading' || progress.retrying || progress.withdrawal) return false;
      return progress.state === 'delivering' ? isHeld(home, progress) : progress.reported && !isWatched(home, world);
    }
    case 'OrderFeed':
      return database.tables.length > 0 && database.read(UNFOLLOWED).length === 0;
    case 'IntakeRegister':
      return database.read(UNFINISHED).length === 0;
    default:
      return true;
  }
}

/** The register takes it for open, and will ask it. */
function isWatched({ name }: Home, world: World): boolean {
  const batchId = (JSON.parse(name) as string[])[2] ?? '';
  const registers = [...world.homes.values()].filter(({ className }) => className === 'IntakeRegister');
  const open = `SELECT 1 FROM batch WHERE batch_id = ? AND state = 'open'`;
  return registers.some(({ database }) => database.read(open, batchId).length > 0);
}

/** Everything is with its subject, and something there waits for a person. */
function isHeld({ database }: Home, { handedOver }: BatchProgress): boolean {
  const { record, request } = handedOver;
  const behind = database.read('SELECT 1 FROM request WHERE (record, request) > (?, ?) LIMIT 1', record, request);
  const held = database.read(`SELECT 1 FROM request WHERE state IN ('held', 'queued') OR into_state = 'held' LIMIT 1`);
  return behind.length === 0 && held.length > 0;
}
