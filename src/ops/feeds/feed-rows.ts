/** Feeds in D1: who has each order-feed key, and who set what when. SQL only. */

import type { FeedSettings } from '../../feed/feed-status.ts';
import { iso } from '../../kernel/clock.ts';
import type { Environment, OrderFeedKey } from '../../kernel/names.ts';
import type { ChangeAuthor } from '../directory/directory.ts';

type Row = {
  partner: string;
  environment: Environment;
  partner_id: string;
  client_id: string;
  channel: string;
  scac: string;
  poll_minutes: number;
  repairs_per_minute: number;
  edition: number;
};

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
    const sql = 'SELECT * FROM order_feed WHERE environment = ? AND partner = ?';
    const row = await this.#database.prepare(sql).bind(environment, partner).first<Row>();
    return row && settingsOf(row);
  }

  async ofFeedKey(environment: Environment, { partnerId, clientId }: OrderFeedKey): Promise<FeedSettings | null> {
    const sql = 'SELECT * FROM order_feed WHERE environment = ? AND partner_id = ? AND client_id = ?';
    const row = await this.#database.prepare(sql).bind(environment, partnerId, clientId).first<Row>();
    return row && settingsOf(row);
  }

  async ofEnvironment(environment: Environment): Promise<FeedSettings[]> {
    const sql = 'SELECT * FROM order_feed WHERE environment = ? ORDER BY partner';
    return (await this.#database.prepare(sql).bind(environment).all<Row>()).results.map(settingsOf);
  }

  async page(limit: number, offset: number): Promise<FeedSettings[]> {
    const sql = 'SELECT * FROM order_feed ORDER BY environment, partner LIMIT ? OFFSET ?';
    return (await this.#database.prepare(sql).bind(limit, offset).all<Row>()).results.map(settingsOf);
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
}

const settingsOf = (row: Row): FeedSettings => ({
  partner: row.partner,
  environment: row.environment,
  partnerId: row.partner_id,
  clientId: row.client_id,
  channel: row.channel,
  scac: row.scac,
  pollMinutes: row.poll_minutes,
  repairsPerMinute: row.repairs_per_minute,
  edition: row.edition,
});
