/**
 * The Batch object: reads its bytes slice by slice, maps them under its pinned version, dispatches requests to their
 * loads and orders, and stores the outcome of every row.
 * A thin shell: parsing and mapping are in `run.ts`, counting in `tally.ts`. Slice, rows and checkpoint are one commit.
 */
import type { RequestOutcome } from '../../delivery/outcome.ts';
import type { RecordSource } from '../../formats/reader.ts';
import { ensureAlarm, oneAtATime, wake } from '../../kernel/alarm.ts';
import { clockOf, scaledMs } from '../../kernel/clock.ts';
import { failpoint } from '../../kernel/failpoint.ts';
import {
  BATCH_PAUSE_MS,
  BATCH_WAKE_UP_MS,
  DISPATCH_REQUESTS_MAX,
  DISPATCH_SUBJECTS_MAX,
  SUBJECT_STEPS_PER_WAKE_UP,
  WATCH_BATCH_MS,
} from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { Cached } from '../../kernel/migrate.ts';
import { registerName } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { Result } from '../../kernel/result.ts';
import {
  type CancelPlan,
  type CancelRefusal,
  type CancelRequest,
  cancelBatch,
  withdrawStep,
} from '../actions/cancel.ts';
import { RESOLVING_PAUSE_MS, Resolving } from '../actions/replaced-rows.ts';
import { type RetryPlan, type RetryRefusal, type RetryRequest, retryBatch, retryStep } from '../actions/retry.ts';
import { SubjectPace, Wave } from '../core/pacing.ts';
import { type BatchProgress, isWithdrawn, START } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { isMoving } from '../core/watch.ts';
import { validateUnpacked } from '../envelopes/interchanges.ts';
import { emptyReadMemory, pinnedMapping } from '../files/pinned.ts';
import { type Unpacked, unpack } from '../files/unpack.ts';
import { batchIndex, Indexing, indexedBatch } from '../steps/batch-index.ts';
import { dispatch, releaseTraces, type Subjects } from '../steps/dispatch.ts';
import { moveOutcomes, notifyRegister, retentionStep, settleIfDone } from '../steps/ending.ts';
import { LookupStore } from '../steps/lookup.ts';
import { inOrder, keepRead, notifyOfMessages, readingTicket } from '../steps/messages.ts';
import { hasNotifications, isPatienceOver, Notifier, sooner } from '../steps/notify.ts';
import { earlierBatches, emitGroups, type ReadingPort, readingPort, readNextSlice } from '../steps/reading.ts';
import { WatchStore, watchStep } from '../steps/watching.ts';
import { ActionStore } from '../store/action-store.ts';
import { BATCH_MIGRATIONS } from '../store/batch-migrations.ts';
import { BatchStore } from '../store/batch-store.ts';
import { ClaimStore } from '../store/claim-store.ts';
import { DeadLetterStore, ReplayStore } from '../store/dead-letter-store.ts';
import { GroupStore } from '../store/group-store.ts';
import { MessageStore } from '../store/message-store.ts';
import { BatchAnswers, summaryIn } from './batch-answers.ts';
import type { ActionPort, BatchRegister } from './ports.ts';

/** Longest stored description of a failed wake-up. Ours. */
const TROUBLE_CHARACTERS_MAX = 300;

export class Batch extends BatchAnswers {
  readonly #cached = new Cached(this.ctx.storage, BATCH_MIGRATIONS, () => this.#build(this.ctx.storage.sql));
  readonly #memory = emptyReadMemory();
  readonly #pace = new SubjectPace();
  readonly #wave = new Wave();
  /** There is more to dispatch than the wave has room for: a report that makes room goes on. */
  #waitsForRoom = false;
  readonly #subjects: Subjects = {
    load: (name) => {
      this.#pace.meet(name, Date.now());
      return this.env.LOAD.getByName(name);
    },
    order: (name) => {
      this.#pace.meet(name, Date.now());
      return this.env.ORDER.getByName(name);
    },
  };
  protected override readonly port = (): ActionPort => this.#port;
  readonly #notifier = new Notifier(() => this.#port, {
    webhooks: () => this.env.WEBHOOKS.getByName(registerName(this.#created().ticket)),
    summary: () => this.summary(),
    clock: clockOf(this.env),
  });
  readonly #resolving = new Resolving(
    () => this.#port,
    () => earlierBatches(this.env, this.#created().ticket),
    clockOf(this.env),
  );
  readonly #indexing = new Indexing({
    index: () => batchIndex(this.env.DIRECTORY),
    row: () => {
      const summary = summaryIn(this.#port);
      return summary === undefined ? null : indexedBatch(summary, this.#store.trouble());
    },
    mark: () => this.#store.indexCheckpoint(),
    storeCheckpoint: (mark) => this.#store.storeIndexCheckpoint(mark),
    clock: clockOf(this.env),
  });
  readonly #wakeOnce = oneAtATime(() => this.#wakeUp());

  #build(sql: SqlStorage) {
    const store = new BatchStore(sql);
    const port: ActionPort = {
      store,
      claims: new ClaimStore(sql),
      created: () => this.#created(),
      actions: new ActionStore(sql),
      letters: new DeadLetterStore(sql),
      replays: new ReplayStore(sql),
      messages: new MessageStore(sql),
      lookUps: new LookupStore(sql),
      subjects: this.#subjects,
      register: () => this.#register(),
      move: (outcomes) => moveOutcomes(this.#port, outcomes),
      keep: (change) => this.#keep(change),
      nowMs: () => Date.now(),
    };
    return { store, groups: new GroupStore(sql), watch: new WatchStore(sql), port };
  }

  get #store(): BatchStore {
    return this.#cached.parts.store;
  }

  get #port(): ActionPort {
    return this.#cached.parts.port;
  }

  /** Idempotent: the register may create the same batch again after a crash. Durable when this returns. */
  async create(ticket: BatchTicket): Promise<void> {
    if (this.#store.ticket()) return;
    this.#store.keepTicket(ticket);
    this.#store.keepProgress({
      state: 'reading',
      checkpoint: null,
      readingFinished: false,
      handedOver: START,
      settledAtMs: null,
      problems: [],
      reported: false,
    });
    await this.ctx.storage.setAlarm(Date.now());
  }

  /**
   * Called by the register now and then: ensures the alarm, also if it is too late for a batch that is open again. An
   * ended batch notifies the register again, which does not know of the end. @returns `unknown` when there is no such
   * batch.
   */
  async watch(): Promise<'known' | 'unknown'> {
    const progress = this.#store.progress();
    if (!this.#store.ticket() || !progress) return 'unknown';
    if (progress.reported) {
      this.#keep({ reported: false, opening: (progress.opening ?? 0) + 1 });
      await this.ctx.storage.setAlarm(Date.now());
      return 'known';
    }
    const mayMove = isMoving(this.#store.tally()); // not for a batch that waits for a person
    const latestMs = mayMove ? Date.now() + scaledMs(WATCH_BATCH_MS, clockOf(this.env)) : Number.POSITIVE_INFINITY;
    const armedMs = await this.ctx.storage.getAlarm();
    if (armedMs === null || armedMs > latestMs) await this.ctx.storage.setAlarm(Date.now());
    return 'known';
  }

  /** Reports of loads, idempotent: a revision already seen changes nothing. */
  async recordOutcomes(outcomes: RequestOutcome[]): Promise<void> {
    moveOutcomes(this.#port, outcomes);
    this.#wave.note(outcomes);
    const hasSettled = settleIfDone(this.#store, Date.now());
    const mayGoOn = this.#waitsForRoom && this.#wave.room(Date.now()) !== null;
    if (mayGoOn) this.#waitsForRoom = false;
    if (hasNotifications(this.#port, Date.now()) || hasSettled || mayGoOn) await this.ctx.storage.setAlarm(Date.now());
    else if (this.#port.claims.hasDue())
      await this.#wakeAt(Date.now() + scaledMs(RESOLVING_PAUSE_MS, clockOf(this.env)));
    else {
      const indexMs = this.#indexing.step();
      if (indexMs !== null) await this.#wakeAt(Date.now() + indexMs);
    }
  }

  /** Writes its index row again. @returns false when there is no such batch. */
  async reindex(): Promise<boolean> {
    return this.#indexing.rewrite();
  }

  /** Withdraws unsent requests. Idempotent. */
  async cancel(asked: CancelRequest): Promise<Result<CancelPlan, CancelRefusal>> {
    const plan = cancelBatch(this.#port, asked);
    if (plan.ok && !asked.dryRun) await this.ctx.storage.setAlarm(Date.now());
    return plan;
  }

  /** Sends undelivered ended requests again, as their next generation. */
  async retry(asked: RetryRequest): Promise<Result<RetryPlan, RetryRefusal>> {
    const plan = await retryBatch(this.#port, asked);
    if (plan.ok && !asked.dryRun) await this.ctx.storage.setAlarm(Date.now());
    return plan;
  }

  #register = (): BatchRegister => this.env.INTAKE_REGISTER.getByName(registerName(this.#created().ticket));

  /** A caller that knows a batch's id knows that it was created. */
  #created(): { ticket: BatchTicket; progress: BatchProgress } {
    const ticket = this.#store.ticket();
    const progress = this.#store.progress();
    if (!ticket || !progress) throw new Error('the batch was never created');
    return { ticket, progress };
  }

  override alarm(): Promise<void> {
    return this.#wakeOnce();
  }

  async #wakeUp(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    const inMs = (waitMs: number): number => Date.now() + (sooner(waitMs, this.#indexing.step()) ?? waitMs);
    await wake(this.ctx.storage, {
      work: async () => {
        const waitMs = await this.#work(Date.now() + BATCH_WAKE_UP_MS);
        if (waitMs === null) return null; // the batch is deleted
        if (this.#store.trouble() !== null) this.#store.keepTrouble(null);
        return inMs(waitMs);
      },
      failed: 'batch_wake_up_failed',
      facts: () => ({ batchId: this.#store.ticket()?.batchId ?? '' }),
      afterFailure: (detail) => {
        this.#keepTrouble(detail.slice(0, TROUBLE_CHARACTERS_MAX));
        return Date.now() + scaledMs(BATCH_PAUSE_MS, clockOf(this.env)); // what failed may be the storage
      },
    });
  }

  /** What keeps the work from its storage may keep this from it, too: it wakes up again all the same. */
  #keepTrouble(detail: string): void {
    try {
      this.#store.keepTrouble(detail);
    } catch (thrown) {
      log('error', 'trouble_not_kept', { detail: messageOf(thrown) });
    }
  }

  #wakeAt = (atMs: number): Promise<void> => ensureAlarm(this.ctx.storage, atMs);

  /** @returns ms to the next wake-up, null when there is nothing left to do. */
  async #work(untilMs: number): Promise<number | null> {
    const ticket = this.#store.ticket();
    if (!ticket) return null;
    for (let calling = 0; calling < SUBJECT_STEPS_PER_WAKE_UP; ) {
      const progress = this.#store.progress();
      if (!progress) return null;
      this.#indexing.step();
      const newsMs = progress.state === 'reading' && !ticket.message ? null : await this.#notifier.step();
      const restMs = this.#pace.restMs(Date.now());
      if (restMs > 0) return restMs;
      if (progress.state === 'unreadable' || progress.state === 'settled') {
        const resolvingMs = await this.#resolving.step();
        const areTold = newsMs === null && resolvingMs === null;
        if (areTold || isPatienceOver(progress.settledAtMs, clockOf(this.env))) await notifyRegister(this.#port);
        return sooner(sooner(await this.#retentionStep(), newsMs), resolvingMs);
      }
      if ((await this.#act(ticket, progress)) || (await this.#dispatch(ticket, progress))) calling += 1;
      else if (progress.readingFinished) {
        if (!this.#waitsForRoom && (await this.#release(ticket, progress))) calling += 1;
        else if (!settleIfDone(this.#store, Date.now())) {
          const resolvingMs = await this.#resolving.step();
          const roomMs = this.#waitsForRoom ? this.#wave.restMs(Date.now()) : null;
          return sooner(sooner(sooner(await this.#watch(), roomMs), newsMs), resolvingMs); // reports arrive by themselves
        }
      } else if (progress.content === undefined) await this.#unpack(ticket, progress);
      else {
        const reading = this.#reading(ticket);
        const step =
          progress.emitting === true ? emitGroups(reading, ticket) : readNextSlice(reading, ticket, progress);
        const waitMs = await step;
        if (waitMs !== null) return sooner(waitMs, newsMs);
      }
      if (Date.now() > untilMs) return 0;
      await scheduler.wait(0); // where objects share a thread, calls between them would starve the network
    }
    return 0;
  }

  /** @returns whether an action on the batch had something to do. */
  async #act(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    const port = this.#port;
    if ((await withdrawStep(port, ticket, progress)) || (await retryStep(port, ticket))) return true;
    return ticket.message === true && notifyOfMessages(port, port.messages);
  }

  async #unpack(batch: BatchTicket, progress: BatchProgress): Promise<void> {
    const ticket = readingTicket(batch, inOrder(this.#port.messages, progress));
    const { source } = await pinnedMapping(this.env.FILES, ticket.mappingSha256);
    const unpacked = await unpack(this.env.FILES, ticket, source);
    const refusal = await this.#refusalOf(ticket, source, unpacked);
    if (refusal === null && unpacked.outcome === 'ready') return this.#keep({ content: unpacked.contents });
    const problems = refusal === null ? [] : [refusal];
    keepRead(this.#reading(batch), {
      ...this.#created().progress,
      state: 'unreadable',
      problems,
      settledAtMs: Date.now(),
    });
  }

  /** @returns why the file as a whole is not read. */
  async #refusalOf(ticket: BatchTicket, source: RecordSource, unpacked: Unpacked): Promise<Problem | null> {
    if (unpacked.outcome === 'refused') return unpacked.problem;
    if (unpacked.contents === null) return null; // validated before it was accepted
    return validateUnpacked(this.env.FILES, ticket, source, unpacked.contents, this.#register());
  }

  /** @returns ms to the next look. */
  #watch(): Promise<number> {
    return watchStep(this.#port, this.#cached.parts.watch, clockOf(this.env));
  }

  /** @returns ms to the next end of a retention; null: the batch is deleted. */
  #retentionStep(): Promise<number | null> {
    const empty = (): Promise<void> => {
      const emptied = this.ctx.storage.deleteAll();
      this.#cached.forget();
      return emptied;
    };
    const unlist = (): Promise<boolean> => {
      const { ticket } = this.#created();
      return this.#indexing.remove(ticket, ticket.batchId);
    };
    return retentionStep(this.#port, { files: this.env.FILES, clock: clockOf(this.env), unlist, empty });
  }

  #reading(ticket: BatchTicket): ReadingPort {
    const { store, groups, port } = this.#cached.parts;
    const { messages, lookUps, keep } = port;
    const own = { store, groups, claims: port.claims, lookUps, messages, keep, memory: this.#memory };
    return readingPort(this.env, ticket, { ...own, progress: () => this.#created().progress });
  }

  /** @returns whether anything was dispatched; the checkpoint moves only after every subject has accepted its part. */
  async #dispatch(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    const room = this.#wave.room(Date.now());
    const requests = this.#store.requestsAfter(progress.handedOver, room === null ? 1 : DISPATCH_REQUESTS_MAX);
    this.#waitsForRoom = room === null && requests.length > 0;
    if (room === null) return false;
    const wave = { room, wake: (parts: Parameters<Wave['wake']>[0]) => this.#wave.wake(parts, Date.now()) };
    const last = await dispatch(requests, ticket, this.#subjects, progress.rules, wave);
    if (last) await failpoint('handed_over');
    if (last) this.#keep({ handedOver: last, handedOverAtMs: Date.now() });
    return last !== undefined;
  }

  /** Notifies loads that they have all of this batch's trace points. @returns whether there was one to notify. */
  async #release(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    if (isWithdrawn(progress)) return false;
    const loads = this.#store.tracedLoads(DISPATCH_SUBJECTS_MAX);
    const last = await releaseTraces(loads, ticket, (name) => this.env.LOAD.getByName(name));
    if (last) this.#store.dropTracedLoads(last);
    return last !== undefined;
  }

  /** Changes only the named fields, of the current state: reports and actions may have come in meanwhile. */
  #keep(change: Parameters<ActionPort['keep']>[0]): void {
    this.#store.keepProgress({ ...this.#created().progress, ...change } as BatchProgress); // JSON leaves out undefined
  }
}
