/** What has outlived its time goes, what is still needed stays, and a crash or a newcomer in between costs nothing. */

import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Batch } from '../../../src/batch/object/batch.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { sweepUnclaimed } from '../../../src/intake/watch-batches.ts';
import { timeSortedId } from '../../../src/kernel/ids.ts';
import { JOURNAL } from '../../../src/kernel/journal-table.ts';
import {
  BATCH_RETENTION_MS,
  BYTES_RETENTION_MS,
  LOAD_RETENTION_MS,
  LOADS_END_AGAIN_MS,
  ORDER_RETENTION_MS,
  UNCLAIMED_RETENTION_MS,
} from '../../../src/kernel/limits.ts';
import {
  batchName,
  filesPrefix,
  loadName,
  type PartnerScope,
  registerName,
  sourceKey,
} from '../../../src/kernel/names.ts';
import { Load } from '../../../src/tracking/load.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { aLoad, PATIENCE } from '../loads.ts';
import { anOrder, creates } from '../orders.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { type Becomes, becomes, tablesOf } from '../rows.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { die } from '../watched.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ago = (lifeMs: number): number => Date.now() - lifeMs / TEST_TIME_SCALE - 1_000;

/** In an object that remembers nothing: it would write that over it. */
async function storeSettledAgo(batch: () => DurableObjectStub<Batch>, lifeMs: number): Promise<void> {
  await die(batch());
  const sql = `UPDATE kept SET json = json_set(json, '$.progress.settledAtMs', ?) WHERE name = 'state'`;
  await runInDurableObject(batch(), (_, { storage }) => void storage.sql.exec(sql, ago(lifeMs)));
}

/** Tables and alarm of an object; none: it is gone. */
const leftIn = (stub: DurableObjectStub) =>
  runInDurableObject(stub, async (_, state) => ({
    tables: state.storage.sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
      )
      .toArray()
      .map(({ name }) => name),
    alarm: await state.storage.getAlarm(),
  }));
const GONE = { tables: [], alarm: null };

const keysUnder = async (prefix: string): Promise<string[]> =>
  (await env.FILES.list({ prefix })).objects.map(({ key }) => key);

interface Subject {
  stub(): DurableObjectStub;
  wake(): Promise<void>;
  becomes: Becomes;
}

/** Moves all that happened to it back in time. */
const grow = (subject: Subject, atMs: number) => subject.becomes({ taken_at_ms: atMs, decided_at_ms: atMs });
const isTold = (subject: Subject) =>
  vi.waitFor(async () => {
    await subject.wake();
    const untold = await runInDurableObject(subject.stub(), (instance) => tablesOf(instance).outbox.size);
    expect(untold).toBe(0);
  }, PATIENCE);

async function deliveredLoad(partner: string) {
  upstreamAnswers(200);
  const load = aLoad({ partner });
  await load.dispatch([1, 2]);
  await load.reaches('delivered', 'delivered');
  await isTold(load);
  return load;
}

describe('a load', () => {
  it('whose time is over leaves its attempts as a file of their batch, and nothing else', async () => {
    const load = await deliveredLoad('folds');
    const timeline = await load.timeline();
    await grow(load, ago(LOAD_RETENTION_MS));
    const aged = await load.timeline();
    await load.wake();
    expect(await leftIn(load.stub())).toEqual(GONE);
    const [key = '', ...others] = await keysUnder('test/folds/');
    expect(others).toEqual([]);
    expect(key).toMatch(/^test\/folds\/b_1\/attempts\/[0-9a-f]{64}\/\d+-1\.jsonl$/);
    const lines = ((await (await env.FILES.get(key))?.text()) ?? '').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(aged.map((entry) => ({ subject: load.identity, ...entry })));
    expect(timeline.flatMap(({ attempts }) => attempts)).toHaveLength(2);
  });

  it('that has ended works again when it gets something new', async () => {
    const load = await deliveredLoad('returns');
    await grow(load, ago(LOAD_RETENTION_MS));
    await load.wake();
    await load.dispatch([3]);
    await load.reaches('delivered');
    expect((await load.timeline()).map(({ request }) => [request.seq, request.record])).toEqual([[1, 3]]);
  });

  it('wakes at the end of its time, and lives until then', async () => {
    const load = await deliveredLoad('lives');
    await load.wake();
    const { alarm } = await leftIn(load.stub());
    const [last] = (await load.timeline()).map(({ request }) => request.decided_at_ms).slice(-1);
    expect(alarm).toBe((last ?? 0) + LOAD_RETENTION_MS / TEST_TIME_SCALE);
    expect(await load.timeline()).toHaveLength(2);
    expect(await keysUnder('test/lives/')).toEqual([]);
  });

  it.each(['held', 'queued', 'waiting', 'unknown', 'sending'] as const)(
    'with a %s request never ends',
    async (state) => {
      const load = await deliveredLoad('open');
      await load.becomes({ state, at_ms: 4_102_444_800_000 }, ({ seq }) => seq === 2);
      await grow(load, ago(LOAD_RETENTION_MS));
      await load.wake();
      expect((await leftIn(load.stub())).tables).toContain(JOURNAL);
      expect(await keysUnder('test/open/')).toEqual([]);
    },
  );

  it('stays whole when its file cannot be stored, and goes when it can', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const load = await deliveredLoad('fails');
    await grow(load, ago(LOAD_RETENTION_MS));
    await runInDurableObject(load.stub(), async (instance) => {
      const put = vi.spyOn(filesOf(instance), 'put').mockRejectedValue(new Error('planned: storage is down'));
      await instance.alarm();
      put.mockRestore();
    });
    expect(await load.timeline()).toHaveLength(2);
    expect((await leftIn(load.stub())).alarm).not.toBeNull();
    await load.wake();
    expect(await leftIn(load.stub())).toEqual(GONE);
  });

  it('lives on when something comes in while its file is written', async () => {
    const load = await deliveredLoad('newcomer');
    await grow(load, ago(LOAD_RETENTION_MS));
    await runInDurableObject(load.stub(), async (instance) => {
      const files = filesOf(instance);
      const head = files.head.bind(files);
      vi.spyOn(files, 'head').mockImplementationOnce(async (key) => {
        await instance.enqueue(load.identity, [load.request(3)]);
        return head(key);
      });
      await instance.alarm();
    });
    await load.reaches('delivered', 'delivered', 'delivered');
  });
});

/** The bucket as the object sees it. */
const filesOf = (instance: object): R2Bucket => (instance as { env: Env }).env.FILES;

describe('an order', () => {
  it('whose time is over leaves its attempts as a file of their batch, and nothing else', async () => {
    upstreamAnswers(creates);
    const order = anOrder();
    await order.dispatch(order.create(1, { batchId: 'b_of_order' }));
    await order.reaches('delivered');
    await isTold(order);
    await grow(order, ago(LOAD_RETENTION_MS));
    await order.wake();
    expect(await order.timeline()).toHaveLength(1);
    await grow(order, ago(ORDER_RETENTION_MS));
    await order.wake();
    expect(await leftIn(order.stub())).toEqual(GONE);
    expect(await keysUnder('test/acme/b_of_order/attempts/')).toHaveLength(1);
  });

  it('that has ended works again when it gets something new', async () => {
    upstreamAnswers(creates);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    await isTold(order);
    await grow(order, ago(ORDER_RETENTION_MS));
    await order.wake();
    expect(await leftIn(order.stub())).toEqual(GONE);
    await order.dispatch(order.create(2));
    await order.reaches('delivered');
    expect((await order.timeline()).map(({ request }) => [request.seq, request.record])).toEqual([[1, 2]]);
  });
});

interface Ended {
  partner: Partner;
  scope: PartnerScope;
  batchId: string;
  batch: () => DurableObjectStub<Batch>;
  /** As if its last row had been decided so long ago. */
  settledAgo(lifeMs: number): Promise<void>;
}

async function endedBatch(): Promise<Ended> {
  upstreamAnswers(200);
  const partner = await aPartner();
  const { batchId } = await partner.receipt(statusFile(statusRow(`L-${partner.name}`)));
  await partner.reaches(batchId, 'settled');
  const scope: PartnerScope = { environment: 'test', partner: partner.name };
  const batch = () => env.BATCH.getByName(batchName(scope, batchId));
  return {
    partner,
    scope,
    batchId,
    batch,
    settledAgo: async (lifeMs) => {
      await storeSettledAgo(batch, lifeMs);
      await runInDurableObject(batch(), (instance) => instance.alarm());
    },
  };
}

describe('a batch', () => {
  it('loses its bytes first; its counts and rows can still be read', async () => {
    const { partner, scope, batchId, settledAgo } = await endedBatch();
    expect((await partner.fetch(`/v1/batches/${batchId}/source`)).status).toBe(200);
    await settledAgo(BYTES_RETENTION_MS);
    expect(await keysUnder(sourceKey(scope, batchId))).toEqual([]);
    for (const file of ['source', 'report.csv', 'report.json', 'corrections']) {
      const answer = await partner.fetch(`/v1/batches/${batchId}/${file}`);
      expect(await problemOf(answer)).toMatchObject({ status: 410, code: 'bytes_expired' });
    }
    const summary = await partner.summary(batchId);
    expect(summary).toMatchObject({
      state: 'settled',
      bytesDeletedAt: expect.any(String),
      rowStates: { delivered: 1 },
    });
    expect(await partner.rows(batchId)).toMatchObject([{ requests: [{ status: 200, state: 'delivered' }] }]);
  });

  it('of messages loses the bytes of each of them, and takes no more; the next one gets a batch of its own', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const scope: PartnerScope = { environment: 'test', partner: partner.name };
    const send = async (load: string) => {
      const answer = await partner.fetch('/v1/messages?mapping=carrier-status-csv', {
        method: 'POST',
        body: statusFile(statusRow(load)),
        headers: { Prefer: 'wait=20' },
      });
      return answer.json<{ batchId: string; message: number; links: Record<'source' | 'self', string> }>();
    };
    const { batchId } = await send('L-1');
    const { links } = await send('L-2');
    const batch = () => env.BATCH.getByName(batchName(scope, batchId));
    await partner.reaches(batchId, 'settled');
    expect(await keysUnder(filesPrefix(scope))).toHaveLength(2);
    await sweep(env.INTAKE_REGISTER.getByName(registerName(scope)));
    expect(await keysUnder(filesPrefix(scope))).toHaveLength(2);
    await storeSettledAgo(batch, BYTES_RETENTION_MS);
    await runInDurableObject(batch(), (instance) => instance.alarm());
    expect(await keysUnder(filesPrefix(scope))).toEqual([]);
    expect(await problemOf(await partner.fetch(links.source))).toMatchObject({ status: 410, code: 'bytes_expired' });
    expect(await partner.getJson(links.self)).toMatchObject({ message: 2, rowStates: { delivered: 1 } });
    const next = await send('L-3');
    expect([next.batchId === batchId, next.message]).toEqual([false, 1]);
  });

  it('goes with its files at the end of its time, and the register forgets it', async () => {
    const { partner, scope, batchId, batch, settledAgo } = await endedBatch();
    await env.FILES.put(`${filesPrefix(scope)}${batchId}/attempts/x/1-1.jsonl`, '{}');
    await settledAgo(BATCH_RETENTION_MS);
    expect(await leftIn(batch())).toEqual(GONE);
    expect(await keysUnder(filesPrefix(scope))).toEqual([]);
    expect((await partner.fetch(`/v1/batches/${batchId}`)).status).toBe(404);
    expect(await partner.getJson('/v1/batches')).toMatchObject({ batches: [] });
    const again = await partner.receipt(statusFile(statusRow(`L-${partner.name}`)));
    expect(again).toMatchObject({ replayed: false });
  });

  it('leaves nothing behind either when it is woken after its end', async () => {
    const { batch, settledAgo } = await endedBatch();
    await settledAgo(BATCH_RETENTION_MS);
    await runInDurableObject(batch(), (instance) => instance.alarm());
    expect(await leftIn(batch())).toEqual(GONE);
  });

  it('that the register was not told of is found gone by its next sweep', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { partner, scope, batchId, batch, settledAgo } = await endedBatch();
    vi.spyOn(IntakeRegister.prototype, 'forgetBatch').mockRejectedValueOnce(new Error('planned: down'));
    await settledAgo(BATCH_RETENTION_MS);
    expect(await leftIn(batch())).toEqual(GONE);
    expect((await partner.fetch(`/v1/batches/${batchId}`)).status).toBe(404);
    const register = env.INTAKE_REGISTER.getByName(registerName(scope));
    expect(await register.knows(batchId)).toBe(true);
    await runInDurableObject(register, (_, { storage }) =>
      storage.sql.exec(`UPDATE batch SET ticket = json_set(ticket, '$.receivedAtMs', ?)`, ago(2 * BATCH_RETENTION_MS)),
    );
    await sweep(register);
    expect(await register.knows(batchId)).toBe(false);
  });

  it('that is retried at the end of its time lives on', async () => {
    const { partner, batchId, batch } = await endedBatch();
    await storeSettledAgo(batch, BATCH_RETENTION_MS);
    await runInDurableObject(batch(), async (instance, { storage }) => {
      storage.sql.exec(
        `INSERT INTO letter (record, request, state, generation, kind, subject, may_have_arrived, issue)
         VALUES (1, 1, 'cancelled', 1, 'milestone', 'load:L1', 0, '')`,
      );
      const files = filesOf(instance);
      const list = files.list.bind(files);
      vi.spyOn(files, 'list').mockImplementationOnce(async (options) => {
        await instance.retry({ who: 'k', dryRun: false, states: ['cancelled'], includeUnknown: false } as never);
        return list(options);
      });
      await instance.alarm();
    });
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({ rows: 1 });
  });
});

describe('a load that a batch visited', () => {
  const visitedLoad = async () => {
    const ended = await endedBatch();
    const stub = () => env.LOAD.getByName(loadName(ended.scope, 'DEMO', `L-${ended.partner.name}`));
    const loadAgo = (lifeMs: number) => becomes(stub)({ taken_at_ms: ago(lifeMs), decided_at_ms: ago(lifeMs) });
    return { ...ended, stub, loadAgo };
  };

  it('has no alarm: its batch ends it when its retention is over, with its attempts as a file', async () => {
    const { scope, batchId, stub, loadAgo, settledAgo } = await visitedLoad();
    expect((await leftIn(stub())).alarm).toBeNull();
    await loadAgo(LOAD_RETENTION_MS);
    await settledAgo(LOAD_RETENTION_MS);
    expect(await leftIn(stub())).toEqual(GONE);
    expect(await keysUnder(`${filesPrefix(scope)}${batchId}/attempts/`)).toHaveLength(1);
  });

  it('wakes by itself from then on if it had events since', async () => {
    const { stub, settledAgo } = await visitedLoad();
    await settledAgo(LOAD_RETENTION_MS);
    const { alarm, tables } = await leftIn(stub());
    expect(tables).toContain(JOURNAL);
    expect(alarm).toBeGreaterThan(Date.now());
  });

  it('is called again a day later if it could not be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { stub, batch, loadAgo, settledAgo } = await visitedLoad();
    await loadAgo(LOAD_RETENTION_MS);
    vi.spyOn(Load.prototype, 'endIfOver').mockRejectedValueOnce(new Error('planned: down'));
    await settledAgo(LOAD_RETENTION_MS);
    expect((await leftIn(stub())).tables).toContain(JOURNAL);
    await storeSettledAgo(batch, LOAD_RETENTION_MS + LOADS_END_AGAIN_MS);
    await runInDurableObject(batch(), (instance) => instance.alarm());
    expect(await leftIn(stub())).toEqual(GONE);
  });

  it('leaves nothing behind when it is called after its end', async () => {
    const { stub, loadAgo, settledAgo } = await visitedLoad();
    await loadAgo(LOAD_RETENTION_MS);
    await settledAgo(LOAD_RETENTION_MS);
    await stub().endIfOver();
    expect(await leftIn(stub())).toEqual(GONE);
  });

  it('has an alarm for its end where a batch of an earlier release visits it', async () => {
    upstreamAnswers(200);
    const load = aLoad({ partner: 'skew' });
    await load.stub().visit({ identity: load.identity, requests: [load.request(1)], batchId: 'b_1', isLast: false });
    expect((await leftIn(load.stub())).alarm).toBeGreaterThan(Date.now());
  });
});

/** The register's daily round, now. */
const sweep = (register: DurableObjectStub<IntakeRegister>) =>
  runInDurableObject(register, async (instance, { storage }) => {
    const rounds = { watch: { dueMs: 0, after: 0 }, sweep: { dueMs: 0, after: '' } };
    storage.sql.exec('INSERT OR REPLACE INTO rounds (id, json) VALUES (1, ?)', JSON.stringify(rounds));
    await instance.alarm();
  });

describe('stored bytes that nobody claims', () => {
  it('go after their time; younger ones, claimed ones and those of others stay', async () => {
    const { partner, scope, batchId } = await endedBatch();
    const idOf = (ms: number) => timeSortedId('b', ms, crypto.getRandomValues(new Uint8Array(16)));
    const oldId = () => idOf(ago(UNCLAIMED_RETENTION_MS));
    const put = async (whose: PartnerScope, id: string): Promise<string> => {
      await env.FILES.put(sourceKey(whose, id), 'bytes');
      return sourceKey(whose, id);
    };
    const lost = [await put(scope, oldId()), await put(scope, oldId())];
    const kept = [
      await put(scope, idOf(Date.now())),
      await put({ ...scope, partner: `${partner.name}-other` }, oldId()),
      await put({ ...scope, environment: 'production' }, oldId()),
      sourceKey(scope, batchId),
    ];
    const ofMessage = oldId();
    kept.push(await put(scope, ofMessage));
    const claimed = `INSERT INTO message (upload_id, batch_id, message, sha256, received_at_ms) VALUES (?, ?, 2, '', 0)`;
    await runInDurableObject(env.INTAKE_REGISTER.getByName(registerName(scope)), (_, { storage }) =>
      storage.sql.exec(claimed, ofMessage, batchId),
    );
    await sweep(env.INTAKE_REGISTER.getByName(registerName(scope)));
    const isThere = async (key: string) => (await env.FILES.head(key)) !== null;
    expect(await Promise.all(lost.map(isThere))).toEqual([false, false]);
    expect(await Promise.all(kept.map(isThere))).toEqual([true, true, true, true, true]);
  });

  it('are looked through page by page: a run goes on behind where the last one came to', async () => {
    const scope: PartnerScope = { environment: 'test', partner: 'pages' };
    const ids = [1, 2, 3].map((ms) => timeSortedId('b', ms, new Uint8Array(16)));
    for (const id of ids) await env.FILES.put(sourceKey(scope, id), 'bytes');
    const clock = { nowMs: () => Date.now(), timeScale: 1 };
    const nobody = () => new Set<string>();
    expect(await sweepUnclaimed({ files: env.FILES, known: nobody, clock }, scope, ids[0] ?? '')).toBeNull();
    expect(await keysUnder(filesPrefix(scope))).toEqual([sourceKey(scope, ids[0] ?? '')]);
  });
});
