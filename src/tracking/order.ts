/**
 * The Order object: one per (environment, partner, orderRef). Its operations go out one at a time, in hand-over order.
 *
 * A thin shell: what its lane does stands in `order-lane.ts`, what can be asked of all
 * subjects in `subject-object.ts`, what they do in `subject.ts`.
 */
import type { OrderBase } from '../delivery/orders/base.ts';
import { scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { ORDER_DEADLINE_MS, ORDER_LIFE_MS, ORDER_STATUSES_SHOWN_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { feedName, type OrderPair, type PartnerScope } from '../kernel/names.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { orderPairIn } from '../upstream/contracts/order-pair.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { type AnswerMapping, DEFAULT_ANSWER_MAPPING } from '../upstream/statuses/answer-mapping.ts';
import { type FeedRegister, type Followed, isToldAnew, type OrderTelling, tellAgainAtMs } from './feed-telling.ts';
import type { HandedRequest, OrderIdentity } from './handed.ts';
import { ActionFollow } from './lanes/action-follow.ts';
import { OrderLane } from './lanes/order-lane.ts';
import { isWritten, type OrderPage, type OrderPageAsked, orderPage } from './order-page.ts';
import { type StatedBy, type StatedOutcome, stateBase } from './order-stated.ts';
import { earlierIds, type NamedIds, NOTHING_NAMED, namedIds, type TrackTerms } from './store/order-ids.ts';
import { ORDER_MIGRATIONS } from './store/order-migrations.ts';
import { OrderStatuses, type StatusRow, type ToldStatus } from './store/order-statuses.ts';
import { type HeldOrder, OrderStore } from './store/order-store.ts';
import { PlanStore } from './store/plan-store.ts';
import { SubjectStore } from './store/subject-store.ts';
import type { TakenRequest } from './store/subject-tables.ts';
import { Subject } from './subject.ts';
import { SubjectObject, type SubjectParts } from './subject-object.ts';

interface OrderParts extends SubjectParts {
  order: OrderStore;
  statuses: OrderStatuses;
}

export class Order extends SubjectObject<OrderIdentity, OrderParts> {
  #hasEnded = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, ORDER_MIGRATIONS);
  }

  protected override build(): OrderParts {
    const { ctx, env } = this;
    const store = new SubjectStore(ctx.storage.sql);
    const order = new OrderStore(ctx.storage.sql);
    const plans = new PlanStore(ctx.storage.sql);
    const actions = new ActionFollow(ctx.storage.sql, store);
    const lane = new OrderLane(
      store,
      { order, plans, actions },
      {
        orderRef: () => this.#orderRef(),
        answerMapping: () => this.#answerMapping(),
        preChecks: (channel) => upstreamOf(env).channels.get(channel)?.orderPreCheck === true,
        otherUpdates: (channel) =>
          upstreamOf(env).channels.get(channel)?.otherUpdates ?? NOT_SHOWN.orderUpdatable.others,
      },
    );
    const statuses = new OrderStatuses(ctx.storage.sql);
    const lastHeardMs = (): number | null => {
      const heard = [statuses.lastMs(), order.statedMs()].filter((atMs) => atMs !== null);
      return heard.length === 0 ? null : Math.max(...heard);
    };
    const life = { lifeMs: ORDER_LIFE_MS, forget: this.#end, lastHeardMs };
    return { store, order, statuses, subject: new Subject({ ctx, env }, store, [lane], life) };
  }

  /** The order as the upstream accepted it, with its id; null while there is none. */
  async accepted(): Promise<HeldOrder | null> {
    return this.parts.order.accepted();
  }

  /** An operator states how it stands upstream. The same once more changes nothing. */
  async state(identity: OrderIdentity, base: OrderBase, by: StatedBy): Promise<StatedOutcome> {
    const isNew = !isWritten(this.ctx.storage.sql);
    if (by.dryRun && isNew) return { outcome: 'stated', incarnation: 1, orderId: base.orderId, changes: null };
    const { store, order, statuses, subject } = this.parts;
    const stated = stateBase({ store, order }, base, by, upstreamOf(this.env).clock.nowMs());
    if (stated.outcome !== 'stated' || by.dryRun) return stated;
    store.identify(identity);
    statuses.followStated(orderPairIn(base.document), upstreamOf(this.env).clock.nowMs());
    await subject.wakeAt(Date.now());
    return stated;
  }

  /** Its life has ended; what is asked of it from here on would begin another. */
  readonly #end = (): void => {
    this.#hasEnded = true;
    this.forget();
  };

  /** Its feed has learned these. Idempotent. */
  async takeStatuses(identity: OrderIdentity, told: readonly ToldStatus[]): Promise<void> {
    const { store, statuses, subject } = this.parts;
    store.identify(identity);
    statuses.take(told);
    await subject.poke();
  }

  /** What is known of it; null: nothing ever was. */
  async page(asked: OrderPageAsked): Promise<OrderPage | null> {
    const { sql } = this.ctx.storage;
    return isWritten(sql) ? orderPage(sql, this.parts, asked) : null;
  }

  /** Those that stand, of the order that does, in the order in which they happened; null as above. @param level null: of both. */
  async statuses(level: 'milestone' | null): Promise<StatusRow[] | null> {
    const { sql } = this.ctx.storage;
    if (!isWritten(sql)) return null;
    const { order, statuses } = this.parts;
    return statuses.standingOnes(ORDER_STATUSES_SHOWN_MAX, level, earlierIds(sql, order));
  }

  /** Whether anything ever was of it. */
  async isKnown(): Promise<boolean> {
    return isWritten(this.ctx.storage.sql);
  }

  /** As `TrackTerms`; null: nothing ever was. @param pair whose feed may have told of it, where it names none itself. */
  async trackTerms(pair: OrderPair | null): Promise<TrackTerms | null> {
    const { sql } = this.ctx.storage;
    if (!isWritten(sql)) return null;
    const { order, statuses } = this.parts;
    return {
      ...namedIds(sql, order),
      polled: statuses.ids(),
      earlier: earlierIds(sql, order),
      scac: sql.exec<{ scac: string }>('SELECT scac FROM request ORDER BY seq DESC LIMIT 1').toArray()[0]?.scac ?? null,
      mapping: await this.#answerMapping(pair),
      isFollowed: statuses.followed() !== null || statuses.lastMs() !== null,
    };
  }

  /** By which ids statuses of it are known. */
  async ids(): Promise<NamedIds> {
    const { sql } = this.ctx.storage;
    return isWritten(sql) ? namedIds(sql, this.parts.order) : NOTHING_NAMED;
  }

  override async enqueue(identity: OrderIdentity, requests: readonly HandedRequest[]): Promise<void> {
    this.parts.statuses.follow(requests, upstreamOf(this.env).clock.nowMs());
    await super.enqueue(identity, requests);
  }

  /** Its feed knows of it before the upstream does: no change can come that nobody waits for. */
  protected override async wakeUp(): Promise<void> {
    this.#hasEnded = false;
    await this.#tellFeed();
    await this.#wakeToTell(); // before a later alarm is set: this may end in between
    await super.wakeUp();
    if (this.#hasEnded) return;
    await this.#wakeToTell();
    await this.#tellFeed();
  }

  async #wakeToTell(): Promise<void> {
    const againMs = this.#telling()?.againMs;
    if (againMs != null) await this.parts.subject.wakeAt(againMs);
  }

  /** What its feed is to hear, and when again if it does not; null: it knows how the order stands, or there is none. */
  #telling(): { followed: Followed; standing: OrderTelling['state']; againMs: number | null } | null {
    const { statuses } = this.parts;
    const followed = statuses.followed();
    if (followed === null) return null;
    const { clock } = upstreamOf(this.env);
    const standing = statuses.standing();
    if (!isToldAnew(followed, standing, statuses.isBeingMade(), clock)) return null;
    return { followed, standing, againMs: tellAgainAtMs(followed, clock) };
  }

  /** Never throws. */
  async #tellFeed(): Promise<void> {
    const { store, statuses } = this.parts;
    const identity = store.identity();
    const telling = this.#telling();
    if (identity === undefined || telling === null) return;
    const { followed, standing } = telling;
    const { pair, takenAtMs, sinceMs } = followed;
    const toldAtMs = statuses.beginTelling(upstreamOf(this.env).clock.nowMs());
    try {
      const isHeard = await this.#feed(identity, pair).register(identity, this.#orderRef(), {
        state: standing,
        takenAtMs,
        sinceMs,
        toldAtMs,
      });
      await failpoint('feed_registered');
      if (isHeard) statuses.noteTold(standing, { takenAtMs, toldAtMs });
      else statuses.noteUnheard();
    } catch (thrown) {
      log('warn', 'feed_not_told', { detail: messageOf(thrown) });
    }
  }

  /** As its feed reads, which operators fit; as usual where no feed follows it. */
  async #answerMapping(otherwise: OrderPair | null = null): Promise<AnswerMapping | null> {
    const identity = this.parts.store.identity();
    const pair = this.parts.statuses.followed()?.pair ?? otherwise;
    if (identity === undefined || pair === null) return DEFAULT_ANSWER_MAPPING;
    try {
      return (await this.#feed(identity, pair).answerMapping(identity)) ?? DEFAULT_ANSWER_MAPPING;
    } catch (thrown) {
      log('warn', 'feed_not_asked', { detail: messageOf(thrown) });
      return null;
    }
  }

  #feed = ({ environment }: PartnerScope, pair: OrderPair): FeedRegister =>
    this.env.ORDER_FEED.getByName(feedName(environment, pair));

  #orderRef(): string {
    const identity = this.parts.store.identity();
    if (identity === undefined || !isOrder(identity)) throw new Error('an order that was never named');
    return identity.orderRef;
  }

  protected override taken(requests: readonly HandedRequest[]): TakenRequest[] {
    const { clock } = upstreamOf(this.env);
    const takenAtMs = clock.nowMs();
    const lifeMs = scaledMs(ORDER_DEADLINE_MS, clock);
    return requests.map((request) => ({
      ...request,
      lane: 'operations',
      takenAtMs,
      deadlineMs: request.acceptedAtMs + lifeMs,
      loadWaitUntilMs: null,
      eventAtMs: null,
      businessKey: null,
    }));
  }
}

const isOrder = (identity: PartnerScope): identity is OrderIdentity =>
  'orderRef' in identity && typeof identity.orderRef === 'string';
