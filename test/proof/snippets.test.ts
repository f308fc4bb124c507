/** Every command of the documents works as printed, where it can run here; where not, the document says so to its reader. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partnerClient } from '../../scripts/demo/partner.ts';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { followOrders } from '../../scripts/lives/followed-orders.ts';
import { channelName } from '../../scripts/local/bridge.ts';
import { callsWith, isSettledOrHeld, pause } from '../../scripts/local/client.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import { type Stack, startStack } from '../../scripts/local/stack.ts';
import { type Filled, openShell, type Ran, type Shell } from '../documentation/run-commands.ts';
import { blocksOf, type Command, commandsIn, membersOf, ON_AN_ACCOUNT } from '../documentation/snippets.ts';
import { TEST_PARTNER } from '../e2e/environment.ts';
import { hasCurl } from './has-curl.ts';

/** What changes or reads a deployment: it is never run here, and its reader is told that it needs one. */
const NEEDS_AN_ACCOUNT = /\bnpx wrangler\b|--remote\b|--account\b|npm run deploy\b/;

/** Not run by this test, and why. */
const ELSEWHERE: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci( && npm run demo)?$|^npm run demo$/, 'test/proof/demo.test.ts runs it'],
  [/^npm test$/, 'this is one of its tests'],
  [/^transload login /, 'asks on a terminal: test/proof/transload.test.ts'],
  [/^transload upload events.csv --watch$/, 'asks on a terminal: test/proof/transload.test.ts'],
  [/^transload events --follow$/, 'has no end of its own'],
];

/** They end with 1 by what they find, and that is what the document tells of. */
const FINDS: readonly RegExp[] = [
  /npm run doctor/, // placeholders of wrangler.toml
  /map -- (carrier-status-csv events|acme-status-csv status)\.csv$/, // a row of each is wrong
  /map -- --mapping-file PATH FILE$/,
  /^transload (upload|report|correct|map|holds (?:--|decide)|mapping new)/,
];

const OPERATOR = makeOpsKey({ name: 'operator', role: 'admin', environments: ['test'] });
const FEED = { partnerId: 'P-ACME', clientId: 'C-1', channel: channelName('test', 'key+bearer') };
const codeIn = (document: string, language: string): string =>
  blocksOf(document).find((block) => block.language === language)?.text ?? '';

const EVENTS = codeIn('README.md', 'csv');
const MAPPING = codeIn('docs/mappings.md', 'yaml');
const ACME_STATUS = MAPPING.replace('mapping: acme-status-csv', 'mapping: acme-status');
const HEAD = EVENTS.split('\n')[0];
const statusRow = (load: string, code: string): string => `${load},${code},NS,03/02/2026,08:15,CT,Joliet,IL,1,,`;

const answer = (load: string, fault: Record<string, unknown>, times?: number) => ({
  match: { method: 'POST', bodyIncludes: `"loadNumber":"${load}` },
  ...(times === undefined ? {} : { times }),
  fault: { type: 'status', body: '{"message":"Something went wrong."}', ...fault },
});

/** What the sandbox does wrong: rows that a person decides, and rows that end badly. */
const FAULTS = [
  answer('HELD', { status: 500, apply: 'before' }, 1),
  answer('HELD', { status: 422 }, 1),
  answer('MOVED', { status: 302, headers: { location: 'https://elsewhere.example/' } }),
];

/** Two Workers start, and orders are followed; other tests may run beside it. */
const STAGE_MS_MAX = 300_000;

let stack: Stack;
let shell: Shell;
/** Ids by name. */
const batches: Record<string, string> = {};

const ops = () => callsWith(() => stack.bridge.baseUrl, OPERATOR.key);

async function upload(name: string, text: string, mapping = 'carrier-status-csv', key = stack.keys[0]): Promise<void> {
  shell.write(`${name}.csv`, text);
  const client = partnerClient(stack.bridge.baseUrl, key ?? '');
  const { batchId } = await client.upload(join(shell.folder, `${name}.csv`), mapping);
  batches[name] = batchId;
}

beforeAll(async () => {
  if (!hasCurl) return;
  stack = await startStack({
    partners: [
      { ...TEST_PARTNER, scacs: ['ACME'] },
      { ...TEST_PARTNER, partner: 'demo-carrier', displayName: 'Demo Carrier' },
    ],
    directorySql: OPERATOR.sql,
    timeScale: 60,
  });
  shell = openShell({});
  await stack.putFaults(FAULTS);
  await stack.putSettings({ statusStepSeconds: 1, orderIndexDelaySeconds: 1 });
  const partner = { partner: 'acme', partnerKey: stack.keys[0] ?? '', opsKey: OPERATOR.key };
  const followed = await followOrders(stack, { ...partner, ...FEED, repairsPerMinute: 60, pollMinutes: 5 });
  await upload('events', EVENTS);
  await upload('unknown', `${HEAD}\n${statusRow('QQ-1', 'QQ')}\n`);
  await upload('moved', `${HEAD}\n${statusRow('MOVED-1', 'X3')}\n`);
  await upload('held', `${HEAD}\n${statusRow('HELD-1', 'X3')}\n`);
  await upload('orders', readFileSync(join(PROJECT_ROOT, 'fixtures/samples/orders-csv.csv'), 'utf8'), 'orders-csv');
  shell.write('mappings/acme-status-csv.yaml', MAPPING);
  shell.write('right.csv', `${EVENTS.split('\n').slice(0, 2).join('\n')}\n`);
  shell.write('status.csv', codeIn('docs/mappings.md', 'csv'));
  shell.write('lookups.json', '{"vehicles": [], "locations": []}');
  await publishEarlier();
  for (const batchId of Object.values(batches)) await over(batchId);
  await until(async () => (await followed.eventsAfter('0')).events.length > 0, 'no status of an order came');
  const { issues } = await ops().json<{ issues: { id: string; value: string | null }[] }>('/v1/ops/issues');
  issue = issues.find(({ value }) => value === 'QQ')?.id ?? '';
}, STAGE_MS_MAX);
afterAll(async () => {
  await stack?.stop();
  shell?.remove();
});

/** What the guide publishes is not the first version, so that there is one to compare with and to go back to. */
async function publishEarlier(): Promise<void> {
  const body = MAPPING.replace(/^description: .*$/m, 'description: As it was last year.');
  const query = 'environment=test&partners=acme&note=first';
  const path = `/v1/ops/mappings/acme-status-csv?${query}`;
  const { sha256 } = await ops().json<{ sha256: string }>(path, { method: 'PUT', body });
  earlier = sha256.slice(0, 12);
}

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const endMs = Date.now() + 60_000; !(await isSo()); await pause(200))
    if (Date.now() > endMs) throw new Error(otherwise);
}

const over = (batchId: string): Promise<void> =>
  until(async () => isSettledOrHeld(await ops().json(`/v1/ops/batches/${batchId}`)), `batch ${batchId} does not end`);

/** The two sets of the README, which leaves out their envelopes and what they share. */
function interchange(scac: string): string {
  const sets = blocksOf('README.md').find(({ text }) => text.startsWith('ST*214'))?.text ?? '';
  const shown = sets.split('\n').map((line) => line.split(/ {2,}/)[0] ?? '');
  const whole = shown.flatMap((line) => (line === '…' ? ['B10*PRO7002*LD88002*DEMO~', 'LX*1~', 'L11*1*QN~'] : [line]));
  const last = ['MS1*Joliet*IL~', 'SE*7*0002~'];
  const head = [
    'ISA*00*          *00*          *ZZ*DEMOCARRIER    *ZZ*RECEIVER       *260302*0815*U*00401*000000901*0*T*>~',
    'GS*QM*DEMOCARRIER*RECEIVER*20260302*0815*901*X*004010~',
  ];
  const all = [...head, ...whole, ...last, 'GE*2*901~', 'IEA*1*000000901~'];
  return all.join('\n').replaceAll('*DEMO~', `*${scac}~`);
}

/** What stands for something in a document → what it is here. @param before what the command before it printed. */
function filledFor(text: string, before: string): Filled {
  const { baseUrl } = stack.bridge;
  const [acme = '', demo = ''] = stack.keys;
  const isPlan = (name: string) => text.includes(`/${name}?dryRun`);
  const batch = isPlan('cancel') ? batches.held : isPlan('retry') ? batches.moved : batches.events;
  return [
    ['https://bridge.example', baseUrl],
    ['http://127.0.0.1:8787', baseUrl],
    ['KEY=…', `KEY=${demo}`],
    ['tltest_…', acme],
    ['tlops_…', OPERATOR.key],
    ['acme-test', FEED.channel],
    [/b_…\/17\/1|b_01m7…\/12\/1/g, `${batches.held}/1/1`],
    [/b_01m7ww39jy4zp0vsb9jmf5mjzh|b_01m7…|b_01jqz0…/g, batch ?? ''],
    ['SO-1001/record', 'SO-5001/record'],
    ['18644da44e54', earlier],
    ['0848147c92e119bc', issue],
    ['a_…', /"actionId":\s*"(a_\w+)"/.exec(before)?.[1] ?? 'a_…'],
    ['"confirm": "…"', `"confirm": "${/"confirm":\s*"([^"]+)"/.exec(before)?.[1] ?? ''}"`],
    [/\bMAPPING\b/g, 'carrier-status-csv'],
    [/\bPATH FILE\b/g, 'acme-status-csv.yaml status.csv'],
    [/\bFILE\b/g, 'right.csv'],
    [/\bLOOKUPS\b/g, 'lookups.json'],
    // There is no terminal here to say yes on.
    [/^transload (holds decide|replay) .*$/g, '$& --yes'],
  ];
}
let issue = '';
let earlier = '';

/** A text of JSON, or one on each line. */
function jsonIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.trim().split('\n');
    return lines.length > 1 && lines.every((line) => line.startsWith('{')) ? lines.flatMap(jsonIn) : [];
  }
}

/** What is asked for in a setting, or comes by another way: test/unit/upstream/channels.test.ts, test/worker/http/webhooks.test.ts, test/unit/ops/raised-alerts.test.ts. */
const isOther = (text: string): boolean =>
  /"baseUrl"|"clientSecret"|"group"|"type": "(?:batch.settled|alert.raised)"/.test(text);

/** An answer has every member that the document shows; what is empty in it, such as a place that is not known, may lack its own. */
function hasAll(real: unknown, shown: unknown): boolean {
  const there = new Set(membersOf(real));
  const isThere = (path: string): boolean => there.has(path) || there.has(path.replace(/\.[^.]+$/, '.*'));
  return membersOf(shown).every(isThere);
}

/** Whose command it is, where the document has a profile for each. */
const OPERATORS_COMMAND = /^transload (mapping (diff|code-list)|publish|keys|holds|replay)\b/;
const asWhom = (document: string, text: string): string => {
  if (!text.startsWith('transload ') || document === 'docs/operators.md') return '';
  const key = OPERATORS_COMMAND.test(text) ? OPERATOR.key : stack.keys[0];
  return `export TRANSLOAD_URL=${stack.bridge.baseUrl} TRANSLOAD_KEY=${key}; `;
};

/** What a reader does between two commands, as the document says. */
const BETWEEN: readonly (readonly [before: RegExp, does: () => Promise<unknown> | undefined])[] = [
  // "Once the mapping or the code list is mended"
  [
    /resubmit.*dryRun/,
    () =>
      ops().text('/v1/ops/code-lists/x12-status-codes', {
        method: 'PATCH',
        body: '{"set": {"QQ": "X3"}, "note": "known now"}',
      }),
  ],
  // Each writes a file that is not there yet.
  [/^transload correct /, () => shell.run('rm -f corrections-*', [])],
  [/mapping new/, () => shell.run('rm -f acme-status.yaml', [])],
  [/^transload publish/, async () => shell.write('acme-status.yaml', ACME_STATUS)],
  // "correct the cells that _column names"
  [
    /-T corrections\.csv/,
    () => {
      const path = join(shell.folder, 'corrections.csv');
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('2026-03-02', '03/02/2026'));
      return undefined;
    },
  ],
];

const DOCUMENTS = [
  'README.md',
  'docs/partners.md',
  'docs/operators.md',
  'docs/mappings.md',
  'docs/reference/command.md',
];
const all = (): Command[] => [...DOCUMENTS, 'CONTRIBUTING.md'].flatMap(commandsIn);
const isElsewhere = ({ text }: Command): boolean => ELSEWHERE.some(([known]) => known.test(text));

it('commands that need an account say so beside them, and nothing else does', () => {
  const said = all().filter(({ comment }) => comment.includes(ON_AN_ACCOUNT));
  expect(said.map(({ text }) => text)).toEqual(
    all().flatMap(({ text }) => (NEEDS_AN_ACCOUNT.test(text) ? [text] : [])),
  );
  expect(said.length).toBeGreaterThan(10);
  for (const [known, reason] of ELSEWHERE)
    expect(
      all().some(({ text }) => known.test(text)),
      `no document has ${known} any more (${reason})`,
    ).toBe(true);
});

describe.runIf(hasCurl)('works as printed:', () => {
  it.each(DOCUMENTS)(
    '%s',
    async (document) => {
      shell.write('events.csv', EVENTS);
      shell.write('acme-status-csv.yaml', MAPPING);
      shell.write('acme-status.yaml', ACME_STATUS);
      shell.write('status.x12', interchange(document === 'README.md' ? 'DEMO' : 'ACME'));
      const commands = commandsIn(document).filter((each) => !NEEDS_AN_ACCOUNT.test(each.text) && !isElsewhere(each));
      const failed: string[] = [];
      const answers: unknown[] = [];
      let last: Ran = { code: 0, stdout: '', stderr: '' };
      for (const { block, text } of commands) {
        for (const [before, does] of BETWEEN) if (before.test(text)) await does();
        last = await shell.run(asWhom(document, text) + text, filledFor(text, last.stdout));
        answers.push(...jsonIn(last.stdout));
        const isAllowed = last.code === 0 || (last.code === 1 && FINDS.some((known) => known.test(text)));
        if (!isAllowed) failed.push(`line ${block.line}: ${text}\nexit ${last.code}: ${last.stdout}${last.stderr}`);
      }
      expect(failed).toEqual([]);
      if (document === 'README.md') answers.push(...(await stack.journal()).flatMap(({ body }) => jsonIn(body)));
      const shown = blocksOf(document).filter(({ language, text }) => language === 'json' && !isOther(text));
      const missing = shown.filter(
        ({ text }) => !jsonIn(text).every((one) => answers.some((real) => hasAll(real, one))),
      );
      expect(missing.map(({ line }) => line)).toEqual([]);
    },
    240_000,
  );
});
