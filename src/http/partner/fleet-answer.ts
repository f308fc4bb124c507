/**
 * Vehicles, service records and locations as CSV: one line each, a column per scalar member, named by its dotted path;
 * with the headers of their age, and problems. Pure.
 * The upstream decides which members there are, so columns come from the data, in the order in which they first appear.
 * Texts are kept as sent, with leading zeros; those that a spreadsheet would run are neutralised as in reports.
 */
import { csvLine, neutralised } from '../../batch/report/report-csv.ts';
import type { FleetItem, FleetTrouble } from '../../fleet/answer.ts';
import { FLEET_CELLS_MAX, FLEET_COLUMN_DEPTH_MAX, FLEET_COLUMNS_MAX } from '../../fleet/limits.ts';
import type { FleetReading } from '../../fleet/read.ts';
import type { ProblemMessages } from '../edge/problem.ts';

interface FleetTable {
  /** The header, then one line per item. */
  lines(): Generator<string>;
  columnsLeftOut: number;
}

/** @param columnWhenNone the header when there are no items. */
export function fleetTable(items: readonly FleetItem[], columnWhenNone: string): FleetTable {
  const columnsMax = Math.min(FLEET_COLUMNS_MAX, Math.ceil(FLEET_CELLS_MAX / items.length));
  const paths = new Set<string>();
  const leftOut = new Set<string>();
  for (const item of items) {
    for (const [path] of cellsOf(item, '', 1)) {
      if (paths.has(path)) continue;
      if (paths.size < columnsMax) paths.add(path);
      else leftOut.add(path);
    }
  }
  const names = items.length === 0 ? [columnWhenNone] : distinct([...paths]);
  return {
    *lines() {
      yield csvLine(names);
      for (const item of items) {
        const cells = new Map(cellsOf(item, '', 1));
        yield csvLine([...paths].map((path) => readable(cells.get(path) ?? '')));
      }
    },
    columnsLeftOut: leftOut.size,
  };
}

/** @param prefix of the paths, with its dot. @param depth of `item`, from 1. */
function* cellsOf(item: FleetItem, prefix: string, depth: number): Generator<[path: string, text: string]> {
  for (const [name, member] of Object.entries(item)) {
    const path = `${prefix}${name.replace(/[\\.]/g, '\\$&')}`;
    if (isObject(member) && depth < FLEET_COLUMN_DEPTH_MAX) yield* cellsOf(member, `${path}.`, depth + 1);
    else yield [path, cellText(member)];
  }
}

function cellText(member: unknown): string {
  if (member === null) return '';
  if (typeof member === 'string') return member;
  if (!Array.isArray(member) || member.some(isNested)) return JSON.stringify(member);
  return member.map(cellText).join(' | ');
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isObject = (value: unknown): value is FleetItem => isNested(value) && !Array.isArray(value);

/** No CSV reader accepts NUL, and no UTF-8 file can have half a surrogate pair. */
const readable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Readers trim blanks around names, and refuse a file with two equal ones. */
function distinct(paths: readonly string[]): string[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    const name = readable(path);
    let free = name;
    for (let count = 2; taken.has(neutralised(free).trim()); count += 1) free = `${name} (${count})`;
    taken.add(neutralised(free).trim());
    return free;
  });
}

/* How old an answer about vehicles and locations is, as headers; and why there is none, as messages. */

/**
 * RFC 9111 counts `max-age` from the answer at its source, as `Age` does, so it stays the same while `Age` grows.
 * `Cache-Status` (RFC 9211) marks an answer that is shown because no newer one could be had: its `detail` is the
 * problem code that would have been answered.
 */
export const ageHeaders = (reading: FleetReading): Record<string, string> => ({
  Age: seconds(reading.ageMs),
  'Cache-Control': `private, max-age=${seconds(reading.freshMs)}, stale-while-revalidate=${seconds(reading.staleMs)}`,
  'Cache-Status': `transload; ${cacheStatus(reading)}`,
  Vary: 'Authorization, Accept',
});

function cacheStatus({ ageMs, freshMs, wasAsked, trouble }: FleetReading): string {
  const kept = `hit; ttl=${seconds(freshMs - ageMs)}`;
  if (trouble === null) return wasAsked ? 'fwd=miss' : kept;
  const asked = trouble.status === null ? 'fwd=stale' : `fwd=stale; fwd-status=${trouble.status}`;
  return `${wasAsked ? asked : kept}; detail=${troubleMessage(trouble).code}`;
}

const seconds = (durationMs: number): string => String(Math.floor(durationMs / 1_000));

/** @param trouble why there is no answer, and nothing cached that could be shown. */
export function troubleMessage({ code, api, status, detail }: FleetTrouble): ProblemMessages {
  const said = status === null ? `could not be read: ${detail}` : `answered ${status}: ${detail}`;
  const what = `The ${api} API of the receiving system ${said}`;
  switch (code) {
    case 'fleet_down':
      return {
        status: 503,
        code: 'upstream_down',
        title: 'Receiving system not answering',
        detail: `Nothing is kept here that could be shown. ${what}`,
        fix: 'Ask again: what was read within a day is shown meanwhile.',
      };
    case 'fleet_refused':
      return {
        status: 502,
        code: 'upstream_refused',
        title: 'Refused by the receiving system',
        detail: what,
        fix: 'Check the filters. If they are right, tell the operator: the channel of your key may not ask this.',
      };
    case 'fleet_unreadable':
      return {
        status: 502,
        code: 'upstream_unreadable',
        title: 'Answer not readable',
        detail: what,
        fix: 'Tell the operator: the receiving system answers otherwise than was agreed.',
      };
  }
}

/** A vehicle of somebody else is answered like one that does not exist. */
export const UNKNOWN_VEHICLE: ProblemMessages = {
  status: 404,
  code: 'vehicle_unknown',
  title: 'Unknown vehicle',
  detail: 'The receiving system shows no vehicle of this number to the channel of your key.',
  fix: 'Check the number, with its leading zeros; GET /v1/vehicles lists those there are.',
};

export const UNKNOWN_LOCATION: ProblemMessages = {
  status: 404,
  code: 'location_unknown',
  title: 'Unknown location',
  detail: 'The receiving system knows no location of this number.',
  fix: 'Check the number, with its leading zeros; GET /v1/locations lists those there are.',
};

export const notShown = (channel: string): ProblemMessages => ({
  status: 403,
  code: 'fleet_not_shown',
  title: 'Vehicles and locations not shown',
  detail: `The channel "${channel}" of your key shows no vehicles, service history or locations.`,
  fix: 'Ask the operator, who sets what a channel shows.',
});

export const channelMissing = (channel: string): ProblemMessages => ({
  status: 503,
  code: 'channel_missing',
  title: 'Channel not configured',
  detail: `The channel "${channel}" of your key is not configured for this environment.`,
  fix: 'The operator must configure the channel; ask again afterwards.',
});
