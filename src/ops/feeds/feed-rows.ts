/** Feeds in D1: who has each order-feed key, and who set what when. SQL only. */

import type { FeedSettings } from '../../feed/feed-status.ts';
import { iso } from '../../kernel/clock.ts';
import type { Environment, OrderFeedKey } from '../../kernel/names.ts';
import type { ChangeAuthor } from '../directory/directory.ts';

const SETTINGS = `SELECT partner, environment, partner_id AS partnerId, client_id AS clientId, channel, scac,
  poll_minutes AS pollMinutes, repairs_per_minute AS repairsPerMinute, edition FROM order_feed`;

export interface FeedHistory {
  changedBy: string;
  changedAt: string;
  note: string;
}

export class FeedRows {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async ofPartner(environment: Environment, partner: string): Promise<FeedSettings | null> {
    const sql = `${SETTINGS} WHERE environment = ? AND partner = ?`;
    return this.#database.prepare(sql).bind(environment, partner).first<FeedSettings>();
  }

  async ofFeedKey(environment: Environment, { partnerId, clientId }: OrderFeedKey): Promise<FeedSettings | null> {
    const sql = `${SETTINGS} WHERE environment = ? AND partner_id = ? AND client_id = ?`;
    return this.#database.prepare(sql).bind(environment, partnerId, clientId).first<FeedSettings>();
  }

  async ofEnvironment(environment: Environment): Promise<FeedSettings[]> {
    const sql = `${SETTINGS} WHERE environment = ? ORDER BY partner`;
    return (await this.#database.prepare(sql).bind(environment).all<FeedSettings>()).results;
  }

  /** What is agreed now with the partners of these; one whose feed is gone is left out. */
  async now(of: readonly FeedSettings[]): Promise<FeedSettings[]> {
    const sql = `${SETTINGS} WHERE (environment, partner) IN
      (SELECT value ->> 'environment', value ->> 'partner' FROM json_each(?)) ORDER BY environment, partner`;
    const partners = JSON.stringify(of.map(({ environment, partner }) => ({ environment, partner })));
    return (await this.#database.prepare(sql).bind(partners).all<FeedSettings>()).results;
  }

  async page(limit: number, offset: number): Promise<FeedSettings[]> {
    const sql = `${SETTINGS} ORDER BY environment, partner LIMIT ? OFFSET ?`;
    return (await this.#database.prepare(sql).bind(limit, offset).all<FeedSettings>()).results;
  }

  async count(): Promise<number> {
    const sql = 'SELECT count(*) AS feeds FROM order_feed';
    return (await this.#database.prepare(sql).first<{ feeds: number }>())?.feeds ?? 0;
  }

  async lastChange(environment: Environment, partner: string): Promise<FeedHistory | null> {
    const sql = `SELECT key_name AS changedBy, changed_at AS changedAt, note FROM order_feed_change
                 WHERE environment = ? AND partner = ? ORDER BY edition DESC LIMIT 1`;
    return this.#database.prepare(sql).bind(environment, partner).first<FeedHistory>();
  }

  /** Both or nothing. @throws where the order-feed key is another partner's, or the revision already exists. */
  async write(settings: FeedSettings, by: ChangeAuthor): Promise<void> {
    const { partner, environment, partnerId, clientId, channel, scac, pollMinutes, repairsPerMinute, edition } =
      settings;
    const { keyId, author, note, atMs } = by;
    await this.#database.batch([
      this.#database
        .prepare('INSERT INTO order_feed_change VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
        .bind(partner, environment, edition, JSON.stringify(settings), keyId, author, iso(atMs), note),
      this.#database
        .prepare(
          `INSERT INTO order_feed VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
           ON CONFLICT (environment, partner) DO UPDATE SET partner_id = ?3, client_id = ?4, channel = ?5, scac = ?6,
             poll_minutes = ?7, repairs_per_minute = ?8, edition = ?9`,
        )
        .bind(partner, environment, partnerId, clientId, channel, scac, pollMinutes, repairsPerMinute, edition),
    ]);
  }

  /** As if it had not been written; whatever was written after it stays. @param before null: there was none. */
  async takeBack({ environment, partner, edition }: FeedSettings, before: FeedSettings | null): Promise<void> {
    const of = 'environment = ?1 AND partner = ?2 AND edition = ?3';
    const written = [environment, partner, edition];
    const change = `DELETE FROM order_feed_change WHERE ${of} AND EXISTS (SELECT 1 FROM order_feed WHERE ${of})`;
    const restored = `UPDATE order_feed SET partner_id = ?4, client_id = ?5, channel = ?6, scac = ?7, poll_minutes = ?8,
      repairs_per_minute = ?9, edition = ?10 WHERE ${of}`;
    await this.#database.batch([
      this.#database.prepare(change).bind(...written),
      before === null
        ? this.#database.prepare(`DELETE FROM order_feed WHERE ${of}`).bind(...written)
        : this.#database
            .prepare(restored)
            .bind(
              ...written,
              before.partnerId,
              before.clientId,
              before.channel,
              before.scac,
              before.pollMinutes,
              before.repairsPerMinute,
              before.edition,
            ),
    ]);
  }
}
