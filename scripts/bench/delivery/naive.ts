/**
 * What a user would write instead of a bridge: one script that parses the file, maps each row by hand and sends it, 32 calls in
 * flight. Nothing is stored, retried or reported. It runs in a process of its own, which reads a small file first:
 * `naive.ts SHAPE UPSTREAM SMALL_FILE FILE`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { ENDPOINTS } from '../../../src/upstream/contracts/endpoints.ts';
import type { Shape } from './file.ts';

const IN_FLIGHT = 32;

/** As the files have them: the script's author knows one carrier, one zone and one season. */
const ZONES: Readonly<Record<string, { offset: string; code: string; name: string }>> = {
  CT: { offset: '-06:00', code: 'CST', name: 'UTC-6' },
};

export function milestoneOf(row: Readonly<Record<string, string>>): object {
  const [month, day, year] = (row['Event Date'] ?? '').split('/');
  const zone = ZONES[row.TZ ?? ''];
  if (zone === undefined) throw new Error(`zone ${row.TZ}`);
  const references = [
    { name: 'PRO', value: row['Pro Number'] },
    { name: 'BOL', value: row.BOL },
    { name: 'TRAILER', value: row.Trailer?.toUpperCase() },
  ];
  return {
    loadNumber: row['Load #'],
    eventCode: row.Status,
    time: {
      dateTime: `${year}-${month}-${day}T${row['Event Time']}:00.0000000${zone.offset}`,
      timeZoneCode: zone.code,
      timeZoneOffset: zone.name,
    },
    reasonCode: row.Reason === '' ? 'NS' : row.Reason,
    eventCity: row.City,
    eventState: row.State?.toUpperCase(),
    stopsequenceNumber: Number(row.Stop),
    references: references.filter(({ value }) => value !== ''),
  };
}

interface Ping {
  load: string;
  at: number;
  position: [number, number];
  vehicle: { vin: string };
  place: { city: string; state: string };
}

export function traceOf({ load, at, position: [longitude, latitude], vehicle, place }: Ping): object {
  const dateTime = new Date(at * 1_000).toISOString().replace('Z', '0000+00:00');
  const time = { dateTime, timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' };
  const trace = { time, coordinate: { latitude, longitude }, resourceId: vehicle.vin, resourceType: 'TRUCK' };
  return { loadNumber: load, traces: [trace], eventCity: place.city, eventState: place.state };
}

async function* bodiesIn(shape: Shape, path: string): AsyncGenerator<object> {
  if (shape === 'traces') {
    for await (const line of createInterface({ input: createReadStream(path) }))
      yield traceOf(JSON.parse(line) as Ping);
  } else {
    const rows = createReadStream(path).pipe(parse({ columns: true, bom: true }));
    for await (const row of rows) yield milestoneOf(row as Record<string, string>);
  }
}

async function tokenFrom(baseUrl: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'APIM' });
  const answer = await fetch(baseUrl + ENDPOINTS.oauthToken.path, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function deliver(shape: Shape, baseUrl: string, path: string): Promise<void> {
  const url = baseUrl + ENDPOINTS[shape === 'traces' ? 'trace' : 'milestone'].path;
  const headers = {
    'Ocp-Apim-Subscription-Key': 'bench',
    carrierSCAC: 'DEMO',
    Authorization: `Bearer ${await tokenFrom(baseUrl)}`,
    Accept: 'application/json',
    'Content-Type': 'application/json',
  };
  const send = async (body: object): Promise<void> => {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  };
  const inFlight = new Set<Promise<void>>();
  for await (const body of bodiesIn(shape, path)) {
    const call: Promise<void> = send(body).finally(() => inFlight.delete(call));
    inFlight.add(call);
    if (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
}

interface NaiveRunWanted {
  shape: Shape;
  upstreamUrl: string;
  smallFile: string;
  file: string;
  /** Called when the small file is through. */
  begin(): Promise<void>;
}

interface NaiveTimes {
  /** From opening the file to the last answer. */
  ms: number;
  cpuMs: number;
}

export async function runNaive({ shape, upstreamUrl, smallFile, file, begin }: NaiveRunWanted): Promise<NaiveTimes> {
  const child = fork(import.meta.filename, [shape, upstreamUrl, smallFile, file]);
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`the naive script ended with ${String(code)}`);
  });
  await Promise.race([once(child, 'message'), ended]);
  await begin();
  const measured = once(child, 'message');
  child.send('begin');
  const [times] = (await Promise.race([measured, ended])) as [NaiveTimes];
  ended.catch(() => {}); // it may go now
  return times;
}

if (process.argv[1] === import.meta.filename) {
  const [shape, upstreamUrl = '', smallFile = '', file = ''] = process.argv.slice(2) as [Shape, string, string, string];
  await deliver(shape, upstreamUrl, smallFile);
  process.send?.('ready');
  await once(process, 'message');
  const [before, fromMs] = [process.cpuUsage(), performance.now()];
  await deliver(shape, upstreamUrl, file);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ ms: performance.now() - fromMs, cpuMs: (user + system) / 1_000 } satisfies NaiveTimes);
  process.disconnect();
}
