/** The first page: each role sees its own, every filter is in the address, and what is not there is a page, too. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bridge } from '../bridge.ts';
import { act } from '../console-forms.ts';
import { loadsFile, mixedAnswers, unique, uploaded } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const AS_BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const page = async (who: Partner | Operator, path: string, status = 200): Promise<string> => {
  const answer = await who.fetch(path, { headers: AS_BROWSER, redirect: 'manual' });
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
  return text;
};
const visitor = (path: string, headers: Record<string, string> = AS_BROWSER): Promise<Response> =>
  bridge(ORIGIN + path, { headers, redirect: 'manual' });

/** A batch of one refused row, as soon as the list has it so. */
async function refusedBatch(partner: Partner, reader: Partner | Operator): Promise<string> {
  const { batchId } = await uploaded(partner, loadsFile(unique(), 'bad'), { rejected: 1 });
  await vi.waitFor(async () => {
    const html = await page(reader, '/console/batches');
    const line = html.split('<tr').find((each) => each.includes(`/console/batches/${batchId}`));
    expect(line).toContain('Finished, 1 not delivered');
  }, PATIENCE);
  return batchId;
}

describe('a partner’s list of batches', () => {
  it('has its own and nobody else’s, and nothing of operators', async () => {
    mixedAnswers();
    const [own, other] = [await aPartner(), await aPartner()];
    const batchId = await refusedBatch(own, own);
    const foreign = await refusedBatch(other, other);
    const html = await page(own, '/console/batches');
    expect(html).toContain(batchId);
    for (const secret of [foreign, other.name, 'Needs attention', '/console/holds', '/v1/ops/'])
      expect(html, secret).not.toContain(secret);
    expect(await page(own, `/console/batches?partner=${other.name}`)).not.toContain(foreign);
  });

  it('is narrowed to files by their name, as the search leads there', async () => {
    mixedAnswers();
    const own = await aPartner();
    const sent: string[] = [];
    for (const fileName of ['march.csv', 'april.csv']) {
      const answer = await own.upload(loadsFile(unique(), 'ok'), { fileName });
      sent.push((await answer.json<{ batchId: string }>()).batchId);
    }
    const [march = '', april = ''] = sent;
    await vi.waitFor(async () => {
      const html = await page(own, '/console/batches?fileName=MARCH');
      expect(html).toContain(march);
      expect(html).not.toContain(april);
      expect(html).toContain('value="MARCH"');
    }, PATIENCE);
    expect(await page(own, '/console/batches?fileName=may')).toContain('No batch is like that.');
  });

  it('is its first page, and says what a first file would do where nothing was sent', async () => {
    const partner = await aPartner();
    const first = await partner.fetch('/console', { redirect: 'manual', headers: AS_BROWSER });
    expect([first.status, first.headers.get('Location')]).toEqual([303, '/console/batches']);
    const html = await page(partner, '/console/batches');
    expect(html).toContain('Nothing was sent yet.');
    expect(html, 'nothing to narrow').not.toContain('Filter the list');
  });
});

describe('an operator’s pages', () => {
  it('tell at once of a refused row, and lead to why', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const batchId = await refusedBatch(partner, operator);
    const home = await page(operator, '/console');
    expect(home).toContain('1 needs attention');
    expect(home).toContain(`href="/console/batches/${batchId}">See why</a>`);
    expect(await page(operator, `/console/batches/${batchId}`)).toMatch(/Refused[\s\S]*422/);
  });

  it('are narrowed down by their address, which is kept in the form', async () => {
    mixedAnswers();
    const [one, other] = [await aPartner(), await aPartner()];
    const operator = await anOperator();
    const mine = await refusedBatch(one, operator);
    const foreign = await refusedBatch(other, operator);
    const listed = async (query: string): Promise<string[]> => {
      const html = await page(operator, `/console/batches?${query}`);
      return [mine, foreign].filter((batchId) => html.includes(batchId));
    };
    expect(await listed(`partner=${one.name}&state=&mapping=&fileName=`)).toEqual([mine]);
    expect(await listed('needs=refused')).toEqual([mine, foreign]);
    expect(await listed('needs=held')).toEqual([]);
    expect(await listed('from=2099-01-01')).toEqual([]);
    expect(await page(operator, `/console/batches?partner=${one.name}`)).toContain(`value="${one.name}"`);
    expect(await page(operator, '/console/batches?from=yesterday', 400)).toContain('a day such as 2026-03-02');
  });

  it('open in the first environment of the person, and in no other than theirs', async () => {
    const both = await anOperator({ environments: ['test', 'production'] });
    expect(await page(both, '/console/batches')).toContain('href="/console?environment=production"');
    const test = await anOperator();
    const refused = await page(test, '/console/batches?environment=production', 403);
    expect(refused).toContain('environment_not_allowed');
    expect(refused).not.toContain('environment=production');
  });
});

describe('the form that changes a partner', () => {
  it('leaves a partner without a channel here as it is, where only its name is changed', async () => {
    const partner = await aPartner({ environment: 'production' });
    await env.DIRECTORY.prepare(`INSERT INTO partner_channel VALUES (?, 'production', 'live')`)
      .bind(partner.name)
      .run();
    const admin = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const path = `/console/do/change-partner?environment=test&partner=${partner.name}`;
    const done = await act(admin, path, { displayName: 'Another name', why: 'renamed' });
    expect(done.status, done.html.slice(-2_000)).toBe(303);
    const channelIn = (environment: string) =>
      admin.getJson<{ displayName: string; channel: string | null }>(
        `/v1/ops/partners/${partner.name}?environment=${environment}`,
      );
    expect(await channelIn('test')).toMatchObject({ displayName: 'Another name', channel: null });
    expect(await channelIn('production')).toMatchObject({ channel: 'live' });
    const there = await page(admin, `${path.replace('=test', '=production')}&channel=live`);
    expect([there.includes('None here'), /<option value="live" selected/.test(there)]).toEqual([false, true]);
  });
});

describe('what a browser is answered', () => {
  it('is led from the bare address to the first page; a program is told that nothing is there', async () => {
    const answer = await visitor('/');
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/console']);
    expect((await problemOf(await visitor('/', { Accept: '*/*' }))).code).toBe('not_found');
  });

  it('is led to the sign-in page without a session, with the way back', async () => {
    const { status, headers } = await visitor('/console/batches?needs=held');
    const to = encodeURIComponent('/console/batches?needs=held');
    expect([status, headers.get('Location')]).toEqual([303, `/console/sign-in?to=${to}`]);
  });

  it('is a page where nothing is there, with the way back and the id of the request', async () => {
    const refused = await visitor('/console/nowhere');
    expect(refused.status).toBe(404);
    const html = await refused.text();
    expect(html).toContain('href="/console"');
    expect(html).toMatch(/Request [0-9a-f-]{36}/);
    expect(await (await visitor('/console/nowhere/<b>')).text()).not.toContain('<b>');
    const partner = await aPartner();
    expect(await page(partner, '/console/batches/b_00000000000000000000000000', 404)).toContain('Unknown batch');
  });

  it('is JSON at the addresses of the API, whatever the caller would like', async () => {
    expect((await problemOf(await visitor('/v1/batches'))).code).toBe('unauthorized');
  });
});

describe('the page of a file', () => {
  it('tells who may not see the batch of a known file whom to ask, and nothing of keys', async () => {
    mixedAnswers();
    const sender = await aPartner({ scacs: ['DEMO', 'ACME'] });
    const text = loadsFile(unique(), 'ok');
    await sender.upload(text, { scac: 'DEMO' });
    const narrow = await aPartner({ partner: sender.name, scacs: ['DEMO'] });
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page(narrow, '/console/upload'))?.[1] ?? '';
    const form = new FormData();
    form.set('csrf', csrf);
    form.set('mapping', 'carrier-status-csv');
    form.set('file', new File([text], 'again.csv'));
    const headers = { ...AS_BROWSER, 'Sec-Fetch-Site': 'same-origin' };
    const answer = await narrow.fetch('/console/upload', { method: 'POST', body: form, headers, redirect: 'manual' });
    const html = await answer.text();
    expect([answer.status, html.includes('Taken in before')], html.slice(-2_000)).toEqual([409, true]);
    expect(html).toContain('Ask whoever sent it, or whoever gave you the link, what became of it.');
    expect(html).not.toContain('Idempotency-Key');
  });
});
