/** What a mapping yields: for every record its requests and its problems. All later folders share these types. */
import type { Cells } from '../formats/record-reader.ts';
import type { OrderFeedKey } from '../kernel/names.ts';
import type { Problem } from '../kernel/problem.ts';
import type { LookedUp } from './lookups/lookup.ts';

/** The kinds of request, spelled alike in mappings, `map` output, code and reports. */
export const REQUEST_KINDS = [
  'milestone',
  'trace',
  'loadMilestoneEvent',
  'order.create',
  'order.update',
  'order.cancel',
  'order.upsert',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];
export type OrderKind = Extract<RequestKind, `order.${string}`>;
export type ChangeKind = Extract<RequestKind, 'order.update' | 'order.upsert'>;

/** What each kind carries, in the upstream's spelling. */
export interface RequestBodies {
  milestone: MilestoneFields;
  trace: TraceFields;
  loadMilestoneEvent: LoadMilestoneEventFields;
  'order.create': OrderFields;
  'order.update': OrderChange;
  'order.cancel': OrderFields;
  'order.upsert': OrderChange;
}
export type RequestBody = RequestBodies[RequestKind];

/**
 * One request that a record asks for.
 *
 * @property subject whose sending order it joins: `load:<loadNumber>` or `order:<orderRef>`.
 * @property scac set only if the mapping reads the SCAC from the record; otherwise the upload's SCAC applies.
 */
export type MappedRequest = {
  [Kind in RequestKind]: { kind: Kind; subject: string; scac?: string; body: RequestBodies[Kind] };
}[RequestKind];

/** seed 2.3 */
export interface TimeObject {
  dateTime: string;
  timeZoneCode: string;
  timeZoneOffset: string;
}

export interface Reference {
  name: string;
  value: string;
}

/** The milestone's fields as the upstream spells them (seed 2.2); a unit test compares this type with the contract. */
export interface MilestoneFields {
  eventCode: string;
  reasonCode?: string;
  loadNumber: string;
  eventCity?: string;
  eventState?: string;
  time: TimeObject;
  stopsequenceNumber?: number;
  references?: Reference[];
}

/** seed 2.4. A mapping yields one point; only the load packs several into one request. */
export interface TraceFields {
  loadNumber: string;
  eventCity?: string;
  eventState?: string;
  traces: TracePoint[];
}

/** seed 2.4 */
export interface TracePoint {
  time: TimeObject;
  stopsequenceNumber?: number;
  resourceId?: string;
  resourceType?: string;
  odometer?: number;
  temperature?: { unitOfMeasure: string; value: number; dateTime: string };
  coordinate: { latitude: number; longitude: number };
  references?: Reference[];
}

/** seed 4.3, the OAuth-protected example */
export interface LoadMilestoneEventFields {
  load_id: string;
  milestone_type: string;
  event_time: string;
}

/**
 * An order (seed 2.8). Beside its reference it has whatever the mapping writes: the upstream shows no further fields.
 */
export interface OrderFields {
  orderRef: string;
}

/**
 * A change of an existing order, or of one that it creates: complete, so that the merge needs no mapping.
 * @property order the members as mapped, without the reference; null empties a member.
 */
export interface OrderChange extends OrderFields {
  /** Updatable members that are missing are removed; otherwise they stay. */
  complete: boolean;
  /** Names the change, so that differences of quantities are counted once. */
  changeRef?: string;
  order: object;
  /** Whose a new order is if it does not say so, as agreed with the partner. Does not change an existing order. */
  pair?: OrderFeedKey;
  /** By path: how a list of the change is combined with the order's. */
  lists: { readonly [path: string]: ListChange };
}

export type ListChange = 'add' | 'replace' | KeyedListChange;

/**
 * Names members of an entry: `key` identifies entries, `by` has a difference of `quantity`, `action` says what to do
 * with the entry. `by` and `action` are instructions, not part of an order. `unit`: what `quantity` is counted in; only
 * compared if the entry exists.
 */
export interface KeyedListChange {
  key: string;
  quantity?: string | undefined;
  unit?: string | undefined;
  by?: string | undefined;
  action?: string | undefined;
}

/**
 * `ADD`, `CHANGE`: as written afterwards. `DELETE`: nothing left of it. `MORE`, `LESS`: its quantity is a difference.
 */
export const ENTRY_ACTIONS = ['ADD', 'CHANGE', 'DELETE', 'MORE', 'LESS'] as const;
export type EntryAction = (typeof ENTRY_ACTIONS)[number];

/**
 * A record can have requests and errors: an event in error costs only itself (`isolate`), an order in error its whole
 * record. `skipped`: the mapping's `skip` applied, or none of its `requests` did.
 */
export interface MappedRecord {
  requests: MappedRequest[];
  errors: Problem[];
  skipped: boolean;
  /** Number of the record that carries the request of this record's group; absent without grouping. */
  group?: number;
  /** What was looked up for it; absent: nothing. */
  lookedUp?: readonly LookedUp[];
}

/** @param lists the record's arrays, in the order of the mapping's shape; for a group its rows come first. */
export type RecordMapper = (fields: readonly string[], lists?: readonly (readonly Cells[])[]) => MappedRecord;

export const loadSubject = (loadNumber: string): string => `load:${loadNumber}`;
export const orderSubject = (orderRef: string): string => `order:${orderRef}`;
/** The load number in a subject `load:<loadNumber>`. */
export const loadNumberOf = (subject: string): string => subject.slice('load:'.length);
/** The order reference in a subject `order:<orderRef>`. */
export const orderRefOf = (subject: string): string => subject.slice('order:'.length);
