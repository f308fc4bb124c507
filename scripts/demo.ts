/**
 * The whole product on this machine: starts sandbox and bridge on loopback, uploads the sample files as a partner would,
 * and shows what became of every row.
 *
 *   npm run demo             stays up afterwards, with addresses, keys and curl lines to try
 *   npm run demo -- --once   exits with the summary; 0 when every row reached a final state
 *   npm run demo -- --rows 20000   a file of so many milestones besides, 20 of each load
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { arrivedLine, curlLines, progressLine, statusLine, summaryTable, wrongRows } from './demo/messages.ts';
import { type PartnerClient, partnerClient, type SeenBatch } from './demo/partner.ts';
import { progressTeller } from './demo/progress.ts';
import { type DemoFeed, setFeed } from './demo/statuses.ts';
import { whole } from './frame/command.ts';
import { dice } from './frame/dice.ts';
import { PROJECT_ROOT } from './frame/kept-file.ts';
import { carrierFile } from './kill/generate.ts';
import { channelName, NO_RATE } from './local/bridge.ts';
import { makeOpsKey } from './local/ops-keys.ts';
import { makePerson } from './local/people.ts';
import type { RunningWorker } from './local/running.ts';
import { type Stack, startStack } from './local/stack.ts';

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

const { values: options } = parseArgs({
  options: { once: { type: 'boolean', default: false }, rows: { type: 'string', default: '0' } },
});
const rows = whole(options.rows);
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

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

async function run(client: PartnerClient, mapping: string, partnerName: string, file: string): Promise<SeenBatch> {
  say(`\n${partnerName} uploads ${file}`);
  const receipt = await client.upload(resolve(PROJECT_ROOT, file), mapping);
  say(`  receipt: batch ${receipt.batchId}, ${receipt.bytes} bytes, sha256 ${receipt.sha256.slice(0, 16)}…`);
  const batch = await client.watch(receipt.batchId, progressTeller(process.stdout));
  say(`${process.stdout.isTTY ? '\r\x1b[K' : ''}  ${progressLine(batch)}`);
  return { ...batch, partner: partnerName, file };
}

async function main(stack: Stack): Promise<number> {
  const { sandbox, bridge } = stack;
  const { match, reason } = REFUSED_EVENT;
  const body = JSON.stringify({ error: { code: 'load_closed', message: reason } });
  await stack.putFaults([
    { match, fault: { type: 'status', status: 422, body, headers: { 'content-type': 'application/json' } } },
  ]);
  const keys = new Map(PARTNERS.map(({ partner: name }, at) => [name, stack.keys[at] ?? '']));
  const clients = new Map([...keys].map(([name, key]) => [name, partnerClient(bridge.baseUrl, key)]));
  const feed = await setFeed(stack, {
    partner: SHIPPER,
    partnerKey: keys.get(SHIPPER) ?? '',
    opsKey: OPERATOR.key,
    channel: channelName('test', 'key+bearer'),
  });
  const batches: SeenBatch[] = [];
  for (const { partner: name, mapping } of UPLOADS) {
    const client = clients.get(name);
    if (client) batches.push(await run(client, mapping, name, sampleOf(mapping)));
  }
  const carrier = clients.get('demo-carrier');
  if (carrier && rows > 0)
    batches.push(await run(carrier, 'carrier-status-csv', 'demo-carrier', largeFile(stack.persistTo, rows)));
  say(`\n${summaryTable(batches)}`);
  say(`\n${arrivedLine(await stack.journal())}`);
  for (const batch of batches) {
    const rows = await clients.get(batch.partner)?.wrongRows(batch.batchId);
    say(wrongRows(batch, rows ?? []));
  }
  const orderRef = await showStatuses(feed);
  const settled = batches.every(({ state }) => state === 'settled');
  say(settled ? 'Every row has its final state.' : 'Some rows are still open.');
  if (options.once) return settled ? 0 : 1;
  say(
    curlLines({
      bridgeUrl: bridge.baseUrl,
      consoleUrl: await atLocalhost(bridge),
      link: PERSON.link,
      sandboxUrl: sandbox.baseUrl,
      keys,
      operatorKey: OPERATOR.key,
      batches,
      orderRef,
    }),
  );
  say('Running. Press Ctrl-C to stop. Statuses of orders are shown as they arrive.');
  let isOver = false;
  const stopped = new Promise<void>((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  }).then(() => {
    isOver = true;
  });
  const follow = feed.follow(
    (event) => say(statusLine(event)),
    () => isOver,
  );
  await Promise.race([stopped, follow]);
  return 0;
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
async function showStatuses(feed: DemoFeed): Promise<string> {
  const events = await feed.first();
  const orders = new Set(events.map(({ orderRef }) => orderRef));
  say(`\nThe order feed has learned ${events.length} statuses of ${orders.size} orders so far, such as:`);
  for (const event of events.slice(-5)) say(statusLine(event));
  const orderRef = events.at(-1)?.orderRef ?? '';
  const tracks = await feed.tracks(orderRef);
  say(`Whoever waits for ${orderRef} is shown: ${tracks.map(({ code }) => code).join(', ')}.`);
  return orderRef;
}

say('Starting the sandbox (the receiving system) and the bridge on this machine …');
let stack: Stack | undefined;
try {
  stack = await startStack({
    partners: PARTNERS,
    preferredPorts: { bridge: BRIDGE_PORT, sandbox: SANDBOX_PORT },
    directorySql: OPERATOR.sql + PERSON.sql,
    permits: NO_RATE,
  });
  process.exitCode = await main(stack);
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
} finally {
  await stack?.stop();
}
