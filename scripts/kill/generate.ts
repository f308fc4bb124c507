/** A carrier file whose every row makes a request of its own kind: no two bodies are alike, and rows of a load are in order. Pure. */
const HEADER = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL';
const STATUSES = ['X3', 'AF', 'X6', 'X1', 'D1', 'CD'] as const;

/** @param name goes into every load number, so that files of one run share no load. */
export function carrierFile(name: string, loads: number, rowsPerLoad: number, random: () => number): string {
  const left = Array.from({ length: loads }, () => 0);
  const open = left.map((_, index) => index);
  const lines = [HEADER];
  while (open.length > 0) {
    const at = Math.floor(random() * open.length);
    const load = open[at] ?? 0;
    const row = left[load] ?? 0;
    left[load] = row + 1;
    if (row + 1 >= rowsPerLoad) open.splice(at, 1);
    const minutes = row * 7;
    const time = `${String(8 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
    const status = STATUSES[row % STATUSES.length];
    lines.push(`${name}-${load},${status},NS,03/02/2026,${time},CT,Joliet,IL,${row + 1},PRO${row},`);
  }
  return `${lines.join('\n')}\n`;
}
