/**
 * The Order object: one per (environment, partner, orderRef). Its operations are sent one at a time, in dispatch order.
 * A thin shell: its lane is in `order-lane.ts`, the calls of all subjects in `subject-object.ts`, the work in
 * `subject.ts`.
 */
import { type OrderBase, planBase } from '../delivery/orders/base.ts';
import { type ShownDifference, shownDifferences } from '../delivery/orders/merge-messages.ts';
import { incarnationOfCreate } from '../delivery/orders/step.ts';
import { iso, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { ORDER_DEADLINE_MS, ORDER_RETENTION_MS, ORDER_STATUSES_SHOWN_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { feedName, type OrderFeedKey, type PartnerScope } from '../kernel/names.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { isDocument, orderDifferences } from '../upstream/contracts/order-difference.ts';
import { orderFeedKeyIn } from '../upstream/contracts/order-pair.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { type AnswerMapping, DEFAULT_ANSWER_MAPPING } from '../upstream/statuses/answer-mapping.ts';
import { OrderLane } from './lanes/order-lane.ts';
import { ActionFollow } from './lanes/order-lookup.ts';
import {
  type FeedNotification,
  type FeedRegister,
  type Followed,
  isNotifiedAgain,
  notifyAgainAtMs,
} from './order-following.ts';
import { type OrderPage, type OrderPageQuery, orderPage } from './order-page.ts';
import type { DispatchedRequest, EnqueuedRequest, OrderIdentity, Parcel, VisitReport } from './request.ts';
import { isWritten, ORDER_MIGRATIONS } from './store/migrations.ts';
import { type NotifiedStatus, OrderStatuses, type StatusRow } from './store/order-statuses.ts';
import {
  earlierIds,
  type NamedIds,
  NOTHING_NAMED,
  namedIds,
  OrderStore,
  PlanStore,
  type TrackTerms,
  type UnmergedOrder,
} from './store/order-store.ts';
import { SubjectStore } from './store/subject-store.ts';
import { orderTables } from './store/subject-tables.ts';
import { Subject } from './subject.ts';
import { SubjectObject, type SubjectParts } from './subject-object.ts';

/* An operator states what the order is upstream: checked and written in one commit. */

/** Who states it, and why. @property replace also where something is known. A dry run writes nothing. */
interface StatedBy {
  keyId: string;
  author: string;
  why: string;
  replace: boolean;
  dryRun: boolean;
}

/** @property orderId null: nobody has named it. changes: against what was known; null: nothing was. */
type StatedOutcome =
  | { outcome: 'stated' | 'same'; incarnation: number; orderId: string | null; changes: ShownDifference[] | null }
  | { outcome: 'base_known'; orderId: string | null; since: string }
  | { outcome: 'order_busy' };

/** Synchronous: nothing can change between the check and the write. */
function stateBase(
  { store, order }: { store: SubjectStore; order: OrderStore },
  base: OrderBase,
  { keyId, author, why, replace, dryRun }: StatedBy,
  nowMs: number,
): StatedOutcome {
  const live = order.accepted();
  const before: unknown = live === null ? null : JSON.parse(live.document);
  const known = live !== null && isDocument(before) ? { document: before, orderId: live.order_id } : null;
  const verdict = planBase({ open: store.open('operations', 1).length, known }, base, replace);
  const incarnation = incarnationOfCreate(order.latest());
  switch (verdict.verdict) {
    case 'base_known':
      return {
        outcome: 'base_known',
        orderId: known?.orderId || null,
        since: iso(live?.accepted_at_ms ?? nowMs),
      };
    case 'order_busy':
      return { outcome: 'order_busy' };
    case 'same':
      return { outcome: 'same', incarnation, orderId: known?.orderId || null, changes: [] };
    case 'load': {
      const changes = known === null ? null : shownDifferences(orderDifferences(known.document, base.document));
      if (!dryRun) {
        order.state({
          incarnation,
          order_id: verdict.orderId,
          document: JSON.stringify(base.document),
          loaded_at_ms: nowMs,
          key_id: keyId,
          author,
          why,
          diff: changes === null ? null : JSON.stringify(changes),
        });
      }
      return { outcome: 'stated', incarnation, orderId: verdict.orderId || null, changes };
    }
  }
}

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
    const { env } = this;
    const tables = orderTables(this.storage.sql);
    const store = new SubjectStore(tables);
    const order = new OrderStore(tables, store);
    const plans = new PlanStore(tables, store);
    const actions = new ActionFollow(tables, store);
    tables.journal.read();
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
    const statuses = new OrderStatuses(tables, store);
    const lastHeardMs = (): number | null => {
      // A visit tells the feed before it brings what it has: the link may be all that is here of it by then.
      const linkedMs = statuses.followed()?.takenAtMs ?? null;
      const heard = [statuses.lastMs(), order.statedMs(), linkedMs].filter((atMs) => atMs !== null);
      return heard.length === 0 ? null : Math.max(...heard);
    };
    const life = { lifeMs: ORDER_RETENTION_MS, forget: this.#end, lastHeardMs };
    return { store, order, statuses, subject: new Subject(this.shell, store, [lane], life) };
  }

  /** The order as the upstream accepted it, with its id; null while there is none. */
  async accepted(): Promise<UnmergedOrder | null> {
    return this.parts.order.accepted();
  }

  /** An operator states what it is upstream. Repeating it changes nothing. */
  async state(identity: OrderIdentity, base: OrderBase, by: StatedBy): Promise<StatedOutcome> {
    const isNew = !isWritten(this.storage.sql);
    if (by.dryRun && isNew) return { outcome: 'stated', incarnation: 1, orderId: base.orderId, changes: null };
    const { store, order, statuses, subject } = this.parts;
    const nowMs = upstreamOf(this.env).clock.nowMs();
    const stated = store.commit(() => {
      const outcome = stateBase({ store, order }, base, by, nowMs);
      if (outcome.outcome !== 'stated' || by.dryRun) return outcome;
      store.identify(identity);
      statuses.followStated(orderFeedKeyIn(base.document), nowMs);
      return outcome;
    });
    if (by.dryRun) return stated;
    if (stated.outcome === 'stated') await this.awake(() => subject.wakeAt(Date.now()));
    else if (stated.outcome === 'same') await this.awake(() => subject.ensureAlarm()); // the first may have died before that
    return stated;
  }

  /** Its retention has ended; a later call begins with new tables. */
  readonly #end = (): void => {
    this.#hasEnded = true;
    this.forget();
  };

  /** Its feed has found these statuses. Idempotent. */
  async takeStatuses(identity: OrderIdentity, told: readonly NotifiedStatus[]): Promise<void> {
    const { store, statuses, subject } = this.parts;
    store.commit(() => {
      store.identify(identity);
      statuses.take(told);
    });
    await this.awake(() => subject.ensureAlarm());
  }

  /** What is known of it; null: nothing ever was. */
  async page(asked: OrderPageQuery): Promise<OrderPage | null> {
    const { sql } = this.storage;
    return isWritten(sql) ? orderPage(this.parts, asked) : null;
  }

  /**
   * The valid statuses of the current order, in the order in which they happened; null as above. @param level null:
   * both.
   */
  async statuses(level: 'milestone' | null): Promise<StatusRow[] | null> {
    const { sql } = this.storage;
    if (!isWritten(sql)) return null;
    const { order, statuses } = this.parts;
    return statuses.currentOnes(ORDER_STATUSES_SHOWN_MAX, level, earlierIds(order));
  }

  /** Whether anything was ever known of it. */
  async isKnown(): Promise<boolean> {
    return isWritten(this.storage.sql);
  }

  /**
   * As `TrackTerms`; null: nothing was ever known. @param pair whose feed may have reported it, where it names none
   * itself.
   */
  async trackTerms(pair: OrderFeedKey | null): Promise<TrackTerms | null> {
    const { sql } = this.storage;
    if (!isWritten(sql)) return null;
    const { store, order, statuses } = this.parts;
    return {
      ...namedIds(store, order),
      polled: statuses.ids(),
      earlier: earlierIds(order),
      scac: [...store.all()].at(-1)?.scac ?? null,
      mapping: await this.#answerMapping(pair),
      isFollowed: statuses.followed() !== null || statuses.lastMs() !== null,
    };
  }

  /** The ids under which statuses of it are known. */
  async ids(): Promise<NamedIds> {
    const { sql } = this.storage;
    return isWritten(sql) ? namedIds(this.parts.store, this.parts.order) : NOTHING_NAMED;
  }

  override async enqueue(identity: OrderIdentity, requests: readonly DispatchedRequest[]): Promise<void> {
    const { store, statuses } = this.parts;
    store.commit(() => statuses.follow(requests, upstreamOf(this.env).clock.nowMs()));
    await super.enqueue(identity, requests);
  }

  override async visit(parcel: Parcel<OrderIdentity>): Promise<VisitReport> {
    const { store, statuses } = this.parts;
    store.commit(() => statuses.follow(parcel.requests, upstreamOf(this.env).clock.nowMs()));
    return super.visit(parcel);
  }

  /**
   * Its feed is notified before the upstream gets an order that was enqueued, and after the first visit of one that a batch
   * brings: of that one it asks by itself for what may have come meanwhile (`sinceMs`).
   */
  protected override async around<T>(sending: () => Promise<T>): Promise<T> {
    this.#hasEnded = false;
    await this.#notifyFeed();
    await this.#wakeToNotify(); // before a later alarm is set: the process may end in between
    const sent = await sending();
    if (this.#hasEnded) return sent;
    await this.#wakeToNotify();
    await this.#notifyFeed();
    return sent;
  }

  async #wakeToNotify(): Promise<void> {
    const againMs = this.#notification()?.againMs;
    if (againMs != null) await this.parts.subject.wakeAt(againMs);
  }

  /**
   * What its feed has to be notified of, and when to repeat it; null: the feed knows the current state, or there is
   * none.
   */
  #notification(): { followed: Followed; standing: FeedNotification['state']; againMs: number | null } | null {
    const { statuses } = this.parts;
    const followed = statuses.followed();
    if (followed === null) return null;
    const { clock } = upstreamOf(this.env);
    const standing = statuses.current();
    if (!isNotifiedAgain(followed, standing, statuses.isBeingMade(), clock)) return null;
    return { followed, standing, againMs: notifyAgainAtMs(followed, clock) };
  }

  /** Never throws. */
  async #notifyFeed(): Promise<void> {
    const { store, statuses } = this.parts;
    const identity = store.identity();
    const telling = this.#notification();
    if (identity === undefined || telling === null) return;
    const { followed, standing } = telling;
    const { pair, takenAtMs, sinceMs } = followed;
    try {
      const toldAtMs = store.commit(() => statuses.beginNotifying(upstreamOf(this.env).clock.nowMs()));
      const isHeard = await this.#feed(identity, pair).register(identity, this.#orderRef(), {
        state: standing,
        takenAtMs,
        sinceMs,
        toldAtMs,
      });
      await failpoint('feed_registered');
      store.commit(() => (isHeard ? statuses.noteNotified(standing, { takenAtMs, toldAtMs }) : statuses.noteUnheard()));
    } catch (thrown) {
      log('warn', 'feed_not_told', { detail: messageOf(thrown) });
    }
  }

  /** The mapping of its feed, which operators publish; the default where no feed follows the order. */
  async #answerMapping(otherwise: OrderFeedKey | null = null): Promise<AnswerMapping | null> {
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

  #feed = ({ environment }: PartnerScope, pair: OrderFeedKey): FeedRegister =>
    this.env.ORDER_FEED.getByName(feedName(environment, pair));

  #orderRef(): string {
    const identity = this.parts.store.identity();
    if (identity === undefined || !isOrder(identity)) throw new Error('an order that was never named');
    return identity.orderRef;
  }

  protected override toEnqueued(requests: readonly DispatchedRequest[]): EnqueuedRequest[] {
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
