/**
 * Alarms of objects. The platform drops an alarm after six failed retries: so a wake-up never throws, and a failed one
 * comes again.
 */
import { type LogFields, log, messageOf, stackOf } from './log.ts';

interface AlarmStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(atMs: number): Promise<void>;
}

/**
 * An earlier alarm is kept, a later one brought forward: under steady calls a postponed one would never fire.
 * @param lostMs an alarm that was due by then and has not fired is lost; absent: none counts as lost.
 */
export async function ensureAlarm(
  storage: AlarmStorage,
  atMs: number,
  lostMs = Number.NEGATIVE_INFINITY,
): Promise<void> {
  const armedMs = await storage.getAlarm();
  if (armedMs === null || armedMs > atMs || armedMs <= lostMs) await storage.setAlarm(atMs);
}

interface WakeUp {
  /** @returns when to wake next; null: this needs no alarm. */
  work(): Promise<number | null>;
  /** The log's event when that failed, and what it is about. */
  failed: string;
  facts?(): LogFields;
  /** Called once after it failed: may note that. @returns when to wake. */
  afterFailure(detail: string): number;
}

/** Works, and arms the next alarm. Never throws, unless no alarm can be armed. */
export async function wake(storage: AlarmStorage, { work, failed, facts, afterFailure }: WakeUp): Promise<void> {
  let nextMs: number | null;
  try {
    nextMs = await work();
  } catch (thrown) {
    const detail = messageOf(thrown);
    log('error', failed, { ...readable(facts), detail, ...stackOf(thrown) });
    nextMs = afterFailure(detail);
  }
  if (nextMs !== null) await ensureAlarm(storage, nextMs);
}

/** What it is about may be in the storage that fails. */
function readable(facts: WakeUp['facts']): LogFields {
  try {
    return facts?.() ?? {};
  } catch {
    return {};
  }
}

/** A second wake-up continues after the first. @returns a function that runs it then. */
export function oneAtATime(wakeUp: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const own = last.then(wakeUp);
    last = own.catch(() => undefined); // one that failed for lack of storage must not fail the next one
    return own;
  };
}
