/**
 * Webhooks, one object per (environment, partner): events for the partner's targets, delivered at least once. Each
 * target is a lane of its own: a slow one delays no other. An attempt is committed before it is sent, with the time at
 * which to repeat it should the process die.
 */
import { ensureAlarm, wake } from '../kernel/alarm.ts';
import { BoundObject } from '../kernel/bound-object.ts';
import { clockOf, scaledMs } from '../kernel/clock.ts';
import { NOTIFICATION_PAUSE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { Cached } from '../kernel/migrate.ts';
import type { PartnerScope } from '../kernel/names.ts';
import { signingKey, webhookKeyOf } from './key.ts';
import { WEBHOOK_RETENTION_MS, WEBHOOKS_FORGOTTEN_AT_ONCE } from './limits.ts';
import { type Attempted, afterAttempt, afterSilenceMs, signingGenerations } from './schedule.ts';
import { sendWebhook } from './send.ts';
import { type DueDelivery, WEBHOOK_MIGRATIONS, WebhookStore } from './store.ts';
import { sentEvent, type TargetState, type WebhookDelivery, type WebhookEvent, type WebhookTarget } from './target.ts';
import { urlRulesOf, webhookUrl } from './url.ts';

type LiveTarget = ReturnType<WebhookStore['liveTargets']>[number];

export class Webhooks extends BoundObject {
  readonly #cached = new Cached(this.ctx.storage, WEBHOOK_MIGRATIONS, () => new WebhookStore(this.ctx.storage.sql));
  /** Targets this process is sending to. */
  readonly #lanes = new Set<string>();

  get #store(): WebhookStore {
    return this.#cached.parts;
  }

  /**
   * Idempotent by the events' keys; durable when it returns: an event is stored with all its deliveries, or not at all. No
   * effect without a target that wants it.
   */
  async notify(events: readonly WebhookEvent[]): Promise<void> {
    if (this.#store.liveTargets().length === 0) return;
    const scope = this.#scope();
    let isReportable = false;
    for (const event of events.map((each) => sentEvent(scope, each))) {
      const wanted = this.#store.liveTargets().filter((target) => target.events.includes(event.type));
      if (wanted.length === 0 || this.#store.isKnown(event.eventId)) continue;
      const targetIds = wanted.map(({ id }) => id);
      this.ctx.storage.transactionSync(() => this.#store.addEvent(event, targetIds, Date.now()));
      isReportable = true;
    }
    await (isReportable ? this.#wakeAt(Date.now()) : this.#arm()); // a repeat: the first may have died before arming
  }

  /**
   * The current targets, including deleted ones. Idempotent; older revisions that come late change nothing. Ensures the
   * alarm.
   */
  async keepTargets(scope: PartnerScope, targets: readonly WebhookTarget[]): Promise<void> {
    this.#store.keepScope(scope);
    for (const target of targets) {
      if (target.edition > this.#store.edition(target.id)) this.#store.writeTarget(target);
    }
    this.#store.giveUpUnsendable();
    this.#store.forgetDeleted();
    await this.#arm();
  }

  /** Deletes all of it, on request: targets, and what was sent to them. */
  async eraseAll(): Promise<void> {
    const emptied = this.ctx.storage.deleteAll();
    this.#cached.forget();
    await emptied;
  }

  async current(): Promise<TargetState[]> {
    return this.#store.current();
  }

  /** Newest first; `before` is the seq of the last one seen. */
  async deliveries(targetId: string, before: number | null, limit: number): Promise<WebhookDelivery[]> {
    return this.#store.deliveries(targetId, before, limit);
  }

  /** Starts its schedule again. @returns why not. */
  async sendAgain(targetId: string, eventId: string, who: string): Promise<'done' | 'unknown' | 'disabled'> {
    const isLive = this.#store.liveTargets().some(({ id }) => id === targetId);
    if (!isLive) return 'disabled';
    if (!this.#store.sendAgain(targetId, eventId, who, Date.now())) return 'unknown';
    await this.#wakeAt(Date.now());
    return 'done';
  }

  /** Waits for no target. */
  override async alarm(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    const clock = clockOf(this.env);
    await wake(this.ctx.storage, {
      work: async () => {
        const oldestMs = clock.nowMs() - scaledMs(WEBHOOK_RETENTION_MS, clock);
        const isMore = this.#store.forget(oldestMs, WEBHOOKS_FORGOTTEN_AT_ONCE);
        for (const { id } of this.#store.liveTargets()) {
          const dueMs = this.#store.nextDueMs(id);
          if (dueMs !== null && dueMs <= clock.nowMs() && !this.#lanes.has(id)) this.ctx.waitUntil(this.#lane(id));
        }
        return isMore ? clock.nowMs() : this.#nextMs();
      },
      failed: 'webhooks_round_failed',
      afterFailure: () => Date.now() + scaledMs(NOTIFICATION_PAUSE_MS, clock),
    });
  }

  /** Never throws. The first attempt is committed before this waits for anything. */
  async #lane(targetId: string): Promise<void> {
    this.#lanes.add(targetId);
    try {
      for (;;) {
        const clock = clockOf(this.env);
        const target = this.#store.liveTargets().find(({ id }) => id === targetId);
        const due = target && this.#store.due(targetId, clock.nowMs());
        if (target === undefined || due === undefined) break;
        this.#store.writeIntent(due.seq, clock.nowMs(), afterSilenceMs(clock));
        const attempted = await this.#attempt(target, due);
        this.ctx.storage.transactionSync(() => this.#record(target, due, attempted));
      }
    } catch (thrown) {
      log('error', 'webhook_lane_failed', { target: targetId, detail: messageOf(thrown) });
    }
    this.#lanes.delete(targetId);
    await this.#arm().catch((thrown: unknown) => log('error', 'webhooks_not_armed', { detail: messageOf(thrown) }));
  }

  async #attempt(target: LiveTarget, { eventId, body }: DueDelivery): Promise<Attempted> {
    const clock = clockOf(this.env);
    const master = webhookKeyOf(this.env);
    const url = webhookUrl(target.url, urlRulesOf(this.env));
    if (!url.ok) return { outcome: 'no_answer', code: 'url_refused', detail: `the address ${url.error}` };
    if (master === undefined) return { outcome: 'no_answer', code: 'key_missing', detail: 'WEBHOOK_KEY is not set' };
    const keys = await Promise.all(
      signingGenerations(target, clock).map((generation) =>
        signingKey(master, { ...this.#scope(), target: target.id, generation }),
      ),
    );
    return sendWebhook({ url: url.value, eventId, body, keys }, clock);
  }

  /** Within one commit; nothing is awaited. */
  #record(target: LiveTarget, { seq, roundAttempts }: DueDelivery, attempted: Attempted): void {
    const found = this.#store.stateOf(seq);
    if (found === undefined) return; // its target was deleted meanwhile
    // It may have been sent again on request while under way: an answer that accepts it ends that too, any other begins
    // that schedule.
    const attempts = found === 'waiting' ? 1 : roundAttempts + 1;
    const clock = clockOf(this.env);
    const failingSinceMs = this.#store.failingSinceMs(target.id) ?? clock.nowMs();
    const history = { attempts, failingSinceMs, random: Math.random() };
    const after = afterAttempt(attempted, history, clock);
    const now = this.#store.liveTargets().find(({ id }) => id === target.id);
    if (now !== undefined && now.url !== target.url && after.state !== 'delivered') {
      this.#store.writeAttempted(seq, attempted, 'waiting', null);
      this.#store.beginRound(seq, clock.nowMs()); // what the old address said is nothing against the new one
      return;
    }
    const isLive = now !== undefined;
    const goesOn = after.state === 'waiting' && isLive; // it may have been disabled meanwhile
    const state = after.state === 'waiting' && !isLive ? 'given_up' : after.state;
    this.#store.writeAttempted(seq, attempted, state, goesOn ? after.dueMs : null);
    // One that was switched off meanwhile is not failing: nothing is sent there.
    this.#store.writeHealth(target.id, after.state === 'delivered' || !isLive ? null : failingSinceMs);
    if (after.state !== 'given_up' || after.disables === null) return;
    log('warn', 'webhook_target_disabled', { ...this.#scope(), target: target.id, detail: after.disables });
    this.#store.disable(target.id, target.edition, after.disables, clock.nowMs());
    this.#store.giveUpUnsendable();
  }

  /** An object with targets was given its scope. */
  #scope(): PartnerScope {
    const scope = this.#store.scope();
    if (scope === undefined) throw new Error('targets without a partner');
    return scope;
  }

  async #arm(): Promise<void> {
    const nextMs = this.#nextMs();
    if (nextMs !== null) await this.#wakeAt(nextMs);
  }

  /** @returns when there is something to do next; null: nothing is waiting. */
  #nextMs(): number | null {
    const dues = this.#store.liveTargets().flatMap(({ id }) => {
      const dueMs = this.#lanes.has(id) ? this.#store.silentMs(id) : this.#store.nextDueMs(id);
      return dueMs ?? [];
    });
    const oldestMs = this.#store.oldestMs();
    if (oldestMs !== null) dues.push(oldestMs + scaledMs(WEBHOOK_RETENTION_MS, clockOf(this.env)) + 1);
    return dues.length > 0 ? Math.min(...dues) : null;
  }

  #wakeAt = (atMs: number): Promise<void> => ensureAlarm(this.ctx.storage, atMs);
}
