/** Small files of the mapping `carrier-status-csv`, made row by row. */
const COLUMNS = [
  'Load #',
  'Status',
  'Reason',
  'Event Date',
  'Event Time',
  'TZ',
  'City',
  'State',
  'Stop',
  'Pro Number',
  'BOL',
];
type Column = (typeof COLUMNS)[number];

/** A row that is right; `cells` replaces some of it. */
export function statusRow(load: string, cells: Partial<Record<Column, string>> = {}): string {
  const right: Record<string, string> = {
    'Load #': load,
    Status: 'X3',
    Reason: 'NS',
    'Event Date': '03/02/2026',
    'Event Time': '08:15',
    TZ: 'CT',
    City: 'Joliet',
    State: 'IL',
    Stop: '1',
    'Pro Number': '774411',
    BOL: 'BOL-1',
  };
  return COLUMNS.map((name) => cells[name] ?? right[name] ?? '').join(',');
}

export const STATUS_HEADER = COLUMNS.join(',');

export const statusFile = (...rows: string[]): string => [STATUS_HEADER, ...rows, ''].join('\n');

/** `count` right rows, spread over `loads` loads; every row has its own stop, so that no two are alike. */
export const statusRows = (count: number, loads: number, prefix = 'LD'): string[] =>
  Array.from({ length: count }, (_, index) => statusRow(`${prefix}${index % loads}`, { Stop: String(index + 1) }));

/** As `statusFile`, each row with one more cell of `bytes` letters: a long file of few rows. */
export const wideStatusFile = (rows: readonly string[], bytes: number): string =>
  [`${STATUS_HEADER},Notes`, ...rows.map((row) => `${row},${'n'.repeat(bytes)}`), ''].join('\n');
