/** The first page: each role sees its own, every filter is in the address, and what is not there is a page, too. */
import { reset } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadsFile, mixedAnswers, unique, uploaded } from './dead-letters.ts';
import { PATIENCE } from './loads.ts';
import { anOperator, type Operator } from './operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from './partners.ts';

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
  exports.default.fetch(ORIGIN + path, { headers, redirect: 'manual' });

/** A batch of one refused row, as soon as the list has it so. */
async function refusedBatch(partner: Partner, reader: Partner | Operator, query = ''): Promise<string> {
  const { batchId } = await uploaded(partner, loadsFile(unique(), 'bad'), { rejected: 1 });
  await vi.waitFor(async () => {
    const html = await page(reader, `/console${query}`);
    const line = html
      .split('<tr>')
      .find((each) => each.startsWith('<td') && each.includes(`/console/batches/${batchId}"`));
    expect(line).toContain('Finished, 1 not delivered');
  }, PATIENCE);
  return batchId;
}

describe('a partner’s first page', () => {
  it('lists its own batches and nobody else’s, and nothing of operators', async () => {
    mixedAnswers();
    const [own, other] = [await aPartner(), await aPartner()];
    const batchId = await refusedBatch(own, own);
    const foreign = await refusedBatch(other, other);
    const html = await page(own, '/console');
    expect(html).toContain(batchId);
    for (const secret of [foreign, other.name, 'Needs somebody</h1>', '/console/ops/', '/v1/ops/'])
      expect(html, secret).not.toContain(secret);
    expect(await page(own, `/console?partner=${other.name}&environment=production`)).not.toContain(foreign);
  });

  it('says what a first file would do where nothing was sent', async () => {
    expect(await page(await aPartner(), '/console')).toContain('Nothing was sent yet.');
  });
});

describe('an operator’s first page', () => {
  it('tells at once of a refused row, and leads to why', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const batchId = await refusedBatch(partner, operator, '?environment=test');
    const home = await page(operator, '/console?environment=test');
    expect(home).toContain('data-alert="rows_refused"');
    expect(home).toContain(`1 row was not delivered in batch ${batchId}`);
    expect(await page(operator, `/console/batches/${batchId}`)).toContain('status 422');
  });

  it('is narrowed down by its address, which is kept in the form and on later pages', async () => {
    mixedAnswers();
    const [one, other] = [await aPartner(), await aPartner()];
    const operator = await anOperator();
    const mine = await refusedBatch(one, operator, '?environment=test');
    const foreign = await refusedBatch(other, operator, '?environment=test');
    const listed = async (query: string): Promise<string[]> => {
      const html = await page(operator, `/console?environment=test&${query}`);
      expect(html, 'what needs somebody stands on the first page alone').not.toContain('data-alert');
      return [mine, foreign].filter((batchId) => html.includes(batchId));
    };
    expect(await listed(`partner=${one.name}&state=&mapping=&fileName=`)).toEqual([mine]);
    expect(await listed('needs=refused')).toEqual([mine, foreign]);
    expect(await listed('needs=held')).toEqual([]);
    expect(await listed('from=2099-01-01')).toEqual([]);
    expect(await page(operator, `/console?environment=test&partner=${one.name}`)).toMatch(
      new RegExp(`<option value="${one.name}" selected`),
    );
    expect(await page(operator, '/console?environment=test&from=yesterday', 400)).toContain('a day such as 2026-03-02');
    expect(await page(operator, '/console?environment=test&form=2026-03-02', 400)).toContain('Unknown parameter');
  });

  it('opens in the first environment of the key, and in no other than it names', async () => {
    const operator = await anOperator({ environments: ['test', 'production'] });
    const answer = await operator.fetch('/console?needs=held', { redirect: 'manual', headers: AS_BROWSER });
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console?needs=held&environment=test']);
    expect(await page(operator, '/console?environment=production')).toContain('The same of test');
    const test = await anOperator();
    expect(await page(test, '/console?environment=production', 403)).toContain('Environment not allowed');
  });
});

describe('what a browser is answered', () => {
  it('is led from the bare address to the first page; a program is told that nothing is there', async () => {
    const answer = await visitor('/');
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/console']);
    expect((await problemOf(await visitor('/', { Accept: '*/*' }))).code).toBe('not_found');
  });

  it('is a page where the key is missing or nothing is there, with the way back and the id of the request', async () => {
    const refused = await visitor('/console');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toContain('Basic');
    const html = await refused.text();
    expect(html).toContain('<h1>Key missing</h1>');
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
