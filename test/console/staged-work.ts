/** The data that the console's pages are shown with: every kind of batch, failure, hold and order. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partnerClient } from '../../scripts/demo/partner.ts';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import { makePerson, type SignedIn, signIn } from '../../scripts/local/people.ts';
import { type Stack, startStack } from '../../scripts/local/stack.ts';
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { pause } from '../../src/kernel/clock.ts';
import { OPS_ROLES } from '../../src/ops/directory/directory.ts';
import { TEST_PARTNER } from '../e2e/environment.ts';

export type Role = 'acme' | 'other' | 'viewer' | 'operator' | 'admin';

export interface StagedWork {
  baseUrl: string;
  sandboxUrl: string;
  keys: Record<Role, string>;
  /** What a browser of each of them holds. */
  sessions: Record<Role, SignedIn>;
  /** Ids by name. */
  batches: Record<string, string>;
}

const HEADER = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL,Trailer\n';

/** A row of `carrier-status-csv`. */
export const statusRow = (load: string, code: string, minute = 0, city = 'Joliet'): string =>
  `${load},${code},NS,03/02/2026,${String(8 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')},CT,${city},IL,1,,,\n`;

export const statusFile = (rows: readonly string[]): string => HEADER + rows.join('');

const refusals = (bodyIncludes: string, body: string) => ({
  match: { method: 'POST', bodyIncludes },
  fault: { type: 'status', status: 422, body },
});

/** Loads whose first try has no clear answer and whose second is refused: a person decides. */
const HELD_LOADS = Array.from({ length: 5 }, (_, at) => `HELD-${at}`);

const firstTryOf = (load: string) => ({
  match: { method: 'POST', bodyIncludes: `"loadNumber":"${load}"` },
  times: 1,
  fault: { type: 'status', status: 500, body: '{"message":"Something went wrong."}', apply: 'before' },
});

/** What the sandbox is told to do wrong while the data is made, and afterwards. */
const FAULTS = [
  ...HELD_LOADS.map(firstTryOf),
  refusals('"loadNumber":"HELD-', '{"message":"The event is known."}'),
  refusals('"loadNumber":"CLOSED', '{"message":"The load is closed."}'),
  { match: { method: 'POST', bodyIncludes: 'SO-HELD' }, fault: { type: 'reset', apply: 'never' } },
];

/** Those that are still to be met once the data is made: a test that sets others keeps these. */
export const LASTING_FAULTS = FAULTS.filter((rule) => !('times' in rule));

export async function stageWork(): Promise<{ stack: Stack; work: StagedWork }> {
  const operators = OPS_ROLES.map((role) => {
    const wanted = { name: `${role} on duty`, role, environments: ['test', 'production'] } as const;
    return { role, key: makeOpsKey(wanted), person: makePerson(wanted) };
  });
  const stack = await startStack({
    partners: [TEST_PARTNER, { ...TEST_PARTNER, partner: 'other', displayName: 'Other Lines' }],
    directorySql: operators.map(({ key, person }) => key.sql + person.sql).join(''),
    timeScale: 60,
  });
  const folder = mkdtempSync(join(tmpdir(), 'transload-stage-'));
  try {
    await stack.putFaults(FAULTS);
    const { baseUrl } = stack.bridge;
    const [acme = '', other = ''] = stack.keys;
    const batches: Record<string, string> = {};
    const upload = async (name: string, mapping: string, path: string, key = acme): Promise<void> => {
      const client = partnerClient(baseUrl, key);
      const { batchId } = await client.upload(path, mapping);
      await client.watch(batchId, () => undefined);
      batches[name] = batchId;
    };
    const write = (name: string, text: string): string => {
      const path = join(folder, `${name}.csv`);
      writeFileSync(path, text);
      return path;
    };
    const sample = (name: string): string => join(PROJECT_ROOT, 'fixtures/samples', name);
    await upload('mixed', 'carrier-status-csv', sample('carrier-status-csv.csv'));
    await upload('unreadable', 'carrier-status-csv', write('unreadable', 'a,b\n1,2\n'));
    await upload('empty', 'carrier-status-csv', write('empty', statusFile([])));
    await upload('issues', 'carrier-status-csv', write('issues', statusFile(issueRows())), other);
    await upload('orders', 'orders-csv', sample('orders-csv.csv'));
    await upload('edi', 'x12-214', sample('x12-214.x12'));
    await upload('positions', 'gps-pings-ndjson', sample('gps-pings-ndjson.ndjson'));
    await upload('naughty', 'carrier-status-csv', write(NAUGHTY_NAME, statusFile(naughtyRows())));
    const path = write('held', statusFile(heldRows()));
    batches.held = (await partnerClient(baseUrl, acme).upload(path, 'carrier-status-csv')).batchId;
    await allHeld(baseUrl, acme, batches.held);
    const opsKeys = Object.fromEntries(operators.map(({ role, key }) => [role, key.key]));
    const keys = { acme, other, ...opsKeys } as Record<Role, string>;
    const ways: [Role, { key: string } | { link: string }][] = [
      ['acme', { key: acme }],
      ['other', { key: other }],
      ...operators.map(({ role, person }): [Role, { link: string }] => [role, { link: person.link }]),
    ];
    const signedIn = await Promise.all(ways.map(async ([role, by]) => [role, await signIn(baseUrl, by)] as const));
    const sessions = Object.fromEntries(signedIn) as Record<Role, SignedIn>;
    return { stack, work: { baseUrl, sandboxUrl: stack.sandbox.baseUrl, keys, sessions, batches } };
  } catch (thrown) {
    await stack.stop();
    throw thrown;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const heldRows = (): string[] => HELD_LOADS.map((load, at) => statusRow(load, 'X3', at));

const HELD_PAUSE_MS = 500;
const HELD_TRIES_MAX = 120;

/** A batch with held rows does not end before somebody decides. */
async function allHeld(baseUrl: string, key: string, batchId: string): Promise<void> {
  for (let tries = 0; tries < HELD_TRIES_MAX; tries += 1) {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${baseUrl}/v1/batches/${batchId}`, { headers });
    const { rowStates } = (await answer.json()) as BatchSummary;
    if (rowStates.held === HELD_LOADS.length) return;
    await pause(HELD_PAUSE_MS);
  }
  throw new Error('the rows that a person should decide about are not held');
}

/** Three kinds of failure: a code that no list knows, loads that are closed, and dates that are none. */
const issueRows = (): string[] => [
  ...Array.from({ length: 60 }, (_, at) => statusRow(`FINE-${at}`, 'X3', at)),
  ...Array.from({ length: 40 }, (_, at) => statusRow(`QQ-${at}`, 'QQ', at)),
  ...Array.from({ length: 12 }, (_, at) => statusRow(`CLOSED-${at}`, 'X3', at)),
  ...Array.from({ length: 5 }, (_, at) => statusRow(`DATE-${at}`, 'X3', at).replace('03/02/2026', '13/45/2026')),
];

const NAUGHTY_NAME = '<img src=x onerror=alert(1)>';

/** Texts that would act if a page took them for markup. */
export const NAUGHTY = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "javascript:alert('1')",
  '{{constructor.constructor("alert(1)")()}}',
  '</title><script>alert(1)</script>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
];

const naughtyRows = (): string[] =>
  NAUGHTY.flatMap((text) => {
    const cell = `"${text.replaceAll('"', '""')}"`;
    return [statusRow(cell, 'X3', 1), statusRow('NAUGHTY', cell, 2), statusRow('NAUGHTY', 'X3', 3, cell)];
  });
