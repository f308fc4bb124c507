/** Webhooks of a partner under test: targets that are known to its object, and what was sent to them. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { type PartnerScope, registerName } from '../../src/kernel/names.ts';
import { signingKey, webhookKeyOf } from '../../src/webhooks/key.ts';
import type { WebhookDelivery, WebhookEvent, WebhookTarget } from '../../src/webhooks/target.ts';
import type { Webhooks } from '../../src/webhooks/webhooks.ts';
import { PATIENCE } from './loads.ts';
import { type Answering, answerTo, type Left, type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

let made = 0;

export interface HooksUnderTest {
  scope: PartnerScope;
  stub(): DurableObjectStub<Webhooks>;
  keep(...targets: WebhookTarget[]): Promise<void>;
  notify(...numbers: number[]): Promise<void>;
  deliveries(target?: string): Promise<WebhookDelivery[]>;
  /** Waits until the states of a target's deliveries, newest first, are these. */
  reaches(states: WebhookDelivery['state'][], target?: string): Promise<WebhookDelivery[]>;
  /** Ends all waits. */
  waitsPass(): Promise<void>;
  sql(statement: string, ...values: SqlStorageValue[]): Promise<void>;
}

export const aTarget = (id: string, more: Partial<WebhookTarget> = {}): WebhookTarget => ({
  id,
  edition: 1,
  url: `https://${id}.example/hook`,
  events: ['batch.settled', 'batch.held', 'acknowledgment.ready'],
  isEnabled: true,
  isDeleted: false,
  generation: 1,
  rotatedAtMs: null,
  ...more,
});

export const anEvent = (number: number): WebhookEvent => ({
  type: 'batch.settled',
  key: ['b_1', number],
  atMs: Date.UTC(2026, 2, 3, 4, 5, 6),
  data: { batchId: 'b_1', number },
});

export function hooksOf(scope: PartnerScope): HooksUnderTest {
  const stub = () => env.WEBHOOKS.getByName(registerName(scope));
  const sql: HooksUnderTest['sql'] = (statement, ...values) =>
    runInDurableObject(stub(), (_, state) => void state.storage.sql.exec(statement, ...values).toArray());
  const deliveries: HooksUnderTest['deliveries'] = (target = 'one') => stub().deliveries(target, null, 500);
  return {
    scope,
    stub,
    keep: (...targets) => stub().keepTargets(scope, targets),
    notify: (...numbers) => stub().notify(numbers.map(anEvent)),
    deliveries,
    reaches: (states, target) =>
      vi.waitFor(async () => {
        const found = await deliveries(target);
        expect(found.map(({ state }) => state)).toEqual(states);
        return found;
      }, PATIENCE),
    async waitsPass() {
      await sql('UPDATE delivery SET due_ms = 0 WHERE due_ms IS NOT NULL');
      await runInDurableObject(stub(), (object) => object.alarm());
    },
    sql,
  };
}

/** A partner of its own each time. */
export function someHooks(): HooksUnderTest {
  made += 1;
  return hooksOf({ environment: 'test', partner: `hooked-${made}` });
}

export const keyOf = async (scope: PartnerScope, target = 'one', generation = 1): Promise<string> => {
  const master = webhookKeyOf(env);
  if (master === undefined) throw new Error('no WEBHOOK_KEY');
  return (await signingKey(master, { ...scope, target, generation })).reveal();
};

/** Targets answer by the first label of their host, in order, the last one repeating; everything else as the upstream does. */
export function targetsAnswer(answers: Record<string, Answering[]>, ...upstream: Answering[]) {
  const double: UpstreamDouble = upstreamAnswers(...upstream);
  return { ...double, ...targetsBeside(answers) };
}

/** The same beside an upstream that answers already. */
export function targetsBeside(answers: Record<string, Answering[]> = {}) {
  const asUpstream = vi.mocked(globalThis.fetch).getMockImplementation();
  const told: Left[] = [];
  const counts = new Map<string, number>();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const host = new URL(String(url)).hostname;
    const [name = ''] = host.split('.');
    if (!host.endsWith('.example') && asUpstream !== undefined) return asUpstream(url as string, init);
    const headers = { ...(init?.headers as Record<string, string>) };
    const body = typeof init?.body === 'string' ? init.body : '';
    const left = {
      url: String(url),
      method: init?.method ?? '',
      headers,
      body,
      redirect: init?.redirect,
      atMs: Date.now(),
    };
    told.push(left);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const own = answers[name] ?? [200];
    const answer = own[Math.min(count, own.length) - 1] ?? 200;
    return answerTo(answer, left, init?.signal ?? undefined);
  });
  return { told };
}
