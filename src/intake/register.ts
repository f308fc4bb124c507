/**
 * IntakeRegister, one object per (environment, partner): the one strongly consistent place that decides which upload is
 * new. Claim, idempotency key, ticket and the alarm that creates a missing batch are one transaction. A key is reserved
 * before the bytes come, so that a repeat need not send them; a reservation decides nothing and expires.
 */
import type { Granted, UnderWayReport } from '../batch/core/pacing.ts';
import type { BatchTicket } from '../batch/core/ticket.ts';
import type { ClaimedInterchange } from '../batch/envelopes/interchanges.ts';
import type { RefusedInterchange } from '../batch/envelopes/validate.ts';
import type { BatchEnd } from '../batch/object/ports.ts';
import { ticketIn } from '../batch/store/documents.ts';
import { ensureAlarm, wake } from '../kernel/alarm.ts';
import { BoundObject } from '../kernel/bound-object.ts';
import { clockOf, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { BATCH_PAUSE_MS, INTERCHANGES_SHOWN_MAX, UPLOAD_RESERVATION_MS, WATCH_REGISTER_MS } from '../kernel/limits.ts';
import { Cached } from '../kernel/migrate.ts';
import { batchName, type PartnerScope, scopeOfRegister } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import { wholeSetting } from '../kernel/setting.ts';
import {
  beginErasing,
  type ErasableRegister,
  erasableRegister,
  erasingStep,
  isErased,
  noteErased,
  scopeErased,
} from './erasing.ts';
import {
  claimInterchanges,
  type InterchangeCursor,
  interchangesWith,
  type KnownInterchange,
  ownControl,
  ownControlsOnce,
  recentInterchanges,
  refusedAtLocation,
  releaseInterchanges,
  repeatedInterchange,
} from './interchanges.ts';
import { IS_IN_SCOPE, type KeyScope, scopeParameters } from './key-scope.ts';
import { BYTES_UNDER_WAY_MAX, FILES_UNDER_WAY_MAX, NEW_SUBJECTS_PER_MINUTE_MAX, ROWS_UNDER_WAY_MAX } from './limits.ts';
import { REGISTER_MIGRATIONS } from './register-migrations.ts';
import { claimedSince, releaseClaims, takeBack } from './released.ts';
import {
  assignToBatch,
  assignUnassigned,
  assignUnassignedOf,
  type MessageLocation,
  messageAt,
  type PlacingPort,
  RollingBatches,
  transaction,
} from './rolling-batches.ts';
import type { Claim, ClaimRequest, Reservation } from './take-upload.ts';
import { forgetRows, grantSubjects, noteRows, rowsUnderWay } from './under-way.ts';
import { createUnfinished } from './unfinished.ts';
import { forgetBatch, forgetClaims, watchBatches } from './watch-batches.ts';

/** @property messages those of a rolling batch, with their bytes; null: it is of one upload. */
export type ListedBatch = {
  batch_id: string;
  seq: number;
  ticket: string;
  state: string;
  messages: number | null;
  bytes: number | null;
};

export class IntakeRegister extends BoundObject {
  readonly #cached = new Cached(this.ctx.storage, REGISTER_MIGRATIONS, () => {
    const { sql } = this.ctx.storage;
    return { sql, rolling: new RollingBatches(sql) };
  });

  get #sql(): SqlStorage {
    return this.#cached.parts.sql;
  }

  get #rolling(): RollingBatches {
    return this.#cached.parts.rolling;
  }

  /** Called before the bytes come. @param batchId the upload's id should it be new. */
  async reserve(idempotencyKey: string, batchId: string, nowMs: number): Promise<Reservation> {
    this.#sql.exec('DELETE FROM reservation WHERE until_ms <= ?', nowMs);
    const isKnown = this.#sql.exec('SELECT 1 FROM idempotency WHERE key = ?', idempotencyKey).toArray().length > 0;
    if (isKnown) return { outcome: 'free' }; // the upload is compared with the one the key already names
    const untilMs = nowMs + scaledMs(UPLOAD_RESERVATION_MS, clockOf(this.env));
    const held = this.#sql
      .exec<{ batch_id: string; until_ms: number }>(
        `INSERT INTO reservation (key, batch_id, until_ms) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET key = key
         RETURNING batch_id, until_ms`,
        idempotencyKey,
        batchId,
        untilMs,
      )
      .one();
    return held.batch_id === batchId ? { outcome: 'free' } : { outcome: 'in_flight', untilMs: held.until_ms };
  }

  /** The upload has failed: a repeat need not wait. Idempotent. */
  async release(idempotencyKey: string, batchId: string): Promise<void> {
    this.#sql.exec('DELETE FROM reservation WHERE key = ? AND batch_id = ?', idempotencyKey, batchId);
  }

  /** Check and act in one transaction, so that fifty uploads of one file are one batch. */
  async claim(asked: ClaimRequest): Promise<Claim> {
    const armedMs = await this.ctx.storage.getAlarm();
    // Nothing is awaited in between: a claim and the alarm that finishes its batch are one commit.
    const decided = transaction(this.ctx.storage, this.#rolling, () => this.#decide(asked));
    const soonMs = Date.now() + scaledMs(BATCH_PAUSE_MS, clockOf(this.env));
    const hasBatch = decided.outcome === 'claimed' || decided.outcome === 'replayed';
    if (hasBatch && (armedMs === null || armedMs > soonMs)) await this.ctx.storage.setAlarm(soonMs);
    const { ticket } = asked;
    if (decided.outcome === 'claimed') {
      await failpoint('claimed');
      if (ticket.message === true)
        return { outcome: 'claimed', placed: await this.#location(ticket.batchId, asked.bytes) };
      await this.#create(ticket);
    } else if (decided.outcome === 'replayed') {
      // The first upload may have died between claim and batch.
      if (ticket.message === true) return { ...decided, ...(await this.#location(decided.batchId)) };
      const [failure] = await this.#createUnfinished(decided.batchId);
      if (failure !== undefined) throw failure;
    }
    return decided;
  }

  /**
   * A batch has ended. An unreadable or fully withdrawn one claims nothing: the corrected file, or the same one, must
   * pass. Calls can come late, after the process they were made in: an end with an earlier reopen count than the latest
   * is ignored.
   */
  async closeBatch(batchId: string, { state, claimsNothing, tookNothing, opening }: BatchEnd): Promise<void> {
    const isErasing = scopeErased(this.#withTables) !== undefined; // nothing moves then
    if (claimsNothing && !isErasing) await assignUnassignedOf(this.#placing, batchId);
    const sql = 'UPDATE batch SET state = ?2, opening = ?3 WHERE batch_id = ?1 AND opening <= ?3 RETURNING seq';
    const isReportable = this.#sql.exec(sql, batchId, state, opening).toArray().length > 0;
    if (!isReportable) return;
    forgetRows(this.ctx.storage.kv, batchId);
    const uploads = claimsNothing || tookNothing ? this.#rolling.uploadsOf(batchId) : '[]';
    if (claimsNothing) releaseClaims(this.#sql, batchId, uploads, state !== 'unreadable');
    else if (tookNothing) releaseInterchanges(this.#sql, uploads);
  }

  /** What an open batch has under way, told now and then. @returns how many new loads and orders it may call. */
  async underWay(batchId: string, { rows, subjects }: UnderWayReport): Promise<Granted> {
    const { kv } = this.ctx.storage;
    const isOpen =
      this.#sql.exec(`SELECT 1 FROM batch WHERE batch_id = ? AND state = 'open'`, batchId).toArray().length > 0;
    if (rows !== null && isOpen) noteRows(kv, batchId, rows);
    const most = wholeSetting(this.env.NEW_SUBJECTS_PER_MINUTE, NEW_SUBJECTS_PER_MINUTE_MAX);
    return grantSubjects(kv, subjects, most, Date.now());
  }

  /**
   * Nothing of a message was accepted: it may come again under the same control numbers and, if unreadable, under the
   * same key.
   */
  async releaseMessage(uploadId: string, isUnreadable: boolean): Promise<void> {
    releaseInterchanges(this.#sql, JSON.stringify([uploadId]));
    if (isUnreadable) this.#sql.exec('DELETE FROM idempotency WHERE batch_id = ?', uploadId);
  }

  /** A batch that claims nothing gets all that it claimed back. @returns the batch that has something of it now. */
  async reclaim(batchId: string, nowMs: number): Promise<string> {
    return this.ctx.storage.transactionSync(() => {
      const ticket = this.#ticketOf(batchId);
      const digests = ticket.message === true ? null : digestsOf(ticket); // messages claim no file
      const holder = digests === null ? undefined : this.#holder(digests);
      if (holder !== undefined && holder !== batchId) return holder;
      const uploadId = claimedSince(this.#sql, batchId, clockOf(this.env));
      if (uploadId !== undefined) return messageAt(this.#sql, uploadId)?.batchId ?? uploadId;
      takeBack(this.#sql, batchId);
      if (digests !== null && holder === undefined) this.#keepClaim(digests[0], batchId, nowMs);
      return batchId;
    });
  }

  /** The newest batch made of a file: when it is fully withdrawn, the one before it has the claim again. */
  #holder(digests: Digests): string | undefined {
    const sql = `SELECT batch_id FROM claim WHERE digest IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT 1`;
    return this.#sql.exec<{ batch_id: string }>(sql, JSON.stringify(digests)).toArray()[0]?.batch_id;
  }

  #keepClaim(digest: string, batchId: string, nowMs: number): void {
    const sql = 'INSERT INTO claim (digest, batch_id, claimed_at_ms) VALUES (?, ?, ?)';
    this.#sql.exec(sql, digest, batchId, nowMs);
  }

  /** The batch is open again. No effect when it comes late, after the end with this reopen count. */
  async reopenBatch(batchId: string, opening: number): Promise<void> {
    this.#sql.exec(
      `UPDATE batch SET state = 'open', opening = ?2 WHERE batch_id = ?1 AND opening < ?2`,
      batchId,
      opening,
    );
    await this.#ensureAlarm();
  }

  /**
   * Claims what a compressed upload contains. Idempotent. @returns the first one received before; nothing is claimed
   * then.
   */
  async claimInterchanges(
    batchId: string,
    interchanges: readonly ClaimedInterchange[],
  ): Promise<RefusedInterchange | null> {
    return this.ctx.storage.transactionSync(() => {
      const repeated = repeatedInterchange(this.#sql, interchanges, batchId);
      if (repeated !== undefined) return refusedAtLocation(this.#sql, repeated);
      claimInterchanges(this.#sql, interchanges, batchId, Date.now());
      return null;
    });
  }

  /** For people who have only a control number. */
  async interchangesWith(control: string): Promise<KnownInterchange[]> {
    return interchangesWith(this.#sql, control, INTERCHANGES_SHOWN_MAX);
  }

  /** The newest, or those before a position. */
  async recentInterchanges(before: InterchangeCursor | null, limit: number) {
    return recentInterchanges(this.#sql, before, limit);
  }

  /**
   * Our own control number for the acknowledgment of an interchange. Idempotent. @param interchange of the batch, from
   * 1.
   */
  async ownControl(batchId: string, interchange: number): Promise<number> {
    return ownControl(this.#sql, batchId, interchange);
  }

  /**
   * For answers that cannot be requested again: new numbers at every call. @param requestId of the request that is
   * answered.
   */
  async ownControlsOnce(requestId: string, interchanges: number): Promise<number[]> {
    return this.ctx.storage.transactionSync(() => ownControlsOnce(this.#sql, requestId, interchanges));
  }

  /** The batch is deleted. Idempotent. */
  async forgetBatch(batchId: string): Promise<void> {
    forgetBatch(this.#sql, this.#rolling, batchId);
    forgetRows(this.ctx.storage.kv, batchId);
  }

  /** Called by the cron: ensures the alarm. */
  async watch(): Promise<void> {
    await this.#ensureAlarm();
  }

  /** @returns whether this partner has that batch in this environment, and a key of that scope sees it. */
  async knows(batchId: string, scope: KeyScope | null = null): Promise<boolean> {
    return (await this.known([batchId], scope)).length > 0;
  }

  /** @returns those of the batches that this partner has and a key of that scope sees. */
  async known(batchIds: readonly string[], scope: KeyScope | null): Promise<string[]> {
    const sql = `SELECT batch_id FROM batch WHERE ${IS_IN_SCOPE} AND batch_id IN (SELECT value FROM json_each(?3))`;
    const rows = this.#sql.exec<{ batch_id: string }>(sql, ...scopeParameters(scope), JSON.stringify(batchIds));
    return rows.toArray().map(({ batch_id }) => batch_id);
  }

  /** Newest first, of those that a key of that scope sees; `before` is the seq of the last one seen. */
  async list(before: number | null, limit: number, scope: KeyScope | null = null): Promise<ListedBatch[]> {
    const sql = `SELECT batch.batch_id, seq, ticket, state, messages, bytes FROM batch LEFT JOIN roll USING (batch_id)
                 WHERE ${IS_IN_SCOPE} AND (?3 IS NULL OR seq < ?3) ORDER BY seq DESC LIMIT ?4`;
    const rows = this.#sql.exec<ListedBatch>(sql, ...scopeParameters(scope), before, limit).toArray();
    return rows.map((row) => ({ ...row, ...this.#rolling.counts(row.batch_id) }));
  }

  /** What would be erased of this partner, or is still left. */
  async erasable(): Promise<ErasableRegister> {
    return erasableRegister(this.#withTables, clockOf(this.env));
  }

  /** Begins to erase all that the partner has here. Idempotent. */
  async eraseAll(scope: PartnerScope): Promise<void> {
    beginErasing(this.#withTables, scope, Date.now());
    await this.ctx.storage.setAlarm(Date.now());
  }

  get #withTables(): DurableObjectStorage {
    void this.#sql;
    return this.ctx.storage;
  }

  /** Once it began, nothing else is done. */
  async #erase(scope: PartnerScope): Promise<number | null> {
    const clock = clockOf(this.env);
    const batch = (batchId: string) => this.env.BATCH.getByName(batchName(scope, batchId));
    const forget = (batchId: string): void => forgetBatch(this.#sql, this.#rolling, batchId);
    const create = (ticket: BatchTicket) => this.#create(ticket);
    const [storage, files] = [this.#withTables, this.env.FILES];
    const nextMs = await erasingStep({ scope, storage, files, create, batch, forget, clock });
    if (nextMs !== null) return nextMs;
    const emptied = this.ctx.storage.deleteAll();
    this.#cached.forget();
    await emptied;
    noteErased(this.ctx.storage, clock.nowMs());
    return null;
  }

  override async alarm(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    const { storage } = this.ctx;
    const afterFailure = (): number => Date.now() + scaledMs(BATCH_PAUSE_MS, clockOf(this.env));
    const erased = scopeErased(storage);
    if (erased !== undefined)
      return wake(storage, { work: () => this.#erase(erased), failed: 'partner_not_erased', afterFailure });
    const create = async () => ((await this.#createUnfinished()).length === 0 ? null : afterFailure());
    await wake(storage, { work: create, failed: 'batch_not_created', afterFailure });
    const place = async (): Promise<number | null> => {
      if (!(await assignUnassigned(this.#placing))) return afterFailure();
      this.#rolling.noteAssigned(Date.now());
      return null;
    };
    await wake(storage, { work: place, failed: 'message_not_placed', afterFailure });
    await wake(storage, { work: () => this.#goRound(), failed: 'register_round_failed', afterFailure });
  }

  async #goRound(): Promise<number> {
    const clock = clockOf(this.env);
    const scope = scopeOfRegister(this.ctx.id.name) ?? this.#scopeOfBatches();
    if (scope === undefined) return clock.nowMs() + scaledMs(WATCH_REGISTER_MS, clock);
    const batch = (batchId: string) => this.env.BATCH.getByName(batchName(scope, batchId));
    return watchBatches({ scope, sql: this.#sql, rolling: this.#rolling, files: this.env.FILES, batch, clock });
  }

  /** For platforms where an object is not given its name. */
  #scopeOfBatches(): PartnerScope | undefined {
    const row = this.#sql.exec<{ ticket: string }>('SELECT ticket FROM batch LIMIT 1').toArray()[0];
    return row && ticketIn(row.ticket);
  }

  #ensureAlarm = (): Promise<void> =>
    ensureAlarm(this.ctx.storage, Date.now() + scaledMs(WATCH_REGISTER_MS, clockOf(this.env)));

  #decide(asked: ClaimRequest): Claim {
    const { ticket, idempotencyKey, fingerprint } = asked;
    if (isErased(this.ctx.storage, ticket.receivedAtMs)) return { outcome: 'being_erased' };
    const nowMs = ticket.receivedAtMs;
    forgetClaims(this.#sql, nowMs, clockOf(this.env));
    if (idempotencyKey !== null) {
      // The first to arrive claims: two may arrive when a reservation expires before its upload.
      this.#sql.exec('DELETE FROM reservation WHERE key = ?', idempotencyKey);
      const used = this.#sql
        .exec<{ fingerprint: string; batch_id: string }>('SELECT * FROM idempotency WHERE key = ?', idempotencyKey)
        .toArray()[0];
      if (used?.fingerprint === fingerprint) return this.#replayed(used.batch_id);
      if (used) {
        const { batchId, sha256 } = messageAt(this.#sql, used.batch_id) ?? this.#ticketOf(used.batch_id);
        return ticket.forced ? { outcome: 'force_needs_key', batchId } : { outcome: 'key_reused', batchId, sha256 };
      }
    }
    const digests = digestsOf(ticket);
    const known = ticket.message === true ? undefined : this.#holder(digests);
    const isNew = known === undefined || ticket.dryRun || ticket.forced === true || ticket.message === true;
    const batchId = isNew ? ticket.batchId : known;
    if (idempotencyKey !== null) {
      const sql = 'INSERT INTO idempotency (key, fingerprint, batch_id, claimed_at_ms) VALUES (?, ?, ?, ?)';
      this.#sql.exec(sql, idempotencyKey, fingerprint, batchId, nowMs);
    }
    if (!isNew) return this.#replayed(batchId);
    const { interchanges = [] } = asked;
    const repeated = ticket.forced || ticket.dryRun ? undefined : repeatedInterchange(this.#sql, interchanges, batchId);
    if (repeated !== undefined) {
      if (idempotencyKey !== null) this.#sql.exec('DELETE FROM idempotency WHERE key = ?', idempotencyKey);
      return { outcome: 'interchange_repeated', refusal: refusedAtLocation(this.#sql, repeated) };
    }
    const underWay = ticket.message === true ? null : this.#tooMuchUnderWay(ticket.bytes);
    if (underWay !== null) {
      if (idempotencyKey !== null) this.#sql.exec('DELETE FROM idempotency WHERE key = ?', idempotencyKey);
      return { outcome: 'too_much_under_way', ...underWay };
    }
    if (!ticket.dryRun) claimInterchanges(this.#sql, interchanges, batchId, nowMs);
    if (ticket.message === true) return { outcome: 'claimed', placed: this.#rolling.assign(ticket) };
    if (!ticket.dryRun) this.#claimFile(asked, digests[0], known);
    this.#sql.exec('INSERT INTO batch (batch_id, ticket) VALUES (?, ?)', batchId, JSON.stringify(ticket));
    return { outcome: 'claimed' };
  }

  /** One partner's backlog must not become everybody's. @returns null: there is room for a file of so many bytes. */
  #tooMuchUnderWay(bytes: number): { files: number; bytes: number; rows: number } | null {
    const filesMax = wholeSetting(this.env.FILES_UNDER_WAY, FILES_UNDER_WAY_MAX);
    const bytesMax = wholeSetting(this.env.BYTES_UNDER_WAY, BYTES_UNDER_WAY_MAX);
    const sql = `SELECT count(*) AS files, coalesce(sum(ticket ->> '$.bytes'), 0) AS bytes FROM batch WHERE state = 'open'`;
    const open = this.#sql.exec<{ files: number; bytes: number }>(sql).one();
    const rows = rowsUnderWay(this.ctx.storage.kv);
    const rowsMax = wholeSetting(this.env.ROWS_UNDER_WAY, ROWS_UNDER_WAY_MAX);
    const hasRoom = open.files < filesMax && (open.files === 0 || open.bytes + bytes <= bytesMax) && rows < rowsMax;
    return hasRoom ? null : { ...open, rows };
  }

  /** @param known the batch that had it before. */
  #claimFile({ ticket, idempotencyKey, who }: ClaimRequest, digest: string, known: string | undefined): void {
    const { batchId, receivedAtMs: nowMs } = ticket;
    this.#keepClaim(digest, batchId, nowMs);
    if (!ticket.forced) return;
    const { mapping, sha256, fileName } = ticket;
    const detail = JSON.stringify({ claimedBefore: known ?? null, idempotencyKey, mapping, sha256, fileName });
    const sql = 'INSERT INTO audit (at_ms, who, what, batch_id, detail) VALUES (?, ?, ?, ?, ?)';
    this.#sql.exec(sql, nowMs, who, 'upload_forced', batchId, detail);
  }

  #replayed(batchId: string): Claim {
    const { receivedAtMs } = messageAt(this.#sql, batchId) ?? this.#ticketOf(batchId);
    return { outcome: 'replayed', batchId, receivedAtMs };
  }

  #ticketOf(batchId: string): BatchTicket {
    const row = this.#sql.exec<{ ticket: string }>('SELECT ticket FROM batch WHERE batch_id = ?', batchId).one();
    return ticketIn(row.ticket);
  }

  #createUnfinished = (batchId: string | null = null): Promise<unknown[]> =>
    createUnfinished({ sql: this.#sql, create: (ticket) => this.#create(ticket) }, batchId);

  /** Idempotent. @returns the message's location once its batch has it: another than claimed, if that one refuses. */
  #location = (uploadId: string, bytes?: Uint8Array): Promise<MessageLocation> =>
    assignToBatch(this.#placing, uploadId, bytes);

  get #placing(): PlacingPort {
    return { storage: this.ctx.storage, rolling: this.#rolling, batch: (name) => this.env.BATCH.getByName(name) };
  }

  async #create(ticket: BatchTicket): Promise<void> {
    await this.env.BATCH.getByName(batchName(ticket, ticket.batchId)).create(ticket);
    this.#sql.exec('UPDATE batch SET created = 1 WHERE batch_id = ?', ticket.batchId);
  }
}

type Digests = readonly [string, ...string[]];

/**
 * What is unique: these bytes under this mapping for this SCAC. A claim is stored under the first digest, and found
 * under any.
 */
const digestsOf = ({ mappingSha256, claimedAs = [mappingSha256], sha256, scac, again }: BatchTicket): Digests => {
  // Sets that are sent again are equal to those that came, and to the same ones of another interchange.
  const instead = again === undefined ? [] : [again.batchId, sha256Hex(JSON.stringify(again.records))];
  const digestOf = (name: string): string => JSON.stringify([name, sha256, scac, ...instead]);
  const [now, ...before] = claimedAs;
  return [digestOf(now), ...before.map(digestOf)];
};
