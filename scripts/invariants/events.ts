/** What must hold of milestones and positions, whatever failed meanwhile: each row, each request, each set of points. Pure. */
import type { RowRequest } from '../../src/batch/report/summary.ts';
import { followedState } from '../../src/delivery/outcome.ts';
import { type Arrival, type BatchEvidence, breaks, keyOf, type Sending, type Violation } from './evidence.ts';
import { noStrangers, type RequestEnd, requestViolations } from './requests.ts';
import { everyRowDelivered, everyRowThere, isState } from './rows.ts';
import { intentsNameWhatTheyCarry, noOrphanBodies, orderKept } from './sendings.ts';

export interface EventEvidence {
  /** Milestone and trace requests. */
  seen: readonly Arrival[];
  /** One list per Load object. */
  loads: readonly (readonly Sending[])[];
  batches: readonly BatchEvidence[];
}

/** @returns one per violation; none means that everything held. */
export function eventViolations(evidence: EventEvidence): Violation[] {
  const { seen, loads, batches } = evidence;
  const sendings = loads.flat();
  const ends = endsOf(evidence);
  const known = new Set(ends.map(({ key }) => key));
  return [
    ...batches.flatMap(({ summary, rows, rowsUploaded }) => [
      ...isState(summary, 'settled'),
      ...everyRowThere(`batch ${summary.batchId}`, rowsUploaded, rows),
      ...everyRowDelivered(summary.batchId, rows),
    ]),
    ...noOrphanBodies(seen, sendings),
    ...intentsNameWhatTheyCarry(sendings),
    ...loads.flatMap((load) => orderKept(load, seen)),
    ...requestViolations(ends),
    ...noStrangers(
      sendings.flatMap(({ carries }) => carries.map(keyOf)),
      known,
    ),
    ...batches.flatMap((batch) => pointsInOneSet(batch, seen)),
  ];
}

/** Every request that a row tells of, with the attempts of what it travelled in and how often the upstream applied just that. */
function endsOf({ seen, loads, batches }: EventEvidence): RequestEnd[] {
  const applied = Map.groupBy(
    seen.filter((entry) => entry.applied),
    ({ body }) => body,
  );
  const sets = setsByPoint([...applied.keys()]);
  const carriers = new Map(loads.flat().flatMap((each) => each.carries.map((request) => [keyOf(request), each])));
  return rowRequests(batches).map(({ key, request }) => {
    const { kind, state, intoState, outcome, possibleDuplicate } = request;
    const point = pointOf(request);
    const bodies = point === null ? [JSON.stringify(request.body)] : (sets.get(nameOf(point)) ?? []);
    const carrier = carriers.get(key);
    return {
      key,
      kind,
      state: followedState(state, intoState),
      outcome,
      isMarked: possibleDuplicate,
      attempts: carrier?.attempts ?? [],
      areItsOwn: carrier?.carries.length === 1,
      done: bodies.reduce((sum, body) => sum + (applied.get(body)?.length ?? 0), 0),
    };
  });
}

const rowRequests = (batches: readonly BatchEvidence[]): { key: string; request: RowRequest }[] =>
  batches.flatMap(({ summary: { batchId }, rows }) =>
    rows.flatMap(({ record, requests }) =>
      requests.map((request) => ({ key: keyOf({ batchId, record, request: request.request }), request })),
    ),
  );

/** @property load and point together are no other row's. */
interface SentPoint {
  load: string;
  point: string;
}

const pointOf = (request: RowRequest): SentPoint | null =>
  request.kind === 'trace' ? { load: request.body.loadNumber, point: JSON.stringify(request.body.traces[0]) } : null;

const nameOf = ({ load, point }: SentPoint): string => JSON.stringify([load, point]);

interface EventBody {
  loadNumber: string;
  traces?: unknown[];
}

const pointsIn = (body: string): SentPoint[] => {
  const { loadNumber, traces = [] } = JSON.parse(body) as EventBody;
  return traces.map((point) => ({ load: loadNumber, point: JSON.stringify(point) }));
};

/** By the points in them. @param bodies different ones. */
function setsByPoint(bodies: readonly string[]): Map<string, string[]> {
  const sets = new Map<string, string[]>();
  for (const body of bodies) {
    for (const point of pointsIn(body)) sets.set(nameOf(point), [...(sets.get(nameOf(point)) ?? []), body]);
  }
  return sets;
}

const I20 = breaks('I20');

/** A position travels in one set alone: what arrives again is the same set, byte for byte. Its row names the set's lead. */
function pointsInOneSet(batch: BatchEvidence, seen: readonly Arrival[]): Violation[] {
  const sets = setsByPoint([...new Set(seen.map(({ body }) => body))]);
  const points = rowRequests([batch]).flatMap(({ key, request }) => {
    const point = pointOf(request);
    return point === null ? [] : [{ key, name: nameOf(point), into: request.into }];
  });
  const keys = new Map(points.map(({ key, name }) => [name, key]));
  return points.flatMap(({ key, name, into }) => {
    const found = sets.get(name) ?? [];
    if (found.length !== 1) return [I20(`the position of ${key} travelled in ${found.length} sets`)];
    const [first] = pointsIn(found[0] ?? '{}');
    const lead = first === undefined ? undefined : keys.get(nameOf(first));
    const named = into === null ? key : keyOf(into);
    return named === lead ? [] : [I20(`${key} names ${named}, its set is led by ${lead}`)];
  });
}
