/**
 * Erasing a partner in one environment: nobody is let in any more, what was agreed is deleted, and its register erases
 * its batches, loads, orders and files by itself from then on. The register goes last: whatever breaks off before can be
 * repeated, and what breaks off later goes on.
 */
import type { ErasableRegister } from '../intake/erasing.ts';
import { iso } from '../kernel/clock.ts';
import { feedName, type OrderFeedKey, type PartnerScope, registerName } from '../kernel/names.ts';
import { ok, type Result } from '../kernel/result.ts';
import { sha256Hex } from '../kernel/secret.ts';
import { type DirectoryUnavailable, directoryReached } from './directory/directory.ts';

interface Erased {
  eraseAll(): Promise<void>;
}

export interface PartnerErasurePorts {
  database: D1Database;
  register(name: string): { erasable(): Promise<ErasableRegister>; eraseAll(scope: PartnerScope): Promise<void> };
  webhooks(name: string): Erased;
  feed(name: string): Erased;
}

/** @property begunAtMs null: nobody has begun. batches that are left. notCreated of these, files of which nothing was sent. confirm stands for exactly this plan. */
export interface PartnerErasurePlan {
  batches: number;
  openBatches: number;
  notCreated: number;
  keys: number;
  uploadLinks: number;
  webhooks: number;
  feed: OrderFeedKey | null;
  begunAtMs: number | null;
  confirm: string;
}

const OF_PARTNER = 'environment = ?1 AND partner = ?2';
const LIVE_KEYS = `partner_key WHERE ${OF_PARTNER} AND revoked_at IS NULL`;

/** Also of an erasure that broke off: then its last change alone has it. Never one that is somebody else's by now. */
const FEED_KEY = `SELECT partner_id AS partnerId, client_id AS clientId FROM order_feed WHERE ${OF_PARTNER}
  UNION ALL
  SELECT settings ->> 'partnerId', settings ->> 'clientId' FROM order_feed_change AS last
  WHERE ${OF_PARTNER} AND edition = (SELECT max(edition) FROM order_feed_change WHERE ${OF_PARTNER})
    AND NOT EXISTS (SELECT 1 FROM order_feed AS held WHERE held.environment = ?1
      AND held.partner_id = last.settings ->> 'partnerId' AND held.client_id = last.settings ->> 'clientId')`;

export const planPartnerErasure = (
  { database, register }: PartnerErasurePorts,
  scope: PartnerScope,
): Promise<Result<PartnerErasurePlan, DirectoryUnavailable>> =>
  directoryReached(async () => {
    const { environment, partner } = scope;
    const { batches, open, notCreated, last, begunAtMs } = await register(registerName(scope)).erasable();
    const counts = await database
      .prepare(
        `SELECT (SELECT count(*) FROM ${LIVE_KEYS}) AS keys,
           (SELECT count(*) FROM upload_link WHERE ${OF_PARTNER}) AS uploadLinks,
           (SELECT count(DISTINCT target) FROM partner_webhook WHERE ${OF_PARTNER}) AS webhooks`,
      )
      .bind(environment, partner)
      .first<{ keys: number; uploadLinks: number; webhooks: number }>();
    const { keys = 0, uploadLinks = 0, webhooks = 0 } = counts ?? {};
    const feed = await database.prepare(FEED_KEY).bind(environment, partner).first<OrderFeedKey>();
    const confirm = sha256Hex(JSON.stringify([scope, batches, last, keys, uploadLinks, webhooks, feed])).slice(0, 16);
    return ok({ batches, openBatches: open, notCreated, keys, uploadLinks, webhooks, feed, begunAtMs, confirm });
  });

/** What was agreed with it; what it proposed. Keys stay, revoked: the audit names them. */
const DELETED = ['upload_link', 'partner_webhook', 'order_feed', 'partner_envelope', 'mapping_proposal'] as const;

export const erasePartner = (
  ports: PartnerErasurePorts,
  scope: PartnerScope,
  { feed }: PartnerErasurePlan,
  nowMs: number,
): Promise<Result<null, DirectoryUnavailable>> =>
  directoryReached(async () => {
    const { environment, partner } = scope;
    const { database, register, webhooks } = ports;
    const run = (sql: string): D1PreparedStatement => database.prepare(sql).bind(environment, partner);
    const ofItsKeys = `DELETE FROM console_session WHERE partner_key_id IN (SELECT key_id FROM partner_key WHERE ${OF_PARTNER})`;
    await database.batch([
      database
        .prepare(`UPDATE partner_key SET revoked_at = ?3 WHERE ${OF_PARTNER} AND revoked_at IS NULL`)
        .bind(environment, partner, iso(nowMs)),
      run(ofItsKeys),
    ]);
    await database.batch(DELETED.map((table) => run(`DELETE FROM ${table} WHERE ${OF_PARTNER}`)));
    // From now on the cron does not begin it again, and ends one that it has just begun
    if (feed !== null) await ports.feed(feedName(environment, feed)).eraseAll();
    await run(`DELETE FROM order_feed_change WHERE ${OF_PARTNER}`).run(); // its key was known from it
    await webhooks(registerName(scope)).eraseAll();
    await register(registerName(scope)).eraseAll(scope);
    return ok(null);
  });
