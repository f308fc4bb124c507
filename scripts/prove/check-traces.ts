/**
 * What must hold of a day of positions, checked from outside: the receiving system's journal, the partner's report, the
 * loads' stored intents. Pure: lists in, sentences out.
 */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { type SeenRequest, type Sending, sha256 } from '../kill/sendings.ts';
import type { ArrivingPoint } from './day.ts';

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
  seen: readonly SeenRequest[];
  loads: readonly (readonly Sending[])[];
  batches: readonly TracedBatch[];
  /** Of real time: 15 minutes at the run's timeScale. */
  windowMs: number;
}

interface SentSet {
  entry: SeenRequest;
  load: string;
  points: ArrivingPoint[];
}

/** @returns one sentence per violation; none means that everything held. */
export function traceViolations({ seen, loads, batches, windowMs }: TraceEvidence): string[] {
  const sets = seen.map(setOf);
  const uploaded = batches.flatMap((batch) => batch.uploaded);
  return [
    ...sets.filter(({ entry }) => !entry.applied).map(({ entry }) => `journal ${entry.seq} was not applied`),
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

function setOf(entry: SeenRequest): SentSet {
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

function everyPointOnce(sets: readonly SentSet[], uploaded: readonly UploadedPoint[]): string[] {
  const times = new Map<string, number>();
  for (const { load, points } of sets) {
    for (const point of points) times.set(nameOf(load, point), (times.get(nameOf(load, point)) ?? 0) + 1);
  }
  const found: string[] = [];
  for (const { key, load, point } of uploaded) {
    const arrived = times.get(nameOf(load, point)) ?? 0;
    if (arrived !== 1) found.push(`the point of ${key} arrived ${arrived} times`);
    times.delete(nameOf(load, point));
  }
  return [...found, ...[...times.keys()].map((name) => `nobody uploaded the point ${name}`)];
}

/** Over all requests of a load, in the order of their arrival. */
function inTimeOrder(sets: readonly SentSet[]): string[] {
  const newest = new Map<string, string>();
  return sets.flatMap(({ entry, load, points }) =>
    points.flatMap(({ dateTime }) => {
      const before = newest.get(load) ?? '';
      if (dateTime > before) newest.set(load, dateTime);
      return dateTime > before ? [] : [`journal ${entry.seq}: ${load} at ${dateTime} came behind ${before}`];
    }),
  );
}

/**
 * Each request came from an intent, and at least a window behind the intent of the request before it.
 * @param load the sets of one load, in the order of their sending.
 */
function oneSetPerWindow(load: readonly Sending[], seen: readonly SeenRequest[], windowMs: number): string[] {
  const byBody = Map.groupBy(seen, ({ body }) => body);
  const found: string[] = [];
  let startedMs = Number.NEGATIVE_INFINITY;
  for (const { body, attempts } of load) {
    const arrived = byBody.get(body) ?? [];
    const [attempt] = attempts;
    const [entry] = arrived;
    const name = `set ${sha256(body).slice(0, 12)}`;
    if (attempt === undefined || entry === undefined || attempts.length !== 1 || arrived.length !== 1) {
      found.push(`${name} has ${attempts.length} intents and arrived ${arrived.length} times`);
      continue;
    }
    if (entry.receivedAtMs < attempt.startedAtMs) found.push(`journal ${entry.seq} is older than its intent`);
    const gapMs = entry.receivedAtMs - startedMs;
    if (gapMs < windowMs) {
      found.push(`journal ${entry.seq} came ${gapMs} ms behind the set before it; a window has ${windowMs} ms`);
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
function everyRowAccounted({ summary, lines, uploaded }: TracedBatch, leads: ReadonlyMap<string, string>): string[] {
  const { batchId, state, rows, rowStates } = summary;
  const found: string[] = [];
  if (state !== 'settled') found.push(`batch ${batchId} is ${state}, not settled`);
  if (rows !== uploaded.length || rowStates.delivered !== uploaded.length) {
    found.push(`batch ${batchId} counts ${rows} rows, ${rowStates.delivered ?? 0} delivered, of ${uploaded.length}`);
  }
  if (lines.length !== uploaded.length) {
    found.push(`the report of ${batchId} has ${lines.length} rows, ${uploaded.length} were uploaded`);
  }
  uploaded.forEach(({ key, load, point }, index) => {
    const line = lines[index] ?? {};
    const lead = leads.get(nameOf(load, point));
    const into = lead === key ? '' : lead;
    if (line._record !== String(index + 1)) found.push(`record ${line._record} stands where ${index + 1} belongs`);
    if (line._state !== 'delivered') found.push(`the report calls ${key} ${line._state}`);
    if (line._into !== into) found.push(`the report says that ${key} travelled in "${line._into}", not in "${into}"`);
  });
  return found;
}
