/** What failed alike is one issue: in its batch, and over all batches of an environment. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sweepIssues } from '../../../src/ops/index/issues.ts';
import { sweepTotals } from '../../../src/ops/index/metrics.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { unique } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface IssueShown {
  id: string;
  title: string;
  code: string;
  path: string | null;
  value: string | null;
  list: string | null;
  rows: number;
  requests: number;
  held: number;
  message: string | null;
  fix: string;
  firstRecord: number;
  examples: { record: number; line: number; subject: string | null }[];
  links: Record<string, string>;
}
interface BatchIssues {
  issues: IssueShown[];
  isCut: boolean;
}

/** Loads whose name has `closed` are refused, each in its own words. */
const refusesClosed = (isOpen: () => boolean = () => false) =>
  upstreamAnswers(({ body }) => {
    const load = /closed-[\w-]+/.exec(body)?.[0];
    if (load === undefined || isOpen()) return Response.json({});
    return Response.json({ message: `The load ${load} is closed.` }, { status: 422 });
  });

const times = (count: number, row: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => row(at));

/** 400 failures of three kinds among rows that are right: words no list has, loads that are closed, dates that are none. */
function threeKinds({ words = 250, closed = 50, dates = 100 } = {}): string {
  const prefix = unique();
  return statusFile(
    ...times(40, (at) => statusRow(`${prefix}${at}`)),
    ...times(words, (at) => statusRow(`${prefix}word-${at}`, { Status: 'QQ' })),
    ...times(closed, (at) => statusRow(`closed-${prefix}${at}`)),
    ...times(dates, (at) => statusRow(`${prefix}date-${at}`, { 'Event Date': `13/45/2${100 + at}` })),
  );
}

async function settled(partner: Partner, file: string, query: Record<string, string> = {}): Promise<string> {
  const { batchId } = await partner.receipt(file, query);
  await partner.reaches(batchId, 'settled');
  return batchId;
}

interface Listed extends IssueShown {
  state: string;
  nextActor: string;
  partners: string[];
  batches: number;
  reopened: number;
  decided: { by: string; why: string } | null;
  ofBatches: { batchId: string; rows: number }[];
  changes: { what: string; why: string }[];
}

const listed = async (operator: Operator, query = ''): Promise<Listed[]> =>
  (await operator.getJson<{ issues: Listed[] }>(`/v1/ops/issues?environment=test${query}`)).issues;

/** As the index has them once it has caught up. */
const lists = (operator: Operator, rows: Record<string, number>, query = ''): Promise<Listed[]> =>
  vi.waitFor(async () => {
    const found = await listed(operator, query);
    expect(Object.fromEntries(found.map((each) => [each.code, each.rows]))).toEqual(rows);
    return found;
  }, PATIENCE);

describe('the issues of an environment', () => {
  it('are three over two batches of two partners, with whose turn it is, and can be narrowed down', async () => {
    refusesClosed();
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const prefix = unique();
    await settled(one, threeKinds());
    await settled(other, statusFile(statusRow(`${prefix}1`, { Status: 'QQ' }), statusRow(`closed-${prefix}2`)));
    const found = await lists(operator, { code_unknown: 251, bad_date: 100, rejected: 51 });
    const word = found.find(({ code }) => code === 'code_unknown');
    expect(word).toMatchObject({ state: 'open', nextActor: 'operator', partners: [one.name, other.name], batches: 2 });
    expect(found.find(({ code }) => code === 'rejected')?.nextActor).toBe('partner');
    await lists(operator, { code_unknown: 1, rejected: 1 }, `&partner=${other.name}`);
    await lists(operator, { code_unknown: 251 }, '&search=qq');
    await lists(operator, { bad_date: 100 }, '&code=bad_date');
    await lists(operator, {}, '&mapping=orders-csv');
    const whole = await operator.getJson<Listed>(word?.links.self ?? '');
    expect(whole.ofBatches.map(({ rows }) => rows)).toEqual([250, 1]);
    const first = await operator.getJson<{ issues: Listed[]; next: string }>(
      '/v1/ops/issues?environment=test&limit=2&sort=rows',
    );
    expect(first.issues.map(({ rows }) => rows)).toEqual([251, 100]);
    const second = await operator.getJson<{ issues: Listed[] }>(first.next);
    expect(new Set([...first.issues, ...second.issues].map(({ id }) => id)).size).toBe(3);
  });

  it('give all their rows, page by page and as CSV, of every batch that has them', async () => {
    refusesClosed();
    const operator = await anOperator();
    const partner = await aPartner();
    const prefix = unique();
    const file = (name: string, count: number): string =>
      statusFile(...times(count, (at) => statusRow(`${prefix}${name}${at}`, { Status: 'QQ' })));
    const batches = [await settled(partner, file('a', 5)), await settled(partner, file('b', 4))];
    const [issue] = await lists(operator, { code_unknown: 9 });
    const seen: string[] = [];
    type Page = { rows: { batchId: string; record: number }[]; next: string | null };
    for (let path: string | null = `${issue?.links.rows}&limit=2`; path !== null; ) {
      const page: Page = await operator.getJson<Page>(path);
      seen.push(...page.rows.map(({ batchId, record }) => `${batchId}/${record}`));
      path = page.next;
    }
    const all = [...times(5, (at) => `${batches[0]}/${at + 1}`), ...times(4, (at) => `${batches[1]}/${at + 1}`)];
    expect(seen).toEqual(all);
    const csv = await (await operator.fetch(issue?.links.rowsCsv ?? '')).text();
    expect(
      csv
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',').slice(1, 4).join()),
    ).toEqual(all.map((each) => [`"${each.split('/')[0]}"`, '""', `"${each.split('/')[1]}"`].join()));
  });

  it('are acknowledged and muted with a reason, and taken back', async () => {
    refusesClosed();
    const operator = await anOperator();
    await settled(await aPartner(), statusFile(statusRow(unique(), { Status: 'QQ' })));
    const [issue] = await lists(operator, { code_unknown: 1 });
    const at = (what: string): string => `/v1/ops/issues/${issue?.id}/${what}?environment=test`;
    const done = (what: string, body: unknown) => operator.done<Listed>('POST', at(what), body);
    expect(await done('acknowledge', { why: 'asked the partner' })).toMatchObject({
      state: 'acknowledged',
      decided: { by: 'Analyst', why: 'asked the partner' },
    });
    await lists(operator, {}, '&state=open');
    const until = new Date(Date.now() + 86_400_000).toISOString();
    expect((await done('mute', { why: 'next week', until })).state).toBe('muted');
    const { state, changes } = await done('reopen', { why: 'too early' });
    expect([state, changes.map(({ what }) => what)]).toEqual(['open', ['reopened', 'muted', 'acknowledged']]);
    for (const [what, body] of [
      ['mute', { why: 'x', until: '2020-01-01T00:00:00Z' }],
      ['mute', { why: 'x', until: '2999-01-01T00:00:00Z' }],
      ['acknowledge', { why: ' ' }],
    ] as const)
      expect((await operator.fetch(at(what), { method: 'POST', body: JSON.stringify(body) })).status).toBeGreaterThan(
        399,
      );
  });

  it('send exactly their rows again, of all batches, whatever is on a page; then they are resolved, and come back', async () => {
    let isOpen = false;
    const { left } = refusesClosed(() => isOpen);
    const operator = await anOperator();
    const partner = await aPartner();
    const prefix = unique();
    const batches = [
      await settled(partner, threeKinds({ words: 20, closed: 12, dates: 5 })),
      await settled(partner, statusFile(statusRow(`closed-${prefix}x`), statusRow(`closed-${prefix}y`))),
    ];
    const found = await lists(operator, { code_unknown: 20, bad_date: 5, rejected: 14 });
    const issue = found.find(({ code }) => code === 'rejected');
    isOpen = true;
    const before = left.length;
    const body = { partner: partner.name, issue: issue?.id, why: 'opened again', perSecond: 500 };
    const plan = await operator.done<{ requests: number }>(
      'POST',
      '/v1/ops/replays?environment=test&dryRun=true',
      body,
    );
    expect(plan.requests).toBe(14);
    expect(left).toHaveLength(before);
    const headers = { 'Idempotency-Key': unique() };
    const init = { method: 'POST', body: JSON.stringify(body), headers };
    const begun = await operator.fetch('/v1/ops/replays?environment=test', init);
    expect(begun.status, await begun.clone().text()).toBe(202);
    const delivered = async () =>
      (await Promise.all(batches.map((id) => partner.summary(id)))).map(({ rowStates }) => rowStates.delivered);
    await vi.waitFor(async () => expect(await delivered()).toEqual([52, 2]), PATIENCE);
    expect(left.slice(before)).toHaveLength(14);
    expect(left.slice(before).every(({ body: sent }) => sent.includes('closed-'))).toBe(true);
    await lists(operator, { code_unknown: 20, bad_date: 5 });
    const again = await operator.fetch('/v1/ops/replays?environment=test', init);
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([202, 'true']);
    expect((await lists(operator, { rejected: 0 }, '&state=resolved'))[0]?.state).toBe('resolved');
    isOpen = false;
    await settled(partner, statusFile(statusRow(`closed-${prefix}z`)));
    expect((await lists(operator, { rejected: 1 }, '&code=rejected'))[0]?.reopened).toBe(1);
  });

  it('resolve by corrected rows, and are forgotten months later', async () => {
    refusesClosed();
    const operator = await anOperator();
    const partner = await aPartner();
    const batchId = await settled(partner, statusFile(statusRow(unique(), { Status: 'QQ' })));
    await lists(operator, { code_unknown: 1 });
    const corrections = await (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text();
    await settled(partner, corrections.replace('QQ', 'X3'));
    await lists(operator, {});
    await sweepIssues(env.DIRECTORY, Date.now() + 89 * 86_400_000);
    expect(await listed(operator, '&state=resolved')).toHaveLength(1);
    await sweepIssues(env.DIRECTORY, Date.now() + 91 * 86_400_000);
    expect(await listed(operator, '&state=resolved')).toHaveLength(0);
  });

  it('are refused where resolved ones of a partner or a mapping are wanted: no batch has rows of them', async () => {
    const operator = await anOperator();
    for (const query of ['state=resolved&partner=acme', 'state=open,resolved&mapping=carrier-status-csv']) {
      const refused = await problemOf(await operator.fetch(`/v1/ops/issues?environment=test&${query}`));
      expect([refused.status, refused.code]).toEqual([400, 'parameter_invalid']);
      const page = await operator.fetch(`/console/issues?environment=test&${query}`, {
        headers: { Accept: 'text/html' },
      });
      const html = await page.text();
      expect([page.status, html.includes(refused.detail), html.includes('Filter the list')]).toEqual([400, true, true]);
    }
    expect(await listed(operator, '&state=resolved')).toEqual([]);
    expect(await listed(operator, '&partner=acme')).toEqual([]);
  });

  it('are told anew by their batches where the index has lost them', async () => {
    refusesClosed();
    const operator = await anOperator();
    await settled(await aPartner(), statusFile(statusRow(unique(), { Status: 'QQ' })));
    await lists(operator, { code_unknown: 1 });
    await env.DIRECTORY.batch(
      ['issue', 'issue_batch', 'minute_total'].map((name) => env.DIRECTORY.prepare(`DELETE FROM ${name}`)),
    );
    for (let path: string | null = '/v1/ops/batches/reindex?environment=test'; path !== null; )
      path = (await operator.done<{ next: string | null }>('POST', path, {})).next;
    await lists(operator, { code_unknown: 1 });
    expect((await metrics(operator)).total.invalid).toBe(1);
  });
});

interface MetricsShown {
  total: {
    delivered: number;
    refused: number;
    invalid: number;
    deliveredShare: number;
    p50Ms: number;
    dollars: number;
  };
  points: { delivered: number }[];
  names: { name: string; delivered: number; dollars: number }[];
}
const metrics = (operator: Operator, query = ''): Promise<MetricsShown> =>
  operator.getJson<MetricsShown>(`/v1/ops/metrics?environment=test${query}`);

describe('the metrics of an environment', () => {
  it('count what was delivered, refused and invalid today, how long it took and what it cost, by partner', async () => {
    refusesClosed();
    const operator = await anOperator();
    const [one, other] = [await aPartner(), await aPartner()];
    const prefix = unique();
    await settled(
      one,
      statusFile(statusRow(`${prefix}1`), statusRow(`closed-${prefix}`), statusRow('x', { Status: 'QQ' })),
    );
    await settled(other, statusFile(statusRow(`${prefix}2`)));
    await settled(other, statusFile(statusRow(`${prefix}3`)), { dryRun: 'true' });
    const found = await vi.waitFor(async () => {
      const now = await metrics(operator, '&by=partner');
      expect(now.total).toMatchObject({
        delivered: 2,
        refused: 1,
        invalid: 1,
        deliveredRows: 2,
        notDelivered: 2,
        deliveredShare: 0.5,
      });
      return now;
    }, PATIENCE);
    expect(found.total.p50Ms).toBeGreaterThan(0);
    expect(found.total.dollars).toBeGreaterThan(0);
    expect(found.names.map(({ name, delivered }) => [name, delivered])).toEqual([
      [one.name, 1],
      [other.name, 1],
    ]);
    expect(found.points.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2);
    expect((await metrics(operator, '&by=channel')).names.map(({ name }) => name)).toEqual(['plain']);
    for (const query of ['&step=0', '&by=mapping', '&from=tomorrow', '&from=2020-01-01&to=2021-01-01'])
      expect((await operator.fetch(`/v1/ops/metrics?environment=test${query}`)).status, query).toBe(400);
  });

  it('become hours after a month, each counted once', async () => {
    const operator = await anOperator();
    const atMs = Date.UTC(2026, 2, 2, 8, 0);
    const insert = `INSERT INTO minute_total VALUES ('test', ?, ?, 'acme', 'plain', 5, 1, 2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`;
    for (const [minute, batch] of [
      [3, 'b_1'],
      [4, 'b_1'],
      [59, 'b_2'],
      [60, 'b_2'],
    ] as const)
      await env.DIRECTORY.prepare(insert)
        .bind(atMs / 60_000 + minute, batch)
        .run();
    const sums = async () => {
      const { total, points } = await metrics(operator, '&from=2026-03-02T08:00Z&to=2026-03-02T10:00Z&step=60');
      return [total.delivered, total.invalid, points.map(({ delivered }) => delivered)];
    };
    const before = await sums();
    expect(before).toEqual([20, 8, [15, 5]]);
    await sweepTotals(env.DIRECTORY, atMs + 31 * 86_400_000);
    await sweepTotals(env.DIRECTORY, atMs + 31 * 86_400_000);
    expect(await sums()).toEqual(before);
    const rows = await env.DIRECTORY.prepare('SELECT count(*) AS rows FROM minute_total').first<{ rows: number }>();
    expect(rows?.rows).toBe(2);
  });
});

describe('the issues of a batch', () => {
  it('are three where 400 rows fail in three ways, most rows first, each with its first rows and what to do', async () => {
    refusesClosed();
    const partner = await aPartner();
    const batchId = await settled(partner, threeKinds());
    const { issues, isCut } = await partner.getJson<BatchIssues>(`/v1/batches/${batchId}/issues`);
    expect(isCut).toBe(false);
    expect(issues.map(({ rows, requests }) => [rows, requests])).toEqual([
      [250, 0],
      [100, 0],
      [50, 50],
    ]);
    expect(issues[0]).toMatchObject({ code: 'code_unknown', path: 'Status', value: 'QQ', firstRecord: 41 });
    expect(issues[0]?.title).toBe('Unknown word “QQ” in Status');
    expect(issues[0]?.list).toMatch(/./);
    expect(issues[0]?.fix).toContain('Correct "Status"');
    expect(issues[1]).toMatchObject({ path: 'Event Date, Event Time', value: null });
    expect(issues[2]).toMatchObject({ code: 'rejected', status: 422, examples: [{ record: 291 }, {}, {}] });
    expect(issues[0]?.links).toEqual({});
    const operator = await anOperator();
    const seen = await operator.getJson<BatchIssues>(`/v1/ops/batches/${batchId}/issues?environment=test`);
    expect(seen.issues[0]?.links.issue).toBe(`/v1/ops/issues/${issues[0]?.id}?environment=test`);
  });

  it('are those of a dry run, too, and none where all is well; another partner has no such batch', async () => {
    refusesClosed();
    const partner = await aPartner();
    const prefix = unique();
    const file = statusFile(statusRow(`${prefix}1`), statusRow(`${prefix}2`, { Status: 'QQ' }));
    const batchId = await settled(partner, file, { dryRun: 'true' });
    const { issues } = await partner.getJson<BatchIssues>(`/v1/batches/${batchId}/issues`);
    expect(issues.map(({ rows }) => rows)).toEqual([1]);
    const good = await settled(partner, statusFile(statusRow(`${prefix}3`)));
    expect((await partner.getJson<BatchIssues>(`/v1/batches/${good}/issues`)).issues).toEqual([]);
    expect((await (await aPartner()).fetch(`/v1/batches/${batchId}/issues`)).status).toBe(404);
  });
});
