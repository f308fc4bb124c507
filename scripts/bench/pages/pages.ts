/**
 * How long an operator waits for the pages of a batch, by its size: the first page, rows from its middle, wrong rows and
 * issues, next to those of a batch with ten rows. The batches are dry runs: their rows are stored as any others are.
 */
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeOpsKey } from '../../local/ops-keys.ts';
import { makePerson, signIn } from '../../local/people.ts';
import { batchOf, type PreparedBridge, prepareBridge, withBridge } from '../delivery/bridge.ts';
import { temporaryFolder } from '../folders.ts';
import { median } from '../spread.ts';

/** What every other batch is compared with. */
const SMALL_ROWS = 10;

interface PagesWanted {
  root: string;
  /** Of the batches that are compared with the small one. */
  sizes: readonly number[];
  /** How often each page is opened. */
  looks: number;
  tell(text: string): void;
}

/** @property bytes of the answer, the most of all looks. */
export interface PageResult {
  page: string;
  rows: number;
  ms: number;
  smallMs: number;
  bytes: number;
}

export interface PagesResult {
  pages: PageResult[];
  /** Kinds of failures that each batch lists, by its rows. */
  issues: { rows: number; issues: number }[];
}

const PARAMETERS = 'environment=test';

interface OpenedBatch {
  batchId: string;
  rows: number;
}

/** What is opened, by its name. */
const PAGES: Readonly<Record<string, (batch: OpenedBatch) => string>> = {
  'page, first': ({ batchId }) => `/console/batches/${batchId}?${PARAMETERS}`,
  'page, rows of the middle': ({ batchId, rows }) =>
    `/console/batches/${batchId}?state=all&after=${Math.floor(rows / 2)}&${PARAMETERS}`,
  'page, rows of one cause': ({ batchId }) =>
    `/console/batches/${batchId}?state=invalid&code=code_unknown&${PARAMETERS}`,
  'rows, first': ({ batchId }) => `/v1/ops/batches/${batchId}/rows?limit=50&${PARAMETERS}`,
  'rows, wrong after the middle': ({ batchId, rows }) =>
    `/v1/ops/batches/${batchId}/rows?state=invalid&limit=50&after=${Math.floor(rows / 2)}&${PARAMETERS}`,
  issues: ({ batchId }) => `/v1/ops/batches/${batchId}/issues?${PARAMETERS}`,
};

const HEAD = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL,Trailer\n';
/** One row in so many is wrong: 400 of 10,000. */
const WRONG_EVERY = 25;
const DATE = '03/02/2026';

/** In three ways, in turn: a code that no list knows, a date that is none, no load. */
const SPOILT: readonly ((row: string) => string)[] = [
  (row) => row.replace(',X3,', ',QZ,'),
  (row) => row.replace(DATE, '13/45/2026'),
  (row) => row.replace(/^[^,]+/, ''),
];

/** Of the small batch three rows are wrong, so that all of them have the same issues. Pure. */
export function fileRows(rows: number, firstRow = 0, count = rows): string {
  const every = rows > SMALL_ROWS ? WRONG_EVERY : 1;
  return Array.from({ length: count }, (_, at) => {
    const row = firstRow + at;
    const text = `L${row % 5_000},X3,NS,${DATE},08:15,CT,Joliet,IL,1,P${row},,\n`;
    const nth = row / every;
    const spoil = Number.isInteger(nth) && (every > 1 || nth < SPOILT.length) ? SPOILT[nth % SPOILT.length] : undefined;
    return spoil === undefined ? text : spoil(text);
  }).join('');
}

/** Rows written at once. */
const WRITTEN_ROWS = 50_000;

async function* fileParts(rows: number): AsyncGenerator<string> {
  yield HEAD;
  for (let row = 0; row < rows; row += WRITTEN_ROWS) yield fileRows(rows, row, Math.min(WRITTEN_ROWS, rows - row));
}

/** Nothing of a dry run is sent. */
const NO_UPSTREAM = 'http://127.0.0.1:9';

export async function measurePages({ root, sizes, looks, tell }: PagesWanted): Promise<PagesResult> {
  const folder = temporaryFolder();
  const operator = { name: 'operator', role: 'operator', environments: ['test'] } as const;
  const [person, opsKey] = [makePerson(operator), makeOpsKey(operator)];
  const bridge = await prepareBridge(root, join(folder, 'bridge'), person.sql + opsKey.sql);
  return withBridge({ bridge, store: 'disk', upstreamUrl: NO_UPSTREAM }, async ({ baseUrl }) => {
    const batches: OpenedBatch[] = [];
    for (const rows of [SMALL_ROWS, ...sizes]) {
      tell(`pages: a batch of ${rows} rows`);
      const path = join(folder, `${rows}.csv`);
      await writeFile(path, fileParts(rows));
      batches.push({ rows, batchId: await checkedBatch(baseUrl, bridge, path) });
    }
    const { name, value } = await signIn(baseUrl, person);
    const headers = { Cookie: `${name}=${value}`, Authorization: `Bearer ${opsKey.key}` };
    tell(`pages: ${looks} looks at each of ${Object.keys(PAGES).length}`);
    return lookAtAll(baseUrl, headers, { batches, looks });
  });
}

const LOOK_MS = 100;
/** A million rows take minutes on a slow machine. */
const READING_MS_MAX = 30 * 60_000;

async function checkedBatch(baseUrl: string, { key }: PreparedBridge, path: string): Promise<string> {
  const address = `${baseUrl}/v1/batches?mapping=carrier-status-csv&scac=DEMO&dryRun=true&fileName=pages.csv`;
  const headers = { Authorization: `Bearer ${key}` };
  const taken = await fetch(address, { method: 'PUT', headers, body: await openAsBlob(path) });
  if (!taken.ok) throw new Error(`the upload was answered ${taken.status}: ${await taken.text()}`);
  const { batchId } = (await taken.json()) as { batchId: string };
  for (const untilMs = performance.now() + READING_MS_MAX; performance.now() < untilMs; await delay(LOOK_MS))
    if ((await batchOf(baseUrl, key, batchId)).state === 'settled') return batchId;
  throw new Error(`batch ${batchId} has not been read after ${READING_MS_MAX} ms`);
}

type Headers = Readonly<Record<string, string>>;

/** In turn, so that a machine that grows slower does so for all of them. */
async function lookAtAll(
  baseUrl: string,
  headers: Headers,
  { batches, looks }: { batches: readonly OpenedBatch[]; looks: number },
): Promise<PagesResult> {
  const seen = new Map<string, { ms: number[]; bytes: number }>();
  const issues: PagesResult['issues'] = [];
  for (let look = 0; look <= looks; look += 1) {
    for (const [page, addressOf] of Object.entries(PAGES)) {
      for (const batch of batches) {
        const fromMs = performance.now();
        const text = await opened(baseUrl + addressOf(batch), headers);
        const ms = performance.now() - fromMs;
        if (look === 0) {
          if (page === 'issues')
            issues.push({ rows: batch.rows, issues: (JSON.parse(text) as { issues: [] }).issues.length });
          continue; // the first of each is not counted: what has just been started is slow
        }
        const known = seen.get(`${page} ${batch.rows}`) ?? { ms: [], bytes: 0 };
        seen.set(`${page} ${batch.rows}`, {
          ms: [...known.ms, ms],
          bytes: Math.max(known.bytes, Buffer.byteLength(text)),
        });
      }
    }
  }
  const of = (page: string, rows: number) => seen.get(`${page} ${rows}`) ?? { ms: [], bytes: 0 };
  const pages = batches
    .filter(({ rows }) => rows !== SMALL_ROWS)
    .flatMap(({ rows }) =>
      Object.keys(PAGES).map((page) => ({
        ...{ page, rows, bytes: of(page, rows).bytes },
        ...{ ms: median(of(page, rows).ms), smallMs: median(of(page, SMALL_ROWS).ms) },
      })),
    );
  return { pages, issues };
}

async function opened(address: string, headers: Headers): Promise<string> {
  const answer = await fetch(address, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${address} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}
