/** State that an earlier release stored, as if that release had been stopped just now. */
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { unpack } from '../../scripts/keep/pack.ts';

const STORED = join(PROJECT_ROOT, 'fixtures/stored');

/** What its `made.json` says. */
export interface Made {
  release: string;
  madeAtMs: number;
  partner: string;
  keys: { partner: string; ops: string };
  settled: string;
  waiting: string;
  rejected: string;
  open: string;
  openRows: number;
  order: string;
  orderId: string;
  webhook: string;
  actionId: string;
}

export const RELEASES: string[] = readdirSync(STORED, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export const madeOf = (release: string): Made =>
  JSON.parse(readFileSync(join(STORED, release, 'made.json'), 'utf8')) as Made;

/** Whatever waited when it was stopped is due by now. */
const STOPPED_FOR_MS = 600_000;
const YEAR_MS = 365 * 86_400_000;

/** @returns a folder that a bridge can be started on. */
export function openedFolder(release: string): string {
  const persistTo = mkdtempSync(join(tmpdir(), 'transload-kept-'));
  unpack(join(STORED, release), persistTo);
  const { madeAtMs } = madeOf(release);
  const times = {
    fromMs: madeAtMs - YEAR_MS,
    toMs: madeAtMs + 10 * YEAR_MS,
    byMs: Date.now() - madeAtMs - STOPPED_FOR_MS,
  };
  for (const path of globSync('v3/{do,r2}/**/*.sqlite', { cwd: persistTo })) moveTimes(join(persistTo, path), times);
  return persistTo;
}

/** In the file that is left open: its last row, which is not read yet, departs at a time that there is not. */
export function misdateLastRow(persistTo: string): void {
  for (const path of globSync('v3/r2/*/blobs/*', { cwd: persistTo })) {
    const stored = readFileSync(join(persistTo, path), 'latin1');
    if (!stored.includes('\nKEPT-OPEN,')) continue;
    const misdated = stored.replace(/,,(pier-\d+,\d+,)x{8}(x+\n)$/, ',09:61:00,$1$2');
    if (misdated === stored || misdated.length !== stored.length) throw new Error(`${path} has no such row`);
    writeFileSync(join(persistTo, path), misdated, 'latin1');
  }
}

interface Times {
  fromMs: number;
  toMs: number;
  byMs: number;
}

/** Lives and deadlines count from when something was stored: without this a fixture would die of old age. */
function moveTimes(path: string, { fromMs, toMs, byMs }: Times): void {
  const database = new DatabaseSync(path);
  database.function('moved', { deterministic: true }, (text) =>
    String(text).replace(/\b\d{13}\b/g, (digits) =>
      Number(digits) >= fromMs && Number(digits) <= toMs ? String(Number(digits) + byMs) : digits,
    ),
  );
  const tables = database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all();
  for (const { name: table } of tables) {
    const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(String(table));
    for (const { name } of columns) {
      const column = `"${name}"`;
      const add = (unit: string): string =>
        `UPDATE "${table}" SET ${column} = ${column} + ${byMs}${unit}
         WHERE typeof(${column}) = 'integer' AND ${column} BETWEEN ${fromMs}${unit} AND ${toMs}${unit}`;
      database.exec(add(''));
      database.exec(add('000000')); // the runtime keeps alarms in nanoseconds
      database.exec(
        `UPDATE "${table}" SET ${column} = moved(${column}) WHERE typeof(${column}) = 'text' AND moved(${column}) IS NOT ${column}`,
      );
    }
  }
  database.close();
}
