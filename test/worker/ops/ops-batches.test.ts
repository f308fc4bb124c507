/** An operator sees every batch of an environment: the list across partners, and all that a batch shows of itself. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchCost } from '../../../src/batch/core/cost.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { unique } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { keepsOrders } from '../orders.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

let warned: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  upstreamAnswers(({ body }) =>
    body.includes('-bad"') ? Response.json({ wrong: 'closed' }, { status: 422 }) : Response.json({}),
  );
  warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Line {
  batchId: string;
  partner: string;
  mapping: string;
  fileName: string | null;
  state: string;
  rows: number;
  rowStates: Record<string, number>;
  held: number;
  refused: number;
  needsSomebody: boolean;
  receivedAt: string;
  dollars: number | null;
  links: Record<string, string>;
}
interface Page {
  environment: string;
  batches: Line[];
  next: string | null;
}

const listed = (operator: Operator, query = ''): Promise<Page> =>
  operator.getJson<Page>(`/v1/ops/batches?environment=test${query}`);

/** One row delivered, one refused by the receiving system, one that cannot be mapped. */
const threeRows = (prefix = unique()): string =>
  statusFile(statusRow(`${prefix}good`), statusRow(`${prefix}-bad`), statusRow(`${prefix}wrong`, { Status: 'Q9' }));

async function settled(partner: Partner, file: string, query: Record<string, string> = {}): Promise<Receipt> {
  const receipt = await partner.receipt(file, query);
  await partner.reaches(receipt.batchId, 'settled');
  return receipt;
}

/** As the index has it once it has caught up. */
const caughtUp = (operator: Operator, batchId: string, state = 'settled'): Promise<Line> =>
  vi.waitFor(async () => {
    const line = (await listed(operator)).batches.find((each) => each.batchId === batchId);
    expect(line).toMatchObject({ state });
    return line as Line;
  }, PATIENCE);

describe('the list of batches', () => {
  it('shows an operator the batches of all partners, newest first, with what needs somebody', async () => {
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const first = await settled(one, threeRows(), { fileName: 'first.csv' });
    const second = await settled(other, statusFile(statusRow(unique())), { fileName: 'second.csv' });
    await caughtUp(operator, first.batchId);
    await caughtUp(operator, second.batchId);
    const { batches, next } = await listed(operator);
    expect(batches.map(({ batchId }) => batchId)).toEqual([second.batchId, first.batchId]);
    expect(next).toBeNull();
    expect(batches[1]).toMatchObject({
      partner: one.name,
      mapping: 'carrier-status-csv',
      fileName: 'first.csv',
      rows: 3,
      rowStates: { delivered: 1, rejected: 1, invalid: 1 },
      refused: 2,
      held: 0,
      needsSomebody: true,
    });
    expect(batches[0]).toMatchObject({ partner: other.name, refused: 0, needsSomebody: false });
  });

  it('says what each batch took at list price, to operators alone', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const { batchId } = await settled(partner, threeRows());
    type Costs = { cost?: BatchCost | null };
    const { cost } = await operator.getJson<Costs>(`/v1/ops/batches/${batchId}?environment=test`);
    // two loads were met, of which one delivered and the other was refused
    expect(cost).toMatchObject({ upstreamCalls: 2, filesWritten: 1 });
    expect(cost?.objectCalls).toBeGreaterThanOrEqual(6); // visits, permits, the upload
    expect(cost?.rowsWritten).toBeGreaterThanOrEqual(8); // two new tables, their first entries and answers
    expect(cost?.dollars).toBeGreaterThan(1e-5);
    expect(cost?.dollars).toBeLessThan(1e-4);
    const { dollars } = await caughtUp(operator, batchId);
    expect(dollars).toBeGreaterThan(1e-5);
    expect(await partner.getJson<Costs>(`/v1/batches/${batchId}`)).not.toHaveProperty('cost');
  });

  it('is filtered by partner, state, mapping, file name, time and what is needed', async () => {
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const { batchId: bad } = await settled(one, threeRows(), { fileName: 'Monday-Events.csv' });
    const { batchId: good } = await settled(other, statusFile(statusRow(unique())), { fileName: 'tuesday.csv' });
    const unreadable = (await other.receipt('a,b\n1,2\n', { fileName: 'other.csv' })).batchId;
    await other.reaches(unreadable, 'unreadable');
    const { receivedAt } = await caughtUp(operator, bad);
    await caughtUp(operator, good);
    await caughtUp(operator, unreadable, 'unreadable');
    const ids = async (query: string) => (await listed(operator, query)).batches.map(({ batchId }) => batchId);
    expect(await ids(`&partner=${one.name}`)).toEqual([bad]);
    expect(await ids('&state=unreadable')).toEqual([unreadable]);
    expect(await ids('&state=settled,reading')).toEqual([good, bad]);
    expect(await ids('&mapping=xml-status')).toEqual([]);
    expect(await ids('&fileName=MONDAY')).toEqual([bad]);
    expect(await ids('&fileName=%25')).toEqual([]);
    expect(await ids('&needs=refused')).toEqual([bad]);
    expect(await ids('&needs=refused,unreadable')).toEqual([unreadable, bad]);
    expect(await ids('&needs=held')).toEqual([]);
    expect(await ids(`&to=${receivedAt}`)).toEqual([]);
    expect(await ids(`&from=${receivedAt}`)).toEqual([unreadable, good, bad]);
    expect(await ids('&from=2026-01-01&to=2026-01-02')).toEqual([]);
  });

  it.each([
    ['state=gone', 'parameter_invalid'],
    ['needs=all', 'parameter_invalid'],
    ['from=yesterday', 'parameter_invalid'],
    ['to=2026-13-45', 'parameter_invalid'],
    ['cursor=x', 'parameter_invalid'],
    ['sate=settled', 'parameter_unknown'],
  ])('refuses what it does not know rather than leave it out: %s', async (query, code) => {
    const operator = await anOperator();
    const answer = await operator.fetch(`/v1/ops/batches?environment=test&${query}`);
    expect(await problemOf(answer)).toMatchObject({ status: 400, code });
  });

  it('goes on behind a page by its cursor, with the same filters, though newer batches come in between', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      const { batchId } = await settled(partner, statusFile(statusRow(unique())));
      await caughtUp(operator, batchId);
      ids.unshift(batchId);
    }
    const filter = `&partner=${partner.name}&limit=2`;
    const seen: string[] = [];
    for (let page = await listed(operator, filter); ; page = await operator.getJson<Page>(page.next ?? '')) {
      seen.push(...page.batches.map(({ batchId }) => batchId));
      if (page.next === null) break;
      expect(page.batches).toHaveLength(2);
      await settled(partner, statusFile(statusRow(unique())));
    }
    expect(seen).toEqual(ids);
  });
});

describe('every address that an answer names', () => {
  it('is there for the operator who was given it', async () => {
    const operator = await anOperator({ environments: ['test', 'production'] });
    const partner = await aPartner();
    const { batchId } = await settled(partner, threeRows());
    const line = await caughtUp(operator, batchId);
    const batch = await operator.getJson<{ links: Record<string, string> }>(line.links.self ?? '');
    const { rows } = await operator.getJson<{ rows: { requests: { links: Record<string, string> }[] }[] }>(
      line.links.rows ?? '',
    );
    const [good] = rows;
    const load = await operator.getJson<{ events: { from: { links: Record<string, string> } }[] }>(
      good?.requests[0]?.links.subject ?? '',
    );
    const ofRows = rows.flatMap(({ requests }) => requests.flatMap(({ links }) => Object.values(links)));
    const ofLoad = load.events.flatMap(({ from }) => Object.values(from.links));
    const all = new Set([...Object.values(line.links), ...Object.values(batch.links), ...ofRows, ...ofLoad]);
    expect(all.size).toBeGreaterThan(12);
    for (const address of all) {
      const answer = await operator.fetch(address);
      expect([address, answer.status]).toEqual([address, 200]);
      await answer.arrayBuffer();
    }
  });

  it('shows the operator what its partner sees', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const { batchId } = await settled(partner, threeRows());
    await caughtUp(operator, batchId);
    for (const part of ['report.csv', 'report.json', 'corrections', 'source']) {
      const own = await partner.fetch(`/v1/batches/${batchId}/${part}`);
      const seen = await operator.fetch(`/v1/ops/batches/${batchId}/${part}?environment=test`);
      expect([part, seen.status]).toEqual([part, own.status]);
      expect(await seen.text()).toBe(await own.text());
    }
    const { rows } = await operator.getJson<{ rows: BatchRow[] }>(`/v1/ops/batches/${batchId}/rows?state=rejected`);
    expect(rows).toMatchObject([
      { state: 'rejected', requests: [{ status: 422, answer: expect.stringContaining('closed') }] },
    ]);
  });

  it('leads through messages that share a batch', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const sent = await partner.fetch('/v1/messages?mapping=carrier-status-csv', { method: 'POST', body: threeRows() });
    const { batchId } = await sent.json<Receipt>();
    await partner.reaches(batchId, 'settled');
    const batch = await operator.getJson<{ links: Record<string, string> }>(`/v1/ops/batches/${batchId}`);
    type Messages = { messages: { message: number; links: Record<string, string> }[] };
    const { messages } = await operator.getJson<Messages>(batch.links.messages ?? '');
    expect(messages).toMatchObject([{ message: 1 }]);
    const { self, rows, source } = messages[0]?.links ?? {};
    for (const address of [self, rows, source]) {
      const answer = await operator.fetch(address ?? '');
      expect([address, answer.status]).toEqual([address, 200]);
      await answer.arrayBuffer();
    }
  });
});

describe('a load', () => {
  const load = (operator: Operator, number: string, query = '') =>
    operator.fetch(`/v1/ops/loads/${number}?environment=test${query}`);

  it('is found without its partner named, and named with all where several partners have it', async () => {
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const number = unique();
    await settled(one, statusFile(statusRow(number)));
    const alone = await load(operator, number);
    expect(await alone.json()).toMatchObject({ loadNumber: number, events: [{ state: 'delivered' }] });
    await settled(other, statusFile(statusRow(number)));
    const refused = await load(operator, number);
    const problem = (await refused.json()) as { code: string; among: { partner: string; links: { self: string } }[] };
    expect([refused.status, problem.code]).toEqual([409, 'load_ambiguous']);
    expect(problem.among.map(({ partner }) => partner)).toEqual([one.name, other.name].sort());
    for (const { links } of problem.among) expect((await operator.fetch(links.self)).status).toBe(200);
    expect((await load(operator, number, `&partner=${other.name}`)).status).toBe(200);
    expect((await load(operator, number, '&partner=nobody')).status).toBe(404);
  });
});

describe('an order', () => {
  const order = (operator: Operator, orderRef: string, query = '') =>
    operator.fetch(`/v1/ops/orders/${encodeURIComponent(orderRef)}?environment=test${query}`);
  const made = async (partner: Partner, orderRef: string): Promise<void> => {
    const { batchId } = await partner.receipt(orderFile({ orderRef, sku: 'S' }), { mapping: 'orders-csv' });
    await partner.reaches(batchId, 'settled');
  };

  it('is found without its partner named, and named with all where several partners have one of its number', async () => {
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const orderRef = `${unique()}SO/1`;
    keepsOrders();
    await made(one, orderRef);
    expect(await (await order(operator, orderRef)).json()).toMatchObject({ partner: one.name, orderRef });
    await made(other, orderRef);
    const refused = await order(operator, orderRef);
    const problem = (await refused.json()) as { code: string; among: { partner: string; links: { self: string } }[] };
    expect([refused.status, problem.code]).toEqual([409, 'order_ambiguous']);
    expect(problem.among.map(({ partner }) => partner)).toEqual([one.name, other.name].sort());
    for (const { partner, links } of problem.among)
      expect(await operator.getJson(links.self)).toMatchObject({ partner, orderRef });
    expect(await (await order(operator, orderRef, `&partner=${other.name}`)).json()).toMatchObject({
      partner: other.name,
    });
    expect(await problemOf(await order(operator, orderRef, '&partner=nobody'))).toMatchObject({
      status: 404,
      code: 'partner_unknown',
    });
    expect(await problemOf(await order(operator, `${orderRef}x`))).toMatchObject({
      status: 404,
      code: 'order_unknown',
    });
  });
});

describe('partner keys and other environments', () => {
  it('see none of it', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const { batchId } = await settled(partner, threeRows());
    const line = await caughtUp(operator, batchId);
    const ofProduction = await anOperator({ environments: ['production'] });
    const paths = [...new Set([...Object.values(line.links), `/v1/ops/loads/x?environment=test`])];
    for (const path of paths.filter((each) => each.startsWith('/v1/ops'))) {
      const own = await partner.fetch(path);
      expect([path, own.status]).toEqual([path, 401]);
      expect(await own.text()).not.toContain(partner.name);
      const other = await ofProduction.fetch(path);
      expect([path, other.status]).toEqual([path, 403]);
      const elsewhere = await ofProduction.fetch(path.replace('environment=test', 'environment=production'));
      expect(await elsewhere.text()).not.toContain(batchId.slice(2, 12) === '' ? batchId : `"${partner.name}"`);
    }
    expect((await ofProduction.getJson<Page>('/v1/ops/batches?environment=production')).batches).toEqual([]);
    expect((await ofProduction.fetch(`/v1/ops/batches/${batchId}?environment=production`)).status).toBe(404);
  });
});

describe('the index', () => {
  const stored = async (batchId: string) =>
    env.DIRECTORY.prepare('SELECT * FROM batch_index WHERE batch_id = ?').bind(batchId).first();

  it('that cannot be written keeps no row from being delivered, and is written once it can', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    await env.DIRECTORY.prepare('ALTER TABLE batch_index RENAME TO batch_index_away').run();
    const { batchId } = await settled(partner, threeRows());
    expect((await partner.summary(batchId)).rowStates).toEqual({ delivered: 1, rejected: 1, invalid: 1 });
    await vi.waitFor(() => expect(JSON.stringify(warned.mock.calls)).toContain('batch_not_indexed'), PATIENCE);
    expect((await operator.fetch('/v1/ops/batches?environment=test')).status).toBe(503);
    await env.DIRECTORY.prepare('ALTER TABLE batch_index_away RENAME TO batch_index').run();
    expect(await caughtUp(operator, batchId)).toMatchObject({ refused: 2 });
  });

  it('is caught up by a batch that was stored before there was one, when it next wakes', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const { batchId } = await settled(partner, threeRows());
    await caughtUp(operator, batchId);
    const batch = env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
    await evictDurableObject(batch);
    await runInDurableObject(batch, async (_, { storage }) => {
      storage.sql.exec(`UPDATE kept SET json = json_remove(json, '$.indexed') WHERE name = 'state'`);
      await env.DIRECTORY.prepare('DELETE FROM batch_index').run();
      await storage.setAlarm(Date.now());
    });
    await evictDurableObject(batch);
    expect(await caughtUp(operator, batchId)).toMatchObject({ refused: 2 });
  });

  it('shows a batch though it was never written: the registers know whose it is', async () => {
    const operator = await anOperator();
    const partner = await aPartner();
    const { batchId } = await settled(partner, threeRows());
    await caughtUp(operator, batchId);
    await env.DIRECTORY.prepare('DELETE FROM batch_index').run();
    expect((await operator.fetch(`/v1/ops/batches/${batchId}/rows?environment=test`)).status).toBe(200);
    expect(await stored(batchId)).toBeNull();
  });

  it('is made anew from what batches say, though all of it is lost, and forgets batches that are gone', async () => {
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const first = await settled(one, threeRows(), { fileName: 'first.csv' });
    const second = await settled(other, threeRows(), { fileName: 'second.csv' });
    await caughtUp(operator, first.batchId);
    await caughtUp(operator, second.batchId);
    // to be written again costs something, too
    const shown = async () => (await listed(operator)).batches.map((line) => ({ ...line, asOf: null, dollars: null }));
    const before = await shown();
    const rebuilt = async () => {
      const total = { written: 0, removed: 0, failed: 0 };
      for (let path: string | null = '/v1/ops/batches/reindex?environment=test'; path !== null; ) {
        type Rebuilt = { written: number; removed: number; failed: unknown[]; next: string | null };
        const page: Rebuilt = await operator.done('POST', path, '');
        total.written += page.written;
        total.removed += page.removed;
        total.failed += page.failed.length;
        path = page.next;
      }
      return total;
    };
    await env.DIRECTORY.prepare('DELETE FROM batch_index').run();
    expect(await shown()).toEqual([]);
    expect(await rebuilt()).toEqual({ written: 2, removed: 0, failed: 0 });
    expect(await shown()).toEqual(before);
    const gone = `${first.batchId.slice(0, -1)}${first.batchId.endsWith('0') ? '1' : '0'}`;
    await env.DIRECTORY.prepare('UPDATE batch_index SET batch_id = ?, written_at_ms = 1 WHERE batch_id = ?')
      .bind(gone, first.batchId)
      .run();
    expect(await rebuilt()).toEqual({ written: 2, removed: 1, failed: 0 });
    expect(await shown()).toEqual(before);
  });

  it.each(['x', '1', '1~a~b', '1~~acme', '~b_00000000000000000000000000'])(
    'is not made anew behind a page that nobody was given: %s',
    async (cursor) => {
      const operator = await anOperator();
      const answer = await operator.fetch(`/v1/ops/batches/reindex?environment=test&cursor=${cursor}`, {
        method: 'POST',
      });
      expect(await problemOf(answer)).toMatchObject({ status: 400, code: 'parameter_invalid' });
    },
  );

  it('is made anew by operators alone', async () => {
    const viewer = await anOperator({ role: 'viewer' });
    const answer = await viewer.fetch('/v1/ops/batches/reindex?environment=test', { method: 'POST' });
    expect(await problemOf(answer)).toMatchObject({ status: 403, code: 'role_insufficient' });
  });
});
