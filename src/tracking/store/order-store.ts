/**
 * What an Order object stores of its order: incarnations with the upstream's id, the documents it accepted, and what
 * each operation does. Nothing here decides.
 */

import type { CountedDelta, DeltaLine } from '../../delivery/orders/merge.ts';
import type { OrderPlan, OrderSituation } from '../../delivery/orders/plan.ts';
import type { KnownIds } from '../../delivery/orders/reconcile.ts';
import type { Incarnation } from '../../delivery/orders/step.ts';
import { isDocument, type OrderDocument } from '../../upstream/contracts/order-difference.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import { isOpen, type StoredRequest } from '../request.ts';
import type { SubjectStore } from './subject-store.ts';
import {
  type AcceptedOrder,
  countedKey,
  type LoadedBase,
  type OrderTables,
  type StoredOperation,
} from './subject-tables.ts';

/** `base`: 0 where it was accepted; otherwise an operator stated it after the operation `seq`, and its SCAC is ''. */
export type UnmergedOrder = AcceptedOrder & { base: number };

function documentIn(text: string): OrderDocument {
  const document: unknown = JSON.parse(text);
  if (!isDocument(document)) throw new Error('an accepted order that is no object');
  return document;
}

const MAKES_ORDER: ReadonlySet<string> = new Set(['order.create', 'order.upsert']);
const MADE_NOTHING: ReadonlySet<string> = new Set(['rejected', 'dead', 'cancelled']);

/** It ended without an order that is known, and nobody proved that it made none. */
const mayHaveMade = ({ state, outcome, attempts, had_unknown }: StoredRequest): boolean =>
  (state === 'dead' && outcome === 'unknown' && (attempts > 0 || had_unknown === 1)) ||
  (state === 'cancelled' && attempts > 0 && had_unknown === 1);

export class OrderStore {
  readonly #tables: OrderTables;
  readonly #store: SubjectStore;

  constructor(tables: OrderTables, store: SubjectStore) {
    this.#tables = tables;
    this.#store = store;
  }

  accept = (accepted: AcceptedOrder): void => this.#tables.accepted.put(accepted);

  /** It was accepted, and then not done: its results are removed. Idempotent. */
  refuse(seq: number): void {
    const { refused_operation: refused, ended } = this.#tables;
    if (!refused.has(seq)) refused.put({ seq });
    for (const end of [...ended.values()]) if (end.seq === seq) ended.drop(end.incarnation);
  }

  /**
   * All documents of an order in the order of their operations, except those that were refused after all: accepted ones
   * with the operation that made them, stated ones after it.
   */
  documents(): UnmergedOrder[] {
    const { accepted, refused_operation: refused, loaded_base: bases } = this.#tables;
    const made = [...accepted.values()].filter(({ seq }) => !refused.has(seq)).map((row) => ({ ...row, base: 0 }));
    return [...made, ...[...bases.values()].map(unmerged)].sort(
      (one, other) => one.seq - other.seq || one.base - other.base,
    );
  }

  /** Of the latest incarnation; none after its cancel. */
  #current(): UnmergedOrder[] {
    const documents = this.documents();
    const incarnation = latestOf(documents);
    if (incarnation === null || this.#tables.ended.has(incarnation)) return [];
    return documents.filter((each) => each.incarnation === incarnation);
  }

  /** The order as it is upstream; null while there is none, and after its cancel. */
  accepted = (): UnmergedOrder | null => this.#current().at(-1) ?? null;

  /** The document the order was created with; null where `accepted` is. */
  created = (): UnmergedOrder | null => this.#current()[0] ?? null;

  /**
   * When the order turned out to exist although no answer had shown its creation; null: an answer had, or it was
   * stated.
   */
  foundAtMs(): number | null {
    const first = this.created();
    if (first === null || first.base > 0) return null;
    return this.#store.bySeq(first.seq).had_unknown === 1 ? first.accepted_at_ms : null;
  }

  /** What operators stated, oldest first. */
  bases = (): LoadedBase[] => [...this.#tables.loaded_base.values()];

  /** When an operator last stated what it is; null: never. */
  statedMs(): number | null {
    const times = this.bases().map(({ loaded_at_ms }) => loaded_at_ms);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** A person says what it is upstream: from here on changes are merged with that. */
  state(base: Omit<LoadedBase, 'number' | 'after_seq'>): void {
    const { loaded_base: bases, request } = this.#tables;
    bases.put({ ...base, number: bases.size + 1, after_seq: request.size });
  }

  /** The situation of the order for the operation `seq`: what the operations before it made. */
  current(seq: number): OrderSituation {
    const live = this.accepted();
    if (live !== null) {
      const { incarnation, order_id: orderId, seq: by, base } = live;
      const isDoubtful = base > 0 || this.#gaveUpAmbiguous(by, seq); // what a person says, no answer has shown
      return { order: 'live', incarnation, orderId, document: documentIn(live.document), seq: by, isDoubtful };
    }
    if (this.doubtfulCreate(seq) !== undefined) return { order: 'none', createEnded: false };
    const end = this.#lastEnd();
    const createEnded = this.#createEnded(end?.seq ?? 0, seq);
    return end === undefined ? { order: 'none', createEnded } : { order: 'cancelled', bySeq: end.seq, createEnded };
  }

  #isBetween = (after: number, before: number, is: (request: StoredRequest) => boolean): boolean =>
    [...this.#store.all()].some((request) => request.seq > after && request.seq < before && is(request));

  /** Whether an operation between the two may have been applied. */
  #gaveUpAmbiguous = (after: number, before: number): boolean =>
    this.#isBetween(after, before, ({ state, outcome }) => state === 'dead' && outcome === 'unknown');

  /** Whether a create between the two ended without making the order. An upsert of a part never makes one. */
  #createEnded = (after: number, before: number): boolean =>
    this.#isBetween(
      after,
      before,
      ({ kind, state, reason }) => MAKES_ORDER.has(kind) && MADE_NOTHING.has(state) && reason !== 'base_unknown',
    );

  /** The create before `seq` that was given up though it may have made an order, where nothing is known to have made it since. */
  doubtfulCreate(seq: number): StoredRequest | undefined {
    const after = this.#lastEnd()?.seq ?? 0;
    return [...this.#store.all()].findLast(
      (request) => request.seq > after && request.seq < seq && MAKES_ORDER.has(request.kind) && mayHaveMade(request),
    );
  }

  /** The cancel that ended the latest incarnation. */
  #lastEnd() {
    const incarnation = latestOf(this.documents());
    return incarnation === null ? undefined : this.#tables.ended.get(incarnation);
  }

  /** null while no order was ever created. */
  latest(): Incarnation | null {
    const number = latestOf(this.documents());
    return number === null ? null : { number, hasEnded: this.#tables.ended.has(number) };
  }

  /** The cancel of the latest incarnation was accepted. Idempotent. @param seq of the cancel. */
  end(seq: number, ended_at_ms: number): void {
    const { ended } = this.#tables;
    const incarnation = latestOf(this.documents());
    if (incarnation !== null && !ended.has(incarnation)) ended.put({ incarnation, seq, ended_at_ms });
  }

  /** Ids listed under the reference before the create `seq` was sent; ours are left out. */
  noteForeign(seq: number, orderIds: readonly string[]): void {
    const { foreign_order: foreign } = this.#tables;
    const ours = new Set(this.documents().map(({ order_id }) => order_id.toLowerCase()));
    for (const order_id of orderIds) {
      if (!ours.has(order_id) && !foreign.has(order_id)) foreign.put({ order_id, seq });
    }
  }

  /** In lower case. */
  knownIds(): KnownIds {
    const { foreign_order: foreign } = this.#tables;
    return {
      ours: new Set(this.#everMade().map(({ order_id }) => order_id.toLowerCase())),
      before: new Set([...foreign.values()].map(({ order_id }) => order_id)),
    };
  }

  /** Incarnations of which something is known without an id. */
  unnamed(): number {
    const unnamed = this.#everMade().filter(({ order_id }) => order_id === '');
    return new Set(unnamed.map(({ incarnation }) => incarnation)).size;
  }

  /** With what was refused after all: it may have been made nevertheless. */
  #everMade = (): (AcceptedOrder | UnmergedOrder)[] => [...this.documents(), ...this.#tables.accepted.values()];
}

const unmerged = ({ after_seq, number, incarnation, order_id, document, loaded_at_ms }: LoadedBase): UnmergedOrder => ({
  ...{ seq: after_seq, base: number, incarnation, order_id, document },
  ...{ scac: '', accepted_at_ms: loaded_at_ms },
});

const latestOf = (documents: readonly UnmergedOrder[]): number | null =>
  documents.length === 0 ? null : Math.max(...documents.map(({ incarnation }) => incarnation));

/* The ids under which an order was made upstream, over all its incarnations. */

export interface NamedIds {
  ours: string[];
  /** Ids that existed under the reference before it was made: another's. */
  before: string[];
  /** What is to make it has not ended: it may have an id that is not known yet. */
  isBeingMade: boolean;
  /** It was created once and nobody has named its id. */
  hasUnnamed: boolean;
  /** How often it was. Absent: an object of an earlier release does not say it. */
  unnamed?: number;
}

/** What is needed to query the upstream for an order's tracks, and to tell its own from those of others. */
export interface TrackTerms extends NamedIds {
  /** Ids under which polls of its feed brought it. */
  polled: string[];
  /** As `earlierIds`. */
  earlier: string[];
  /** Of its last operation; null: it has none. */
  scac: string | null;
  /** The answer mapping of its feed; null: it could not be loaded. */
  mapping: AnswerMapping | null;
  /** A feed reports it, or has. */
  isFollowed: boolean;
}

export const NOTHING_NAMED: NamedIds = { ours: [], before: [], isBeingMade: false, hasUnnamed: false, unnamed: 0 };

export function namedIds(store: SubjectStore, order: Pick<OrderStore, 'knownIds' | 'unnamed'>): NamedIds {
  const { ours, before } = order.knownIds();
  return {
    ours: [...ours].filter((id) => id !== ''),
    before: [...before],
    isBeingMade: [...store.all()].some(({ kind, state }) => MAKES_ORDER.has(kind) && isOpen(state)),
    hasUnnamed: ours.has(''),
    unnamed: order.unnamed(),
  };
}

/**
 * Ids, in lower case, of orders made under the reference before the current one: of earlier incarnations, and of
 * creates that were refused after all. None where there is no order, or nobody has named its id.
 */
export function earlierIds(order: Pick<OrderStore, 'accepted' | 'documents' | 'knownIds'>): string[] {
  const standing = order.accepted();
  if (standing === null || standing.order_id === '') return [];
  const own = order.documents().filter(({ incarnation }) => incarnation === standing.incarnation);
  const earlier = order.knownIds().ours.difference(new Set(own.map(({ order_id }) => order_id.toLowerCase())));
  return [...earlier].filter((id) => id !== '');
}

/* What each operation of an order does, planned once at its first step; and the differences that were counted. */

/** An operation that is sent. */
type SentPlan = Extract<OrderPlan, { does: 'create' | 'update' | 'cancel' }>;

export class PlanStore {
  readonly #tables: OrderTables;
  readonly #store: SubjectStore;

  constructor(tables: OrderTables, store: SubjectStore) {
    this.#tables = tables;
    this.#store = store;
  }

  of = (seq: number): StoredOperation | null => this.#tables.operation.get(seq) ?? null;

  /** The first plan is kept. */
  keep(seq: number, plan: SentPlan): void {
    if (!this.#tables.operation.has(seq)) {
      this.#tables.operation.put({
        seq,
        does: plan.does,
        incarnation: 'incarnation' in plan ? plan.incarnation : null,
        order_id: 'orderId' in plan ? plan.orderId : null,
        body: 'body' in plan ? plan.body : '',
        document: 'document' in plan ? plan.document : null,
        lines: 'lines' in plan ? JSON.stringify(plan.lines) : null,
      });
    }
    if (plan.does === 'update') this.#tables.request.patch(seq, { diff: JSON.stringify(plan.shown) });
  }

  counted = (incarnation: number, line: string): CountedDelta | undefined =>
    this.#tables.counted_delta.get(countedKey(incarnation, line));

  /** The operation was accepted, and made or changed this incarnation of the order. Idempotent. */
  count({ seq, lines }: StoredOperation, incarnation: number): void {
    const { counted_delta: counted } = this.#tables;
    for (const { line, amount } of JSON.parse(lines ?? '[]') as DeltaLine[]) {
      if (!counted.has(countedKey(incarnation, line))) counted.put({ incarnation, line, amount, seq });
    }
  }

  /** It was not done after all. */
  uncount(seq: number): void {
    const { counted_delta: counted } = this.#tables;
    for (const row of [...counted.values()]) if (row.seq === seq) counted.drop(countedKey(row.incarnation, row.line));
  }

  /**
   * Later operations that were never sent are planned again: their plans counted on what this one would make of the
   * order.
   */
  forgetBehind(seq: number): void {
    const { operation, request } = this.#tables;
    for (const behind of [...operation.values()]) {
      if (behind.seq <= seq || this.#sendings(behind.seq).length > 0) continue;
      operation.drop(behind.seq);
      request.patch(behind.seq, { diff: null });
    }
  }

  /**
   * The latest time at which an update of an incarnation without a clear answer may have been sent; null where all were
   * clear.
   */
  lastAmbiguousMs(incarnation: number): number | null {
    const updates = [...this.#tables.operation.values()].filter(
      (row) => row.incarnation === incarnation && row.does === 'update',
    );
    const unclear = updates.flatMap(({ seq }) => this.#sendings(seq).filter(({ effect }) => effect === 'unknown'));
    const ends = unclear.map(({ started_at_ms, latency_ms }) => started_at_ms + (latency_ms ?? 0));
    return ends.length === 0 ? null : Math.max(...ends);
  }

  #sendings = (seq: number) => this.#store.attemptsOf(seq).filter(({ purpose }) => purpose === 'send');
}
