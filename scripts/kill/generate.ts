/**
 * Carrier files whose every row makes a request of its own: no two bodies are alike, and rows of a load are in order. Pure.
 */
const STATUS_HEADER = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL';
const MIXED_HEADER = 'Type,Load,Status,Reason,When,TZ,City,State,Stop,Lat,Lon,VIN,Odometer,Odometer Unit,Temp F,Note';
const STATUSES = ['X3', 'AF', 'X6', 'X1', 'D1', 'CD'] as const;
/** A mixed file has a position behind this many status rows of a load. */
const STATUS_ROWS_PER_POSITION = 2;

/** Milestones. @param name goes into every load number, so that files of one run share no load. */
export const carrierFile = (name: string, loads: number, rowsPerLoad: number, random: () => number): string =>
  fileOf(
    STATUS_HEADER,
    interleaved(loads, rowsPerLoad, random).map(({ load, row }) => {
      const status = STATUSES[row % STATUSES.length];
      return `${name}-${load},${status},NS,03/02/2026,${timeOf(row)},CT,Joliet,IL,${row + 1},PRO${row},`;
    }),
  );

/** Milestones and positions of the same loads. */
export const mixedFile = (name: string, loads: number, rowsPerLoad: number, random: () => number): string =>
  fileOf(
    MIXED_HEADER,
    interleaved(loads, rowsPerLoad, random).map(({ load, row }) => {
      const when = `03/02/2026 ${timeOf(row)}`;
      if (row % (STATUS_ROWS_PER_POSITION + 1) === STATUS_ROWS_PER_POSITION) {
        const [latitude, longitude] = [30 + row / 100, -80 - load / 100].map((degrees) => degrees.toFixed(2));
        return `L,${name}-${load},,,${when},CT,,,,${latitude},${longitude},${vinOf(load)},,,,`;
      }
      return `S,${name}-${load},${STATUSES[row % STATUSES.length]},,${when},CT,Joliet,IL,${row + 1},,,,,,,`;
    }),
  );

/** In the form that the receiving system documents. */
const vinOf = (load: number): string => `1XKYD49X0MJ${String(load).padStart(6, '0')}`;

const fileOf = (header: string, lines: readonly string[]): string => `${[header, ...lines].join('\n')}\n`;

const timeOf = (row: number): string => {
  const minutes = row * 7;
  return `${String(8 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
};

/** Rows of a load keep their order; loads are mixed. */
function interleaved(loads: number, rowsPerLoad: number, random: () => number): { load: number; row: number }[] {
  const left = Array.from({ length: loads }, () => 0);
  const open = left.map((_, index) => index);
  const rows: { load: number; row: number }[] = [];
  while (open.length > 0) {
    const at = Math.floor(random() * open.length);
    const load = open[at] ?? 0;
    const row = left[load] ?? 0;
    left[load] = row + 1;
    if (row + 1 >= rowsPerLoad) open.splice(at, 1);
    rows.push({ load, row });
  }
  return rows;
}
