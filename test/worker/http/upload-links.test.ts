/** Upload links: what one opens, what it never opens, and every way to use one that should not work. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../../src/kernel/clock.ts';
import { registerName } from '../../../src/kernel/names.ts';
import type { AuditEntry } from '../../../src/ops/directory/audit.ts';
import { partnerList } from '../../../src/ops/directory/directory.ts';
import type { UploadLink } from '../../../src/ops/directory/upload-links.ts';
import { watchRegisters } from '../../../src/ops/watch.ts';
import { bridge } from '../bridge.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { aPerson, signedIn } from '../sessions.ts';
import { upstreamAnswers } from '../upstream-double.ts';

let operator: Operator;
beforeEach(async () => {
  operator = await anOperator();
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const OWN = { 'Sec-Fetch-Site': 'same-origin' };
const FILE =
  'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL,Trailer\nLD1,X3,NS,03/02/2026,08:15,CT,Joliet,IL,1,,,\n';

type Link = UploadLink & { link: string };

/** A partner with a channel of its own, as an administrator makes one. */
async function withChannel(): Promise<Partner> {
  const partner = await aPartner();
  await env.DIRECTORY.prepare('INSERT OR IGNORE INTO partner_channel (partner, environment, channel) VALUES (?, ?, ?)')
    .bind(partner.name, 'test', 'plain')
    .run();
  return partner;
}
const pathOf = (partner: Partner): string => `/v1/ops/partners/${partner.name}/upload-links`;
const made = async (partner: Partner, more = {}): Promise<Link> => {
  const body = JSON.stringify({ why: 'for the clerk in Joliet', ...more });
  const answer = await operator.fetch(pathOf(partner), { method: 'POST', body });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return answer.json();
};

const open = (link: string, headers: Record<string, string> = OWN): Promise<Response> =>
  bridge(`${ORIGIN}/console/open`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ link }).toString(),
  });
const cookieIn = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => /^__Host-transload=[^;]/.test(cookie))
    ?.split(';')[0] ?? '';
const opened = async (link: string): Promise<string> => cookieIn(await open(link));
const see = (path: string, Cookie: string): Promise<Response> =>
  bridge(ORIGIN + path, { redirect: 'manual', headers: { Accept: 'text/html', Cookie } });
const isOpen = async (cookie: string): Promise<boolean> => (await see('/console/upload', cookie)).status === 200;

async function sent(cookie: string, file = FILE): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await see('/console/upload', cookie)).text())?.[1] ?? '';
  const form = new FormData();
  form.set('csrf', csrf);
  form.set('mapping', 'carrier-status-csv');
  form.set('scac', 'DEMO');
  form.set('file', new File([file], 'events.csv', { type: 'text/csv' }));
  return bridge(`${ORIGIN}/console/upload`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...OWN, Accept: 'text/html', Cookie: cookie },
    body: form,
  });
}

it('a link that opens something is listed before all that have ended, however many came since', async () => {
  const partner = await withChannel();
  const { linkId } = await made(partner);
  const later = Date.now() + 1;
  const copy = env.DIRECTORY.prepare(
    `INSERT INTO upload_link (link_id, link_sha256, partner, environment, channel, scacs, mappings, note, made_by, created_at_ms, ends_at_ms, revoked_at_ms)
     SELECT ?, ?, partner, environment, channel, scacs, mappings, note, made_by, ?, ends_at_ms, ? FROM upload_link WHERE link_id = ?`,
  );
  await env.DIRECTORY.batch(
    Array.from({ length: 120 }, (_, at) => copy.bind(`copy-${at}`, `sha-${at}`, later + at, later, linkId)),
  );
  const { links } = await operator.getJson<{ links: UploadLink[] }>(pathOf(partner));
  expect([links.length, links[0]?.linkId, links[1]?.linkId]).toEqual([100, linkId, 'copy-119']);
});

describe('an upload link', () => {
  it('is shown once, behind the # that no server sees, is stored as a hash, and stands in the audit without its token', async () => {
    const partner = await withChannel();
    const link = await made(partner, { mappings: ['carrier-status-csv'], days: 7 });
    const url = new URL(link.link);
    expect([url.pathname, url.search, url.hash.length]).toEqual(['/console/open', '', 44]);
    expect(Date.parse(link.endsAt ?? '') - Date.now()).toBeLessThanOrEqual(7 * DAY_MS);
    const token = url.hash.slice(1);
    const stored = await env.DIRECTORY.prepare('SELECT * FROM upload_link').all();
    const { entries } = await operator.getJson<{ entries: AuditEntry[] }>('/v1/ops/audit');
    expect(JSON.stringify([stored.results, entries, await operator.getJson(pathOf(partner))])).not.toContain(token);
    expect(entries[0]).toMatchObject({ action: 'upload_link.make', why: 'for the clerk in Joliet' });
    const page = await bridge(`${ORIGIN}/console/open`, { headers: { Accept: 'text/html' } });
    expect(page.headers.get('Referrer-Policy')).toBe('no-referrer');
    for (const days of [0, 8]) {
      const answer = await operator.fetch(pathOf(partner), {
        method: 'POST',
        body: JSON.stringify({ why: 'x', days }),
      });
      expect((await problemOf(answer)).code).toBe('body_invalid');
    }
  });

  it('opens a session that sends a file and sees what came of it, and no file of anybody else', async () => {
    const partner = await withChannel();
    const other = await partner.receipt(FILE.replace('LD1', 'LD2'));
    const [one, two] = [await opened((await made(partner)).link), await opened((await made(partner)).link)];
    const answer = await sent(one);
    expect(answer.status).toBe(303);
    const batch = new URL(answer.headers.get('Location') ?? '', ORIGIN).pathname;
    expect((await see(batch, one)).status).toBe(200);
    expect((await see(`${batch}/fix`, one)).status).toBe(200);
    await partner.reaches(batch.split('/').at(-1) ?? '', 'settled');
    const rows = await (await see(`${batch}?state=all&row=1`, one)).text();
    expect(rows).toContain('>LD1<');
    expect(rows, 'it sees no loads').not.toContain('/console/loads/');
    const list = await (await see('/console/batches', one)).text();
    expect(list).toContain(batch);
    expect(list).not.toContain(other.batchId);
    for (const path of [batch, `${batch}/fix`, `${batch}/report.csv`]) expect((await see(path, two)).status).toBe(404);
    expect((await see(`/console/batches/${other.batchId}`, one)).status).toBe(404);
    expect(await partner.getJson(`/v1${batch.replace('/console', '')}`)).toMatchObject({
      mapping: 'carrier-status-csv',
    });
  });

  it('makes its partner known by its SCACs, and watched, without any key', async () => {
    const partner = await withChannel();
    await made(partner);
    await env.DIRECTORY.prepare('DELETE FROM partner_key').run();
    const scacs = await partnerList(env.DIRECTORY).scacs('test');
    expect(scacs.ok && scacs.value.get(partner.name)).toContain('DEMO');
    const watched: string[] = [];
    const register = (name: string) => ({ watch: async () => void watched.push(name) });
    await watchRegisters(env.DIRECTORY, register as never, 0);
    expect(watched).toEqual([registerName({ environment: 'test', partner: partner.name })]);
  });

  it('opens nothing else', async () => {
    const cookie = await opened((await made(await withChannel())).link);
    const closed = [
      '/me',
      '/orders',
      '/loads/LD1',
      '/workbench',
      '/proposals',
      '/keys',
      '/notifications',
      '/interchanges',
    ];
    for (const path of [
      ...closed,
      '/order-events',
      '/search?q=x',
      '/do/make-own-key',
      '/do/retry-batch',
      '/partners',
    ]) {
      const answer = await see(`/console${path}`, cookie);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).toContain('Not with this link');
    }
  });

  it('is no key of the API, and its session opens no address of it', async () => {
    const link = await made(await withChannel());
    const token = new URL(link.link).hash.slice(1);
    const cookie = await opened(link.link);
    for (const key of [token, `tltest_${link.linkId}_${token}`, link.linkId]) {
      const answer = await bridge(`${ORIGIN}/v1/mappings`, { headers: { Authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(401);
    }
    expect((await bridge(`${ORIGIN}/v1/mappings`, { headers: { Cookie: cookie } })).status).toBe(401);
  });

  it('ends with its revocation, for whoever is on its page, too, and is not opened again', async () => {
    const partner = await withChannel();
    const link = await made(partner);
    const [clerk, thief] = [await opened(link.link), await opened(link.link)];
    expect([await isOpen(clerk), await isOpen(thief)]).toEqual([true, true]);
    const path = `${pathOf(partner)}/${link.linkId}/revoke`;
    const elsewhere = await operator.fetch(`${pathOf(await withChannel())}/${link.linkId}/revoke`, {
      method: 'POST',
      body: JSON.stringify({ why: 'x' }),
    });
    expect((await problemOf(elsewhere)).code).toBe('link_unknown');
    expect(await operator.done('POST', path, { why: 'it was forwarded' })).toMatchObject({ state: 'revoked' });
    expect([await isOpen(clerk), await isOpen(thief)]).toEqual([false, false]);
    expect((await open(link.link)).status).toBe(403);
    expect((await sent(clerk)).status).toBe(401);
  });

  it('ends at its end, and with its partner', async () => {
    const [partner, other] = [await withChannel(), await withChannel()];
    const [link, switched] = [await made(partner), await made(other)];
    const [cookie, second] = [await opened(link.link), await opened(switched.link)];
    await env.DIRECTORY.prepare('UPDATE upload_link SET ends_at_ms = ? WHERE link_id = ?')
      .bind(Date.now() - 1, link.linkId)
      .run();
    await env.DIRECTORY.prepare('UPDATE partner SET is_enabled = 0 WHERE partner = ?').bind(other.name).run();
    expect([await isOpen(cookie), await isOpen(second)]).toEqual([false, false]);
    expect([(await open(link.link)).status, (await open(switched.link)).status]).toEqual([403, 403]);
  });

  it('is opened by a press on our own page alone, and takes the place of the session before it', async () => {
    const link = await made(await withChannel());
    expect((await open(link.link, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await open(link.link, { Origin: 'https://evil.example' })).status).toBe(403);
    const personId = await aPerson({ name: 'night shift', role: 'admin', environments: ['test'] });
    const before = await signedIn({ kind: 'person', personId });
    const fixed = `__Host-transload=${'a'.repeat(43)}`;
    const [after, unfixed] = [
      await open(link.link, { ...OWN, Cookie: before }),
      await open(link.link, { ...OWN, Cookie: fixed }),
    ];
    expect(cookieIn(after)).not.toBe(before);
    expect(cookieIn(unfixed)).not.toBe(fixed);
    expect((await see('/console/me', before)).status).toBe(303);
    expect((await see('/console/partners', cookieIn(after))).status).toBe(403);
  });

  it('is guessed slowly: wrong ones make the next try wait', async () => {
    const answers: Response[] = [];
    for (let tries = 0; tries < 12; tries += 1) answers.push(await open(`#${'b'.repeat(43)}`));
    const last = answers.at(-1);
    expect([answers[0]?.status, last?.status]).toEqual([403, 429]);
    expect(Number(last?.headers.get('Retry-After'))).toBeGreaterThan(0);
    const text = (await last?.text()) ?? '';
    expect(text, 'there is where the link goes').toContain('Your link');
    expect(text).toContain('this one was not checked');
  });

  it('is for the mappings it names, and never for another', async () => {
    const cookie = await opened((await made(await withChannel(), { mappings: ['gps-pings-ndjson'] })).link);
    const text = await (await see('/console/upload', cookie)).text();
    expect(text).toContain('gps-pings-ndjson');
    expect(text).not.toContain('carrier-status-csv');
    expect((await sent(cookie)).status).toBe(403);
  });
});
