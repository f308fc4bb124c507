/** What the demo does: both Workers, two partners, every sample file, and the orders that came of them. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT, isArgumentError, NotRun, whole } from '../frame/command.ts';
import { dice } from '../frame/dice.ts';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { carrierFile } from '../kill/generate.ts';
import { channelName, NO_RATE } from '../local/bridge.ts';
import { makeOpsKey } from '../local/ops-keys.ts';
import { makePerson } from '../local/people.ts';
import type { RunningWorker } from '../local/running.ts';
import { type Stack, startStack } from '../local/stack.ts';
import { arrivedLine, curlLines, invitation, statusLine, wrongRows } from './messages.ts';
import { partnerClient, type SeenBatch } from './partner.ts';
import { progressLine } from './progress.ts';
import type { Spinner } from './spinner.ts';
import { type DemoFeed, setFeed } from './statuses.ts';
import { openStory, type Story } from './story.ts';
import { tableByFile, tableByFormat } from './table.ts';

const SAMPLES = readdirSync(join(PROJECT_ROOT, 'fixtures', 'samples'));
/** Preferred, so that addresses stay the same from run to run; another is taken when it is in use. */
const BRIDGE_PORT = 8787;
const SANDBOX_PORT = 8788;

/**
 * What the demo's two partners send, by every shipped mapping: one on a channel that needs the subscription key alone, one
 * on a channel that also has a token, which plain milestones need.
 */
const UPLOADS: readonly { partner: string; scac: string; mapping: string }[] = [
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'carrier-status-csv' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'carrier-status-semicolon-csv' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'transit-stop-times-csv' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'carrier-events-json' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'carrier-events-ndjson' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'carrier-mixed-csv' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'gps-pings-ndjson' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'unit-positions-csv' }, // of units and sites that the sandbox knows
  { partner: 'acme-freight', scac: 'ACME', mapping: 'load-milestones-csv' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'orders-csv' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'order-changes-csv' }, // of those orders
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'xlsx-status' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'fixed-status' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'xml-status' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'x12-214' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'x12-214-order-events' },
  { partner: 'demo-carrier', scac: 'DEMO', mapping: 'edifact-iftsta' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'x12-204' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'x12-850' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'x12-940' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'edifact-iftmin' },
  { partner: 'acme-freight', scac: 'ACME', mapping: 'x12-860' }, // changes those of the 850
];

/** One event that the receiving system refuses, so that the demo shows a refusal beside the rows that are wrong in themselves. */
const REFUSED_EVENT = {
  match: { bodyIncludes: '"loadNumber":"LD482004","eventCode":"X1"' },
  reason: 'The load is closed.',
};

const newPartner = (name: string, displayName: string, auth: 'key' | 'key+bearer', scacs: string[]) => ({
  partner: name,
  displayName,
  environment: 'test' as const,
  channel: channelName('test', auth),
  scacs,
  mappings: null,
});

const PARTNERS = [
  newPartner('demo-carrier', 'Demo Carrier', 'key', ['DEMO']),
  newPartner('acme-freight', 'Acme Freight', 'key+bearer', ['ACME']),
];
const SHIPPER = 'acme-freight';
/** Of programs that operate the bridge: every batch, and what needs somebody. */
const OPERATOR = makeOpsKey({ name: 'Demo operator', role: 'operator', environments: ['test'] });
/** Whoever looks at the demo: may do everything. */
const PERSON = makePerson({ name: 'demo-operator', role: 'admin', environments: ['test'] });

const sampleOf = (mapping: string): string =>
  join('fixtures', 'samples', SAMPLES.find((sample) => sample.startsWith(`${mapping}.`)) ?? mapping);

const LARGE_FILE_ROWS_PER_LOAD = 20;

/** @returns the path of a file of so many milestones. */
function largeFile(folder: string, rows: number): string {
  const path = join(folder, 'large.csv');
  const loads = Math.ceil(rows / LARGE_FILE_ROWS_PER_LOAD);
  writeFileSync(path, carrierFile('LARGE', loads, LARGE_FILE_ROWS_PER_LOAD, dice(1)));
  return path;
}

/** What the demo runs with. @property story where everything is written that is not shown. */
interface Demo {
  stack: Stack;
  spinner: Spinner;
  story: Story;
  keys: ReadonlyMap<string, string>;
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const OPTIONS = { once: { type: 'boolean', default: false }, rows: { type: 'string', default: '0' } } as const;
/** As shells have it. */
const INTERRUPTED = 130;

/** @returns the exit code. Whoever calls it ends the process then: what was being started is ended with that. */
export async function runDemo(spinner: Spinner, args: readonly string[]): Promise<number> {
  const up: Up = { stack: undefined, isInvited: false };
  const stopped = new Promise<number>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(INTERRUPTED));
  });
  try {
    const { values: options } = parseArgs({ args: [...args], options: OPTIONS });
    const asked = { isOnce: options.once, rows: whole(options.rows) };
    const code = await Promise.race([stopped, openAll(spinner, asked, up)]);
    return up.isInvited ? EXIT.done : code; // from there on Ctrl-C is its usual end
  } catch (thrown) {
    spinner.stop();
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return thrown instanceof NotRun || isArgumentError(thrown) ? EXIT.notRun : EXIT.found;
  } finally {
    spinner.stop();
    await up.stack?.stop();
  }
}

/** How far it is. */
interface Up {
  stack: Stack | undefined;
  /** The reader was shown what to try. */
  isInvited: boolean;
}

interface Asked {
  isOnce: boolean;
  rows: number;
}

async function openAll(spinner: Spinner, asked: Asked, up: Up): Promise<number> {
  const story = openStory();
  const stack = await startStack({
    partners: PARTNERS,
    preferredPorts: { bridge: BRIDGE_PORT, sandbox: SANDBOX_PORT },
    directorySql: OPERATOR.sql + PERSON.sql,
    permits: NO_RATE,
  });
  up.stack = stack;
  const keys = new Map(PARTNERS.map(({ partner: name }, at) => [name, stack.keys[at] ?? '']));
  story.keepProfiles(stack.bridge.baseUrl, new Map([...keys, ['operator', OPERATOR.key]]));
  return show({ stack, spinner, story, keys }, asked, up);
}

async function show(demo: Demo, { isOnce, rows }: Asked, up: Up): Promise<number> {
  const { stack, spinner, story, keys } = demo;
  await refuseOneEvent(stack);
  const feed = await setFeed(stack, {
    partner: SHIPPER,
    partnerKey: keys.get(SHIPPER) ?? '',
    opsKey: OPERATOR.key,
    channel: channelName('test', 'key+bearer'),
  });
  const batches = await uploadAll(demo, rows);
  spinner.phase('Waiting for the first statuses of the orders');
  const orderRef = await tellStatuses(feed, story);
  const arrived = arrivedLine(await stack.journal());
  story.write(`\n${tableByFile(batches).join('\n')}\n\n${arrived}`);
  const settled = batches.every(({ state }) => state === 'settled');
  spinner.stop();
  say(`\n${tableByFormat(batches).join('\n')}\n\n${arrived}`);
  say(settled ? 'Every row has its final state.' : 'Some rows are still open.');
  if (isOnce) return settled ? 0 : 1;
  const { bridge, sandbox } = stack;
  const shown = {
    bridgeUrl: bridge.baseUrl,
    consoleUrl: await atLocalhost(bridge),
    link: PERSON.link,
    sandboxUrl: sandbox.baseUrl,
    operatorKey: OPERATOR.key,
    storyPath: relative(process.cwd(), story.path),
    profilesFolder: relative(process.cwd(), story.profilesFolder),
    ...{ keys, batches, orderRef },
  };
  story.write(curlLines(shown));
  up.isInvited = true;
  say(invitation(shown));
  return feed.follow((event) => story.write(statusLine(event)));
}

/** So that a refusal stands beside the rows that are wrong in themselves. */
function refuseOneEvent(stack: Stack): Promise<void> {
  const { match, reason } = REFUSED_EVENT;
  const body = JSON.stringify({ error: { code: 'load_closed', message: reason } });
  const fault = { type: 'status', status: 422, body, headers: { 'content-type': 'application/json' } };
  return stack.putFaults([{ match, fault }]);
}

async function uploadAll({ stack, spinner, story, keys }: Demo, rows: number): Promise<SeenBatch[]> {
  const clients = new Map([...keys].map(([name, key]) => [name, partnerClient(stack.bridge.baseUrl, key)]));
  const files = [
    ...UPLOADS.map(({ partner, mapping }) => ({ partner, mapping, file: sampleOf(mapping) })),
    ...(rows > 0
      ? [{ partner: 'demo-carrier', mapping: 'carrier-status-csv', file: largeFile(stack.persistTo, rows) }]
      : []),
  ];
  spinner.phase(`Sending ${files.length} files of two partners`);
  const batches: SeenBatch[] = [];
  for (const { partner, mapping, file } of files) {
    const client = clients.get(partner);
    if (client === undefined) continue;
    const receipt = await client.upload(resolve(PROJECT_ROOT, file), mapping);
    story.write(
      `\n${partner} uploads ${file}\n  receipt: batch ${receipt.batchId}, ${receipt.bytes} bytes, sha256 ${receipt.sha256.slice(0, 16)}…`,
    );
    const seen = await client.watch(receipt.batchId, (now) =>
      spinner.detail(`${batches.length + 1} of ${files.length}, ${mapping}, ${now.rows} rows`),
    );
    const batch = { ...seen, partner, file };
    story.write(`  ${progressLine(batch)}\n${wrongRows(batch, await client.wrongRows(batch.batchId))}`);
    batches.push(batch);
  }
  return batches;
}

/**
 * By name, since a passkey belongs to a host name; by number where the name leads elsewhere, such as to another program on
 * the same port of the other IP.
 */
async function atLocalhost({ baseUrl, port }: RunningWorker): Promise<string> {
  const named = `http://localhost:${port}`;
  const ownLink = async (origin: string): Promise<boolean> => {
    const answer = await fetch(`${origin}${PERSON.link}`).catch(() => null);
    return answer?.ok === true && (await answer.text()).includes('demo-operator');
  };
  return (await ownLink(named)) ? named : baseUrl;
}

/** @returns an order of which a status came. */
async function tellStatuses(feed: DemoFeed, story: Story): Promise<string> {
  const events = await feed.first();
  const orders = new Set(events.map(({ orderRef }) => orderRef));
  story.write(`\nThe order feed has learned ${events.length} statuses of ${orders.size} orders so far, such as:`);
  for (const event of events.slice(-5)) story.write(statusLine(event));
  const orderRef = events.at(-1)?.orderRef ?? '';
  const tracks = await feed.tracks(orderRef);
  story.write(`Whoever waits for ${orderRef} is shown: ${tracks.map(({ code }) => code).join(', ')}.`);
  return orderRef;
}
