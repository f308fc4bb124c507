/** Where the deployment wants it, a load with nothing left to do is let go of once its batch has stored what became of it. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LET_GO, reachable } from '../../../src/kernel/let-go.ts';
import { aLoad } from '../loads.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

type TestLoad = ReturnType<typeof aLoad>;

const asDeployed = (load: TestLoad, atRest: 'go' | 'stay') =>
  runInDurableObject(load.stub(), (instance) => {
    const object = instance as unknown as { env: Env };
    object.env = { ...object.env, SETTLED_OBJECTS: atRest };
  });
const visit = (load: TestLoad, ...records: number[]) =>
  load.stub().visit({
    identity: load.identity,
    batchId: 'b_1',
    isLast: false,
    requests: records.map((record) => load.request(record)),
  });
const settled = async (load: TestLoad, receipt: string | null): Promise<string> =>
  load
    .stub()
    .settled(receipt ?? '')
    .then(() => 'stays')
    .catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)));

describe('a load whose batch has stored what became of it', () => {
  it('is let go of, and is there again with all it stored at the next visit', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await asDeployed(load, 'go');
    const { receipt } = await visit(load, 1);
    expect(await settled(load, receipt)).toContain(LET_GO);
    await visit(load, 1, 2);
    await load.reaches('delivered', 'delivered');
    expect(left).toHaveLength(2);
  });

  it('stays where the platform takes it from memory', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    const { receipt } = await visit(load, 1);
    expect(await settled(load, receipt)).toBe('stays');
  });

  it('stays while something waits in it', async () => {
    upstreamAnswers(503);
    const load = aLoad();
    await asDeployed(load, 'go');
    const { receipt } = await visit(load, 1);
    expect(await settled(load, receipt)).toBe('stays');
  });

  it('stays while another visit is under way, which loses nothing', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await asDeployed(load, 'go');
    const { receipt } = await visit(load, 1);
    const [second, end] = await Promise.all([visit(load, 2), settled(load, receipt)]);
    expect([end, second.outcomes.at(-1)?.state]).toEqual(['stays', 'delivered']);
    expect(left).toHaveLength(2);
  });

  it('stays while a call waits for the storage', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await asDeployed(load, 'go');
    const { receipt } = await visit(load, 1);
    const waits = vi.fn();
    await runInDurableObject(load.stub(), (_, { storage }) => {
      vi.spyOn(storage, 'getAlarm').mockImplementationOnce(async () => {
        waits();
        await scheduler.wait(500);
        return null;
      });
    });
    const asked = load.stub().ensureAlarm();
    await vi.waitFor(() => expect(waits).toHaveBeenCalled());
    expect(await settled(load, receipt)).toBe('stays');
    await asked; // it would throw, had its object been let go of
  });

  it('answers a page that meets the moment', async () => {
    upstreamAnswers(200);
    for (let turn = 0; turn < 5; turn += 1) {
      const load = aLoad();
      await asDeployed(load, 'go');
      const { receipt } = await visit(load, 1);
      const [, entries] = await Promise.all([settled(load, receipt), reachable(load.stub).timeline()]);
      expect(entries.map(({ request }) => request.state)).toEqual(['delivered']);
    }
  });
});
