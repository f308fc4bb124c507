/** Kills the bridge at every border of order files whose groups cross them all, starts it again, and collects the evidence. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Failpoint } from '../../src/kernel/failpoint.ts';
import { SLICE_BYTES } from '../../src/kernel/limits.ts';
import { say } from '../frame/command.ts';
import { heldLeads, type OrderBatch, orderViolations } from '../invariants/creates.ts';
import { breaks, seenAt, sendingsOf, type Violation } from '../invariants/evidence.ts';
import { type HarnessClient, isSettledOrHeld, pause } from '../local/client.ts';
import { type Stack, withStack } from '../local/stack.ts';
import { objectFiles, storedSubjects } from '../local/stored-objects.ts';
import { ADJACENT_MAPPING, ANYWHERE_MAPPING, publishAnywhere } from './anywhere-mapping.ts';
import { currentOf, type Standing } from './batch-on-disk.ts';
import { type Border, bordersOf } from './borders.ts';
import { type KillableBridge, killableBridge } from './killable-bridge.ts';
import { type GroupOrder, type OrderFile, orderFile } from './order-file.ts';

/** @property rowBytes the fatter the rows, the fewer orders fill a slice. */
export interface OrderKillPlan {
  order: GroupOrder;
  slices: number;
  linesPerOrder: number;
  rowBytes: number;
}

interface OrderKillRun {
  figures: string[];
  violations: Violation[];
}

interface Uploaded {
  file: OrderFile;
  batchId: string;
  /** How many batches the file became, however often its upload was cut and repeated. */
  batches: number;
}

const MAPPING: Record<GroupOrder, string> = { adjacent: ADJACENT_MAPPING, anywhere: ANYWHERE_MAPPING };
/** Waits pass this much faster: the two hours in which an order is looked up take ten seconds. */
const TIME_SCALE = 720;
/** The receiving system answers this late, so that a kill meets creates on their way. */
const ANSWER_DELAY_MS = 15;
/** Files per plan until every border was met: a look may come too late for one. */
const FILES_MAX = 10;
const LOOK_EVERY_MS = 2;
const BATCH_MS_MAX = 300_000;

/** How long the bridge rests behind each slice that it has committed: a look takes some ms. */
const SLICE_RESTS_MS = 50;

/** Answers the bridge at its fail points. */
async function restingBehindSlices(): Promise<{ url: string; end(): void }> {
  const slice: Failpoint = 'slice_committed';
  const server = createServer(({ url }, response) => {
    setTimeout(() => response.end(), url === `/${slice}` ? SLICE_RESTS_MS : 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, end: () => void server.close() };
}

export async function killAtBorders(plans: readonly OrderKillPlan[]): Promise<OrderKillRun> {
  const rests = await restingBehindSlices();
  return killAtBordersOf(plans, rests.url).finally(rests.end);
}

const killAtBordersOf = (plans: readonly OrderKillPlan[], failpointUrl: string): Promise<OrderKillRun> =>
  withStack({ partner: 'kill', auth: 'key+bearer', timeScale: TIME_SCALE, failpointUrl }, async (stack, client) => {
    const delay = { type: 'delay', ms: ANSWER_DELAY_MS, apply: 'before' };
    await stack.putFaults([{ match: { path: '/rcsc/*' }, fault: delay }]);
    if (plans.some(({ order }) => order === 'anywhere')) await publishAnywhere(stack);
    const bridge = killableBridge(stack);
    const uploads: Uploaded[] = [];
    const figures: string[] = [];
    const missed: Violation[] = [];
    for (const [index, plan] of plans.entries()) {
      const ran = await killAtAll(plan, `K${index}`, { stack, bridge, client });
      uploads.push(...ran.uploads);
      figures.push(ran.figure);
      missed.push(...ran.missed);
    }
    const { batches, seen } = await collect(stack, client, uploads);
    const sendings = storedSubjects(stack.persistTo, 'Order').flatMap(sendingsOf);
    const lookedUp = sendings.filter(({ lookUps }) => lookUps.length > 0).length;
    figures.push(
      `${seen.length} creates seen upstream, ${lookedUp} looked up, ${heldLeads(batches).length} held as not found, timeScale ${TIME_SCALE}`,
    );
    const repeated = uploads.filter((upload) => upload.batches !== 1);
    return {
      figures,
      violations: [
        ...missed,
        ...repeated.map((upload) => breaks('I16')(`${upload.batchId} is one of ${upload.batches} of its file`)),
        ...orderViolations({ seen, sendings, batches }),
      ],
    };
  });

interface Around {
  stack: Stack;
  bridge: KillableBridge;
  client: HarnessClient;
}

/** One file after the other, each killed at the borders that none before it was killed at. */
async function killAtAll(
  plan: OrderKillPlan,
  name: string,
  around: Around,
): Promise<{ uploads: Uploaded[]; figure: string; missed: Violation[] }> {
  const killed = new Set<string>();
  const uploads: Uploaded[] = [];
  let borders: Border[] = [];
  const left = (): Border[] => borders.filter((border) => !killed.has(border.name));
  do {
    const file = orderFile({ ...plan, name: `${name}F${uploads.length}`, sliceBytes: SLICE_BYTES });
    borders = bordersOf(file, plan.order === 'anywhere');
    uploads.push(await uploadAndKill({ file, mapping: MAPPING[plan.order], left, killed }, around));
  } while (left().length > 0 && uploads.length < FILES_MAX);
  const rows = uploads.reduce((sum, { file }) => sum + file.rows.length, 0);
  return {
    uploads,
    figure:
      `${plan.order}: kill -9 behind ${killed.size} of ${borders.length} commits, in ${uploads.length} files of ` +
      `${plan.slices} slices, ${rows} rows, ${rows / plan.linesPerOrder} orders`,
    missed: left().map((border) =>
      breaks('run')(`${plan.order}: no kill behind ${border.name} in ${uploads.length} files`),
    ),
  };
}

interface Target {
  file: OrderFile;
  mapping: string;
  left(): Border[];
  killed: Set<string>;
}

/** The partner repeats an upload that was cut: the same file is the same batch. */
async function uploadAndKill(target: Target, { stack, bridge, client }: Around): Promise<Uploaded> {
  const { file, mapping, left, killed } = target;
  const known = new Set(objectFiles(stack.persistTo, 'Batch'));
  let path: string | undefined;
  const look = (): Standing | undefined => {
    path ??= objectFiles(stack.persistTo, 'Batch').find((each) => !known.has(each));
    return path === undefined ? undefined : currentOf(path);
  };
  let upload = client.put(file.text, mapping).catch(() => null);
  for (const untilMs = Date.now() + BATCH_MS_MAX; Date.now() < untilMs; await pause(LOOK_EVERY_MS)) {
    const now = look();
    if (now !== undefined && left().some((border) => border.isAt(now))) {
      await bridge.kill();
      const died = look() ?? now;
      const at = left().find((border) => border.isAt(died)); // it may have come further than was seen
      if (at !== undefined) {
        killed.add(at.name);
        say(`  ${mapping}, kill ${killed.size}: behind ${at.name}, ${died.byte} bytes read, ${died.rows} rows placed`);
      }
      bridge.start();
    } else if (now?.readingFinished === true) break;
    if ((await settledNow(upload)) === null && (await settledNow(bridge.started)) === true) {
      upload = client.put(file.text, mapping).catch(() => null);
    }
  }
  if (!(await bridge.started)) throw new Error('the bridge did not start again');
  const batchId = (await upload) ?? (await client.put(file.text, mapping));
  return { file, batchId, batches: objectFiles(stack.persistTo, 'Batch').filter((each) => !known.has(each)).length };
}

/** @returns undefined while it is under way. */
const settledNow = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, Promise.resolve(undefined)]);

async function collect(stack: Stack, client: HarnessClient, uploads: readonly Uploaded[]) {
  const ids = uploads.map(({ batchId }) => batchId);
  const summaries = await client.drain(ids, isSettledOrHeld, BATCH_MS_MAX);
  const batches: OrderBatch[] = [];
  for (const [at, summary] of summaries.entries()) {
    batches.push({ summary, rows: await client.rows(summary.batchId), uploaded: uploads[at]?.file.rows ?? [] });
  }
  await stack.bridge.stop(); // its files are read next
  return { batches, seen: seenAt(await stack.journal(), 'orderCreate') };
}
