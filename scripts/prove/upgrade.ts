/**
 * The upgrade drill: files come in all the time while the release before and this one stand mixed in one runtime, in each order
 * in which a deploy may reach them, with a kill -9 between. In the end every row is where it belongs, and nothing went out twice
 * but what says so.
 */
import { POLL_MINUTES_MIN } from '../../src/feed/limits.ts';
import { stepOffsetsMs } from '../../src/sandbox/orders.ts';
import { say } from '../frame/command.ts';
import { dice } from '../frame/dice.ts';
import type { Violation } from '../invariants/evidence.ts';
import { codeOf } from '../keep/code.ts';
import { nextStep, type OrderChain, orderChain } from '../kill/order-chains.ts';
import { type Round, roundEnd } from '../kill/round-ends.ts';
import { eventFile, messagesOf, ordersUpload, sendIfCut, type Upload } from '../kill/uploads.ts';
import { faultRules } from '../kill/upstream-faults.ts';
import { withFollowedOrders } from '../lives/followed-orders.ts';
import { bridgeBundle, channelName } from '../local/bridge.ts';
import { harnessClient, pause } from '../local/client.ts';
import { makeOpsKey } from '../local/ops-keys.ts';
import { type MadeKey, makePartnerKey } from '../local/partner-keys.ts';
import type { Stack } from '../local/stack.ts';
import type { Proof } from './proof.ts';
import { type Look, type Looked, lookAtAll, notSaid } from './upgrade/looks.ts';
import { codeOfMix, type Mix } from './upgrade/mixes.ts';
import { Writes } from './upgrade/writes.ts';

/** @property mixes of the releases, one after the other; the first is the old one alone. @property seconds that each mix of releases runs under load. @property partners beside the one that has orders. */
interface UpgradePlan {
  release: string;
  mixes: readonly Mix[];
  partners: number;
  seconds: number;
  seed: number;
}

/** As in the rounds of `kill`: long waits pass, and a busy machine keeps up. */
const TIME_SCALE = 360;
const STEP_SECONDS = 90;
const MINUTE_MS = 60_000;
const PAIR = { partnerId: 'P-UPGRADE', clientId: 'C-1' };
const PARTNER = 'upgraded';
const NEIGHBOUR_ROUND_MS = 2_000;
/** There is something to look at by then. */
const LOOK_AFTER_MS = 2_000;

export async function proveUpgrade(plan: UpgradePlan): Promise<Proof> {
  const [old, now] = await Promise.all([codeOf(plan.release), bridgeBundle({})]);
  const bundles = { old, new: now };
  const ops = makeOpsKey({ name: 'Drill', role: 'admin', environments: ['test'] });
  const neighbours = Array.from({ length: plan.partners }, (_, at) => neighbour(`neighbour-${at}`));
  const [first] = plan.mixes;
  if (first === undefined) throw new Error('no mix to begin with');
  return withFollowedOrders(
    {
      partner: PARTNER,
      auth: 'key+bearer',
      timeScale: TIME_SCALE,
      pair: PAIR,
      stepSeconds: STEP_SECONDS,
      pollMinutes: POLL_MINUTES_MIN,
      directorySql: ops.sql + neighbours.map(({ sql }) => sql).join(''),
      code: codeOfMix(first, bundles),
    },
    async (stack, client, followed) => {
      const cron = setInterval(() => callCron(stack), MINUTE_MS / TIME_SCALE);
      try {
        await stack.putFaults(faultRules(plan.seed, TIME_SCALE));
        const round: Drilled = {
          ...{
            stack,
            client,
            followed,
            pair: PAIR,
            offsetsMs: stepOffsetsMs(STEP_SECONDS, 1),
            uploads: [],
            chains: [],
          },
          neighbours: neighbours.map(({ key }) => ({
            client: harnessClient(() => stack.bridge.baseUrl, key),
            uploads: [],
          })),
        };
        const keys = { partner: stack.keys[0] ?? '', ops: ops.key };
        const writes = new Writes();
        const said = await mixed(plan, round, (mix) => stack.startBridge(codeOfMix(mix, bundles)), keys, writes);
        await stack.startBridge();
        said.violations.push(...(await writes.kept({ baseUrl: stack.bridge.baseUrl, keys, known: {} })));
        return ended(plan, said, await roundEnd(round));
      } finally {
        clearInterval(cron);
      }
    },
  );
}

const neighbour = (partner: string): MadeKey =>
  makePartnerKey({
    ...{ partner, displayName: partner, environment: 'test', channel: channelName('test', 'key') },
    ...{ scacs: ['DEMO'], mappings: null },
  });

const callCron = ({ bridge }: Stack): unknown =>
  fetch(`${bridge.baseUrl}/cdn-cgi/handler/scheduled`).catch(() => undefined);

interface Drilled extends Round {
  chains: OrderChain[];
  neighbours: { client: Round['client']; uploads: Upload[] }[];
}

interface Said {
  figures: string[];
  violations: Violation[];
}

/** Each mix runs under load, is asked for everything that can be read, and is killed. */
async function mixed(
  plan: UpgradePlan,
  round: Drilled,
  start: (mix: Mix) => Promise<void>,
  keys: { partner: string; ops: string },
  writes: Writes,
): Promise<Said> {
  const random = dice(plan.seed);
  const said: Said = { figures: [], violations: [] };
  for (const [at, mix] of plan.mixes.entries()) {
    if (at > 0) await start(mix);
    const untilMs = Date.now() + plan.seconds * 1_000;
    const name = `U${plan.seed}M${at}`;
    round.uploads.push(eventFile(name, random), ...messagesOf(`${name}P`, random));
    if (at + 1 < plan.mixes.length) round.chains.push(orderChain(`${name}O`, at)); // those of the last would meet no other
    const [[looked, written]] = await Promise.all([
      lookAround(round, keys, `U${plan.seed}M0`, (look) => writes.make(look, at, mix)),
      neighboursSend(round, name, untilMs, random),
      ordersGoOn(round, untilMs),
    ]);
    say(`  ${at + 1} of ${plan.mixes.length}: ${mix.name}`);
    said.figures.push(lookedSaid(mix, looked), written.figure);
    said.violations.push(...notSaid(mix.name, looked), ...written.violations);
    await round.stack.bridge.kill();
  }
  return said;
}

/** What the first mix made is asked for in all, while operators write. */
async function lookAround<Written>(
  { stack, uploads }: Drilled,
  keys: Look['keys'],
  name: string,
  write: (look: Look) => Promise<Written>,
): Promise<[Looked, Written]> {
  await pause(LOOK_AFTER_MS);
  const id = (await uploads[0]?.answered) ?? '';
  const names = { partner: PARTNER, name: PARTNER, channel: channelName('test', 'key+bearer') };
  const known = { id, ...names, loadNumber: `${name}-0`, ref: `${name}O-0`, record: '1' };
  const look = { baseUrl: stack.bridge.baseUrl, keys, known };
  return Promise.all([lookAtAll(look), write(look)]);
}

async function neighboursSend(
  { neighbours }: Drilled,
  name: string,
  untilMs: number,
  random: () => number,
): Promise<void> {
  for (let turn = 0; Date.now() < untilMs; turn += 1, await pause(NEIGHBOUR_ROUND_MS)) {
    for (const [at, { client, uploads }] of neighbours.entries()) {
      uploads.push(
        ...messagesOf(`${name}N${at}T${turn}`, random)
          .slice(0, 1)
          .map((each) => ({ ...each, idempotencyKey: null })),
      );
      for (const upload of uploads) await sendIfCut(upload, client);
    }
  }
}

async function ordersGoOn({ chains, followed, client, uploads }: Drilled, untilMs: number): Promise<void> {
  for (; Date.now() < untilMs; await pause(NEIGHBOUR_ROUND_MS / 4)) {
    for (const chain of chains) uploads.push(...(await nextStep(chain, followed)).map(ordersUpload));
    for (const upload of uploads) await sendIfCut(upload, client);
  }
}

const lookedSaid = ({ name }: Mix, { asked, later, failed }: Looked): string =>
  `${name}: ${asked} reads, ${later.length} told to come again${later.length > 0 ? ` (${later.join('; ')})` : ''}, ` +
  `${failed.length} failed${failed.length > 0 ? ` (${failed.join('; ')})` : ''}`;

function ended(
  { release, mixes, seconds, seed, partners }: UpgradePlan,
  said: Said,
  end: Awaited<ReturnType<typeof roundEnd>>,
): Proof {
  const { violations, ...counts } = end;
  const counted = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  return {
    figures: [
      ...said.figures,
      `release ${release} and this one in ${mixes.length} mixes of ${seconds} s, a kill -9 behind each, ${1 + partners} partners, timeScale ${TIME_SCALE}, seed ${seed}: ${counted.join(', ')}`,
    ],
    violations: [...said.violations, ...violations],
  };
}
