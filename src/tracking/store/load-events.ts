/**
 * The events of a load: a row per event, made from its body alone, and which of them count.
 * Rows are made when first needed, in dispatch order, so that requests stored before this table are included. SQL only:
 * `delivery/events/anomalies.ts` finds the anomalies.
 */

import {
  type Anomaly,
  type AnomalyCode,
  anomaliesOf,
  type Journey,
  type JourneyEvent,
  journeyEvent,
  type KnownEvent,
  refusalOf,
  STOPS_KNOWN_MAX,
} from '../../delivery/events/anomalies.ts';
import type { EqualRequest } from '../../delivery/events/duplicates.ts';
import type { StopPhase, StopRole } from '../../delivery/events/event-classes.ts';
import type { NextStep } from '../../delivery/next-step.ts';
import type { RequestState } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { AnomalyPolicy } from '../../mapping/document/delivery-spec.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { StoredRequest } from '../request.ts';

/** Requests read at once to make their rows. Ours: a few ms. */
const FILLED_AT_ONCE = 500;
/** What was sent before its row was made counts; anything else is checked at its step first. */
const WAS_SENT = `((first_tried_at_ms IS NOT NULL OR state = 'coalesced') AND state NOT IN ('rejected', 'cancelled', 'duplicate')
  AND outcome IS NOT 'not_applied')`;
/** What was withdrawn before it was sent no longer counts; for points, the lead of their set decides. */
const NOT_WITHDRAWN = `NOT EXISTS (SELECT 1 FROM request AS own LEFT JOIN request AS lead ON lead.seq = own.into_seq
  WHERE own.seq = event.seq AND coalesce(lead.state, own.state) = 'cancelled')`;
const KNOWN = 'what, time, stop, place, at_ms, latitude, longitude';

type KnownRow = {
  what: string;
  time: string;
  stop: number | null;
  place: string | null;
  at_ms: number;
  latitude: number | null;
  longitude: number | null;
};
const PHASES: readonly StopPhase[] = ['arrival', 'after', 'other'];

interface Audited {
  surprises: readonly Anomaly[];
  refusal: AnomalyCode | null;
}

export class LoadJourney implements Journey {
  readonly #sql: SqlStorage;
  #filledTo: number | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Makes the missing rows. Synchronous, and a repeat changes nothing. */
  fill(): void {
    for (;;) {
      const from = this.#filledTo ?? this.#last();
      const requests = this.#sql
        .exec<{ seq: number; kind: RequestKind; body: string; accepted_at_ms: number; known: number }>(
          `SELECT seq, kind, body, accepted_at_ms, ${WAS_SENT} AS known FROM request WHERE seq > ? ORDER BY seq LIMIT ?`,
          from,
          FILLED_AT_ONCE,
        )
        .toArray();
      const rows = requests.map(({ seq, kind, body, accepted_at_ms, known }) =>
        JSON.stringify({ seq, known, atMs: accepted_at_ms, ...journeyEvent(kind, body) }),
      );
      for (const chunk of jsonArrays(rows)) this.#insert(chunk);
      this.#filledTo = requests.at(-1)?.seq ?? from;
      if (requests.length < FILLED_AT_ONCE) return;
    }
  }

  #last = (): number => this.#sql.exec<{ last: number }>('SELECT coalesce(max(seq), 0) AS last FROM event').one().last;

  #insert(chunk: string): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO event
         (seq, at_ms, what, time, stop, place, latitude, longitude, phase, role, stop_key, resource, known)
       SELECT value->>'seq', value->>'atMs', value->>'what', value->>'time', value->>'stop', value->>'place',
         value->>'$.position.latitude', value->>'$.position.longitude', value->>'phase',
         value->>'role', value->>'stopKey', value->>'resource', value->>'known' FROM json_each(?)`,
      chunk,
    );
  }

  /** Checks a request once, at its step; a second call finds nothing new. */
  classify(request: StoredRequest): Audited {
    this.fill();
    const { seq, kind, body, generation, accepted_at_ms: acceptedAtMs } = request;
    if (this.#wasAudited(seq)) return NOTHING_NEW;
    const event = journeyEvent(kind, body);
    const policy: AnomalyPolicy = request.surprise_policy === null ? {} : JSON.parse(request.surprise_policy);
    const surprises = event === null ? [] : anomaliesOf(event, this, { acceptedAtMs, isRetry: generation > 1 }, policy);
    const refusal = refusalOf(surprises, policy, request.forced === 1);
    this.#sql.exec('UPDATE event SET known = ? WHERE seq = ?', refusal === null ? 1 : 2, seq);
    if (refusal === null) this.#meetStop(event);
    return { surprises, refusal };
  }

  #wasAudited(seq: number): boolean {
    return this.#sql.exec('SELECT 1 AS found FROM event WHERE seq = ? AND known > 0', seq).toArray().length > 0;
  }

  #meetStop(event: JourneyEvent | null): void {
    if (event === null || event.stop === null || event.stopKey === null) return;
    this.#sql.exec(
      'INSERT OR IGNORE INTO stop_met (stop) SELECT ?1 WHERE (SELECT count(*) FROM stop_met) < ?2',
      event.stop,
      STOPS_KNOWN_MAX,
    );
  }

  /** What was not applied says nothing about the journey; for a set, that goes for all of its points. */
  ended(seq: number, step: NextStep): void {
    const isRefused = step.state === 'rejected' || (step.state === 'dead' && step.outcome === 'not_applied');
    if (!isRefused) return;
    const sql = `UPDATE event SET known = 2 WHERE known = 1 AND seq IN (SELECT ?1 UNION ALL SELECT seq FROM request WHERE into_seq = ?1)`;
    this.#sql.exec(sql, seq);
  }

  first(stopKey: string, phase: StopPhase): KnownEvent | null {
    return this.#known('stop_key = ? AND phase = ?', 'at_ms, seq', [stopKey, phase]);
  }

  latest(stopKey: string): KnownEvent | null {
    const last = PHASES.flatMap(
      (phase) => this.#known('stop_key = ? AND phase = ?', 'at_ms DESC', [stopKey, phase]) ?? [],
    );
    return last.reduce<KnownEvent | null>((latest, each) => (latest && latest.atMs >= each.atMs ? latest : each), null);
  }

  firstOf(role: StopRole): KnownEvent | null {
    return this.#known('role = ?', 'at_ms, seq', [role]);
  }

  stops(): readonly number[] {
    return this.#sql
      .exec<{ stop: number }>('SELECT stop FROM stop_met ORDER BY stop')
      .toArray()
      .map(({ stop }) => stop);
  }

  around({ resource, atMs }: Pick<JourneyEvent, 'resource' | 'atMs'>): readonly KnownEvent[] {
    const at = 'latitude IS NOT NULL AND resource = ? AND at_ms';
    const before = this.#known(`${at} <= ?`, 'at_ms DESC', [resource, atMs]);
    const after = this.#known(`${at} > ?`, 'at_ms', [resource, atMs]);
    return [before, after].flatMap((each) => each ?? []);
  }

  #known(where: string, order: string, values: SqlStorageValue[]): KnownEvent | null {
    const sql = `SELECT ${KNOWN} FROM event WHERE known = 1 AND ${where} AND ${NOT_WITHDRAWN} ORDER BY ${order} LIMIT 1`;
    const [row] = this.#sql.exec<KnownRow>(sql, ...values).toArray();
    return row === undefined ? null : knownEvent(row);
  }
}

const NOTHING_NEW: Audited = { surprises: [], refusal: null };

const knownEvent = ({ at_ms: atMs, latitude, longitude, ...said }: KnownRow): KnownEvent => ({
  ...said,
  atMs,
  position: latitude === null || longitude === null ? null : { latitude, longitude },
});

/* The equal requests of a load. SQL only: `delivery/events/duplicates.ts` decides what becomes of the later one. */

/** Leaves out what never blocks an equal request, so that thousands of refused ones are not read again and again. */
const IN_THE_WAY = `state NOT IN ('duplicate', 'rejected', 'cancelled')`;

type Outcome = 'not_applied' | 'unknown' | null;
type EqualRow = {
  seq: number;
  state: RequestState;
  outcome: Outcome;
  into_state: RequestState | null;
  into_outcome: Outcome;
};

export class EqualStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** In dispatch order, lazily; none for a request that is sent whatever was sent before. */
  *earlierThan(seq: number): Iterable<EqualRequest> {
    const rows = this.#sql.exec<EqualRow>(
      `SELECT request.seq, request.state, request.outcome, lead.state AS into_state, lead.outcome AS into_outcome
       FROM request LEFT JOIN request AS lead ON lead.seq = request.into_seq
       WHERE request.business_key = (SELECT business_key FROM request WHERE seq = ?1 AND forced = 0)
         AND request.seq < ?1 AND request.${IN_THE_WAY}
       ORDER BY request.seq`,
      seq,
    );
    for (const { seq: earlier, state, outcome, into_state, into_outcome } of rows) {
      const into = into_state === null ? null : { state: into_state, outcome: into_outcome };
      yield { seq: earlier, state, outcome, into };
    }
  }

  /** It is passed over until the earlier one is final. */
  waitFor(seq: number, earlier: number): void {
    this.#sql.exec('UPDATE request SET awaits_seq = ? WHERE seq = ?', earlier, seq);
  }

  /** An equal one may have arrived already. */
  doubt(seq: number): void {
    this.#sql.exec('UPDATE request SET had_unknown = 1, possible_duplicate = 1 WHERE seq = ?', seq);
  }
}
