/** A feed's own row, its polls and gaps. SQL only. */
import * as z from 'zod';
import { type DocumentForm, documentIn } from '../kernel/forms.ts';
import type { SkippedEntry } from '../upstream/statuses/read-answer.ts';
import type { EditedMapping, FeedSettings, FeedTrouble } from './feed-status.ts';
import type { GapRow, PollRow } from './feed-tables.ts';
import { HANDLED_LATE_WHYS, type LostWhy } from './poll.ts';

export interface StoredFeed {
  settings: FeedSettings;
  mapping: EditedMapping;
  beganAtMs: number;
  nextPollMs: number;
  nextRepairMs: number;
  trouble: FeedTrouble | null;
  /** Entries skipped in answers about single orders, since a person last requested all of them. */
  repairUnfit: { count: number; samples: SkippedEntry[] };
}

/** The answer, and where it is stored. */
export interface StoredAnswer {
  status: number;
  key: string;
  sha256: string;
  bytes: number;
}

interface PollCounts {
  mappingEdition: number;
  entries: number;
  news: number;
  unfit: number;
  samples: readonly SkippedEntry[];
}

type FeedRow = {
  settings: string;
  mapping: string;
  began_at_ms: number;
  next_poll_ms: number;
  next_repair_ms: number;
  trouble: string | null;
  repair_unfit: number;
  repair_samples: string;
};

const SETTINGS: DocumentForm<object> = {
  of: 'setting of a feed',
  known: 1,
  schema: z.looseObject({
    environment: z.enum(['test', 'production']),
    partner: z.string(),
    partnerId: z.string(),
    clientId: z.string(),
    channel: z.string(),
    scac: z.string(),
    pollMinutes: z.number(),
    repairsPerMinute: z.number(),
    edition: z.number(),
  }),
};

/** The mapping itself was validated when it was set. */
const MAPPING: DocumentForm<object> = {
  of: 'mapping of a feed',
  known: 1,
  schema: z.looseObject({ edition: z.number(), mapping: z.looseObject({}) }),
};

export class PollStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** undefined: it was never begun, or has been released. */
  feed(): StoredFeed | undefined {
    const row = this.#sql.exec<FeedRow>('SELECT * FROM feed WHERE stopped = 0').toArray()[0];
    return (
      row && {
        settings: documentIn(SETTINGS, JSON.parse(row.settings)) as FeedSettings,
        mapping: documentIn(MAPPING, JSON.parse(row.mapping)) as EditedMapping,
        beganAtMs: row.began_at_ms,
        nextPollMs: row.next_poll_ms,
        nextRepairMs: row.next_repair_ms,
        repairUnfit: { count: row.repair_unfit, samples: JSON.parse(row.repair_samples) as SkippedEntry[] },
        trouble: row.trouble === null ? null : (JSON.parse(row.trouble) as FeedTrouble),
      }
    );
  }

  /** The first poll is due at once. What an earlier owner left, who had no events, is removed. */
  begin(settings: FeedSettings, mapping: EditedMapping, nowMs: number): void {
    const owner = this.#sql.exec<{ partner: string }>(`SELECT settings->>'partner' AS partner FROM feed`).toArray()[0];
    if (owner !== undefined && owner.partner !== settings.partner) {
      for (const table of ['order_book', 'poll', 'gap']) this.#sql.exec(`DELETE FROM ${table}`);
      this.#sql.exec(`UPDATE feed SET trouble = NULL, repair_unfit = 0, repair_samples = '[]', next_repair_ms = 0`);
    }
    this.#sql.exec(
      `INSERT INTO feed (id, settings, mapping, began_at_ms, next_poll_ms) VALUES (1, ?1, ?2, ?3, ?3)
       ON CONFLICT (id) DO UPDATE SET settings = ?1, mapping = ?2, began_at_ms = ?3, next_poll_ms = ?3, stopped = 0`,
      JSON.stringify(settings),
      JSON.stringify(mapping),
      nowMs,
    );
    this.#sql.exec('INSERT OR IGNORE INTO announced (id, seq) VALUES (1, 0)');
  }

  keepSettings(settings: FeedSettings): void {
    this.#sql.exec('UPDATE feed SET settings = ?', JSON.stringify(settings));
  }

  keepMapping(mapping: EditedMapping): void {
    this.#sql.exec('UPDATE feed SET mapping = ?', JSON.stringify(mapping));
  }

  stop(): void {
    this.#sql.exec('UPDATE feed SET stopped = 1');
  }

  pollNotBefore(atMs: number): void {
    this.#sql.exec('UPDATE feed SET next_poll_ms = ?', atMs);
  }

  repairNotBefore(atMs: number): void {
    this.#sql.exec('UPDATE feed SET next_repair_ms = ?', atMs);
  }

  noteTrouble(trouble: FeedTrouble | null): void {
    this.#sql.exec('UPDATE feed SET trouble = ?', trouble === null ? null : JSON.stringify(trouble));
  }

  storeRepairSkipped({ count, samples }: { count: number; samples: readonly SkippedEntry[] }): void {
    this.#sql.exec('UPDATE feed SET repair_unfit = ?, repair_samples = ?', count, JSON.stringify(samples));
  }

  /** The intent. @returns its number: each sending has its own, counted from 1. */
  beginPoll(startedAtMs: number): number {
    const sql = `INSERT INTO poll (state, started_at_ms) VALUES ('asking', ?) RETURNING poll_no`;
    return this.#sql.exec<{ poll_no: number }>(sql, startedAtMs).one().poll_no;
  }

  /** The one that is neither read nor given up. */
  openPoll(): PollRow | undefined {
    const sql = `SELECT * FROM poll WHERE state IN ('asking', 'stored') ORDER BY poll_no LIMIT 1`;
    return this.#sql.exec<PollRow>(sql).toArray()[0];
  }

  poll(pollNo: number): PollRow | undefined {
    return this.#sql.exec<PollRow>('SELECT * FROM poll WHERE poll_no = ?', pollNo).toArray()[0];
  }

  noteAnswer(pollNo: number, { status, key, sha256, bytes }: StoredAnswer): void {
    const sql = 'UPDATE poll SET status = ?2, key = ?3, sha256 = ?4, bytes = ?5 WHERE poll_no = ?1';
    this.#sql.exec(sql, pollNo, status, key, sha256, bytes);
  }

  stored(pollNo: number, endedAtMs: number): void {
    this.#sql.exec(`UPDATE poll SET state = 'stored', ended_at_ms = ? WHERE poll_no = ?`, endedAtMs, pollNo);
  }

  readNotBefore(pollNo: number, atMs: number): void {
    this.#sql.exec('UPDATE poll SET not_before_ms = ? WHERE poll_no = ?', atMs, pollNo);
  }

  read(pollNo: number, { mappingEdition, entries, news, unfit, samples }: PollCounts): void {
    this.#sql.exec(
      `UPDATE poll SET state = 'read', detail = NULL, mapping_edition = ?2, entries = ?3, news = news + ?4, unfit = ?5,
       samples = ?6 WHERE poll_no = ?1`,
      pollNo,
      mappingEdition,
      entries,
      news,
      unfit,
      JSON.stringify(samples),
    );
  }

  refused(pollNo: number, status: number | null, detail: string, endedAtMs: number): void {
    const sql = `UPDATE poll SET state = 'refused', status = ?2, detail = ?3, ended_at_ms = ?4 WHERE poll_no = ?1`;
    this.#sql.exec(sql, pollNo, status, detail, endedAtMs);
  }

  /** Idempotent. @returns since when changes may be missing. */
  lost(pollNo: number, why: LostWhy, detail: string, nowMs: number): number {
    const sql = `UPDATE poll SET state = 'lost', detail = ?2, ended_at_ms = coalesce(ended_at_ms, ?3) WHERE poll_no = ?1`;
    this.#sql.exec(sql, pollNo, detail, nowMs);
    return this.#sql
      .exec<{ since_ms: number }>(
        `INSERT INTO gap (poll_no, why, since_ms, lost_at_ms)
         SELECT ?1, ?2, coalesce((SELECT max(started_at_ms) FROM poll WHERE state = 'read' AND poll_no < ?1), began_at_ms), ?3
         FROM feed WHERE true ON CONFLICT (poll_no) DO UPDATE SET why = excluded.why RETURNING since_ms`,
        pollNo,
        why,
        nowMs,
      )
      .one().since_ms;
  }

  /** null: it left no gap. */
  lostWhy(pollNo: number): LostWhy | null {
    const sql = 'SELECT why FROM gap WHERE poll_no = ?';
    return this.#sql.exec<{ why: LostWhy }>(sql, pollNo).toArray()[0]?.why ?? null;
  }

  closeGaps(nowMs: number, by: Exclude<GapRow['closed_by'], 'reread' | null> = 'repair'): void {
    this.#sql.exec('UPDATE gap SET closed_at_ms = ?, closed_by = ? WHERE closed_at_ms IS NULL', nowMs, by);
  }

  closeGap(pollNo: number, nowMs: number): void {
    const sql = `UPDATE gap SET closed_at_ms = ?, closed_by = 'reread' WHERE poll_no = ? AND closed_at_ms IS NULL`;
    this.#sql.exec(sql, nowMs, pollNo);
  }

  hasOpenGap = (): boolean =>
    this.#sql.exec('SELECT 1 FROM gap WHERE closed_at_ms IS NULL LIMIT 1').toArray().length > 0;

  /**
   * Until when lost polls may have taken changes, those of closed gaps too: after that, the orders can be requested.
   * @param quietMs how long after its end a poll may still be handled. @returns null: none was ever lost.
   */
  takenUntilMs(quietMs: number): number | null {
    const sql = `SELECT max(lost_at_ms + CASE WHEN why IN (SELECT value FROM json_each(?1)) THEN ?2 ELSE 0 END) AS ms FROM gap`;
    return this.#sql.exec<{ ms: number | null }>(sql, JSON.stringify(HANDLED_LATE_WHYS), quietMs).one().ms;
  }

  /** Newest first, open ones before closed ones. */
  gaps(limit: number): GapRow[] {
    const sql = 'SELECT * FROM gap ORDER BY closed_at_ms IS NOT NULL, poll_no DESC LIMIT ?';
    return this.#sql.exec<GapRow>(sql, limit).toArray();
  }

  countGaps(): { open: number; closed: number } {
    const sql = `SELECT coalesce(sum(closed_at_ms IS NULL), 0) AS open, coalesce(sum(closed_at_ms IS NOT NULL), 0) AS closed FROM gap`;
    return this.#sql.exec<{ open: number; closed: number }>(sql).one();
  }

  /**
   * Answers that are stored whole but not in the log: still to be read, or not readable under the mapping at the time.
   */
  countUnread(): { waiting: number; unreadable: number } {
    const sql = `SELECT (SELECT count(*) FROM poll WHERE state = 'stored') AS waiting,
                   (SELECT count(*) FROM gap JOIN poll USING (poll_no) WHERE why = 'unreadable' AND poll.state = 'lost'
                      AND key IS NOT NULL) AS unreadable`;
    return this.#sql.exec<{ waiting: number; unreadable: number }>(sql).one();
  }

  polls(limit: number): PollRow[] {
    return this.#sql.exec<PollRow>('SELECT * FROM poll ORDER BY poll_no DESC LIMIT ?', limit).toArray();
  }

  /** Polls that ended before then, oldest first; those of open gaps are kept. */
  oldPolls(beforeMs: number, limit: number): PollRow[] {
    const sql = `SELECT * FROM poll WHERE ended_at_ms < ? AND poll_no NOT IN (SELECT poll_no FROM gap WHERE closed_at_ms IS NULL)
                 ORDER BY poll_no LIMIT ?`;
    return this.#sql.exec<PollRow>(sql, beforeMs, limit).toArray();
  }

  forgetPolls(pollNos: readonly number[]): void {
    const list = JSON.stringify(pollNos);
    this.#sql.exec('DELETE FROM poll WHERE poll_no IN (SELECT value FROM json_each(?))', list);
    this.#sql.exec('DELETE FROM gap WHERE poll_no IN (SELECT value FROM json_each(?))', list);
  }

  audit(entry: { atMs: number; keyId: string; author: string; what: string; why: string; detail: unknown }): void {
    const { atMs, keyId, author, what, why, detail } = entry;
    const sql = 'INSERT INTO audit (at_ms, key_id, author, what, why, detail) VALUES (?, ?, ?, ?, ?, ?)';
    this.#sql.exec(sql, atMs, keyId, author, what, why, JSON.stringify(detail));
  }
}
