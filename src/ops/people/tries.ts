/**
 * Slows down whoever is wrong. A try is counted before it is checked, in one statement, so that any number of tries at once
 * are no more than one after the other; one that was right is taken back. Waits end: nobody is locked out.
 */
import { TRIES_FORGOTTEN_MS, TRIES_FREE, TRY_WAIT_MS, TRY_WAIT_MS_MAX } from './limits.ts';

/** By what wrong tries are counted, such as `address:192.0.2.1` or `name:otto`. */
type TriedAs = readonly string[];

export interface Tries {
  /** @returns the wait until a try may be made, in ms; 0: this one counts, and may be checked. */
  claim(abouts: TriedAs): Promise<number>;
  /** What was claimed was right: of `takenBack` that one try, of `forgotten` all of them count no more. */
  wasRight(takenBack: TriedAs, forgotten: TriedAs): Promise<void>;
}

const DOUBLINGS_MAX = Math.ceil(Math.log2(TRY_WAIT_MS_MAX / TRY_WAIT_MS));

const CLAIM = `
  INSERT INTO sign_in_try (about, failures, at_ms, next_at_ms) VALUES (?1, 1, ?2, ?2)
  ON CONFLICT (about) DO UPDATE SET
    failures = iif(at_ms < ?3, 1, failures + 1),
    next_at_ms = ?2 + iif(at_ms < ?3 OR failures < ${TRIES_FREE}, 0,
      min(${TRY_WAIT_MS_MAX}, ${TRY_WAIT_MS} << min(failures - ${TRIES_FREE}, ${DOUBLINGS_MAX}))),
    at_ms = ?2
  WHERE next_at_ms <= ?2
  RETURNING failures`;

export function triesOf(database: D1Database, nowMs: () => number): Tries {
  const each = (sql: string, abouts: TriedAs): D1PreparedStatement[] =>
    abouts.map((about) => database.prepare(sql).bind(about));
  return {
    claim: async (abouts) => {
      const now = nowMs();
      const forgottenMs = now - TRIES_FORGOTTEN_MS;
      const sweep = database.prepare('DELETE FROM sign_in_try WHERE at_ms < ?').bind(forgottenMs);
      const claims = abouts.map((about) => database.prepare(CLAIM).bind(about, now, forgottenMs));
      const [, ...claimed] = await database.batch([sweep, ...claims]);
      if (claimed.every(({ results }) => results.length > 0)) return 0;
      const waiting = await database.batch<{ next_at_ms: number }>(
        each('SELECT next_at_ms FROM sign_in_try WHERE about = ?', abouts),
      );
      const next = waiting.flatMap(({ results }) => results.map(({ next_at_ms }) => next_at_ms));
      return Math.max(1, ...next.map((at) => at - now));
    },
    wasRight: async (takenBack, forgotten) => {
      await database.batch([
        ...each('UPDATE sign_in_try SET failures = failures - 1, next_at_ms = at_ms WHERE about = ?', takenBack),
        ...each('DELETE FROM sign_in_try WHERE about = ?', forgotten),
      ]);
    },
  };
}
