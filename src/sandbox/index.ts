/**
 * The sandbox: the whole partner integration service of the seed as a Worker of its own.
 *
 * Base URLs are `/test` and `/production` under its address; `/_sandbox` holds its own controls. One Durable Object
 * holds it all: every request in arrival order, in one transaction each. That is enough for a test service and keeps
 * the journal's order exact.
 */
import { DurableObject } from 'cloudflare:workers';
import { control } from './control.ts';
import type { Delivery } from './faults/faults.ts';
import { perform } from './faults/perform.ts';
import { type Answer, json, type Received, receive } from './http.ts';
import { serve } from './serve.ts';
import { SqlStore } from './sql-store.ts';

interface SandboxEnv {
  SANDBOX: DurableObjectNamespace<SandboxState>;
  /** How much faster than the clock an order advances; 1 is real time. */
  TIME_SCALE?: string;
  /** `1` if the proxy of `wrangler dev` is in front (see `perform.ts`). */
  DEV_PROXY?: string;
}

/** It only loads and stores. */
export class SandboxState extends DurableObject<SandboxEnv> {
  readonly #store: SqlStore;
  #lastMs = 0;

  constructor(ctx: DurableObjectState, env: SandboxEnv) {
    super(ctx, env);
    const timeScale = Number(env.TIME_SCALE ?? 1);
    if (!(timeScale > 0)) throw new Error(`TIME_SCALE must be a number above 0, not ${env.TIME_SCALE}`);
    this.#store = new SqlStore(ctx.storage.sql, timeScale);
  }

  serve(received: Received): Delivery {
    const steps = { tick: this.#tick, newId: () => crypto.randomUUID() };
    return this.ctx.storage.transactionSync(() => serve(received, this.#store, steps));
  }

  control(received: Received): Answer {
    return this.ctx.storage.transactionSync(() => control(received, this.#store, this.#tick));
  }

  /** Only rises: two requests, or effects, never share an instant, so "since the last poll" is exact. */
  readonly #tick = (): number => {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return this.#lastMs;
  };
}

export default {
  async fetch(request, env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const behindDevProxy = env.DEV_PROXY === '1';
    const send = (answer: Answer): Promise<Response> =>
      perform({ answer, manner: { kind: 'whole' }, waitMs: 0 }, request.method, behindDevProxy);
    if (pathname === '/_sandbox/healthz') return send(json(200, { ok: true }));
    const received = await receive(request);
    const state = env.SANDBOX.getByName('sandbox');
    if (pathname.startsWith('/_sandbox/')) return send(await state.control(received));
    return perform(await state.serve(received), request.method, behindDevProxy);
  },
} satisfies ExportedHandler<SandboxEnv>;
