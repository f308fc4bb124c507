/**
 * Keeps what this release stores, as the next ones will find it: starts sandbox and bridge, brings their objects into the states
 * that matter, kills the bridge in the middle of its work, and packs its files. With them goes its code, for the drill in which
 * it runs beside a later release.
 *
 *   npm run keep-release -- 0.2       writes fixtures/stored/0.2, which test/upgrade opens from then on
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { keptClient } from './keep/client.ts';
import { packCode } from './keep/code.ts';
import { begin, FILES, halfReplayed, leftOpen, UPSTREAM } from './keep/drive.ts';
import { pack } from './keep/pack.ts';
import { failPointServer } from './kill/fail-points.ts';
import { bridgeBundle, channelName } from './local/bridge.ts';
import { makeOpsKey } from './local/ops-keys.ts';
import { startStack } from './local/stack.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [release = ''] = positionals;
if (!/^\d+(\.\d+)+$/.test(release)) throw new Error('say which release this is: npm run keep-release -- 0.2');
const folder = resolve(import.meta.dirname, '../fixtures/stored', release);

const PARTNER = 'kept-carrier';
const ops = makeOpsKey({ name: 'Keeper', role: 'operator', environments: ['test'] });
const failPoints = await failPointServer();
const stack = await startStack({
  partners: [
    {
      partner: PARTNER,
      displayName: 'Kept Carrier',
      environment: 'test',
      channel: channelName('test', 'key+bearer'),
      scacs: ['DEMO'],
      mappings: null,
    },
  ],
  directorySql: ops.sql,
  failpointUrl: failPoints.url,
});
try {
  const [partnerKey = ''] = stack.keys;
  const client = keptClient(stack.bridge.baseUrl, { partner: partnerKey, ops: ops.key });
  await stack.putFaults(UPSTREAM.before);
  const begun = await begin(client, PARTNER, (rules) => stack.putFaults(rules));
  const actionId = await halfReplayed(client, PARTNER, begun.rejected);
  const reached = failPoints.arm('slice_committed', 1);
  const open = await leftOpen(client);
  await reached;
  await stack.bridge.kill();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bytes = pack(stack.persistTo, folder) + packCode(await bridgeBundle({}), folder);
  const made = {
    release,
    madeAtMs: Date.now(),
    partner: PARTNER,
    keys: { partner: partnerKey, ops: ops.key },
    ...begun,
    actionId,
    open,
    openRows: FILES.openRows,
  };
  writeFileSync(join(folder, 'made.json'), `${JSON.stringify(made, null, 2)}\n`);
  process.stdout.write(`${folder}: ${bytes} bytes\n`);
} finally {
  await failPoints.close();
  await stack.stop();
}
