/** What a mapping yields: for every record its requests and its problems. The vocabulary all later folders share. */
import type { Problem } from '../kernel/problem.ts';

/** The kinds of request, spelled alike in mappings, `map` output, code and reports. More kinds join as they are built. */
export const REQUEST_KINDS = ['milestone'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/**
 * One request a record asks for.
 *
 * @property subject whose order of sending it joins: `load:<loadNumber>`.
 * @property scac set only when the mapping reads the SCAC from the record; otherwise the upload's SCAC applies.
 */
export interface MappedRequest {
  kind: RequestKind;
  subject: string;
  scac?: string;
  body: MilestoneFields;
}

/** The milestone's fields as the upstream spells them (seed 2.2); a unit test holds this type against the contract. */
export interface MilestoneFields {
  eventCode: string;
  reasonCode?: string;
  loadNumber: string;
  eventCity?: string;
  eventState?: string;
  time: { dateTime: string; timeZoneCode: string; timeZoneOffset: string };
  stopsequenceNumber?: number;
  references?: { name: string; value: string }[];
}

/**
 * Either requests or errors, never both: a record with one wrong field sends nothing.
 * `skipped`: the mapping's `skip` applied, or none of its `requests` did.
 */
export interface MappedRecord {
  requests: MappedRequest[];
  errors: Problem[];
  skipped: boolean;
}

export type RecordMapper = (fields: readonly string[]) => MappedRecord;

export const loadSubject = (loadNumber: string): string => `load:${loadNumber}`;
/** The load number inside a subject of the form `load:<loadNumber>`. */
export const loadNumberOf = (subject: string): string => subject.slice('load:'.length);
