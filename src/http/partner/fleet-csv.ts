/**
 * Vehicles, service records and locations as CSV: one line each, a column per scalar member, named by its dotted path. Pure.
 *
 * Which members there are is the upstream's to say, so columns come from what is there, in the order in which they first
 * appear. Texts stay as they were sent, leading zeros too; those that a spreadsheet would run are neutralised as in reports.
 */
import { csvLine, neutralised } from '../../batch/report/report-csv.ts';
import type { FleetItem } from '../../fleet/judge.ts';
import { FLEET_CELLS_MAX, FLEET_COLUMN_DEPTH_MAX, FLEET_COLUMNS_MAX } from '../../fleet/limits.ts';

export interface FleetTable {
  /** The header, then one line per item. */
  lines(): Generator<string>;
  columnsLeftOut: number;
}

/** @param columnWhenNone what the header says where there are no items. */
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

/** No CSV reader takes NUL, and no file in UTF-8 half a character. */
const readable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Readers drop blanks around names, and refuse a file in which two are alike. */
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
