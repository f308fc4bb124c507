/**
 * The Batch object: reads its bytes slice by slice, maps them under its pinned version, hands requests over to their loads and orders
 * and keeps what became of every row.
 *
 * A thin shell: parsing and mapping are `run.ts`, counting is `tally.ts`. Slice, rows and checkpoint are one commit.
 */
import { DurableObject } from 'cloudflare:workers';
import { countedState, type RequestOutcome } from '../delivery/outcome.ts';
import { readSlice } from '../formats/slices.ts';
import { scaledMs } from '../kernel/clock.ts';
import { clockOf } from '../kernel/config.ts';
import { BATCH_PAUSE_MS, BATCH_WAKE_UP_MS, HAND_OVER_REQUESTS_MAX, HAND_OVER_SUBJECTS_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { registerName } from '../kernel/names.ts';
import { type BatchProgress, BatchStore, type StoredRecord } from './batch-store.ts';
import { afterSlice, contentInReading, fileInReading, fileOfRecord, mappingInReading } from './contents.ts';
import { GroupStore } from './group-store.ts';
import { handOver, releaseTraces } from './hand-over.ts';
import { pinnedMapping, storedSource } from './pinned.ts';
import { type MappedRow, rowsOf, runSlice, type ScacRule } from './run.ts';
import { placeStaged } from './run-groups.ts';
import { type BatchRow, type BatchSummary, rowOf, summaryOf } from './summary.ts';
import { batchState, countOutcome, countRows, firstState } from './tally.ts';
import type { BatchTicket } from './ticket.ts';
import { unpack } from './unpack.ts';

/** What a Batch needs of the register that knows which batches are open: a port of the caller. */
export interface BatchRegister {
  closeBatch(batchId: string, state: 'settled' | 'unreadable'): Promise<void>;
}

/** Before every load: no SCAC is empty. */
const NO_LOAD = { scac: '', subject: '' };
/** Rows of staged groups that become requests in one step. Ours: one commit, as a slice is. */
const STAGED_ROWS_PER_STEP = 2_000;
/** Longest description of a failed wake-up that is kept. Ours. */
const TROUBLE_CHARACTERS_MAX = 300;

export class Batch extends DurableObject<Env> {
  readonly #store: BatchStore;
  readonly #groups: GroupStore;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new BatchStore(ctx.storage.sql);
    this.#groups = new GroupStore(ctx.storage.sql);
  }

  /** Idempotent: the register may create the same batch again after a crash. Durable when this returns. */
  async create(ticket: BatchTicket): Promise<void> {
    if (this.#store.ticket()) return;
    this.#store.keepTicket(ticket);
    this.#store.keepProgress({
      state: 'reading',
      checkpoint: null,
      readingFinished: false,
      handedOver: { record: 0, request: 0 },
      settledAtMs: null,
      problems: [],
      reported: false,
    });
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** @returns undefined for a batch that was never created. */
  async summary(): Promise<BatchSummary | undefined> {
    const ticket = this.#store.ticket();
    const progress = this.#store.progress();
    return ticket && progress ? summaryOf(ticket, progress, this.#store.tally(), this.#store.trouble()) : undefined;
  }

  /** Rows after record `after`, in input order, of the given states or of all. */
  async rows(after: number, limit: number, states: readonly string[] | null): Promise<BatchRow[]> {
    const records = this.#store.records(after, limit, states);
    const carrier = (record: StoredRecord): number => record.group_record ?? record.record;
    const carriers = [...new Set(records.map(carrier))];
    const requests = Map.groupBy(this.#store.requestsOf(carriers), ({ record }) => record);
    const contents = this.#store.progress()?.content;
    return records.map((record) =>
      rowOf(record, requests.get(carrier(record)) ?? [], fileOfRecord(contents, record.record)),
    );
  }

  /** Reports of loads, idempotent: a revision already seen changes nothing. */
  async recordOutcomes(outcomes: RequestOutcome[]): Promise<void> {
    const tally = this.#store.tally();
    for (const outcome of outcomes) {
      const known = this.#store.request(outcome.record, outcome.request);
      const rowWas = this.#store.recordState(outcome.record);
      if (!known || !rowWas || known.revision >= outcome.revision) continue;
      this.#store.writeOutcome(outcome);
      const rowStates = this.#store.requestStates(outcome.record);
      const was = countedState(known.state, known.into_state);
      const rows = this.#store.rowsOfRecord(outcome.record);
      const row = countOutcome(tally, { was, outcome, rowWas, rowStates, rows });
      if (row !== rowWas) this.#store.writeRecordState(outcome.record, row);
    }
    this.#store.keepTally(tally);
    if (this.#settleIfDone()) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Never throws: after six failed retries the platform would drop the alarm. */
  override async alarm(): Promise<void> {
    let again: number | null = scaledMs(BATCH_PAUSE_MS, clockOf(this.env));
    try {
      again = await this.#work(Date.now() + BATCH_WAKE_UP_MS);
      if (this.#store.trouble() !== null) this.#store.keepTrouble(null);
    } catch (thrown) {
      const ticket = this.#store.ticket();
      const batchId = ticket?.batchId ?? '';
      this.#store.keepTrouble(messageOf(thrown).slice(0, TROUBLE_CHARACTERS_MAX));
      log('error', 'batch_wake_up_failed', { batchId, detail: messageOf(thrown) });
    }
    if (again !== null) await this.ctx.storage.setAlarm(Date.now() + again);
  }

  /** @returns ms to the next wake-up, null when there is nothing left to do. */
  async #work(untilMs: number): Promise<number | null> {
    const ticket = this.#store.ticket();
    if (!ticket) return null;
    for (;;) {
      const progress = this.#store.progress();
      if (!progress) return null;
      if (progress.state === 'unreadable' || progress.state === 'settled') {
        await this.#tellRegister(ticket, progress);
        return null;
      }
      if (!(await this.#handOver(ticket, progress))) {
        if (progress.readingFinished) {
          if (!(await this.#release(ticket, progress)) && !this.#settleIfDone()) return null; // reports come by themselves
        } else if (progress.content === undefined) await this.#unpack(ticket, progress);
        else if (progress.emitting === true) await this.#emitGroups(ticket, progress);
        else await this.#readSlice(ticket, progress);
      }
      if (Date.now() > untilMs) return 0;
      await scheduler.wait(0); // where objects share a thread, calls between them would keep the network from its turn
    }
  }

  async #unpack(ticket: BatchTicket, progress: BatchProgress): Promise<void> {
    const unpacked = await unpack(this.env.FILES, ticket);
    if (unpacked.outcome === 'ready') return this.#store.keepProgress({ ...progress, content: unpacked.contents });
    const problems = [unpacked.problem];
    this.#store.keepProgress({ ...progress, state: 'unreadable', problems, settledAtMs: Date.now() });
  }

  async #readSlice(ticket: BatchTicket, progress: BatchProgress): Promise<void> {
    const contents = progress.content ?? null;
    const mapping = mappingInReading(await pinnedMapping(this.env.FILES, ticket.mappingSha256), contents);
    const checkpoint = progress.checkpoint ?? mapping.reader.start;
    const source = storedSource(this.env.FILES, ticket, contentInReading(contents));
    const file = fileInReading(contents);
    const before = {
      open: this.#groups.open(),
      wasClosed: (key: string) => this.#groups.wasClosed(file, key),
      stagedSize: (key: string) => this.#groups.stagedSize(file, key),
    };
    const run = await readSlice(source, checkpoint.byte, (slice) =>
      runSlice(mapping, scacRule(ticket), { ...slice, checkpoint }, before),
    );
    if (run.outcome === 'rows') {
      this.#commitRows(ticket, run.rows);
      if (mapping.group !== undefined) this.#groups.keepSlice(file, run.groups);
      if (run.finished) this.#groups.keepFile({ file, columns: run.columns, cut: run.endProblem !== null });
    }
    const now = afterSlice(progress, run, Date.now());
    const isStaged = now.readingFinished && this.#groups.hasStaged();
    this.#store.keepProgress(isStaged ? { ...now, readingFinished: false, emitting: true } : now);
  }

  /** Groups whose rows may stand anywhere become rows once all files are read, a few at a time. */
  async #emitGroups(ticket: BatchTicket, progress: BatchProgress): Promise<void> {
    const next = this.#groups.nextStaged(STAGED_ROWS_PER_STEP);
    if (next === undefined) return this.#store.keepProgress({ ...progress, emitting: false, readingFinished: true });
    const mapping = await pinnedMapping(this.env.FILES, ticket.mappingSha256);
    const bound = mapping.bind(next.file.columns);
    if (!bound.ok) throw new Error('the columns of a file that was read are no longer bound');
    this.#commitRows(ticket, rowsOf(placeStaged(bound.value, next.groups, next.file.cut), scacRule(ticket)));
    this.#groups.dropStaged(next.groups);
  }

  #commitRows(ticket: BatchTicket, mapped: readonly MappedRow[]): void {
    const tally = this.#store.tally();
    countRows(tally, mapped, ticket.dryRun);
    const rows = ticket.dryRun ? mapped.map((row) => ({ ...row, requests: [] })) : mapped;
    this.#store.addRows(rows, (row) => firstState(row, ticket.dryRun));
    this.#store.keepTally(tally);
  }

  /** @returns whether anything was handed over; the mark moves only after every subject has taken its part. */
  async #handOver(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    const requests = this.#store.requestsAfter(progress.handedOver, HAND_OVER_REQUESTS_MAX);
    const last = await handOver(requests, ticket, {
      load: (name) => this.env.LOAD.getByName(name),
      order: (name) => this.env.ORDER.getByName(name),
    });
    if (!last) return false;
    const now = this.#store.progress() ?? progress; // reports may have come in meanwhile
    this.#store.keepProgress({ ...now, handedOver: last });
    return true;
  }

  /** Tells loads that they have all of this batch's trace points. @returns whether there was one to tell. */
  async #release(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    const loads = this.#store.tracedLoadsAfter(progress.released ?? NO_LOAD, HAND_OVER_SUBJECTS_MAX);
    const last = await releaseTraces(loads, ticket, (name) => this.env.LOAD.getByName(name));
    if (!last) return false;
    const now = this.#store.progress() ?? progress; // reports may have come in meanwhile
    this.#store.keepProgress({ ...now, released: last });
    return true;
  }

  /** @returns true when the batch has just settled. */
  #settleIfDone(): boolean {
    const progress = this.#store.progress();
    const ticket = this.#store.ticket();
    if (!progress || !ticket || progress.state === 'settled' || progress.state === 'unreadable') return false;
    const state = batchState(progress, this.#store.tally());
    if (state !== progress.state) {
      const settledAtMs = state === 'settled' ? Date.now() : null;
      this.#store.keepProgress({ ...progress, state, settledAtMs });
    }
    return state === 'settled';
  }

  async #tellRegister(ticket: BatchTicket, progress: BatchProgress): Promise<void> {
    if (progress.reported || (progress.state !== 'settled' && progress.state !== 'unreadable')) return;
    const register: BatchRegister = this.env.INTAKE_REGISTER.getByName(registerName(ticket));
    await register.closeBatch(ticket.batchId, progress.state);
    this.#store.keepProgress({ ...progress, reported: true });
  }
}

const scacRule = (ticket: BatchTicket): ScacRule => ({ scac: ticket.scac, allowed: ticket.allowedScacs });
