/** What a newer release has stored, under this one: nothing is touched, everybody hears why, and no alarm is lost or spins. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JOURNAL, JOURNAL_VERSION } from '../../../src/kernel/journal-table.ts';
import { messageOf } from '../../../src/kernel/log.ts';
import { LOAD_VERSION } from '../../../src/tracking/store/subject-tables.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { busyOnce, isDeliveredOnce, waiting } from '../watched.ts';

const CLASSES: Record<string, () => DurableObjectStub> = {
  IntakeRegister: () => env.INTAKE_REGISTER.getByName('["test","newer"]'),
  Batch: () => env.BATCH.getByName('newer'),
  Load: () => env.LOAD.getByName('newer'),
  Order: () => env.ORDER.getByName('newer'),
  OrderFeed: () => env.ORDER_FEED.getByName('newer'),
  Webhooks: () => env.WEBHOOKS.getByName('newer'),
  UpstreamGate: () => env.UPSTREAM_GATE.getByName('newer'),
  ReplayAction: () => env.REPLAY.getByName('newer'),
};
const NEWER = 99;
const FAR_MS = Date.UTC(2100, 0);

let logged: string[] = [];

/** These keep their version in their journal. */
const JOURNALED: readonly string[] = ['Load', 'Order'];
const versionTableOf = (of: string): string => (JOURNALED.includes(of) ? JOURNAL : 'schema_version');

/** As if a newer release had stored it, in a process of its own. */
async function storedAs(stub: DurableObjectStub, of: string, version: number): Promise<void> {
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    if (JOURNALED.includes(of)) {
      sql.exec(`CREATE TABLE IF NOT EXISTS ${JOURNAL} (n INTEGER PRIMARY KEY, entry TEXT, version INTEGER)`);
      sql.exec(`INSERT OR IGNORE INTO ${JOURNAL} (n, entry) VALUES (1, 'in a form that nobody knows')`);
      JOURNAL_VERSION.write(sql, version);
    } else {
      sql.exec('CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)');
      sql.exec('INSERT OR REPLACE INTO schema_version (id, version) VALUES (1, ?)', version);
    }
  });
  await evictDurableObject(stub);
}

const standing = (stub: DurableObjectStub, of: string) =>
  runInDurableObject(stub, async (_, { storage }) => ({
    tables: storage.sql.exec(`SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'`).toArray(),
    version: storage.sql.exec(`SELECT version FROM ${versionTableOf(of)}`).one().version,
    alarmMs: await storage.getAlarm(),
  }));

beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('the alarm of an object that a newer release has stored', () => {
  it.each(Object.keys(CLASSES))('comes again a minute later and changes nothing: %s', async (of) => {
    const stub = CLASSES[of]?.();
    if (stub === undefined) throw new Error('no such class');
    await storedAs(stub, of, NEWER);
    await runInDurableObject(stub, (_, { storage }) => storage.setAlarm(FAR_MS));
    const beforeMs = Date.now();
    expect(await runDurableObjectAlarm(stub).catch(messageOf)).toBe(true);
    const { tables, version, alarmMs } = await standing(stub, of);
    expect({ tables, version }).toEqual({ tables: [{ name: versionTableOf(of) }], version: NEWER });
    expect(alarmMs).toBeGreaterThanOrEqual(beforeMs + 60_000);
    expect(alarmMs).toBeLessThan(Date.now() + 61_000);
    expect(logged).toEqual([
      expect.stringMatching(new RegExp(`"stored_data_newer".*this ${of} is stored in version 99`)),
    ]);
  });
});

it('a load that a newer release has stored waits, and goes on where a release that knows it runs again', async () => {
  const upstream = busyOnce();
  const watched = await waiting(upstream, await aPartner(), 'load');
  await storedAs(watched.subject(), 'Load', NEWER);
  expect(await runDurableObjectAlarm(watched.subject()).catch(messageOf)).toBe(true);
  expect(watched.bodies()).toBe(1);
  await storedAs(watched.subject(), 'Load', LOAD_VERSION);
  await runDurableObjectAlarm(watched.subject());
  await isDeliveredOnce(watched);
});

it('who asks for what a newer release has stored is answered 503, with what the operator is to do', async () => {
  upstreamAnswers(200);
  const partner = await aPartner();
  const { batchId } = await partner.receipt(statusFile(statusRow('LDNEWER')), {});
  const register = env.INTAKE_REGISTER.getByName(JSON.stringify(['test', partner.name]));
  const shown = () => partner.fetch(`/v1/batches/${batchId}`);
  await vi.waitFor(
    async () => expect(((await (await shown()).json()) as { state: string }).state).toBe('settled'),
    PATIENCE,
  );
  await storedAs(register, 'IntakeRegister', NEWER);
  const answer = await shown();
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('60');
  expect(await answer.json()).toMatchObject({
    code: 'stored_data_newer',
    fix: expect.stringContaining('deploys the release'),
  });
});
