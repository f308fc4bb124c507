/** What must hold of a day of positions: each arrives once, in order, in one request per window, and its row says so. Pure. */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { type Arrival, breaks, counted, type Sending, sha256, type Violation } from './evidence.ts';
import { allDelivered, everyRowThere } from './rows.ts';
import { overtaken } from './sendings.ts';

/** The facts of a point that tell it from every other. */
export interface ArrivingPoint {
  dateTime: string;
  latitude: number;
  longitude: number;
  resourceId: string;
}

/** A line of an uploaded file; `key` names its request. */
export interface UploadedPoint {
  key: string;
  load: string;
  point: ArrivingPoint;
}

/** A row of the report, by the names of its columns. */
export type ReportLine = Record<string, string>;

export interface TracedBatch {
  summary: BatchSummary;
  lines: ReportLine[];
  uploaded: UploadedPoint[];
}

export interface TraceEvidence {
  seen: readonly Arrival[];
  loads: readonly (readonly Sending[])[];
  batches: readonly TracedBatch[];
  /** Of real time: 15 minutes at the run's timeScale. */
  windowMs: number;
}

interface SentSet {
  entry: Arrival;
  load: string;
  points: ArrivingPoint[];
}

const [I5, I7, I8, I10, I12, I19, I20] = [
  breaks('I5'),
  breaks('I7'),
  breaks('I8'),
  breaks('I10'),
  breaks('I12'),
  breaks('I19'),
  breaks('I20'),
];

/** @returns one per violation; none means that everything held. */
export function traceViolations({ seen, loads, batches, windowMs }: TraceEvidence): Violation[] {
  const sets = seen.map(setOf);
  const uploaded = batches.flatMap((batch) => batch.uploaded);
  return [
    ...sets.filter(({ entry }) => !entry.applied).map(({ entry }) => I8(`journal ${entry.seq} was not applied`)),
    ...everyPointOnce(sets, uploaded),
    ...inTimeOrder(sets),
    ...loads.flatMap((load) => oneSetPerWindow(load, seen, windowMs)),
    ...batches.flatMap((batch) => everyRowAccounted(batch, leadsOf(sets, uploaded))),
  ];
}

interface TraceBody {
  loadNumber: string;
  traces: { time: { dateTime: string }; coordinate: { latitude: number; longitude: number }; resourceId: string }[];
}

function setOf(entry: Arrival): SentSet {
  const { loadNumber, traces } = JSON.parse(entry.body) as TraceBody;
  const points = traces.map(({ time, coordinate, resourceId }) => ({
    dateTime: time.dateTime,
    latitude: coordinate.latitude,
    longitude: coordinate.longitude,
    resourceId,
  }));
  return { entry, load: loadNumber, points };
}

const nameOf = (load: string, { dateTime, latitude, longitude, resourceId }: ArrivingPoint): string =>
  JSON.stringify([load, dateTime, latitude, longitude, resourceId]);

function everyPointOnce(sets: readonly SentSet[], uploaded: readonly UploadedPoint[]): Violation[] {
  const names = uploaded.map(({ load, point }) => nameOf(load, point));
  const arrived = sets.flatMap(({ load, points }) => points.map((point) => nameOf(load, point)));
  const { times, strangers } = counted(names, arrived);
  return [
    ...uploaded.flatMap(({ key }, index) => {
      const came = times(names[index] ?? '');
      return came === 1 ? [] : [I7(`the point of ${key} arrived ${came} times`)];
    }),
    ...strangers.map((name) => I20(`nobody uploaded the point ${name}`)),
  ];
}

/** Over all requests of a load, in the order of their arrival; no two points of a load have one time. */
function inTimeOrder(sets: readonly SentSet[]): Violation[] {
  const points = sets.flatMap(({ entry, load, points }) =>
    points.map(({ dateTime }) => ({ entry, load, dateTime, atMs: Date.parse(dateTime) })),
  );
  return [...Map.groupBy(points, ({ load }) => load).values()].flatMap((own) =>
    overtaken(own, ({ atMs }) => atMs, true).map(({ entry, load, dateTime }) =>
      I10(`journal ${entry.seq}: ${load} at ${dateTime} came after a later one`),
    ),
  );
}

/**
 * Each request came from an intent, and at least a window after the intent of the request before it.
 * @param load the sets of one load, in the order of their sending.
 */
function oneSetPerWindow(load: readonly Sending[], seen: readonly Arrival[], windowMs: number): Violation[] {
  const byBody = Map.groupBy(seen, ({ body }) => body);
  const found: Violation[] = [];
  let startedMs = Number.NEGATIVE_INFINITY;
  for (const { body, attempts } of load) {
    const arrived = byBody.get(body) ?? [];
    const [attempt] = attempts;
    const [entry] = arrived;
    const name = `set ${sha256(body).slice(0, 12)}`;
    if (attempt === undefined || entry === undefined || attempts.length !== 1 || arrived.length !== 1) {
      found.push(I5(`${name} has ${attempts.length} intents and arrived ${arrived.length} times`));
      continue;
    }
    if (entry.receivedAtMs < attempt.startedAtMs) found.push(I5(`journal ${entry.seq} is older than its intent`));
    const gapMs = entry.receivedAtMs - startedMs;
    if (gapMs < windowMs) {
      const gap = `${gapMs} ms after the set before it; a window has ${windowMs} ms`;
      found.push(breaks('window')(`journal ${entry.seq} came ${gap}`));
    }
    startedMs = attempt.startedAtMs;
  }
  return found;
}

/** By point, the request that leads its set: the one whose point stands first in it. */
function leadsOf(sets: readonly SentSet[], uploaded: readonly UploadedPoint[]): ReadonlyMap<string, string> {
  const keys = new Map(uploaded.map(({ key, load, point }) => [nameOf(load, point), key]));
  const leads = new Map<string, string>();
  for (const { load, points } of sets) {
    const [first] = points;
    const lead = first === undefined ? undefined : keys.get(nameOf(load, first));
    for (const point of points) leads.set(nameOf(load, point), lead ?? 'a point nobody uploaded');
  }
  return leads;
}

/** The report has a line for every line of the file, delivered, and names the request in which its point travelled. */
function everyRowAccounted({ summary, lines, uploaded }: TracedBatch, leads: ReadonlyMap<string, string>): Violation[] {
  const { batchId } = summary;
  const records = lines.map(({ _record }) => ({ record: Number(_record) }));
  return [
    ...allDelivered(`batch ${batchId}`, uploaded.length, summary),
    ...everyRowThere(`the report of ${batchId}`, uploaded.length, records),
    ...uploaded.flatMap(({ key, load, point }, index) => {
      const { _state, _into } = lines[index] ?? {};
      const lead = leads.get(nameOf(load, point));
      const into = lead === key ? '' : lead;
      return [
        ...(_state === 'delivered' ? [] : [I12(`the report calls ${key} ${_state}`)]),
        ...(_into === into ? [] : [I19(`the report says that ${key} travelled in "${_into}", not in "${into}"`)]),
      ];
    }),
  ];
}
