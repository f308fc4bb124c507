import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { type HttpBindings, opsSignIn } from '../../../src/http/edge/context.ts';
import type { SignIn } from '../../../src/intake/ports.ts';
import { OPS_ROLES, type OpsPrincipal, type OpsRole } from '../../../src/ops/directory/directory.ts';

/** Keys are named like their roles. */
function anApp(role?: OpsRole, outcome?: SignIn<OpsPrincipal>) {
  const app = new Hono<HttpBindings>();
  const known = (name: string): SignIn<OpsPrincipal> =>
    OPS_ROLES.some((each) => each === name)
      ? { outcome: 'known', principal: { keyId: '1', name, role: name as OpsRole, environments: ['test'] } }
      : { outcome: 'unknown' };
  const directory = { signIn: async (key: string) => outcome ?? known(key) };
  app.use(opsSignIn(() => directory, role));
  app.all('/', (context) => context.text(context.get('operator').name));
  return (method: string, key?: string) =>
    app.request('/', { method, headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } }, {} as Env);
}

const statuses = async (ask: ReturnType<typeof anApp>, method: string): Promise<number[]> =>
  Promise.all(OPS_ROLES.map(async (role) => (await ask(method, role)).status));

describe('opsSignIn', () => {
  it.each(['GET', 'HEAD'])('lets every role read: %s', async (method) => {
    expect(await statuses(anApp(), method)).toEqual([200, 200, 200]);
  });

  it.each(['PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'needs an operator for anything else, also for what nobody thought of: %s',
    async (method) => {
      expect(await statuses(anApp(), method)).toEqual([403, 200, 200]);
    },
  );

  it('needs the role that is named, whatever the method', async () => {
    expect(await statuses(anApp('admin'), 'GET')).toEqual([403, 403, 200]);
  });

  it('says which role is needed', async () => {
    const answer = await anApp()('PUT', 'viewer');
    expect(await answer.json()).toMatchObject({
      code: 'role_insufficient',
      detail: expect.stringContaining('operator'),
    });
  });

  it.each(['wrong', '', 'tltest_0000'])('answers a key that is not known like any other: %j', async (key) => {
    const answer = await anApp()('GET', key);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'unauthorized' });
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer /);
  });

  it('asks for a key where there is none', async () => {
    expect(await (await anApp()('GET')).json()).toMatchObject({ code: 'unauthorized', title: 'Key missing' });
  });

  it('says that keys cannot be checked, never that one is wrong', async () => {
    const answer = await anApp(undefined, { outcome: 'unavailable' })('GET', 'viewer');
    expect(answer.status).toBe(503);
  });
});
