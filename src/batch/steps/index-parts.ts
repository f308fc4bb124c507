/**
 * What the index of all batches (D1) has of a batch beside its row: how many rows of each issue it has now, and what ended
 * in which minute. A batch sets its own numbers and never adds to them, so that a write can be repeated; only what changed
 * since the last one is written.
 */
import { HOUR_MS, MINUTE_MS } from '../../kernel/clock.ts';
import type { BatchIssue } from '../core/issue.ts';
import { DELIVERY_TIME_CLASSES, type MinutePoint, type MinuteTotals, NO_MINUTES } from '../core/minutes.ts';
import type { WrittenParts } from '../core/progress.ts';

export interface IndexParts {
  issues: readonly BatchIssue[];
  minutes: MinuteTotals;
}

export const NO_PARTS: IndexParts = { issues: [], minutes: NO_MINUTES };
const NOTHING_WRITTEN: WrittenParts = { issues: {}, minutes: {}, step: 1 };

/** @property all what the batch has; the others what is written. leavesIssues, leavesMinutes: the index may have more of it than `all`. */
export interface ChangedParts {
  all: WrittenParts;
  issues: readonly BatchIssue[];
  minutes: readonly MinutePoint[];
  leavesIssues: boolean;
  leavesMinutes: boolean;
}

const countsOf = ({ rows, requests, held }: BatchIssue): string => `${rows}/${requests}/${held}`;
const sumOf = ([, delivered, refused, invalid = 0]: MinutePoint): number => delivered + refused + invalid;

/** @param written null: nothing was ever written; undefined: nobody knows what was. */
export function changedParts({ issues, minutes }: IndexParts, written: WrittenParts | null | undefined): ChangedParts {
  const known = written ?? NOTHING_WRITTEN;
  const all: WrittenParts = {
    issues: Object.fromEntries(issues.map((issue) => [issue.id, countsOf(issue)])),
    minutes: Object.fromEntries(minutes.points.map((point) => [String(point[0]), sumOf(point)])),
    step: minutes.step,
  };
  return {
    all,
    issues: issues.filter((issue) => known.issues[issue.id] !== all.issues[issue.id]),
    minutes: minutes.points.filter((point) => known.minutes[point[0]] !== sumOf(point)),
    leavesIssues: written === undefined || Object.keys(known.issues).some((id) => !(id in all.issues)),
    leavesMinutes: written === undefined ? minutes.step > 1 : known.step !== minutes.step,
  };
}

/** The row of the batch that the parts go with. */
interface PartsOwner {
  environment: string;
  batch_id: string;
  partner: string;
  mapping: string;
  channel: string;
  file_name: string | null;
  messages: number | null;
  received_at_ms: number;
  settled_at_ms: number | null;
}

/** Version of what is stored as JSON with an issue. */
const ABOUT_FORM = 1;

/** An earlier write that arrives late changes nothing: it is not that of the row. */
const IS_CURRENT = 'EXISTS (SELECT 1 FROM batch_index WHERE environment = ?1 AND batch_id = ?2 AND revision = ?3)';

/** After the statement that writes the batch's row, in the same transaction. */
export function partStatements(
  database: D1Database,
  owner: PartsOwner,
  changed: ChangedParts,
  stamp: { revision: number; written_at_ms: number },
  minutesKeptMs: number,
): D1PreparedStatement[] {
  const { environment, batch_id } = owner;
  const prepared = (sql: string, ...values: unknown[]): D1PreparedStatement =>
    database.prepare(sql).bind(environment, batch_id, stamp.revision, ...values);
  /** Older ones may be part of an hour by now. */
  const fromMs = stamp.written_at_ms - minutesKeptMs + HOUR_MS;
  const minutes = changed.minutes.filter(([minute]) => minute * MINUTE_MS >= fromMs);
  const seen = seenAt(owner, stamp.written_at_ms);
  const ids = JSON.stringify(Object.keys(changed.all.issues));
  return [
    ...(changed.issues.length === 0
      ? []
      : [
          prepared(OPEN_ISSUES, JSON.stringify(changed.issues.map(issueValues)), seen.firstMs, seen.lastMs),
          prepared(
            SET_ISSUES,
            ...[JSON.stringify(changed.issues.map(rowValues)), seen.firstMs, seen.lastMs],
            ...[owner.partner, owner.mapping, owner.file_name],
          ),
        ]),
    ...(changed.leavesIssues ? [prepared(RESOLVE_ISSUES, ids, stamp.written_at_ms), prepared(LEAVE_ISSUES, ids)] : []),
    ...(changed.leavesMinutes ? [leaveMinutes(prepared, changed)] : []),
    ...(minutes.length === 0
      ? []
      : [prepared(SET_MINUTES, JSON.stringify(minutes.map(minuteValues)), owner.partner, owner.channel)]),
  ];
}

/** A file's rows were seen when it came in; those of messages come all day. */
function seenAt({ messages, received_at_ms, settled_at_ms }: PartsOwner, nowMs: number) {
  const lastMs = settled_at_ms ?? nowMs;
  return { firstMs: messages === null ? Math.min(received_at_ms, lastMs) : lastMs, lastMs };
}

const issueValues = ({ id, key, rows: _, requests: __, held: ___, examples: ____, ...about }: BatchIssue) => [
  ...[id, key, about.code],
  JSON.stringify({ form: ABOUT_FORM, ...about }),
];

const rowValues = ({ id, rows, requests, held, examples }: BatchIssue) => [
  ...[id, rows, requests, held],
  JSON.stringify(examples),
];

/** Times are columns: the index adds them up. */
const minuteValues = ([minute, delivered, refused, invalid = 0, times = []]: MinutePoint): number[] => [
  ...[minute, delivered, refused, invalid],
  ...Array.from({ length: DELIVERY_TIME_CLASSES }, (_, index) => times[index] ?? 0),
];

/** An issue that was resolved has come back: it is open, whatever was said of it before. */
const OPEN_ISSUES = `
INSERT INTO issue (environment, issue, key, code, about, first_seen_ms, last_seen_ms)
SELECT ?1, value->>0, value->>1, value->>2, value->>3, ?5, ?6 FROM json_each(?4) WHERE ${IS_CURRENT}
ON CONFLICT (environment, issue) DO UPDATE SET
  about = excluded.about, last_seen_ms = excluded.last_seen_ms, resolved_at_ms = NULL, reopened = reopened + 1,
  decision = NULL, muted_until_ms = NULL
WHERE issue.resolved_at_ms IS NOT NULL`;

const SET_ISSUES = `
INSERT INTO issue_batch (environment, batch_id, issue, row_count, request_count, held, examples,
  first_seen_ms, last_seen_ms, partner, mapping, file_name)
SELECT ?1, ?2, value->>0, value->>1, value->>2, value->>3, value->>4, ?5, ?6, ?7, ?8, ?9 FROM json_each(?4)
WHERE ${IS_CURRENT}
ON CONFLICT (environment, issue, batch_id) DO UPDATE SET
  row_count = excluded.row_count, request_count = excluded.request_count, held = excluded.held,
  examples = excluded.examples, last_seen_ms = excluded.last_seen_ms`;

/** Of which this batch is the last to have rows, and has none any more. @see LEAVE_ISSUES, which comes after it. */
const RESOLVE_ISSUES = `
UPDATE issue SET resolved_at_ms = ?5, last_seen_ms = max(last_seen_ms, ?5)
WHERE environment = ?1 AND resolved_at_ms IS NULL AND ${IS_CURRENT}
  AND issue IN (SELECT issue FROM issue_batch WHERE environment = ?1 AND batch_id = ?2
    AND issue NOT IN (SELECT value FROM json_each(?4)))
  AND NOT EXISTS (SELECT 1 FROM issue_batch AS other
    WHERE other.environment = ?1 AND other.issue = issue.issue AND other.batch_id <> ?2)`;

const LEAVE_ISSUES = `
DELETE FROM issue_batch WHERE environment = ?1 AND batch_id = ?2 AND issue NOT IN (SELECT value FROM json_each(?4))
  AND ${IS_CURRENT}`;

const CLASSES = Array.from({ length: DELIVERY_TIME_CLASSES }, (_, index) => `l${index}`);

const SET_MINUTES = `
INSERT INTO minute_total (environment, batch_id, partner, channel, minute, delivered, refused, invalid, ${CLASSES.join(', ')})
SELECT ?1, ?2, ?5, ?6, ${Array.from({ length: 4 + DELIVERY_TIME_CLASSES }, (_, at) => `value->>${at}`).join(', ')}
FROM json_each(?4) WHERE ${IS_CURRENT}
ON CONFLICT (environment, minute, batch_id, partner, channel) DO UPDATE SET
  ${['delivered', 'refused', 'invalid', ...CLASSES].map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Minutes of a long batch become pairs, fours, eights. */
function leaveMinutes(
  prepared: (sql: string, ...values: unknown[]) => D1PreparedStatement,
  { all: { minutes, step } }: ChangedParts,
): D1PreparedStatement {
  const own = Object.keys(minutes).map(Number);
  const [first = 0, last = 0] = [own[0], own.at(-1)];
  const sql = `DELETE FROM minute_total WHERE environment = ?1 AND batch_id = ?2 AND minute BETWEEN ?4 AND ?5
               AND minute NOT IN (SELECT value FROM json_each(?6)) AND ${IS_CURRENT}`;
  return prepared(sql, first, last + step, JSON.stringify(own));
}

/** The batch is about to be deleted. What ended when stays: it is history. */
export const removeParts = (database: D1Database, environment: string, batchId: string, nowMs: number) => [
  database
    .prepare(
      `UPDATE issue SET resolved_at_ms = ?3, last_seen_ms = max(last_seen_ms, ?3)
       WHERE environment = ?1 AND resolved_at_ms IS NULL
         AND issue IN (SELECT issue FROM issue_batch WHERE environment = ?1 AND batch_id = ?2)
         AND NOT EXISTS (SELECT 1 FROM issue_batch AS other
           WHERE other.environment = ?1 AND other.issue = issue.issue AND other.batch_id <> ?2)`,
    )
    .bind(environment, batchId, nowMs),
  database.prepare('DELETE FROM issue_batch WHERE environment = ?1 AND batch_id = ?2').bind(environment, batchId),
];

/** The first row of an issue may have been erased: what is told of it then says the kind and the place alone. */
export function forgottenIssues(database: D1Database, environment: string, ids: readonly string[]) {
  const chosen = 'environment = ?1 AND issue IN (SELECT value FROM json_each(?2))';
  const isNowhere = `NOT EXISTS (SELECT 1 FROM issue_batch AS other
    WHERE other.environment = issue.environment AND other.issue = issue.issue)`;
  const about = `json_set(about, '$.answer', NULL, '$.message', NULL)`;
  return [
    `DELETE FROM issue WHERE ${chosen} AND ${isNowhere}`,
    `UPDATE issue SET about = ${about} WHERE ${chosen}`,
  ].map((sql) => database.prepare(sql).bind(environment, JSON.stringify(ids)));
}
