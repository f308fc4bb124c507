/** One seed from beginning to end: the bridge's own objects, a partner, an upstream, and everything that goes wrong. */

import { forgetVisits } from '../../src/batch/core/pacing.ts';
import { pinnedMapping } from '../../src/batch/files/pinned.ts';
import { Batch } from '../../src/batch/object/batch.ts';
import { OrderFeed } from '../../src/feed/order-feed.ts';
import { IntakeRegister } from '../../src/intake/register.ts';
import * as limits from '../../src/kernel/limits.ts';
import { gateName, mappingKey, orderName } from '../../src/kernel/names.ts';
import type { CompiledMapping } from '../../src/mapping/compile/compile.ts';
import type { MappingVersion } from '../../src/mapping/document/versions.ts';
import { Load } from '../../src/tracking/load.ts';
import { Order } from '../../src/tracking/order.ts';
import { forgetSlots } from '../../src/upstream/call.ts';
import { UpstreamGate } from '../../src/upstream/gate/gate.ts';
import { forgetTokens } from '../../src/upstream/tokens.ts';
import { warmDice } from '../frame/dice.ts';
import type { Violation } from '../invariants/evidence.ts';
import { checkEnd } from './check-end.ts';
import { drawFaults, type Faults, NO_FAULTS } from './faults.ts';
import { type FileKind, versions } from './files.ts';
import { Followed, PAIR } from './followed.ts';
import { isFollowed } from './followed-seeds.ts';
import { enter } from './globals.ts';
import { outsidePromises } from './microtasks.ts';
import { OrderLives } from './order-lives.ts';
import { type LargeFile, Partner, SCOPE } from './partner.ts';
import { isCutOff, isQuiet } from './quiet.ts';
import { DatabasePool } from './sql.ts';
import { Cache, Directory, Files } from './stores.ts';
import { BASE_URL, Upstream } from './upstream.ts';
import { watchesOf } from './watches.ts';
import { Witness } from './witness.ts';
import { namespaceOf, World, type WorldParts } from './world.ts';

/** @property print of all that happened: equal for equal seeds. */
export interface SeedResult {
  seed: number;
  breaches: Violation[];
  turns: number;
  deaths: number;
  sendings: number;
  virtualMs: number;
  print: string;
  notes: readonly unknown[][];
}

const START_MS = Date.UTC(2026, 2, 3);
const CHANNEL = { environment: 'test', baseUrl: BASE_URL, scacs: ['DEMO'] };
const CHANNELS = JSON.stringify([
  { name: 'plain', ...CHANNEL },
  { name: 'bearer', ...CHANNEL, auth: { events: 'key+bearer', orders: 'key+bearer' } },
]);
const SECRET = { apiKey: 'key', clientSecret: 'secret' };
const CHANNEL_SECRETS = JSON.stringify({ plain: SECRET, bearer: SECRET });

const CLASSES = { Batch, IntakeRegister, Load, Order, OrderFeed, UpstreamGate };
const BINDINGS = {
  BATCH: 'Batch',
  INTAKE_REGISTER: 'IntakeRegister',
  LOAD: 'Load',
  ORDER: 'Order',
  ORDER_FEED: 'OrderFeed',
  UPSTREAM_GATE: 'UpstreamGate',
};

/** Nobody wants to be told: what is simulated is the way of a file. */
const WEBHOOKS = { getByName: () => ({ notify: async () => undefined }) };

const pool = new DatabasePool(watchesOf);
let known: { versions: Record<FileKind, MappingVersion>; mappings: Record<FileKind, CompiledMapping> } | undefined;

/** What no seed changes; compiled before the first, so that the first one runs like every other. */
async function prepared(): Promise<NonNullable<typeof known>> {
  if (known !== undefined) return known;
  const made = await versions();
  const stored = (version: MappingVersion) => ({ get: async () => ({ text: async () => version.text }) });
  const compiled = async (version: MappingVersion) =>
    pinnedMapping(stored(version) as unknown as R2Bucket, version.sha256);
  const { events, orders, changes } = made;
  const mappings = { events: await compiled(events), orders: await compiled(orders), changes: await compiled(changes) };
  known = { versions: made, mappings };
  return known;
}

/** The simulator's own: see `modules.ts`. Not there under the bridge's own limits. */
const lookRarely: unknown = Reflect.get(limits, 'lookRarely');

/** What a seed is about: how it begins and what the partner does. */
interface Play {
  faults(dice: () => number): Faults;
  plan(partner: Partner): void;
  stepsMax: number;
}

/**
 * More than this no seed does: a load that is refused for three days is tried by the minute, in two lanes; and batches that
 * die all the time look every 5 ms for a slot that the dead among them hold. Ours.
 */
const STEPS_MAX = 1_000_000;

/** In one of so many seeds the storage fails now and then. */
const FAILING_STORAGE = 16;
const STATEMENT_FAILS = 0.02;

export const runSeed = (seed: number): Promise<SeedResult> =>
  play(seed, {
    faults: (random) => ({
      ...drawFaults(random, START_MS),
      statementFails: seed % FAILING_STORAGE === 5 ? STATEMENT_FAILS * random() : 0,
    }),
    plan: (partner) => partner.plan(),
    stepsMax: STEPS_MAX,
  });

/** A large file, and nothing goes wrong: what is looked at is how much each wake-up uses. */
export const runLarge = (file: LargeFile): Promise<SeedResult> =>
  play(1, {
    faults: () => ({ ...NO_FAULTS, untilMs: START_MS }),
    plan: (partner) => partner.planLarge(file),
    stepsMax: Number.POSITIVE_INFINITY,
  });

/** Each minute it asks the registers, until one answers. */
function cron(world: World, register: string): void {
  const ask = () => {
    const asked = world.call('IntakeRegister', register, 'watch', []);
    asked.catch(() => cron(world, register));
  };
  world.after(world.dice() * CRON_MS, () => world.step(world.outsider(), ask));
}
const CRON_MS = 60_000;

/** @returns whether there was any order to be called. */
function callCutOff(world: World): boolean {
  const cutOff = [...world.homes.values()].filter(isCutOff);
  for (const { name } of cutOff) {
    world.step(world.outsider(), () => void world.call('Order', name, 'ensureAlarm', []).catch(() => undefined));
  }
  return cutOff.length > 0;
}

/** What a process remembers beside its objects. */
function forget(): void {
  forgetTokens();
  forgetSlots();
  forgetVisits();
}

async function play(seed: number, { faults, plan, stepsMax }: Play): Promise<SeedResult> {
  const { versions: stored, mappings } = await prepared();
  const random = warmDice(seed);
  const drawn = faults(random);
  if (typeof lookRarely === 'function') lookRarely(drawn.alarmLost === 0);
  const witness = new Witness();
  const parts: WorldParts = {
    classes: CLASSES as unknown as WorldParts['classes'],
    pool,
    observer: witness,
    forget,
  };
  forget();
  const world = new World(parts, { nowMs: START_MS, dice: random, faults: drawn, stepsMax });
  const lives = new OrderLives(world, isFollowed(seed));
  const upstream = new Upstream(world, witness, lives);
  witness.nowMs = () => world.nowMs;
  witness.isGoodToken = upstream.isGood;
  enter(world, upstream.fetch);
  const files = new Files(world);
  const directory = new Directory(world);
  witness.storedAt = (key) => files.stored.get(key);
  witness.feeds.calledAtMs = (orderRef) => world.homes.get(`Order ${orderName(SCOPE, orderRef)}`)?.calledAtMs ?? null;
  for (const { sha256, text } of Object.values(stored)) {
    files.stored.set(mappingKey(sha256), new TextEncoder().encode(text));
  }
  Object.assign(world.bindings, {
    WEBHOOKS,
    FILES: files,
    TOKENS: new Cache(world),
    DIRECTORY: directory,
    CHANNELS,
    CHANNEL_SECRETS,
    TIME_SCALE: '1',
    SETTLED_OBJECTS: seed % 8 === 7 ? 'go' : 'stay',
  });
  for (const [binding, className] of Object.entries(BINDINGS)) world.bindings[binding] = namespaceOf(world, className);
  const partner = new Partner(world, files, stored, lives.isFollowed ? PAIR : null);
  const followed = lives.isFollowed ? new Followed(world, partner.channel) : null;
  witness.gate = () => world.homes.get(`UpstreamGate ${gateName(SCOPE.environment, partner.channel)}`);
  plan(partner);
  followed?.plan();
  world.onAlarmLost = ({ className, name }) => {
    if (className === 'IntakeRegister') cron(world, name);
    if (className === 'OrderFeed') followed?.watch(world.dice() * CRON_MS);
  };
  const isIdle = () => partner.isIdle() && upstream.isIdle() && followed?.isBegun !== false;
  await outsidePromises(() => {
    world.run(() => isIdle() && isQuiet(world));
    if (callCutOff(world)) world.run(() => isQuiet(world));
  });
  if (!witness.isBroken()) await checkEnd({ world, witness, upstream, partner, files, directory, mappings, lives });
  const result: SeedResult = {
    seed,
    breaches: witness.breaches,
    turns: world.turns,
    deaths: world.deaths,
    sendings: witness.sendings.length,
    virtualMs: world.nowMs - START_MS,
    print: `${world.turns} turns, ${witness.sendings.length} sendings, ${world.nowMs} ms, ${random()}`,
    notes: world.notes,
  };
  world.end();
  return result;
}
