/**
 * The invariants of milestones and positions, checked from outside: what the receiving system logged, what the loads stored,
 * what the batches report. Pure: lists in, sentences out.
 */
import type { BatchRow, BatchSummary, RowRequest } from '../../src/batch/report/summary.ts';
import { followedState } from '../../src/delivery/outcome.ts';
import { intentsNameWhatTheyCarry, keyOf, noOrphans, type SeenRequest, type Sending } from './sendings.ts';

export interface UploadedBatch {
  summary: BatchSummary;
  rows: BatchRow[];
  rowsUploaded: number;
}

export interface EventEvidence {
  /** Milestone and trace requests the receiving system logged. */
  seen: readonly SeenRequest[];
  /** One list per Load object. */
  loads: readonly (readonly Sending[])[];
  batches: readonly UploadedBatch[];
}

/** @returns one sentence per violation; none means that everything held. */
export function eventViolations({ seen, loads, batches }: EventEvidence): string[] {
  const sendings = loads.flat();
  return [
    ...batches.flatMap(everyRowDelivered),
    ...noOrphans(seen, sendings),
    ...intentsNameWhatTheyCarry(sendings),
    ...loads.flatMap((load) => orderKept(load, seen)),
    ...batches.flatMap((batch) => deliveredWasApplied(batch, seen)),
    ...batches.flatMap((batch) => pointsInOneSet(batch, seen)),
    ...repeatsAreFlagged(batches, seen, sendings),
  ];
}

/** I3: record numbers are exactly 1…n, and each was delivered: nothing refused it. */
function everyRowDelivered({ summary, rows, rowsUploaded }: UploadedBatch): string[] {
  const found: string[] = [];
  const id = summary.batchId;
  if (summary.state !== 'settled') found.push(`batch ${id} is ${summary.state}, not settled`);
  if (rows.length !== rowsUploaded) found.push(`batch ${id} has ${rows.length} rows, ${rowsUploaded} were uploaded`);
  rows.forEach(({ record, state, requests }, index) => {
    if (record !== index + 1) found.push(`batch ${id}: record ${record} stands where ${index + 1} belongs`);
    if (state === 'delivered') return;
    // `deadline`: it was told as given up; on a machine that is slower than the clocks run, that says nothing against the bridge.
    const why = requests
      .map(({ reason, attempts }) => `${reason ?? 'no reason'} after ${attempts} attempts`)
      .join(', ');
    found.push(`batch ${id}: record ${record} is ${state}, nothing refused it (${why})`);
  });
  return found;
}

/** I10: first applications of a subject lane follow the order of its requests, but of those that say they came late. */
function orderKept(load: readonly Sending[], seen: readonly SeenRequest[]): string[] {
  const firstApplied = new Map<string, number>();
  for (const { body, seq, applied } of seen) if (applied && !firstApplied.has(body)) firstApplied.set(body, seq);
  return [...Map.groupBy(load, ({ lane }) => lane).values()].flatMap((lane) => {
    let before = 0;
    return lane.flatMap(({ body, carries }) => {
      const at = firstApplied.get(body);
      const [first] = carries;
      if (at === undefined || first === undefined || first.late) return [];
      const isEarly = at < before;
      before = Math.max(before, at);
      return isEarly ? [`${keyOf(first)} was applied before an earlier one of its lane`] : [];
    });
  });
}

const pointsIn = (body: string): string[] =>
  ((JSON.parse(body) as { traces?: unknown[] }).traces ?? []).map((point) => JSON.stringify(point));

/** @property load and point together are no other row's. */
interface SentPoint {
  load: string;
  point: string;
}

const pointOf = (request: RowRequest): SentPoint | null =>
  request.kind === 'trace' ? { load: request.body.loadNumber, point: JSON.stringify(request.body.traces[0]) } : null;

const loadOf = (body: string): string => (JSON.parse(body) as { loadNumber: string }).loadNumber;

/** The different bodies of trace requests, by the points in them. */
function setsByPoint(seen: readonly SeenRequest[]): Map<string, string[]> {
  const sets = new Map<string, string[]>();
  for (const body of new Set(seen.map((entry) => entry.body))) {
    for (const point of pointsIn(body)) {
      const name = nameOf({ load: loadOf(body), point });
      sets.set(name, [...(sets.get(name) ?? []), body]);
    }
  }
  return sets;
}

const nameOf = ({ load, point }: SentPoint): string => JSON.stringify([load, point]);

/** I8 from outside: delivered means that the receiving system applied exactly that. */
function deliveredWasApplied({ summary, rows }: UploadedBatch, seen: readonly SeenRequest[]): string[] {
  const applied = seen.filter((entry) => entry.applied);
  const bodies = new Set(applied.map(({ body }) => body));
  const sets = setsByPoint(applied);
  return rows.flatMap(({ record, requests }) =>
    requests
      .filter(({ state, intoState }) => followedState(state, intoState) === 'delivered')
      .filter((request) => {
        const point = pointOf(request);
        return point === null ? !bodies.has(JSON.stringify(request.body)) : !sets.has(nameOf(point));
      })
      .map(({ request }) => `batch ${summary.batchId}: ${record}/${request} is delivered but was never applied`),
  );
}

/** A position travels in one set alone: what arrives again is the same set, byte for byte. Its row names the set's lead. */
function pointsInOneSet({ summary: { batchId }, rows }: UploadedBatch, seen: readonly SeenRequest[]): string[] {
  const sets = setsByPoint(seen);
  const leads = new Map<string, string>();
  for (const { record, requests } of rows) {
    for (const request of requests) {
      const point = pointOf(request);
      if (point !== null) leads.set(nameOf(point), keyOf({ batchId, record, request: request.request }));
    }
  }
  return rows.flatMap(({ record, requests }) =>
    requests.flatMap((request) => {
      const point = pointOf(request);
      if (point === null) return [];
      const found = sets.get(nameOf(point)) ?? [];
      if (found.length !== 1) return [`batch ${batchId}: the position of ${record} travelled in ${found.length} sets`];
      const [first = ''] = pointsIn(found[0] ?? '{}');
      const lead = leads.get(nameOf({ ...point, point: first }));
      const named = keyOf(request.into ?? { batchId, record, request: request.request });
      return named === lead ? [] : [`batch ${batchId}: ${record} names ${named}, its set is led by ${lead}`];
    }),
  );
}

/** At least once, and never silently: of what was sent again after an attempt that may have landed, every row says so. */
function repeatsAreFlagged(
  batches: readonly UploadedBatch[],
  seen: readonly SeenRequest[],
  sendings: readonly Sending[],
): string[] {
  const times = new Map<string, number>();
  for (const { body, applied } of seen) if (applied) times.set(body, (times.get(body) ?? 0) + 1);
  const flagged = new Set(
    batches.flatMap(({ summary: { batchId }, rows }) =>
      rows.flatMap(({ record, requests }) =>
        requests
          .filter(({ possibleDuplicate }) => possibleDuplicate)
          .map(({ request }) => keyOf({ batchId, record, request })),
      ),
    ),
  );
  const mayHaveLanded = ({ body, attempts }: Sending): boolean =>
    (times.get(body) ?? 0) > 1 || attempts.slice(0, -1).some(({ effect }) => effect === 'unknown');
  return sendings
    .filter(mayHaveLanded)
    .flatMap(({ carries }) => carries.map(keyOf))
    .filter((key) => !flagged.has(key))
    .map((key) => `${key} was sent again, may be there twice, and is not flagged`);
}
