/** A telematics day as NDJSON lines: one position a minute for each load, shuffled a little. Pure: dice are passed in. */

import type { ArrivingPoint } from '../invariants/traces.ts';

export interface Ping {
  load: string;
  /** Minutes since the beginning of the day. */
  minute: number;
  line: string;
  /** As the receiving system must get it. */
  arrives: ArrivingPoint;
}

const DAY_STARTS_MS = Date.UTC(2026, 2, 2);
const MINUTE_MS = 60_000;
/** How far a line may stray from its place, in minutes of the day. */
const STRAY_MINUTES = 3;

/** @property name goes into every load number, so that the files of one run need not share a load. */
interface Stretch {
  name: string;
  loads: number;
  fromMinute: number;
  minutes: number;
}

/** @returns the lines in the order of the file: by time, but for a few minutes of disorder. */
export function pingsOf({ name, loads, fromMinute, minutes }: Stretch, random: () => number): Ping[] {
  return Array.from({ length: minutes }, (_, minute) =>
    Array.from({ length: loads }, (_, load) => ({
      ping: pingOf(name, load, fromMinute + minute),
      place: minute + random() * STRAY_MINUTES,
    })),
  )
    .flat()
    .sort((one, other) => one.place - other.place)
    .map(({ ping }) => ping);
}

function pingOf(name: string, load: number, minute: number): Ping {
  const atMs = DAY_STARTS_MS + minute * MINUTE_MS;
  const latitude = round(30 + load / 10 + minute / 10_000);
  const longitude = round(-80 - load / 10 - minute / 10_000);
  const loadNumber = `${name}-${load}`;
  const read = {
    load: loadNumber,
    at: atMs / 1_000,
    position: [longitude, latitude],
    vehicle: { vin: vinOf(load).toLowerCase() },
  };
  const dateTime = new Date(atMs).toISOString().replace('.000Z', '.0000000+00:00');
  return {
    load: loadNumber,
    minute,
    line: JSON.stringify(read),
    arrives: { dateTime, latitude, longitude, resourceId: vinOf(load) },
  };
}

/** In the form that the receiving system documents. */
const vinOf = (load: number): string => `1XKYD49X0MJ${String(load).padStart(6, '0')}`;

const round = (degrees: number): number => Number(degrees.toFixed(4));

export const fileOf = (pings: readonly Ping[]): string => pings.map(({ line }) => `${line}\n`).join('');
