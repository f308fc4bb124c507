/** What a mapping yields: for every record its requests and its problems. The vocabulary all later folders share. */
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

/** What each kind carries, as the upstream spells it. */
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
 * One request a record asks for.
 *
 * @property subject whose order of sending it joins: `load:<loadNumber>` or `order:<orderRef>`.
 * @property scac set only when the mapping reads the SCAC from the record; otherwise the upload's SCAC applies.
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

/** The milestone's fields as the upstream spells them (seed 2.2); a unit test holds this type against the contract. */
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

/** An order (seed 2.8). Beside its reference it holds whatever the mapping writes: the upstream shows no further fields. */
export interface OrderFields {
  orderRef: string;
}

/**
 * A change of an order that exists, or of one that comes into being by it: whole in itself, so that whoever merges it needs no
 * mapping. @property order the members as mapped, without the reference; null empties a member.
 */
export interface OrderChange extends OrderFields {
  /** What may change and is not among the members is taken out; otherwise it stays. */
  complete: boolean;
  /** Names the change, so that differences of quantities are counted once. */
  changeRef?: string;
  order: object;
  /** Whose an order is that begins with it and does not say so: as agreed with the partner. No change of one that stands. */
  pair?: OrderFeedKey;
  /** By path: how a list of the change comes together with that of the order. */
  lists: { readonly [path: string]: ListChange };
}

export type ListChange = 'add' | 'replace' | KeyedListChange;

/**
 * Names members of an entry: `key` tells entries apart, `by` holds a difference of `quantity`, `action` says what is done with
 * the entry. These two are instructions and no part of an order. `unit`: what `quantity` is counted in, of an entry that is there
 * only compared.
 */
export interface KeyedListChange {
  key: string;
  quantity?: string | undefined;
  unit?: string | undefined;
  by?: string | undefined;
  action?: string | undefined;
}

/** `ADD`, `CHANGE`: it shall be as written. `DELETE`: nothing shall be left of it. `MORE`, `LESS`: its quantity is a difference. */
export const ENTRY_ACTIONS = ['ADD', 'CHANGE', 'DELETE', 'MORE', 'LESS'] as const;
export type EntryAction = (typeof ENTRY_ACTIONS)[number];

/**
 * A record can have requests and errors: one event in error costs itself (`isolate`), an order in error its whole record.
 * `skipped`: the mapping's `skip` applied, or none of its `requests` did.
 */
export interface MappedRecord {
  requests: MappedRequest[];
  errors: Problem[];
  skipped: boolean;
  /** Number of the record that carries the request of this record's group; absent where records stand alone. */
  group?: number;
  /** What was looked up for it; absent: nothing. */
  lookedUp?: readonly LookedUp[];
}

/** @param lists the record's arrays, in the order of the mapping's shape; those of a group begin with its rows. */
export type RecordMapper = (fields: readonly string[], lists?: readonly (readonly Cells[])[]) => MappedRecord;

export const loadSubject = (loadNumber: string): string => `load:${loadNumber}`;
export const orderSubject = (orderRef: string): string => `order:${orderRef}`;
/** The load number inside a subject of the form `load:<loadNumber>`. */
export const loadNumberOf = (subject: string): string => subject.slice('load:'.length);
/** The order reference inside a subject of the form `order:<orderRef>`. */
export const orderRefOf = (subject: string): string => subject.slice('order:'.length);
