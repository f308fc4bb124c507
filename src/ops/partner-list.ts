/** Which partners there are in an environment, in D1: those that ever had a key of it. */
import { log, messageOf } from '../kernel/log.ts';
import type { Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';

export interface PartnerList {
  /** In order. */
  names(environment: Environment): Promise<Result<string[], { code: 'directory_unavailable' }>>;
}

export function partnerList(database: D1Database): PartnerList {
  return {
    async names(environment) {
      const sql = 'SELECT DISTINCT partner FROM partner_key WHERE environment = ?';
      try {
        const found = await database.prepare(sql).bind(environment).all<{ partner: string }>();
        return ok(found.results.map(({ partner }) => partner).sort());
      } catch (thrown) {
        log('error', 'directory_unavailable', { detail: messageOf(thrown) });
        return err({ code: 'directory_unavailable' });
      }
    },
  };
}
