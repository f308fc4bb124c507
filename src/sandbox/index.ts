/**
 * The sandbox: the whole partner integration service of the seed as a Worker of its own.
 *
 * Base URLs are `/test` and `/production` under its address; `/_sandbox` holds its own controls.
 */

import { perform } from './faults/perform.ts';
import { json, receive } from './http.ts';
import type { SandboxEnv } from './state.ts';

export { SandboxState } from './state.ts';

export default {
  async fetch(request, env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const behindDevProxy = env.DEV_PROXY === '1';
    const send = (answer: ReturnType<typeof json>): Promise<Response> =>
      perform({ answer, manner: { kind: 'whole' }, waitMs: 0 }, request.method, behindDevProxy);
    if (pathname === '/_sandbox/healthz') return send(json(200, { ok: true }));
    const received = await receive(request);
    const state = env.SANDBOX.getByName('sandbox');
    if (pathname.startsWith('/_sandbox/')) return send(await state.control(received));
    return perform(await state.serve(received), request.method, behindDevProxy);
  },
} satisfies ExportedHandler<SandboxEnv>;
