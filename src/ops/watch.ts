/** The head of the watch chain: a cron asks every partner's register whether its alarm is set. */
import { inLanes } from '../kernel/lanes.ts';
import { WATCH_REGISTERS_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { type PartnerScope, registerName } from '../kernel/names.ts';

export interface WatchedRegister {
  /** Arms an alarm that was lost. */
  watch(): Promise<void>;
}

/**
 * Never throws: registers have alarms of their own, and the next run asks again.
 * @param run counts the runs: where there are more registers than one run asks, the next one goes on behind them.
 */
export async function watchRegisters(
  database: D1Database,
  register: (name: string) => WatchedRegister,
  run: number,
): Promise<void> {
  const waiting = await scopes(database, run).catch((thrown: unknown) => {
    log('error', 'registers_not_listed', { detail: messageOf(thrown) });
    return [];
  });
  await inLanes(waiting, async (next) => {
    try {
      await register(registerName(next)).watch();
    } catch (thrown) {
      log('warn', 'register_not_reached', { ...next, detail: messageOf(thrown) });
    }
  });
}

/** Every partner and environment there was ever a key for: work of a revoked key goes on. */
async function scopes(database: D1Database, run: number): Promise<PartnerScope[]> {
  const all = 'SELECT DISTINCT environment, partner FROM partner_key';
  const count = (await database.prepare(`SELECT count(*) AS scopes FROM (${all})`).first<{ scopes: number }>())?.scopes;
  const pages = Math.max(1, Math.ceil((count ?? 0) / WATCH_REGISTERS_MAX));
  const query = `${all} ORDER BY environment, partner LIMIT ? OFFSET ?`;
  const bound = database.prepare(query).bind(WATCH_REGISTERS_MAX, (run % pages) * WATCH_REGISTERS_MAX);
  return (await bound.all<{ environment: PartnerScope['environment']; partner: string }>()).results;
}
