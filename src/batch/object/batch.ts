/**
 * The Batch object: reads its bytes slice by slice, maps them under its pinned version, dispatches requests to their
 * loads and orders, and stores the outcome of every row.
 * A thin shell: parsing and mapping are in `run.ts`, counting in `tally.ts`. Slice, rows and checkpoint are one commit.
 */
import type { RequestOutcome } from '../../delivery/outcome.ts';
import type { RecordSource } from '../../formats/reader.ts';
import { ensureAlarm, oneAtATime, wake } from '../../kernel/alarm.ts';
import { clockOf, scaledMs } from '../../kernel/clock.ts';
import { requireKnownForm } from '../../kernel/forms.ts';
import {
  BATCH_PAUSE_MS,
  BATCH_WAKE_UP_MS,
  DISPATCH_SUBJECTS_MAX,
  SUBJECT_STEPS_PER_WAKE_UP,
  WATCH_BATCH_MS,
  WATCH_PAUSE_MS_MAX,
} from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { Cached } from '../../kernel/migrate.ts';
import { registerName } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { Result } from '../../kernel/result.ts';
import type { Usage } from '../../kernel/usage.ts';
import {
  type CancelPlan,
  type CancelRefusal,
  type CancelRequest,
  cancelBatch,
  withdrawStep,
} from '../actions/cancel.ts';
import { type EraseRequest, eraseSubject } from '../actions/erase.ts';
import { RESOLVING_PAUSE_MS, Resolving } from '../actions/replaced-rows.ts';
import { type RetryPlan, type RetryRefusal, type RetryRequest, retryBatch, retryStep } from '../actions/retry.ts';
import { minuteTotalsMs } from '../core/minutes.ts';
import { SubjectPace } from '../core/pacing.ts';
import { type BatchProgress, isWithdrawn, NOTHING_READ } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { isMoving } from '../core/watch.ts';
import { validateUnpacked } from '../envelopes/interchanges.ts';
import { pinnedMapping } from '../files/pinned.ts';
import { type Unpacked, unpack } from '../files/unpack.ts';
import { TROUBLE_CHARACTERS_MAX, VISITING_LOOK_MS } from '../limits.ts';
import { batchIndex, Indexing, indexedBatch } from '../steps/batch-index.ts';
import { newSubjectsPerSecond, releaseTraces, type Subjects } from '../steps/dispatch.ts';
import { moveOutcomes, notifyRegister, retentionStep, settleIfDone } from '../steps/ending.ts';
import { FileDispatch } from '../steps/file-dispatch.ts';
import { LookupStore } from '../steps/lookup.ts';
import { beginUnread, inOrder, keepRead, notifyOfMessages, readingTicket } from '../steps/messages.ts';
import { hasNotifications, isPatienceOver, Notifier, sooner } from '../steps/notify.ts';
import { earlierBatches, emitGroups, isStill, type ReadingPort, readingPort, readNextSlice } from '../steps/reading.ts';
import { UnderWay } from '../steps/under-way.ts';
import { WatchStore, watchStep } from '../steps/watching.ts';
import { ActionStore } from '../store/action-store.ts';
import { BATCH_MIGRATIONS } from '../store/batch-migrations.ts';
import { BatchStore } from '../store/batch-store.ts';
import { ClaimStore } from '../store/claim-store.ts';
import { DeadLetterStore, ReplayStore } from '../store/dead-letter-store.ts';
import { GroupStore } from '../store/group-store.ts';
import { BatchAnswers, costIn, partsIn, summaryIn } from './batch-answers.ts';
import type { ActionPort, BatchRegister, ProgressChange } from './ports.ts';

export class Batch extends BatchAnswers {
  readonly #cached = new Cached(this.storage, BATCH_MIGRATIONS, () => this.#build(this.storage.sql));
  readonly #pace = new SubjectPace(newSubjectsPerSecond(this.env));
  readonly #underWay = new UnderWay(() => this.#port, this.#pace);
  readonly #met = (name: string): string => {
    this.#pace.meet(name, Date.now());
    return name;
  };
  readonly #subjects: Subjects = {
    load: (name) => this.env.LOAD.getByName(this.#met(name)),
    order: (name) => this.env.ORDER.getByName(this.#met(name)),
  };
  #isWakingUp = false;
  /** Since this wake-up looked last. An alarm that was running when its process died runs again. */
  #hasArrived = false;
  protected override readonly wakeNow = async (): Promise<void> => {
    if (!this.#isWakingUp) return this.storage.setAlarm(Date.now());
    this.#hasArrived = true;
    this.#dispatch.visits.changed();
  };
  protected override readonly port = (): ActionPort => this.#port;
  /** A call that ends before all are moved leaves the rest to the alarm. */
  protected override readonly withRows = async (): Promise<ActionPort> => {
    if (this.#store.oldRows.areLeft) await Promise.all([this.#wakeAt(Date.now()), this.#store.oldRows.move()]);
    return this.#port;
  };
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
    index: () => batchIndex(this.env.DIRECTORY, minuteTotalsMs(this.env.MINUTE_TOTALS_DAYS)),
    row: () => {
      const summary = summaryIn(this.#port);
      if (summary === undefined) return null;
      return indexedBatch(summary, this.#store.trouble(), costIn(this.#port), this.#created().ticket.channel);
    },
    parts: () => partsIn(this.#port),
    mark: () => this.#store.indexCheckpoint(),
    storeCheckpoint: (mark) => this.#store.storeIndexCheckpoint(mark),
    clock: clockOf(this.env),
  });
  readonly #wakeOnce = oneAtATime(() => this.#wakeUp());

  #build(sql: SqlStorage) {
    const store = new BatchStore(this.storage, this.meter);
    /** The named fields alone, of the current state: reports and actions may have come in meanwhile. */
    const changed = (change: ProgressChange): BatchProgress =>
      ({ ...this.#created().progress, ...change }) as BatchProgress; // JSON leaves out undefined
    const port: ActionPort = {
      store,
      claims: new ClaimStore(sql),
      created: () => this.#created(),
      actions: new ActionStore(sql, store),
      letters: new DeadLetterStore(sql, store),
      replays: new ReplayStore(sql),
      messages: store.messages,
      lookUps: new LookupStore(sql),
      subjects: this.#subjects,
      doubtful: () => this.#dispatch.doubtful(),
      emptyAhead: () => this.#dispatch.empty(),
      register: () => this.#register(),
      move: (outcomes) => moveOutcomes(this.#port, outcomes),
      keep: (change) => store.keepProgress(changed(change)),
      note: (change) => store.noteProgress(changed(change)),
      nowMs: () => Date.now(),
    };
    beginUnread(store);
    let dispatch: FileDispatch | undefined;
    return {
      store,
      groups: new GroupStore(sql),
      watch: new WatchStore(sql, store),
      /** Not before the rows of release 0.1 are where it looks for them. */
      dispatch: () => {
        dispatch ??= new FileDispatch(port, this.#pace, clockOf(this.env), this.#underWay.requestMore);
        return dispatch;
      },
      port,
    };
  }

  get #store(): BatchStore {
    return this.#cached.parts.store;
  }

  get #dispatch(): FileDispatch {
    return this.#cached.parts.dispatch();
  }

  get #port(): ActionPort {
    return this.#cached.parts.port;
  }

  /** Idempotent: the register may create the same batch again after a crash. Durable when this returns. */
  async create(ticket: BatchTicket): Promise<void> {
    if (this.#store.ticket()) return;
    this.#store.create(ticket, () => ({ ...NOTHING_READ, endsLoads: true }));
    await this.storage.setAlarm(Date.now());
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
      this.#port.keep({ reported: false, opening: (progress.opening ?? 0) + 1 });
      await this.storage.setAlarm(Date.now());
      return 'known';
    }
    const lookMs = isMoving(this.#store.tally()) ? WATCH_BATCH_MS : WATCH_PAUSE_MS_MAX;
    const latestMs = Date.now() + scaledMs(lookMs, clockOf(this.env));
    const armedMs = await this.storage.getAlarm();
    if (armedMs === null || armedMs > latestMs) await this.storage.setAlarm(Date.now());
    return 'known';
  }

  /** Reports of loads, idempotent: a revision already seen changes nothing. */
  async recordOutcomes(outcomes: RequestOutcome[], form?: number, usage?: Usage): Promise<void> {
    requireKnownForm('outcomes', form);
    await this.withRows();
    const dispatch = this.#dispatch;
    const hadRoom = dispatch.hasRoom;
    const isToAct = this.#store.commit(() => {
      this.#store.uses(usage);
      this.#port.move(outcomes);
      const hasSettled = settleIfDone(this.#store, Date.now());
      return hasNotifications(this.#port, Date.now()) || hasSettled;
    });
    dispatch.note(outcomes);
    const hasNews = isToAct || (!hadRoom && dispatch.hasRoom);
    if (this.#isWakingUp) dispatch.visits.changed();
    if (hasNews && !this.#isWakingUp) await this.storage.setAlarm(Date.now());
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
    const plan = cancelBatch(await this.withRows(), asked);
    if (plan.ok && !asked.dryRun) {
      this.#dispatch.visits.isHeld = true;
      this.#dispatch.visits.changed();
      await this.storage.setAlarm(Date.now());
    }
    return plan;
  }

  /** Takes out what is about a load or an order. Idempotent. @returns false: something is under way, and nothing was done. */
  async erase(asked: EraseRequest): Promise<boolean> {
    return eraseSubject(await this.withRows(), { files: this.env.FILES, indexing: this.#indexing }, asked);
  }

  /** Sends undelivered ended requests again, as their next generation. */
  async retry(asked: RetryRequest): Promise<Result<RetryPlan, RetryRefusal>> {
    const plan = await retryBatch(await this.withRows(), asked);
    if (plan.ok && !asked.dryRun) await this.storage.setAlarm(Date.now());
    return plan;
  }

  #register = (): BatchRegister => this.env.INTAKE_REGISTER.getByName(registerName(this.#created().ticket));

  /** Whoever knows a batch's id knows that it was created. */
  #created(): { ticket: BatchTicket; progress: BatchProgress } {
    const ticket = this.#store.ticket();
    const progress = this.#store.progress();
    if (!ticket || !progress) throw new Error('the batch was never created');
    return { ticket, progress };
  }

  override alarm(): Promise<void> {
    return this.meter.awake(() => this.#wakeOnce());
  }

  async #wakeUp(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    const inMs = (waitMs: number): number => Date.now() + (sooner(waitMs, this.#indexing.step()) ?? waitMs);
    await wake(this.storage, {
      work: async () => {
        const waitMs = await this.#work(Date.now() + BATCH_WAKE_UP_MS);
        if (this.#hasArrived || waitMs === null) return this.#hasArrived ? Date.now() : null; // null: it is deleted
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

  #wakeAt = (atMs: number): Promise<void> => ensureAlarm(this.storage, atMs);

  /** @returns ms to the next wake-up, null when there is nothing left to do. */
  async #work(untilMs: number): Promise<number | null> {
    const store = this.#store;
    if (!(await store.oldRows.move(untilMs))) return 0;
    const ticket = store.ticket();
    if (!ticket) {
      await this.#empty(); // a wake-up that was under way when it was deleted
      return null;
    }
    const { visits } = this.#dispatch;
    visits.beginWakeUp();
    this.#isWakingUp = true;
    try {
      for (let calling = 0; ; ) {
        visits.look();
        this.#hasArrived = false;
        const step = await this.#step(ticket);
        if (step === 'called') calling += 1;
        if (typeof step !== 'string' && !visits.isBusy && !visits.hasChanged) {
          visits.check();
          return step;
        }
        if (calling >= SUBJECT_STEPS_PER_WAKE_UP || visits.isSpent || Date.now() > untilMs) {
          visits.isEnding = true; // what is under way may take long: a cancel must not wait for it
          if (!visits.isBusy) return 0;
        }
        if (typeof step === 'string')
          await scheduler.wait(0); // where objects share a thread, calls between them would starve the network
        else await visits.change(Math.min(step ?? VISITING_LOOK_MS, VISITING_LOOK_MS));
      }
    } finally {
      await visits.end();
      this.#isWakingUp = false;
    }
  }

  /** @returns `done` or, where it called subjects, `called`: go on; or ms to the next step, null when there is none. */
  async #step(ticket: BatchTicket): Promise<'done' | 'called' | number | null> {
    this.#indexing.step();
    const isReading = this.#store.progress()?.state === 'reading';
    const newsMs = isReading && !ticket.message ? null : await this.#notifier.step();
    beginUnread(this.#store);
    const progress = this.#store.progress(); // a cancel may have come in while the news was told
    if (!progress) return null;
    const { visits } = this.#dispatch;
    const restMs = this.#pace.restMs(Date.now());
    if (restMs > 0 && !visits.isBusy) return restMs;
    if (progress.state === 'unreadable' || progress.state === 'settled') {
      // Reports may settle it before the register was notified of all.
      if (ticket.message === true && (await notifyOfMessages(this.#port, this.#port.messages))) return 'called';
      const resolvingMs = await this.#resolving.step();
      const areTold = newsMs === null && resolvingMs === null;
      if (areTold || isPatienceOver(progress.settledAtMs, clockOf(this.env))) await notifyRegister(this.#port);
      return sooner(sooner(await this.#retentionStep(), newsMs), resolvingMs);
    }
    if (await this.#act(ticket, progress)) return 'called';
    const dispatch = this.#dispatch;
    if (dispatch.fill(ticket)) return 'done';
    const readMs = dispatch.isFull ? null : await this.#read(ticket, progress);
    if (readMs === 'done') return 'done';
    if (progress.readingFinished && progress.state === 'reading') settleIfDone(this.#store, Date.now());
    dispatch.go();
    if (visits.isBusy) return sooner(VISITING_LOOK_MS, newsMs);
    if (!progress.readingFinished) return sooner(readMs ?? dispatch.roomMs(), newsMs);
    return this.#finish(ticket, progress, newsMs);
  }

  /** All is read and no visit is under way. @returns as `#step`. */
  async #finish(
    ticket: BatchTicket,
    progress: BatchProgress,
    newsMs: number | null,
  ): Promise<'done' | 'called' | number | null> {
    const isDispatched = this.#dispatch.isDone || isWithdrawn(progress);
    if (isDispatched && (await this.#release(ticket, progress))) return 'called';
    if (settleIfDone(this.#store, Date.now())) return 'done';
    await this.#underWay.rows();
    const resolvingMs = await this.#resolving.step();
    const roomMs = isDispatched ? null : this.#dispatch.roomMs();
    const lookMs = await watchStep(this.#port, this.#cached.parts.watch, clockOf(this.env));
    return sooner(sooner(sooner(lookMs, roomMs), newsMs), resolvingMs); // reports arrive by themselves
  }

  /** @returns `done`: one step was read; or ms until it may go on; null: all is read. */
  async #read(ticket: BatchTicket, progress: BatchProgress): Promise<'done' | number | null> {
    if (progress.readingFinished) return null;
    if (progress.content === undefined) {
      await this.#unpack(ticket, progress);
      return 'done';
    }
    const reading = this.#reading(ticket);
    const step = progress.emitting === true ? emitGroups(reading, ticket) : readNextSlice(reading, ticket, progress);
    const waitMs = await step.finally(() => this.#dispatch.addMore()); // rows may be stored though it failed
    await this.#underWay.rows();
    return waitMs ?? 'done';
  }

  /** @returns whether an action on the batch had something to do. */
  async #act(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    const port = this.#port;
    if ((await withdrawStep(port, ticket, progress)) || (await retryStep(port, ticket))) return true;
    return ticket.message === true && notifyOfMessages(port, port.messages);
  }

  async #unpack(batch: BatchTicket, progress: BatchProgress): Promise<void> {
    const ticket = readingTicket(batch, inOrder(this.#port.messages, progress));
    const { source, sheet } = await pinnedMapping(this.env.FILES, ticket.mappingSha256);
    const unpacked = await unpack(this.env.FILES, ticket, sheet, this.memory);
    const refusal = await this.#refusalOf(ticket, source, unpacked);
    const now = this.#created().progress;
    if (!isStill(progress, now)) return;
    if (refusal === null && unpacked.outcome === 'ready')
      return this.#port[unpacked.contents === null ? 'note' : 'keep']({ content: unpacked.contents });
    const problems = refusal === null ? [] : [refusal];
    keepRead(this.#reading(batch), { ...now, state: 'unreadable', problems, settledAtMs: Date.now() });
  }

  /** @returns why the file as a whole is not read. */
  async #refusalOf(ticket: BatchTicket, source: RecordSource, unpacked: Unpacked): Promise<Problem | null> {
    if (unpacked.outcome === 'refused') return unpacked.problem;
    if (unpacked.contents === null) return null; // validated before it was accepted
    return validateUnpacked(this.env.FILES, ticket, source, unpacked.contents, this.#register());
  }

  /** @returns ms to the next end of a retention; null: the batch is deleted. */
  #retentionStep(): Promise<number | null> {
    const { ticket } = this.#created();
    return retentionStep(this.#port, {
      files: this.env.FILES,
      clock: clockOf(this.env),
      load: (name) => this.env.LOAD.getByName(name),
      order: (name) => this.env.ORDER.getByName(name),
      unlist: (issues) => this.#indexing.remove(ticket, ticket.batchId, issues),
      empty: () => this.#empty(),
    });
  }

  #empty(): Promise<void> {
    const emptied = this.storage.deleteAll();
    this.#cached.forget();
    return emptied;
  }

  #reading(ticket: BatchTicket): ReadingPort {
    const { store, groups, port } = this.#cached.parts;
    const { messages, lookUps, keep } = port;
    const own = { store, groups, claims: port.claims, lookUps, messages, keep, memory: this.memory };
    return readingPort(this.env, ticket, { ...own, progress: () => this.#created().progress });
  }

  /** Notifies loads that they have all of this batch's trace points. @returns whether there was one to notify. */
  async #release(ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
    if (isWithdrawn(progress)) return false;
    const loads = this.#store.tracedLoads(DISPATCH_SUBJECTS_MAX);
    const last = await releaseTraces(loads, ticket, {
      isReleased: (name) => this.#dispatch.visits.released.has(name),
      load: (name) => this.env.LOAD.getByName(name),
    });
    if (last) this.#store.dropTracedLoads(last);
    return last !== undefined;
  }
}
