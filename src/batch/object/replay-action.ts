/**
 * The ReplayAction object: one per action over many requests that an operator began. A replay, whose batches resend a
 * limited number of requests per second; or one decision about many held requests.
 * A thin shell over `replay-run.ts` and `decision-run.ts`. It stores nothing before an action begins, so a made-up id
 * leaves no trace.
 */
import { ensureAlarm, oneAtATime, wake } from '../../kernel/alarm.ts';
import { BoundObject } from '../../kernel/bound-object.ts';
import { clockOf, scaledMs } from '../../kernel/clock.ts';
import { BATCH_PAUSE_MS, REPLAY_STEP_MS } from '../../kernel/limits.ts';
import { Cached } from '../../kernel/migrate.ts';
import { batchName } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import {
  cancelledRun,
  type DecisionItem,
  type DecisionRun,
  type DecisionsBegun,
  newDecisionRun,
  type PlannedDecision,
} from '../core/decision-run.ts';
import {
  begunBatch,
  newRun,
  nextReplayMove,
  progressedBatch,
  type ReplayBegun,
  type ReplayMove,
  type ReplayRun,
  refusedBatch,
  withBatch,
} from '../core/replay-run.ts';
import { decideStep } from '../steps/decide-many.ts';
import { DecisionStore } from '../store/decision-store.ts';
import { storedValue } from '../store/documents.ts';
import { REPLAY_MIGRATIONS } from '../store/replay-migrations.ts';

const STORED = 'run';

export class ReplayAction extends BoundObject {
  readonly #cached = new Cached(this.ctx.storage, REPLAY_MIGRATIONS, () => this.ctx.storage.kv);
  readonly #wakeOnce = oneAtATime(() => this.#wakeUp());

  /** Idempotent by its id, which is this object's name. */
  async begin(asked: ReplayBegun): Promise<Result<ReplayRun & { replayed: boolean }, { code: 'key_reused' }>> {
    const known = this.#run();
    if (known) {
      await this.#ensureAlarm(known);
      return known.fingerprint === asked.fingerprint ? ok({ ...known, replayed: true }) : err({ code: 'key_reused' });
    }
    const run = newRun(asked, Date.now());
    this.#keep(run);
    await this.ctx.storage.setAlarm(Date.now());
    return ok({ ...run, replayed: false });
  }

  /** Arms an alarm that was lost; begin and cancel do, too. @returns undefined when there is no such replay. */
  async view(): Promise<ReplayRun | undefined> {
    const run = this.#run();
    if (run) await this.#ensureAlarm(run);
    return run;
  }

  /** Nothing more is resent; what was resent stays on its way. Idempotent. */
  async cancel(by: { who: string; name: string }): Promise<ReplayRun | undefined> {
    const run = this.#run();
    if (run?.state !== 'running') return this.view();
    const cancelling: ReplayRun = { ...run, state: 'cancelling', cancelledBy: { ...by, atMs: Date.now() } };
    this.#keep(cancelling);
    await this.ctx.storage.setAlarm(Date.now());
    return cancelling;
  }

  /** The same for a decision about many requests. @param items fixed by the plan that was shown. */
  async beginDecisions(
    begun: DecisionsBegun,
    items: readonly PlannedDecision[],
  ): Promise<Result<DecisionRun & { replayed: boolean }, { code: 'key_reused' }>> {
    const known = await this.decisions();
    if (known) {
      return known.fingerprint === begun.fingerprint ? ok({ ...known, replayed: true }) : err({ code: 'key_reused' });
    }
    if (this.#run()) return err({ code: 'key_reused' });
    const run = newDecisionRun(begun, items.length, Date.now());
    this.ctx.storage.transactionSync(() =>
      this.#decisions(true).begin(
        run,
        items.map((item) => ({ ...item, state: 'waiting', why: null })),
      ),
    );
    await this.ctx.storage.setAlarm(Date.now());
    return ok({ ...run, replayed: false });
  }

  /** As `view`, of a decision about many requests. */
  async decisions(): Promise<DecisionRun | undefined> {
    const run = this.#decisions().run();
    if (run) await this.#ensureAlarm(run);
    return run;
  }

  /** What became of each, in the order they were fixed in. @param from counts from 0. */
  decisionItems(from: number, limit: number): DecisionItem[] {
    return this.#decisions().items(from, limit);
  }

  /** What is not decided yet stays held. Idempotent. */
  async cancelDecisions(by: { who: string; name: string }): Promise<DecisionRun | undefined> {
    const run = this.#decisions().run();
    if (run === undefined) return undefined;
    const cancelled = cancelledRun(run, by, Date.now());
    if (cancelled !== run) this.#decisions(true).putRun(cancelled);
    return cancelled;
  }

  /** @param isWriting the version of what is stored is checked, and said, before anything is written. */
  #decisions = (isWriting = false): DecisionStore =>
    new DecisionStore(isWriting ? this.#cached.parts : this.ctx.storage.kv);

  /**
   * Nobody else notices that its alarm was lost. Not at once: a step may be running that has used what one may. And no
   * sooner than after a step that failed.
   */
  async #ensureAlarm({ endedAtMs }: Pick<ReplayRun, 'endedAtMs'>): Promise<void> {
    if (endedAtMs === null) await ensureAlarm(this.ctx.storage, this.#inMs(BATCH_PAUSE_MS));
  }

  override alarm(): Promise<void> {
    return this.#wakeOnce();
  }

  async #wakeUp(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    await wake(this.ctx.storage, {
      work: async () => ((await this.#work()) ? this.#inMs(REPLAY_STEP_MS) : null),
      failed: 'replay_step_failed',
      afterFailure: () => this.#inMs(BATCH_PAUSE_MS),
    });
  }

  #inMs = (pauseMs: number): number => Date.now() + scaledMs(pauseMs, clockOf(this.env));

  /** As many requests as one step may dispatch. @returns whether there is more to do. */
  async #work(): Promise<boolean> {
    if (this.#run() === undefined) return decideStep(this.#decisions(true), this.env);
    const perStep = Math.max(1, Math.round(((this.#run()?.perSecond ?? 0) * REPLAY_STEP_MS) / 1_000));
    for (let limit = perStep; limit > 0; ) {
      const run = this.#run();
      if (!run || run.endedAtMs !== null) return false;
      const move = nextReplayMove(run, limit);
      if (move.move === 'end') {
        this.#keep({ ...run, state: move.state, endedAtMs: Date.now() });
        return false;
      }
      limit -= await this.#make(move, run);
    }
    return true;
  }

  /** Each can be repeated after a crash. @returns how many requests it covered. */
  async #make(move: Exclude<ReplayMove, { move: 'end' }>, run: ReplayRun): Promise<number> {
    const { batchId } = move;
    const { actionId, who, name, why, wanted } = run;
    const batch = this.env.BATCH.getByName(batchName(run, batchId));
    const before = run.batches.find((each) => each.batchId === batchId);
    switch (move.move) {
      case 'begin': {
        const { digest = '', places = null } = before ?? {};
        const own = places === null ? wanted : { ...wanted, filter: { ...wanted.filter, places } };
        const begun = await batch.beginReplay({ actionId, who, name, why, wanted: own, digest });
        this.#change(batchId, (known) =>
          begun.ok ? begunBatch(known, begun.value) : refusedBatch(known, begun.error),
        );
        return 0;
      }
      case 'step': {
        const progress = await batch.stepReplay(actionId, move.step, move.limit);
        this.#change(batchId, (known) => ({ ...progressedBatch(known, progress), step: move.step }));
        return progress.chosen - (before?.chosen ?? 0);
      }
      case 'stop': {
        const progress = await batch.stopReplay(actionId);
        this.#change(batchId, (known) => progressedBatch(known, progress));
        return 0;
      }
    }
  }

  /** Changes this batch in the current state: the replay may have been cancelled meanwhile. */
  #change(batchId: string, change: Parameters<typeof withBatch>[2]): void {
    const run = this.#run();
    if (run) this.#keep(withBatch(run, batchId, change));
  }

  /** Reading an id that nobody has begun stores nothing. */
  #run = (): ReplayRun | undefined =>
    this.ctx.storage.kv.get(STORED) === undefined
      ? undefined
      : (storedValue(STORED, this.#cached.parts.get(STORED)) as ReplayRun);

  #keep(run: ReplayRun): void {
    this.#cached.parts.put(STORED, run);
  }
}
