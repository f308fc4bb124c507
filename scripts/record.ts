/**
 * What this checkout answers to every route, fixture and role, as text to compare with what another one answers.
 *
 *   npm run record -- --out FOLDER        records this checkout
 *   npm run record -- --against REVISION  records that commit and this checkout, and shows where they differ; 1 where they do
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { NotRun, runCommand, say } from './frame/command.ts';
import { PROJECT_ROOT } from './frame/kept-file.ts';
import { checkOut, removeCheckout } from './local/checkout.ts';
import type { NewOpsKey } from './local/ops-keys.ts';
import type { MadeKey, NewPartnerKey } from './local/partner-keys.ts';
import { type MadePerson, type NewPerson, signIn } from './local/people.ts';
import type { Stack, StackOptions } from './local/stack.ts';
import { Driver, type Exchange, fixturesIn, type Role, routeCalls } from './record/drive.ts';
import { masker } from './record/mask.ts';
import { isOf, routesOf } from './record/routes.ts';
import { objectSchemas } from './record/schemas.ts';

/** A window of 15 minutes passes in about a second. */
const TIME_SCALE = 900;

const PARTNERS: readonly (NewPartnerKey & { role: Role })[] = [
  { role: 'carrier', partner: 'demo-carrier', displayName: 'Demo Carrier', channel: 'sandbox-test', scacs: ['DEMO'] },
  {
    role: 'shipper',
    partner: 'acme-freight',
    displayName: 'Acme Freight',
    channel: 'sandbox-test-bearer',
    scacs: ['ACME'],
  },
].map((each) => ({ ...each, environment: 'test', mappings: null }) as NewPartnerKey & { role: Role });

const OPERATORS = [
  { role: 'operator', wanted: { name: 'Operator', role: 'admin', environments: ['test'] } },
  { role: 'viewer', wanted: { name: 'Viewer', role: 'viewer', environments: ['test'] } },
] as const;

/** The starting scripts of the checkout that is recorded: each starts its own Workers. */
interface Starters {
  startStack(options: StackOptions): Promise<Stack>;
  makeOpsKey(wanted: NewOpsKey): MadeKey;
  /** undefined: a release whose pages were opened with a key. */
  makePerson: ((wanted: NewPerson) => MadePerson) | undefined;
}

async function startersOf(root: string): Promise<Starters> {
  const load = <T>(path: string): Promise<T> => import(pathToFileURL(join(root, path)).href) as Promise<T>;
  const { startStack } = await load<Pick<Starters, 'startStack'>>('scripts/local/stack.ts');
  const { makeOpsKey } = await load<Pick<Starters, 'makeOpsKey'>>('scripts/local/ops-keys.ts');
  const path = 'scripts/local/people.ts';
  const people = existsSync(join(root, path)) ? await load<{ makePerson: Starters['makePerson'] }>(path) : undefined;
  return { startStack, makeOpsKey, makePerson: people?.makePerson };
}

/** What the browser of each role holds; nothing where pages are opened with a key. */
async function sessionsOf(
  { bridge: { baseUrl } }: Stack,
  keys: ReadonlyMap<Role, string>,
  links: ReadonlyMap<Role, string | undefined>,
): Promise<Map<Role, string>> {
  const sessions = new Map<Role, string>();
  if ([...links.values()].includes(undefined)) return sessions;
  for (const [role, key] of keys) {
    const link = links.get(role);
    const { name, value } = await signIn(baseUrl, link === undefined ? { key } : { link });
    sessions.set(role, `${name}=${value}`);
  }
  return sessions;
}

/** Writes `answers.txt`, `upstream.txt`, `tables.txt` and `routes.txt` into the folder. */
async function record(root: string, folder: string): Promise<void> {
  const { startStack, makeOpsKey, makePerson } = await startersOf(root);
  const operators = OPERATORS.map(({ role, wanted }) => {
    const [key, person] = [makeOpsKey(wanted), makePerson?.(wanted)];
    return { role, ...key, sql: key.sql + (person?.sql ?? ''), link: person?.link };
  });
  const fromMs = Date.now() - 600_000;
  const stack = await startStack({
    partners: PARTNERS,
    directorySql: operators.map(({ sql }) => sql).join(''),
    timeScale: TIME_SCALE,
  });
  try {
    const keys = new Map<Role, string>(PARTNERS.map(({ role }, at) => [role, stack.keys[at] ?? '']));
    for (const { role, key } of operators) keys.set(role, key);
    const sessions = await sessionsOf(stack, keys, new Map(operators.map(({ role, link }) => [role, link])));
    const driver = new Driver(stack, keys, sessions);
    const batches = await driver.fixtures(fixturesIn(join(PROJECT_ROOT, 'fixtures')), (text) =>
      process.stderr.write(`  ${text}\n`),
    );
    for (const call of routeCalls(batches)) await driver.call(call);
    const named = new Map([
      [stack.bridge.baseUrl, '<bridge>'],
      [stack.sandbox.baseUrl, '<sandbox>'],
      [new URL(stack.bridge.baseUrl).host, '<bridge>'],
      [new URL(stack.sandbox.baseUrl).host, '<sandbox>'],
      ...[...keys].flatMap(([role, key]): [string, string][] => [
        [key, `<key of ${role}>`],
        [key.split('_').at(-2) ?? key, `<key id of ${role}>`],
      ]),
    ]);
    const mask = masker({ named, fromMs });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'answers.txt'), driver.exchanges.map((each) => mask(exchangeText(each))).join('\n'));
    const journal = await stack.journal();
    const sent = journal.map(({ method, path, query, headers, body, status }) =>
      mask(`${method} ${path}?${query}\n${JSON.stringify(headers)}\n${body}\n→ ${status}`),
    );
    writeFileSync(join(folder, 'upstream.txt'), sent.sort().join('\n\n'));
    await stack.bridge.stop();
    writeFileSync(join(folder, 'tables.txt'), objectSchemas(stack.persistTo));
    const routes = await routesOf(root);
    const uncalled = routes.filter((route) => !driver.exchanges.some(({ method, path }) => isOf(route, method, path)));
    writeFileSync(join(folder, 'routes.txt'), `${routes.join('\n')}\n`);
    if (uncalled.length > 0) say(`Routes that were not called:\n  ${uncalled.join('\n  ')}`);
    say(`${driver.exchanges.length} calls, ${journal.length} requests upstream, ${routes.length} routes`);
  } finally {
    await stack.stop();
  }
}

const exchangeText = ({ role, method, path, status, answerHeaders, answer }: Exchange): string =>
  `=== ${role} ${method} ${path}\n${status}\n${answerHeaders
    .filter(([name]) => name !== 'date')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${answer}\n`;

/** @returns whether nothing differs. */
async function compare(revision: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-record-'));
  const before = join(folder, 'before');
  try {
    checkOut(revision, before);
    await record(before, join(folder, 'recorded', 'before'));
    await record(PROJECT_ROOT, join(folder, 'recorded', 'now'));
    const { status } = spawnSync('diff', ['-r', '-U2', 'before', 'now'], {
      cwd: join(folder, 'recorded'),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    say(status === 0 ? 'No difference.' : 'They differ.');
    return status === 0;
  } finally {
    removeCheckout(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

await runCommand(async () => {
  const { out, against } = parseArgs({ options: { out: { type: 'string' }, against: { type: 'string' } } }).values;
  if (against !== undefined) return compare(against);
  if (out === undefined) throw new NotRun('Say --out FOLDER or --against REVISION.');
  await record(PROJECT_ROOT, resolve(out));
  return true;
});
