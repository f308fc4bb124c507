/** Signing in, and what a session is worth: every way to steal one, to fake one or to outlive it is tried, and refused. */
import { createExecutionContext, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../src/index.ts';
import { credentialsOf } from '../../../src/ops/people/credentials.ts';
import {
  KNOWN_BROWSER_MS,
  LINK_LIFETIME_MS,
  PASSKEYS_MAX,
  SESSION_IDLE_MS,
  SESSION_LENGTH_MS,
  TRIES_FREE,
  TRY_WAIT_MS,
  TRY_WAIT_MS_MAX,
} from '../../../src/ops/people/limits.ts';
import { triesOf } from '../../../src/ops/people/tries.ts';
import { bridge } from '../bridge.ts';
import { migratedDirectory } from '../directory.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, ORIGIN, problemOf } from '../partners.ts';
import { aPerson, COOKIE, signedIn, theSessions } from '../sessions.ts';

beforeEach(() => migratedDirectory());
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const PASSWORD = 'four quiet words of mine';
const OWN = { 'Sec-Fetch-Site': 'same-origin' };
const AS_BROWSER = { Accept: 'text/html' };
const credentials = (nowMs = Date.now) => credentialsOf(env.DIRECTORY, nowMs);

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  bridge(ORIGIN + path, { redirect: 'manual', headers: { ...AS_BROWSER, ...headers } });

const post = (path: string, form: Record<string, string>, headers: Record<string, string> = OWN): Promise<Response> =>
  bridge(ORIGIN + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...AS_BROWSER, 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });

/** `name=value` of the session that an answer begins; '' where it begins none. */
const sessionIn = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => /^__Host-transload=[^;]/.test(cookie))
    ?.split(';')[0] ?? '';
const browserIn = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('__Host-transload-browser='))
    ?.split(';')[0] ?? '';

const isSignedIn = async (cookie: string): Promise<boolean> =>
  (await get('/console/me', { Cookie: cookie })).status === 200;

/** Somebody with a password. */
async function withPassword(name = 'night shift', role = 'operator') {
  const personId = await aPerson({ name, role, environments: ['test'] });
  await credentials().setPassword({ personId, name }, PASSWORD);
  return { personId, name, signIn: (headers = OWN) => post('/console/sign-in', { name, password: PASSWORD }, headers) };
}

/** The token that forms of a session bring along. */
async function csrfOf(cookie: string): Promise<string> {
  const html = await (await get('/console/me', { Cookie: cookie })).text();
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

const invited = (admin: Operator, name = 'new colleague') =>
  admin.done<{ personId: string; link: string }>('POST', '/v1/ops/people', {
    ...{ name, role: 'viewer', environments: ['test'], why: 'joins the team' },
  });
const pathOf = (link: string): string => new URL(link).pathname;

describe('signing in', () => {
  it('with a password begins a session in a cookie that no script and no other host can read', async () => {
    const person = await withPassword();
    const answer = await person.signIn();
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console']);
    const cookie = answer.headers.getSetCookie().find((each) => each.startsWith(`${COOKIE}=`)) ?? '';
    for (const wanted of ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']) expect(cookie).toContain(wanted);
    expect(await isSignedIn(sessionIn(answer))).toBe(true);
  });

  it('is by name in any case, and by nothing but the whole password', async () => {
    await withPassword();
    const tried = async (name: string, password: string) => (await post('/console/sign-in', { name, password })).status;
    expect(await tried('NIGHT SHIFT', PASSWORD)).toBe(303);
    expect(await tried('night shift', PASSWORD.slice(1))).toBe(401);
    expect(await tried('nobody', PASSWORD)).toBe(401);
    expect(await tried('night shift', '')).toBe(400);
  });

  it('stores no password, no link and no token', async () => {
    const person = await withPassword();
    const cookie = sessionIn(await person.signIn());
    const { link } = await invited(await anOperator({ role: 'admin' }));
    const dumps = await Promise.all(
      ['person', 'console_session', 'sign_in_link', 'known_browser', 'sign_in_try', 'audit_entry'].map((table) =>
        env.DIRECTORY.prepare(`SELECT * FROM ${table}`).all(),
      ),
    );
    const stored = JSON.stringify(dumps.map(({ results }) => results));
    for (const secret of [PASSWORD, cookie.split('=')[1] ?? '?', link.split('/').at(-1) ?? '?'])
      expect(stored).not.toContain(secret);
    expect(stored).toContain('scrypt$14$8$5$');
  });

  it('with a partner’s key shows what the key may see, and ends when the key is revoked', async () => {
    const partner = await aPartner();
    const answer = await post('/console/sign-in/key', { key: ` ${partner.key}\n`, to: '/console/batches?x=1' });
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console/batches?x=1']);
    const cookie = sessionIn(answer);
    expect(await (await get('/console/me', { Cookie: cookie })).text()).toContain(partner.name);
    expect((await get('/console/people', { Cookie: cookie })).status).toBe(403);
    await env.DIRECTORY.prepare(`UPDATE partner_key SET revoked_at = '2026-01-01'`).run();
    expect(await isSignedIn(cookie)).toBe(false);
  });

  it('with an operator’s key says that keys are for programs', async () => {
    const operator = await anOperator();
    const answer = await post('/console/sign-in/key', { key: operator.key });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('programs use it');
    expect(sessionIn(answer)).toBe('');
  });

  it.each(['https://evil.example/', '//evil.example', '/v1/batches', '/console\\..\\evil', 'javascript:alert(1)'])(
    'leads back to pages of ours only, not to %s',
    async (to) => {
      const partner = await aPartner();
      const answer = await post('/console/sign-in/key', { key: partner.key, to });
      expect(answer.headers.get('Location')).toBe('/console');
      expect(await (await get(`/console/sign-in?${new URLSearchParams({ to })}`)).text()).not.toContain('evil');
    },
  );

  it('is refused over a connection that can be overheard', async () => {
    const answer = await bridge('http://bridge.example/console/sign-in');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('https');
  });

  it('from a page of somebody else is refused: nobody is signed in as another without knowing', async () => {
    const person = await withPassword();
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: `${ORIGIN}:8443` }, { Origin: 'null' }]) {
      const answer = await person.signIn(headers as unknown as typeof OWN);
      expect([answer.status, sessionIn(answer)]).toEqual([403, '']);
    }
  });
});

describe('a session', () => {
  it('is never one that the browser had before: a planted token opens nothing', async () => {
    const person = await withPassword();
    const planted = `${COOKIE}=${'A'.repeat(43)}`;
    const answer = await person.signIn({ ...OWN, Cookie: planted } as typeof OWN);
    expect(sessionIn(answer)).not.toBe(planted);
    expect(await isSignedIn(planted)).toBe(false);
  });

  it('ends when its browser signs in anew: the token of before is dead', async () => {
    const person = await withPassword();
    const before = sessionIn(await person.signIn());
    const after = sessionIn(await person.signIn({ ...OWN, Cookie: before } as typeof OWN));
    expect([await isSignedIn(before), await isSignedIn(after)]).toEqual([false, true]);
  });

  it('that was stolen is worth nothing after signing out', async () => {
    const person = await withPassword();
    const cookie = sessionIn(await person.signIn());
    const answer = await post('/console/sign-out', { csrf: await csrfOf(cookie) }, { ...OWN, Cookie: cookie });
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console/sign-in']);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-transload=;.*Max-Age=0/);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  it('ends everywhere at once, of this person alone', async () => {
    const person = await withPassword();
    const other = sessionIn(await (await withPassword('day shift')).signIn());
    const [one, two] = [sessionIn(await person.signIn()), sessionIn(await person.signIn())];
    await post('/console/me/sign-out-everywhere', { csrf: await csrfOf(one) }, { ...OWN, Cookie: one });
    expect([await isSignedIn(one), await isSignedIn(two), await isSignedIn(other)]).toEqual([false, false, true]);
  });

  it('of somebody else cannot be ended by its id', async () => {
    const mine = sessionIn(await (await withPassword()).signIn());
    const theirs = await withPassword('day shift');
    const cookie = sessionIn(await theirs.signIn());
    const [listed] = await theSessions().list({ kind: 'person', personId: theirs.personId });
    const form = { csrf: await csrfOf(mine), session: listed?.sessionId ?? '' };
    await post('/console/me/sessions/end', form, { ...OWN, Cookie: mine });
    expect(await isSignedIn(cookie)).toBe(true);
  });

  it('ends when nobody uses it, and at its absolute end however much it is used', async () => {
    const personId = await aPerson({ name: 'night shift', role: 'viewer', environments: ['test'] });
    const startMs = Date.now();
    let now = startMs;
    const sessions = theSessions(() => now);
    const begin = () =>
      sessions.begin({ holder: { kind: 'person', personId }, by: 'link', browser: '', replaced: null });
    const idle = await begin();
    now = startMs + SESSION_IDLE_MS - 1;
    const used = await begin();
    expect(await sessions.find(idle)).not.toBeNull();
    now += SESSION_IDLE_MS - 60_001;
    expect(await sessions.find(idle)).not.toBeNull();
    now += SESSION_IDLE_MS;
    expect([await sessions.find(idle), await sessions.find(used)]).toEqual([null, null]);
    now = startMs;
    const busy = await begin();
    for (; now < startMs + SESSION_LENGTH_MS - 60_000; now += SESSION_IDLE_MS / 2)
      expect(await sessions.find(busy)).not.toBeNull();
    now = startMs + SESSION_LENGTH_MS;
    expect(await sessions.find(busy)).toBeNull();
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['another port of this host', { 'Sec-Fetch-Site': 'same-site', Origin: `${ORIGIN}:8443` }],
    ['another port, in a browser that says no more', { Origin: `${ORIGIN}:8443` }],
    ['a sandboxed page', { Origin: 'null' }],
    ['nobody knows where', {}],
  ])('does nothing for a form from %s, even with the right token', async (_, headers) => {
    const person = await withPassword('an admin', 'admin');
    const cookie = sessionIn(await person.signIn());
    const form = {
      csrf: await csrfOf(cookie),
      name: 'intruder',
      role: 'admin',
      environments: 'test',
      why: 'x',
      step: 'do',
    };
    const answer = await post('/console/do/invite-person', form, { ...headers, Cookie: cookie });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('cross_site_refused');
    expect(await env.DIRECTORY.prepare(`SELECT * FROM person WHERE name = 'intruder'`).first()).toBeNull();
  });

  it('does nothing for a form without its token, or with that of another session', async () => {
    const person = await withPassword('an admin', 'admin');
    const [cookie, other] = [sessionIn(await person.signIn()), sessionIn(await person.signIn())];
    for (const csrf of ['', await csrfOf(other)]) {
      const form = { csrf, name: 'intruder', role: 'admin', environments: 'test', why: 'x', step: 'do' };
      const answer = await post('/console/do/invite-person', form, { ...OWN, Cookie: cookie });
      expect(answer.status).toBe(csrf === '' ? 403 : 400);
      const html = await answer.text();
      expect(html).toContain(
        csrf === '' ? 'cross_site_refused' : 'You have signed in again since this page was opened.',
      );
    }
    expect(await env.DIRECTORY.prepare(`SELECT * FROM person WHERE name = 'intruder'`).first()).toBeNull();
  });

  it('shows a form of an earlier session once more, with what was typed, and takes it then', async () => {
    const person = await withPassword('an admin', 'admin');
    const earlier = await csrfOf(sessionIn(await person.signIn()));
    const cookie = sessionIn(await person.signIn());
    const form = {
      csrf: earlier,
      name: 'late',
      role: 'viewer',
      environments: 'test',
      why: 'a long reason',
      step: 'do',
    };
    const shown = await (await post('/console/do/invite-person', form, { ...OWN, Cookie: cookie })).text();
    for (const text of ['value="late"', 'value="a long reason"']) expect(shown).toContain(text);
    const csrf = /name="csrf" value="([^"]+)"/.exec(shown)?.[1] ?? '';
    expect(csrf).not.toBe(earlier);
    const done = await post('/console/do/invite-person', { ...form, csrf }, { ...OWN, Cookie: cookie });
    expect([done.status, (await done.text()).includes('Not sent yet')]).toEqual([200, false]);
    expect(await env.DIRECTORY.prepare(`SELECT * FROM person WHERE name = 'late'`).first()).not.toBeNull();
  });

  it('of somebody with ten passkeys says that there may be no more, and takes none', async () => {
    const { personId, signIn } = await withPassword();
    const cookie = sessionIn(await signIn());
    const insert = env.DIRECTORY.prepare(`INSERT INTO passkey VALUES (?, ?, 'Phone', 'k', 0, '[]', 0, NULL)`);
    await env.DIRECTORY.batch(Array.from({ length: PASSKEYS_MAX }, (_, at) => insert.bind(`id-${at}`, personId)));
    const html = await (await get('/console/me', { Cookie: cookie })).text();
    expect([html.includes('You have 10, which is all there may be.'), html.includes('Add a passkey')]).toEqual([
      true,
      false,
    ]);
    const csrf = await csrfOf(cookie);
    const refused = await post(
      '/console/me/passkeys',
      { csrf, name: 'Eleventh', answer: '{}' },
      { ...OWN, Cookie: cookie },
    );
    expect([refused.status, (await refused.text()).includes('you have 10, which is all there may be')]).toEqual([
      400,
      true,
    ]);
  });

  it('opens no address of the API: those want a key', async () => {
    const cookie = sessionIn(await (await withPassword()).signIn());
    const answer = await bridge(`${ORIGIN}/v1/ops/batches?environment=test`, {
      headers: { Cookie: cookie },
    });
    expect((await problemOf(answer)).code).toBe('unauthorized');
  });
});

describe('what an admin changes of somebody who is signed in', () => {
  const changed = async (change: object): Promise<[string, Operator, string]> => {
    const admin = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const { personId } = await withPassword('an admin', 'admin');
    const cookie = await signedIn({ kind: 'person', personId });
    expect((await get('/console/people', { Cookie: cookie })).status).toBe(200);
    await admin.done('PATCH', `/v1/ops/people/${personId}`, { ...change, why: 'another task' });
    return [cookie, admin, personId];
  };

  it('counts at their next request: a lesser role', async () => {
    const [cookie] = await changed({ role: 'viewer' });
    expect((await get('/console/people', { Cookie: cookie })).status).toBe(403);
    expect(await (await get('/console/me', { Cookie: cookie })).text()).toContain('<dd>viewer</dd>');
    const form = { csrf: await csrfOf(cookie), name: 'x', role: 'admin', environments: 'test', why: 'x', step: 'do' };
    expect((await post('/console/do/invite-person', form, { ...OWN, Cookie: cookie })).status).toBe(403);
  });

  it('counts at their next request: other environments', async () => {
    const [cookie] = await changed({ environments: ['production'] });
    expect(await (await get('/console/batches', { Cookie: cookie })).text()).not.toContain('>test</');
  });

  it('counts at their next request: they are removed, and sign in no more', async () => {
    const [cookie, admin, personId] = await changed({ role: 'viewer' });
    await admin.done('DELETE', `/v1/ops/people/${personId}`, { why: 'has left' });
    expect(await isSignedIn(cookie)).toBe(false);
    expect((await post('/console/sign-in', { name: 'an admin', password: PASSWORD })).status).toBe(401);
    const { results } = await env.DIRECTORY.prepare(
      'SELECT actor, action, about, why FROM audit_entry ORDER BY id',
    ).all();
    expect(results.slice(-2)).toEqual([
      { actor: 'Analyst', action: 'person.change', about: 'person/an admin', why: 'another task' },
      { actor: 'Analyst', action: 'person.remove', about: 'person/an admin', why: 'has left' },
    ]);
  });
});

describe('a one-time link', () => {
  it('signs in once: looking at it changes nothing, the second time it is refused', async () => {
    const { link } = await invited(await anOperator({ role: 'admin' }));
    expect(await (await get(pathOf(link))).text()).toContain('Welcome, new colleague');
    expect((await get(pathOf(link))).status).toBe(200);
    const answer = await post(pathOf(link), {});
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console/me?welcome=1']);
    expect(await isSignedIn(sessionIn(answer))).toBe(true);
    const again = await post(pathOf(link), {});
    expect([again.status, sessionIn(again), (await get(pathOf(link))).status]).toEqual([403, '', 403]);
  });

  it('gets one of many that open it at once', async () => {
    const { link } = await invited(await anOperator({ role: 'admin' }));
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(pathOf(link), {})));
    expect(answers.map(sessionIn).filter((cookie) => cookie !== '')).toHaveLength(1);
  });

  it('ends after its time, and when a newer one is made', async () => {
    const admin = await anOperator({ role: 'admin' });
    const { link, personId } = await invited(admin);
    const token = link.split('/').at(-1) ?? '';
    expect(await credentials(() => Date.now() + LINK_LIFETIME_MS + 1_000).useLink(token)).toBeNull();
    const newer = await admin.done<{ link: string }>('POST', `/v1/ops/people/${personId}/link`, { why: 'was lost' });
    expect((await post(pathOf(link), {})).status).toBe(403);
    expect((await post(pathOf(newer.link), {})).status).toBe(303);
  });

  it.each<[string, object]>([
    ['environments', { environments: ['test', 'production'] }],
    ['a greater role', { role: 'operator' }],
  ])('opens nothing once its person gets more: %s', async (_, more) => {
    const { link, personId } = await invited(await anOperator({ role: 'admin', environments: ['test'] }));
    const other = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const change = { ...more, why: 'another task' };
    const changed = await other.done<{ linkEndsAt: null }>('PATCH', `/v1/ops/people/${personId}`, change);
    expect(changed.linkEndsAt).toBeNull();
    const answer = await post(pathOf(link), {});
    expect([answer.status, sessionIn(answer)]).toEqual([403, '']);
  });

  it('works on while its person keeps their rights or loses some', async () => {
    const admin = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const { link, personId } = await invited(admin);
    await admin.done('PATCH', `/v1/ops/people/${personId}`, { role: 'viewer', why: 'as before' });
    expect((await post(pathOf(link), {})).status).toBe(303);
  });

  it('with a reset forgets the password and ends all sessions', async () => {
    const admin = await anOperator({ role: 'admin' });
    const person = await withPassword();
    const cookie = sessionIn(await person.signIn());
    await admin.done('POST', `/v1/ops/people/${person.personId}/link`, { why: 'a phone was lost', reset: true });
    expect(await isSignedIn(cookie)).toBe(false);
    expect((await person.signIn()).status).toBe(401);
  });
});

describe('two changes of a person at once', () => {
  it('are both made: neither writes what the other has changed, nor says so in the audit', async () => {
    const admin = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const personId = await aPerson({ name: 'night shift', role: 'admin', environments: ['test'] });
    const { link } = await admin.done<{ link: string }>('POST', `/v1/ops/people/${personId}/link`, { why: 'was lost' });
    const change = (body: object) =>
      admin.done('PATCH', `/v1/ops/people/${personId}`, { why: 'another task', ...body });
    const batch = env.DIRECTORY.batch.bind(env.DIRECTORY);
    vi.spyOn(env.DIRECTORY, 'batch').mockImplementationOnce(async (statements) => {
      await change({ role: 'viewer' });
      return batch(statements) as never;
    });
    expect(await change({ environments: ['test', 'production'] })).toMatchObject({
      role: 'viewer',
      environments: ['test', 'production'],
      linkEndsAt: null,
    });
    expect((await post(`/console/sign-in/link/${link.split('/').at(-1)}`, {})).status).toBe(403);
    const { entries } = await admin.getJson<{ entries: { detail: object }[] }>(
      '/v1/ops/audit?environment=test&action=person.change',
    );
    expect(entries.map(({ detail }) => detail)).toMatchObject([
      { before: { role: 'viewer', environments: ['test'] }, after: { role: 'viewer' } },
      { before: { role: 'admin' }, after: { role: 'viewer', environments: ['test'] } },
    ]);
  });

  it('are refused one of them, and nothing of that is made, where others change the person all the time', async () => {
    const admin = await anOperator({ role: 'admin' });
    const personId = await aPerson({ name: 'night shift', role: 'admin', environments: ['test'] });
    const batch = env.DIRECTORY.batch.bind(env.DIRECTORY);
    const roles = ['viewer', 'operator'];
    vi.spyOn(env.DIRECTORY, 'batch').mockImplementation(async (statements) => {
      const role = roles.shift() ?? 'viewer';
      roles.push(role);
      await env.DIRECTORY.prepare('UPDATE person SET role = ? WHERE person_id = ?').bind(role, personId).run();
      return batch(statements) as never;
    });
    const body = JSON.stringify({ role: 'admin', why: 'another task' });
    const refused = await admin.fetch(`/v1/ops/people/${personId}`, { method: 'PATCH', body });
    expect(await problemOf(refused)).toMatchObject({ status: 409, code: 'changed_meanwhile' });
    const audited = `SELECT count(*) AS count FROM audit_entry WHERE action = 'person.change'`;
    expect(await env.DIRECTORY.prepare(audited).first('count')).toBe(0);
  });
});

describe('whoever is wrong', () => {
  const wrong = (headers: Record<string, string> = {}, name = 'night shift') =>
    post('/console/sign-in', { name, password: 'a wrong password' }, { ...OWN, ...headers });

  it('waits longer and longer: even the right password is not looked at meanwhile, and is again afterwards', async () => {
    const person = await withPassword();
    for (let tries = 0; tries <= TRIES_FREE; tries += 1) expect((await wrong()).status).toBe(401);
    const refused = await person.signIn();
    expect([refused.status, Number(refused.headers.get('Retry-After'))]).toEqual([429, TRY_WAIT_MS / 1_000]);
    await env.DIRECTORY.prepare('UPDATE sign_in_try SET next_at_ms = 0').run();
    expect((await person.signIn()).status).toBe(303);
    expect(await env.DIRECTORY.prepare(`SELECT * FROM sign_in_try WHERE about LIKE 'name:%'`).first()).toBeNull();
  });

  it('does not get more tries by making them at once', async () => {
    await withPassword();
    const answers = await Promise.all(Array.from({ length: 12 }, () => wrong()));
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(TRIES_FREE + 1);
  });

  it('is slowed down by address whatever is tried: names, keys and links', async () => {
    const at = { 'CF-Connecting-IP': '2001:db8:1:2::1' };
    const samenet = { 'CF-Connecting-IP': '2001:db8:1:2:ffff::9' };
    for (let tries = 0; tries < TRIES_FREE - 2; tries += 1) await wrong(at, `nobody ${tries}`);
    await post('/console/sign-in/key', { key: `tltest_${'0'.repeat(16)}_${'0'.repeat(64)}` }, { ...OWN, ...at });
    await post(`/console/sign-in/link/${'A'.repeat(43)}`, {}, { ...OWN, ...at });
    await wrong(samenet, 'nobody else');
    expect((await wrong(at, 'nobody at all')).status).toBe(429);
    expect((await wrong({ 'CF-Connecting-IP': '2001:db8:1:3::1' }, 'nobody at all')).status).toBe(401);
  });

  it('cannot keep the right one out of a browser in which they signed in before', async () => {
    const person = await withPassword();
    const known = browserIn(await person.signIn());
    for (let tries = 0; tries <= TRIES_FREE; tries += 1) await wrong();
    expect((await person.signIn()).status).toBe(429);
    expect((await person.signIn({ ...OWN, Cookie: known } as typeof OWN)).status).toBe(303);
  });

  it('cannot use that browser for somebody else, and there too waits after wrong tries', async () => {
    const known = { Cookie: browserIn(await (await withPassword()).signIn()) };
    await withPassword('day shift');
    for (let tries = 0; tries <= TRIES_FREE; tries += 1) expect((await wrong(known, 'day shift')).status).toBe(401);
    expect((await wrong(known, 'day shift')).status).toBe(429);
    for (let tries = 0; tries <= TRIES_FREE; tries += 1) expect((await wrong(known)).status).toBe(401);
    expect((await wrong(known)).status).toBe(429);
  });

  it('never waits longer than the longest wait, and is forgotten in the end', async () => {
    let now = Date.now();
    const tries = triesOf(env.DIRECTORY, () => now);
    const waits: number[] = [];
    for (let count = 0; count < 40; count += 1) {
      const wait = await tries.claim(['name:x']);
      if (wait > 0) waits.push(wait);
      now += wait;
    }
    expect(waits.slice(0, 3)).toEqual([TRY_WAIT_MS, 2 * TRY_WAIT_MS, 4 * TRY_WAIT_MS]);
    expect(Math.max(...waits)).toBe(TRY_WAIT_MS_MAX);
    now += KNOWN_BROWSER_MS;
    expect([await tries.claim(['name:x']), await tries.claim(['name:x'])]).toEqual([0, 0]);
  });
});

describe('Cloudflare Access in front', () => {
  const ROLES = '[{"group":"ops","role":"operator","environments":["test"]}]';
  const IDENTITY = { email: 'someone@bridge.example', user_uuid: 'u-1', groups: ['ops'] };
  const opened = async (origin: string, path: string, vars: object, identity?: object, init: RequestInit = {}) => {
    const context = createExecutionContext();
    if (identity !== undefined)
      Object.defineProperty(context, 'access', { value: { aud: 'a', getIdentity: async () => identity } });
    const request = new Request(origin + path, {
      ...init,
      redirect: 'manual',
      headers: { ...AS_BROWSER, ...init.headers },
    });
    return (await worker.fetch(request as never, { ...env, ...vars } as Env, context)) as unknown as Response;
  };

  it('signs in whoever has a group with a role, without a session of ours', async () => {
    const answer = await opened(ORIGIN, '/console/me', { ACCESS_ROLES: ROLES }, IDENTITY);
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain('someone@bridge.example');
    expect(html).toContain('Cloudflare Access');
    expect(await env.DIRECTORY.prepare('SELECT * FROM console_session').first()).toBeNull();
  });

  it('lets nobody in whose groups have no role, and says so on the sign-in page', async () => {
    const other = { ...IDENTITY, groups: ['sales'] };
    expect((await opened(ORIGIN, '/console/me', { ACCESS_ROLES: ROLES }, other)).status).toBe(303);
    expect((await opened(ORIGIN, '/console/me', {}, IDENTITY)).status).toBe(303);
    const page = await opened(ORIGIN, '/console/sign-in', { ACCESS_ROLES: ROLES }, other);
    expect(await page.text()).toContain('none of your groups has a role here');
  });

  it('does nothing for a form from another site, or without its token', async () => {
    const form = (headers: Record<string, string>) =>
      opened(ORIGIN, '/console/sign-out', { ACCESS_ROLES: ROLES }, IDENTITY, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body: 'csrf=guessed',
      });
    expect((await form({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await form(OWN)).status).toBe(403);
  });

  it('has an identity for tests on loopback, and nowhere else', async () => {
    const vars = { ACCESS_ROLES: ROLES, ACCESS_TEST_IDENTITY: JSON.stringify(IDENTITY) };
    expect((await opened('http://localhost:8787', '/console/me', vars)).status).toBe(200);
    expect((await opened('http://127.0.0.1:8787', '/console/me', vars)).status).toBe(200);
    expect((await opened(ORIGIN, '/console/me', vars)).status).toBe(303);
    expect((await opened('http://localhost.evil.example', '/console/me', vars)).status).toBe(303);
  });
});
