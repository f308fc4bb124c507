/** Whether nothing is left to be done: objects then only watch each other and grow old, for months if one lets them. */

import type { BatchProgress } from '../../src/batch/core/progress.ts';
import { messagesOf, rowsOf } from './batch-rows.ts';
import type { Home, World } from './world.ts';

export function isQuiet(world: World): boolean {
  const open = new OpenInBatches(world);
  for (const home of world.homes.values()) if (!isQuietHome(home, world, open)) return false;
  return true;
}

const OPEN = new Set(['queued', 'sending', 'waiting', 'unknown']);
const placeOf = ({ record, request }: { record: number; request: number }): string => `${record}/${request}`;

/** What batches take for open. Each batch is read once: whoever looks again after something happened makes a new one. */
export class OpenInBatches {
  readonly #world: World;
  readonly #places = new Map<string, ReadonlySet<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  has(batchId: string, place: { record: number; request: number }): boolean {
    const places = this.#places.get(batchId) ?? this.#read(batchId);
    this.#places.set(batchId, places);
    return places.has(placeOf(place));
  }

  #read(batchId: string): ReadonlySet<string> {
    const batch = batchHome(this.#world, batchId);
    const requests = batch === undefined ? [] : rowsOf(batch.database).requests;
    return new Set(requests.filter(({ state }) => OPEN.has(state)).map(placeOf));
  }
}

const batchHome = (world: World, batchId: string): Home | undefined =>
  [...world.homes.values()].find(
    ({ className, name }) => className === 'Batch' && (JSON.parse(name) as string[])[2] === batchId,
  );

/** Whether the earlier request that this one awaits is still open; a point has the state of its set. */
export const AWAITS_EQUAL = `(request.awaits_seq IS NOT NULL AND EXISTS (
  SELECT 1 FROM request AS earlier LEFT JOIN request AS lead ON lead.seq = earlier.into_seq
  WHERE earlier.seq = request.awaits_seq
    AND coalesce(lead.state, earlier.state) IN ('queued', 'sending', 'waiting', 'unknown', 'held')))`;

/** What nothing but itself keeps from going on: behind a held operation an order waits for a person, and an event for its like. */
export const undecided = (states: string): string => `SELECT key FROM request WHERE state IN (${states})
  AND NOT ${AWAITS_EQUAL} AND NOT EXISTS (SELECT 1 FROM request AS before
    WHERE before.lane = 'operations' AND before.state = 'held' AND before.seq < request.seq) LIMIT 1`;
const UNDECIDED = undecided(`'queued', 'sending', 'waiting', 'unknown'`);

/** Its feed does not know of it yet. */
const UNREGISTERED = 'SELECT 1 FROM feed_link WHERE told IS NULL';

const isDecided = (home: Home, world: World, open: OpenInBatches): boolean =>
  home.database.read(UNDECIDED).length === 0 &&
  (home.database.read(UNTOLD).length === 0 || isOnlyUnconfirmed(home, world, open));
const UNTOLD = 'SELECT 1 FROM outbox LIMIT 1';

/**
 * What a visit was answered is told once more at the end of its subject's life at the latest; what failed to be told, in
 * seconds. Until that end the batch asks after what it takes for open, and is told then.
 */
export const isOnlyUnconfirmed = (home: Home, world: World, open: OpenInBatches): boolean =>
  (home.isLost || home.alarmMs === null || home.alarmMs > world.nowMs + 24 * 3_600_000) && !isAwaited(home, open);

const UNTOLD_REQUESTS = `SELECT batch_id, record, request, state FROM outbox JOIN request USING (seq)`;

/** A batch takes for open what has ended here. */
function isAwaited({ database }: Home, open: OpenInBatches): boolean {
  const untold = database.read<{ batch_id: string; record: number; request: number; state: string }>(UNTOLD_REQUESTS);
  return untold.some(({ batch_id, state, ...place }) => !OPEN.has(state) && open.has(batch_id, place));
}

/** A poll under way, a gap, an order that is to be asked for, or one that is to be told. */
const UNFOLLOWED = `SELECT 1 FROM poll WHERE state IN ('asking', 'stored') UNION ALL
  SELECT 1 FROM gap WHERE closed_at_ms IS NULL UNION ALL
  SELECT 1 FROM order_book WHERE due = 1 UNION ALL
  SELECT 1 FROM event WHERE told = 0 LIMIT 1`;

/** A claim that no batch has heard of, or has not confirmed. */
const UNFINISHED = `SELECT 1 FROM batch WHERE created = 0 LIMIT 1`;

function isQuietHome(home: Home, world: World, open: OpenInBatches): boolean {
  const { className, database } = home;
  switch (className) {
    case 'Load':
      return isDecided(home, world, open);
    case 'Order':
      return isDecided(home, world, open) && (home.isLost || database.read(UNREGISTERED).length === 0);
    case 'Batch': {
      const [row] = database.read<{ json: string }>(`SELECT json->'progress' AS json FROM kept WHERE name = 'state'`);
      if (row === undefined) return false;
      const progress = JSON.parse(row.json) as BatchProgress;
      if (progress.state === 'reading' || progress.retrying || progress.withdrawal) return false;
      if (messagesOf(home).some(({ isRead }) => !isRead)) return false;
      return progress.state === 'delivering' ? isHeld(home, progress) : progress.reported && !isWatched(home, world);
    }
    case 'OrderFeed':
      return database.tables.length > 0 && database.read(UNFOLLOWED).length === 0;
    case 'IntakeRegister':
      return database.read(UNFINISHED).length === 0 && !hasUnplaced(home, world);
    default:
      return true;
  }
}

/**
 * Nobody looks after an order whose operations have all ended. Where its alarm was lost with a look at what one of them
 * came to, that look goes on when the order is next called.
 */
export const isCutOff = ({ className, isLost, database }: Home): boolean =>
  className === 'Order' && isLost && database.read(OPEN_LOOK).length > 0;
const OPEN_LOOK = `SELECT 1 FROM attempt WHERE purpose = 'status' AND effect IS NULL LIMIT 1`;

/** A message that its batch has not taken yet. */
function hasUnplaced({ database }: Home, world: World): boolean {
  const claimed = database.read<{ upload_id: string; batch_id: string }>('SELECT upload_id, batch_id FROM message');
  return claimed.some(
    ({ upload_id, batch_id }) =>
      !messagesOf(batchHome(world, batch_id)).some((message) => message.upload_id === upload_id),
  );
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
  const { requests } = rowsOf(database);
  const isBehind = ({ record, request }: { record: number; request: number }): boolean =>
    record > handedOver.record || (record === handedOver.record && request > handedOver.request);
  const isHeldOne = ({ state, into_state }: { state: string; into_state: string | null }): boolean =>
    state === 'held' || state === 'queued' || into_state === 'held';
  return !requests.some(isBehind) && requests.some(isHeldOne);
}
