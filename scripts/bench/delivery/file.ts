/**
 * The files whose delivery is measured: status rows of a carrier as CSV, twenty or so for each load or one for each, and
 * positions of trucks as NDJSON. Every row is right, and every row carries its number, by which the upstream knows it again.
 * The same wish gives the same bytes. Pure.
 */

/** `milestones`: so many rows of each load. `new loads`: one. `traces`: positions, which a load packs into one request. */
export const SHAPES = ['milestones', 'new loads', 'traces'] as const;
export type Shape = (typeof SHAPES)[number];

export interface FileWanted {
  shape: Shape;
  loads: number;
  rowsPerLoad: number;
  /** Begins every load number, so that two files have no load in common. */
  prefix: string;
  /** Number of its first row; absent: 0. No two files that are sent at once have one in common. */
  firstRow?: number;
}

export const MAPPING_OF: Readonly<Record<Shape, string>> = {
  milestones: 'carrier-status-csv',
  'new loads': 'carrier-status-csv',
  traces: 'gps-pings-ndjson',
};

export const rowsPerLoadOf = ({ shape, rowsPerLoad }: Omit<FileWanted, 'prefix'>): number =>
  shape === 'new loads' ? 1 : rowsPerLoad;

export const rowsOf = (wanted: Omit<FileWanted, 'prefix'>): number => wanted.loads * rowsPerLoadOf(wanted);

/** Of a row, counted from 0: a text that stands nowhere else in a body. */
export const markOf = (row: number): string => `R${row}`;
/** In a request's body. */
export const MARK = /"R(\d+)"/g;

/** A winter's day: its hours are those of Central Standard Time. */
const FIRST_MS = Date.parse('2025-01-06T08:00:00Z');
const ROW_MS = 7 * 60_000;
const STATUSES = ['X3', 'AF', 'X1', 'CD'] as const;
const CSV_HEAD = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL,Trailer\n';

export function fileText(wanted: FileWanted): string {
  const perLoad = rowsPerLoadOf(wanted);
  const rowText = wanted.shape === 'traces' ? traceRow : milestoneRow;
  const rows = Array.from({ length: rowsOf(wanted) }, (_, row) => {
    const load = `${wanted.prefix}${String(Math.floor(row / perLoad)).padStart(6, '0')}`;
    return rowText(load, (wanted.firstRow ?? 0) + row, row % perLoad);
  });
  return (wanted.shape === 'traces' ? '' : CSV_HEAD) + rows.join('');
}

/** Arrivals and departures, two for each stop. */
function milestoneRow(load: string, row: number, ofLoad: number): string {
  const [date = '', time = ''] = new Date(FIRST_MS + ofLoad * ROW_MS).toISOString().split('T');
  const [year, month, day] = date.split('-');
  const status = ofLoad % 2 === 0 ? STATUSES[ofLoad === 0 ? 0 : 2] : STATUSES[ofLoad === 1 ? 1 : 3];
  const stop = 1 + Math.floor(ofLoad / 2);
  return `${load},${status},NS,${month}/${day}/${year},${time.slice(0, 5)},CT,Joliet,IL,${stop},${markOf(row)},BOL-${load},TR ${row % 9_000}\n`;
}

/** A truck that drives north, about 50 km/h. */
function traceRow(load: string, row: number, ofLoad: number): string {
  return `${JSON.stringify({
    load,
    at: (FIRST_MS + ofLoad * ROW_MS) / 1_000,
    position: [-88.0817, Number((41.5 + ofLoad * 0.05).toFixed(5))],
    vehicle: { vin: markOf(row) },
    place: { city: 'Joliet', state: 'IL' },
  })}\n`;
}
