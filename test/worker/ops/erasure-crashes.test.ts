/** A partner's erasure that the process dies in, between any two of its steps: it goes on, and nothing is left. */
import { abortAllDurableObjects, evictAllDurableObjects, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { Load } from '../../../src/tracking/load.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { placesOf } from '../everything.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const WHY = { why: 'asked for by the partner' };

interface Plan {
  batches: number;
  keys: number;
  begunAt: string | null;
  confirm: string;
}

const planned = (admin: Operator, path: string): Promise<Plan> => admin.done<Plan>('POST', `${path}?dryRun=true`, WHY);

/** The process stands still here, for as long as it lives. @returns whether it got there, and what takes that away. */
function standsStill<Of extends object, Name extends keyof Of & string>(
  of: Of,
  name: Name,
  when: 'before' | 'after',
  isMeant: (...args: never[]) => boolean = () => true,
): { reached: () => boolean; end: () => void } {
  const original = of[name] as (...args: never[]) => Promise<unknown>;
  let count = 0;
  const spy = vi.spyOn(of, name as never) as unknown as { mockImplementation(by: unknown): void; mockRestore(): void };
  spy.mockImplementation(async function (this: unknown, ...args: never[]) {
    const done = when === 'after' ? await original.apply(this, args) : undefined;
    if (!isMeant(...args)) return when === 'after' ? done : original.apply(this, args);
    count += 1;
    return new Promise(() => undefined);
  });
  return { reached: () => count > 0, end: () => spy.mockRestore() };
}

/** A wake-up that broke off comes again after seconds of the runtime's own. */
const RUNTIME_PATIENCE = { timeout: 30_000, interval: 20 };
const ofBatch = (keys: never): boolean => [keys].flat().some((key) => /\/b_\w+\//.test(String(key)));
const STRAY = 'stray';
const ofNone = (keys: never): boolean => [keys].flat().some((key) => String(key).includes(STRAY));

/** In the order in which they come. */
const MOMENTS: readonly [string, () => ReturnType<typeof standsStill>][] = [
  ['the register has noted it, and done nothing', () => standsStill(Batch.prototype, 'eraseWhole', 'before')],
  ['batches have begun; the register does not know', () => standsStill(Batch.prototype, 'eraseWhole', 'after')],
  ['loads are gone; their batches have not noted it', () => standsStill(Load.prototype, 'erase', 'after')],
  ['files of batches are gone; their rows are not', () => standsStill(env.FILES, 'delete', 'after', ofBatch)],
  [
    'batches are gone; the register does not know',
    () => standsStill(IntakeRegister.prototype, 'forgetBatch', 'before'),
  ],
  ['files of no batch are gone; the register is not', () => standsStill(env.FILES, 'delete', 'after', ofNone)],
];

it('goes on after a crash behind each of its steps, and leaves nothing', { timeout: 90_000 }, async () => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  const name = 'Wilhelmina Canary';
  upstreamAnswers(200);
  const partner = await aPartner();
  const admin = await anOperator({ role: 'admin' });
  const path = `/v1/ops/partners/${partner.name}/erase`;
  for (const each of ['A', 'B']) {
    const file = statusFile(statusRow(`${each}1`, { City: name }), statusRow(`${each}2`, { City: name }));
    const { batchId } = await partner.receipt(file, { scac: 'DEMO' });
    await partner.reaches(batchId, 'settled');
  }
  await env.FILES.put(`test/${partner.name}/${STRAY}/1`, name);
  const { confirm } = await vi.waitFor(async () => {
    const plan = await planned(admin, path);
    expect(plan).toMatchObject({ batches: 2, openBatches: 0 });
    return plan;
  }, PATIENCE);

  const passed: string[] = [];
  let [still] = [MOMENTS[0]?.[1]()];
  await admin.done('POST', path, { ...WHY, confirm });
  for (const [at, [moment]] of MOMENTS.entries()) {
    await vi.waitFor(() => expect(still?.reached(), moment).toBe(true), RUNTIME_PATIENCE);
    still?.end();
    still = MOMENTS[at + 1]?.[1]();
    await abortAllDurableObjects();
    passed.push(moment);
  }
  await vi.waitFor(async () => {
    expect(await planned(admin, path)).toMatchObject({ batches: 0, keys: 0, begunAt: null });
  }, PATIENCE);
  expect(await placesOf(name)).toEqual([]);
  expect((await env.FILES.list({ prefix: `test/${partner.name}/` })).objects).toEqual([]);
  expect(passed).toHaveLength(MOMENTS.length);
});

it('is not held up by what a load was told of and has forgotten since', async () => {
  upstreamAnswers(200);
  const partner = await aPartner();
  const admin = await anOperator({ role: 'admin' });
  const { batchId } = await partner.receipt(statusFile(statusRow('L1')), { scac: 'DEMO' });
  await partner.reaches(batchId, 'settled');
  await evictAllDurableObjects(); // the load does not know any more that its batch has confirmed
  const path = '/v1/ops/loads/L1/erase';
  const { confirm } = await vi.waitFor(async () => {
    const plan = await planned(admin, path);
    expect(plan).toMatchObject({ requests: 1, underWay: { requests: 0, reports: 0, batches: [] } });
    return plan;
  }, PATIENCE);
  await admin.done('POST', path, { ...WHY, confirm });
  expect((await partner.fetch('/v1/loads/L1')).status).toBe(404);
});
