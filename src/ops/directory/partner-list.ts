/** Which partners there are in an environment, in D1: those that ever had a key of it. */
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from './directory-reached.ts';

export interface PartnerList {
  /** In order. */
  names(environment: Environment): Promise<Result<string[], DirectoryUnavailable>>;
  /** Under which SCACs partners sent or may send, by name, in order. */
  scacs(environment: Environment): Promise<Result<Map<string, string[]>, DirectoryUnavailable>>;
}

export const partnerList = (database: D1Database): PartnerList => ({
  names: (environment) =>
    directoryReached(async () => {
      const sql = 'SELECT DISTINCT partner FROM partner_key WHERE environment = ?';
      const { results } = await database.prepare(sql).bind(environment).all<{ partner: string }>();
      return ok(results.map(({ partner }) => partner).sort());
    }),
  scacs: (environment) =>
    directoryReached(async () => {
      const sql = `SELECT DISTINCT partner, value AS scac FROM partner_key, json_each(scacs)
                   WHERE environment = ? ORDER BY partner, scac`;
      const { results } = await database.prepare(sql).bind(environment).all<{ partner: string; scac: string }>();
      const known = Map.groupBy(results, ({ partner }) => partner);
      return ok(new Map([...known].map(([partner, rows]) => [partner, rows.map(({ scac }) => scac)])));
    }),
});
