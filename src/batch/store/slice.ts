/**
 * Neighbouring rows of a batch in one slice: what was read, and apart from it what became of the requests. What was read
 * never changes, so that an outcome rewrites no body. Pure.
 *
 * A slice belongs to a range of record numbers, so that a record's range follows from its number. A range has several
 * slices if its bodies are long, if it was read in several steps, or if rows came late, as groups do.
 */
import { foldRow, followedState, type RecordState, type RequestOutcome } from '../../delivery/outcome.ts';
import { isFinal, type RequestState } from '../../delivery/states.ts';
import { type JsonValue, packRows, unpackRows } from '../../kernel/packed-rows.ts';
import type { StoredBatchRequest, StoredRecord } from '../core/row.ts';
import type { MappedRow } from '../core/run.ts';

/** Records of a range. Ours: as many as a page of rows. */
export const RANGE_RECORDS = 500;
/** Slices a range can have: each has at least one record. */
const RANGE_SLICES = 512;
/** Characters of a slice, an answer of each request included: two stored values, of at most 2 MB each. */
const SLICE_CHARACTERS_MAX = 512 * 1024;
/** Characters of the bodies that a row has in its slice; longer ones are stored by themselves. */
const ROW_BODIES_CHARACTERS_MAX = 128 * 1024;
/** Counted for each request besides its body: its names, its answer, and the quotes that are written as two characters. */
const REQUEST_CHARACTERS = 500;
/** A slice with fewer characters takes in the rows that follow: messages bring them one by one. */
export const SLICE_CHARACTERS_SMALL = 16 * 1024;

export const rangeOf = (record: number): number => Math.floor((record - 1) / RANGE_RECORDS);
export const firstSliceOf = (range: number): number => range * RANGE_SLICES;
export const rangeOfSlice = (id: number): number => Math.floor(id / RANGE_SLICES);

/** What became of a request: the latest revision of its latest generation. */
export type StoredOutcome = Omit<
  StoredBatchRequest,
  'kind' | 'subject' | 'scac' | 'body' | 'accepted_at_ms' | 'uploaded_by'
>;

/** @property body null: it is too long, and stored by itself. */
export type SliceRequest = Omit<StoredBatchRequest, 'body'> & { body: string | null };

/** @property state as it was read: `queued` of a row with requests, whatever became of them. */
export interface SliceRow extends Omit<StoredRecord, 'resolved_by'> {
  /** Numbers of the other rows of its group, of the row that carries the requests. */
  members: readonly number[];
  requests: SliceRequest[];
}

export interface LongBody {
  record: number;
  request: number;
  body: string;
}

/* What was read. */

const UNTRIED = {
  ...{ generation: 1, retried_at_ms: null, state: 'queued', reason: null, outcome: null, evidence: null, revision: 0 },
  ...{ attempts: 0, status: null, answer: null, possible_duplicate: 0, late: 0 },
  ...{ into_batch_id: null, into_record: null, into_request: null, into_state: null },
  ...{ next_at_ms: null, decided_at_ms: null, diff: null, action: null, surprises: null },
} as const satisfies Omit<StoredOutcome, 'record' | 'request'>;

/** Rows as they are stored. @param stateOf the first state of a row. */
export function rowsRead(
  mapped: readonly MappedRow[],
  stateOf: (row: MappedRow) => RecordState,
): { rows: SliceRow[]; bodies: LongBody[] } {
  const members = Map.groupBy(
    mapped.filter(({ group }) => group !== null),
    ({ group }) => group,
  );
  const bodies: LongBody[] = [];
  const rows = mapped.map((row): SliceRow => {
    const { position, problems, group, replaces, lookedUp } = row;
    const requests = requestsRead(row);
    bodies.push(...longBodies(requests));
    return {
      record: position.record,
      line: position.line,
      byte_from: position.byteFrom,
      byte_to: position.byteTo,
      place: position.place ?? null,
      state: stateOf(row),
      problems: problems.length > 0 ? JSON.stringify(problems) : null,
      group_record: group,
      replaces: replaces === undefined ? null : `${replaces.batch}/${replaces.record}`,
      looked_up: lookedUp === undefined ? null : JSON.stringify(lookedUp),
      members: members.get(position.record)?.map((member) => member.position.record) ?? [],
      requests,
    };
  });
  return { rows, bodies };
}

const requestsRead = ({ position, requests }: MappedRow): SliceRequest[] =>
  requests.map(({ kind, subject, scac, body }, index) => {
    const read = { record: position.record, request: index + 1, kind, subject, scac, body: JSON.stringify(body) };
    return withOutcome(read, UNTRIED);
  });

/** Takes the longest bodies out of a row that would be too long for its slice. */
export function longBodies(requests: SliceRequest[]): LongBody[] {
  let characters = requests.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
  if (characters <= ROW_BODIES_CHARACTERS_MAX) return [];
  const byLength = requests.toSorted((one, other) => (other.body?.length ?? 0) - (one.body?.length ?? 0));
  const long: LongBody[] = [];
  for (const request of byLength) {
    if (characters <= ROW_BODIES_CHARACTERS_MAX) break;
    const { record, request: number, body } = request;
    if (body === null) continue;
    long.push({ record, request: number, body });
    characters -= body.length;
    request.body = null;
  }
  return long;
}

export const charactersOf = (rows: readonly SliceRow[]): number =>
  rows.reduce((sum, row) => sum + rowCharacters(row), 0);

const rowCharacters = ({ requests, problems, looked_up, members }: SliceRow): number =>
  requests.reduce((sum, { body }) => sum + (body?.length ?? 0) + REQUEST_CHARACTERS, 50) +
  (problems?.length ?? 0) +
  (looked_up?.length ?? 0) +
  members.length * 8;

/** Rows in the order of their numbers → the rows of each slice: of one range, and no longer than a slice may be. */
export function slicedRows(rows: readonly SliceRow[]): SliceRow[][] {
  const slices: SliceRow[][] = [];
  let characters = 0;
  for (const row of rows.toSorted((one, other) => one.record - other.record)) {
    const slice = slices.at(-1);
    characters += rowCharacters(row);
    if (
      slice?.[0] !== undefined &&
      rangeOf(slice[0].record) === rangeOf(row.record) &&
      characters <= SLICE_CHARACTERS_MAX
    )
      slice.push(row);
    else {
      slices.push([row]);
      characters = rowCharacters(row);
    }
  }
  return slices;
}

export interface PackedRead {
  records: string;
  requests: string;
}

export const packRead = (rows: readonly SliceRow[]): PackedRead => ({
  records: packRows(
    rows.map(({ requests, members, ...record }) => ({
      ...record,
      members: members.length > 0 ? members : undefined,
    })),
  ),
  requests: packRows(
    rows.flatMap(({ requests }) =>
      requests.map(({ record, request, kind, subject, scac, body }) => ({
        record,
        request,
        kind,
        subject,
        scac,
        body,
      })),
    ),
  ),
});

type ReadRequest = Pick<SliceRequest, 'record' | 'request' | 'kind' | 'subject' | 'scac' | 'body'>;

/** @param outcomes the latest of each request. */
export function unpackRead(
  { records, requests }: PackedRead,
  outcomes: ReadonlyMap<string, StoredOutcome>,
): SliceRow[] {
  const rows = unpackRows(records) as unknown as (Omit<SliceRow, 'members' | 'requests'> & Partial<SliceRow>)[];
  const byRecord = Map.groupBy(unpackRows(requests) as unknown as ReadRequest[], ({ record }) => record);
  return rows.map((row) => ({
    ...row,
    members: row.members ?? [],
    requests: (byRecord.get(row.record) ?? []).map((read) =>
      withOutcome(read, outcomes.get(requestAt(read)) ?? UNTRIED),
    ),
  }));
}

/** Written out, because it is done for each request of each slice that is read. */
export const withOutcome = (read: ReadRequest, now: Omit<StoredOutcome, 'record' | 'request'>): SliceRequest => ({
  record: read.record,
  request: read.request,
  kind: read.kind,
  subject: read.subject,
  scac: read.scac,
  body: read.body,
  generation: now.generation,
  retried_at_ms: now.retried_at_ms,
  state: now.state,
  reason: now.reason,
  outcome: now.outcome,
  evidence: now.evidence,
  revision: now.revision,
  attempts: now.attempts,
  status: now.status,
  answer: now.answer,
  possible_duplicate: now.possible_duplicate,
  late: now.late,
  into_batch_id: now.into_batch_id,
  into_record: now.into_record,
  into_request: now.into_request,
  into_state: now.into_state,
  next_at_ms: now.next_at_ms,
  decided_at_ms: now.decided_at_ms,
  diff: now.diff,
  action: now.action,
  surprises: now.surprises,
});

export const requestAt = ({ record, request }: { record: number; request: number }): string => `${record}/${request}`;

/* Rows of a slice, and what a slice says of them. */

export const inOrder = (one: readonly SliceRow[], other: readonly SliceRow[]): SliceRow[] =>
  [...one, ...other].sort((a, b) => a.record - b.record);

/** @param rows in the order of their numbers. */
export function rowIn(rows: readonly SliceRow[], record: number): SliceRow | undefined {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rows[middle]?.record ?? 0) < record) from = middle + 1;
    else to = middle;
  }
  return rows[from]?.record === record ? rows[from] : undefined;
}

/** What is known of a slice without reading it. */
export interface Slice {
  id: number;
  /** Numbers of its first and last record. */
  first: number;
  last: number;
  rows: number;
  requests: number;
  /** Requests that create an order. */
  orders: number;
  /** Requests that have ended. */
  ended: number;
  /** The states of its rows, if nothing has changed since they were stored; null: not known. */
  states: ReadonlySet<RecordState> | null;
  characters: number;
}

export function describeSlice(id: number, rows: readonly SliceRow[]): Slice {
  const requests = rows.flatMap((row) => row.requests);
  return {
    id,
    first: rows[0]?.record ?? 0,
    last: rows.at(-1)?.record ?? 0,
    rows: rows.length,
    requests: requests.length,
    orders: requests.filter(makesOrder).length,
    ended: requests.filter(hasEnded).length,
    states: statesIn(rows),
    characters: charactersOf(rows),
  };
}

/** Whether a request creates or upserts an order. */
export const makesOrder = ({ kind }: Pick<SliceRequest, 'kind'>): boolean =>
  kind === 'order.create' || kind === 'order.upsert';

/** null if the state of one of them follows from a row elsewhere. */
export const statesIn = (rows: readonly SliceRow[]): ReadonlySet<RecordState> | null =>
  rows.some(({ group_record }) => group_record !== null) ? null : new Set(rows.map((row) => stateOfRow(row, row)));

/* What became of requests. */

/** As the subject reports it. @param generation and since when: of a generation that only begins. */
export const outcomeReported = (
  outcome: RequestOutcome,
  { retried_at_ms }: Pick<StoredOutcome, 'retried_at_ms'>,
): StoredOutcome => ({
  record: outcome.record,
  request: outcome.request,
  generation: outcome.generation,
  retried_at_ms,
  state: outcome.state,
  reason: outcome.reason,
  outcome: outcome.outcome,
  evidence: outcome.evidence,
  revision: outcome.revision,
  attempts: outcome.attempts,
  status: outcome.status,
  answer: outcome.answer,
  possible_duplicate: Number(outcome.possibleDuplicate),
  late: Number(outcome.late),
  into_batch_id: outcome.into?.batchId ?? null,
  into_record: outcome.into?.record ?? null,
  into_request: outcome.into?.request ?? null,
  into_state: outcome.intoState,
  next_at_ms: outcome.nextAtMs,
  decided_at_ms: outcome.decidedAtMs,
  diff: outcome.diff === null ? null : JSON.stringify(outcome.diff),
  action: outcome.action,
  surprises:
    outcome.surprises === undefined || outcome.surprises.length === 0 ? null : JSON.stringify(outcome.surprises),
});

export const outcomeIn = ({
  kind: _kind,
  subject: _subject,
  scac: _scac,
  body: _body,
  ...outcome
}: SliceRequest): StoredOutcome => outcome;

/** Whether nothing ever became of it: then no outcome of it is stored. */
export const isUntried = ({ generation, revision, state }: StoredOutcome): boolean =>
  generation === 1 && revision === 0 && state === 'queued';

const isLater = (one: StoredOutcome, other: StoredOutcome): boolean =>
  one.generation > other.generation || (one.generation === other.generation && one.revision > other.revision);

/** The latest outcome of each request; what is met twice, or out of order, changes nothing. */
export function addLater(known: Map<string, StoredOutcome>, outcomes: Iterable<StoredOutcome>): void {
  for (const outcome of outcomes) {
    const at = requestAt(outcome);
    const other = known.get(at);
    if (other === undefined || isLater(outcome, other)) known.set(at, outcome);
  }
}

const OUTCOME_CHARACTERS = 250;
const OUTCOMES_CHARACTERS_MAX = 256 * 1024;

/** In the order of their rows, in as many texts as one value each can hold. */
export function packOutcomes(outcomes: Iterable<StoredOutcome>): string[] {
  const chunks: StoredOutcome[][] = [[]];
  let characters = 0;
  for (const outcome of [...outcomes].sort((one, other) => one.record - other.record || one.request - other.request)) {
    const { answer, diff, surprises } = outcome;
    const own = OUTCOME_CHARACTERS + (answer?.length ?? 0) + (diff?.length ?? 0) + (surprises?.length ?? 0);
    if (characters > 0 && characters + own > OUTCOMES_CHARACTERS_MAX) {
      chunks.push([]);
      characters = 0;
    }
    characters += own;
    chunks.at(-1)?.push(outcome);
  }
  return chunks.map((chunk) => packRows(chunk as unknown as Record<string, JsonValue>[]));
}

export const unpackOutcomes = (text: string): StoredOutcome[] => unpackRows(text) as unknown as StoredOutcome[];

/* States of rows. */

export const followedIn = ({ state, into_state }: Pick<StoredOutcome, 'state' | 'into_state'>): RequestState =>
  followedState(state, into_state);

export const hasEnded = (request: Pick<StoredOutcome, 'state' | 'into_state'>): boolean => isFinal(followedIn(request));

/**
 * What a row's state is computed from: the state of each of its requests, and `invalid` if something else in it is in
 * error.
 */
export const rowStates = ({
  requests,
  problems,
}: Pick<SliceRow, 'requests' | 'problems'>): (RequestState | 'invalid')[] => [
  ...requests.map(followedIn),
  ...(problems === null ? [] : (['invalid'] as const)),
];

/** @param carrier the row that has the requests: itself, or another one of its group. */
export const stateOfRow = (row: SliceRow, carrier: SliceRow): RecordState =>
  row.state !== 'queued' || carrier.requests.length === 0 ? row.state : foldRow(rowStates(carrier));

export const hasBody = (request: SliceRequest): request is StoredBatchRequest => request.body !== null;
