/** Rows of an issue, mapped again under the mapping of now: exactly these are sent, once, and the issue resolves. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { statusFile, statusRow } from '../csv-files.ts';
import { unique } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { aPartner, type Partner } from '../partners.ts';
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
  code: string;
  state: string;
  list: string;
  rows: number;
  changes: { what: string; by: string; why: string; batches?: { batchId: string }[] }[];
}

interface Plan {
  rows: number;
  requests: Record<string, number>;
  stillWrong: number;
  leftOut: number;
  batches: { batchId: string; rows: number; stillWrong: number; isChanged: boolean }[];
  left: { batchId: string; problem: { why: string } }[];
  examples: { record: number; requests: { kind: string; subject: string }[] }[];
  wrong: { record: number; line: number; problem: { code: string } }[];
  isCut: boolean;
  confirm: string;
}

interface Sent {
  batches: { from: string; batchId: string; rows: number; replayed: boolean }[];
}

async function settled(partner: Partner, file: BodyInit, query: Record<string, string> = {}): Promise<string> {
  const { batchId } = await partner.receipt(file, query);
  await partner.reaches(batchId, 'settled');
  return batchId;
}

/** Once the index has so many rows of it. */
const issueOf = (operator: Operator, code: string, rows: number): Promise<IssueShown> =>
  vi.waitFor(async () => {
    const { issues } = await operator.getJson<{ issues: IssueShown[] }>(
      `/v1/ops/issues?environment=test&code=${code}&state=open`,
    );
    expect(issues.map((each) => each.rows)).toEqual([rows]);
    return issues[0] as IssueShown;
  }, PATIENCE);

const pathOf = ({ id }: IssueShown, query = ''): string => `/v1/ops/issues/${id}/resubmit?environment=test${query}`;
const planned = (operator: Operator, issue: IssueShown): Promise<Plan> =>
  operator.done<Plan>('POST', pathOf(issue, '&dryRun=true'), { why: 'the word is known' });
const send = (operator: Operator, issue: IssueShown, confirm?: string): Promise<Response> =>
  operator.fetch(pathOf(issue), { method: 'POST', body: JSON.stringify({ why: 'the word is known', confirm }) });

/** Publishes what a word means. */
const learn = (operator: Operator, { list }: IssueShown, word: string): Promise<unknown> =>
  operator.done('PATCH', `/v1/ops/code-lists/${list}?environment=test`, { set: { [word]: 'X3' } });

it('sends exactly the rows of the issue, once, of every batch; they resolve it', async () => {
  const { left } = upstreamAnswers(() => Response.json({}));
  const [operator, one, other] = [await anOperator(), await aPartner(), await aPartner()];
  const load = unique();
  const words = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => statusRow(`${load}${name}${at}`, { Status: 'QQ', 'Pro Number': '=1+1' }));
  const dates = Array.from({ length: 3 }, (_, at) => statusRow(`${load}d${at}`, { 'Event Date': '13/45/2026' }));
  const both = statusRow(`${load}both`, { Status: 'QQ', Stop: 'two' });
  const first = await settled(one, statusFile(statusRow(`${load}a`), ...words(5, 'w'), ...dates, both));
  const second = await settled(other, statusFile(...words(4, 'o'), statusRow(`${load}b`)));
  const issue = await issueOf(operator, 'code_unknown', 10);

  const before = await planned(operator, issue);
  expect(before).toMatchObject({ rows: 0, stillWrong: 10, batches: [{ isChanged: false }, { isChanged: false }] });
  const refused = await send(operator, issue, before.confirm);
  expect([refused.status, (await refused.json<{ code: string }>()).code]).toEqual([409, 'nothing_to_resubmit']);

  await learn(operator, issue, 'QQ');
  const plan = await planned(operator, issue);
  expect(plan).toMatchObject({ rows: 9, requests: { milestone: 9 }, stillWrong: 1, leftOut: 0, left: [] });
  expect(plan.batches.map(({ batchId, rows }) => [batchId, rows])).toEqual([
    [first, 5],
    [second, 4],
  ]);
  expect(plan.wrong).toMatchObject([{ record: 10, line: 11, problem: { code: 'not_a_whole_number' } }]);
  expect(plan.examples[0]).toMatchObject({ record: 2, requests: [{ kind: 'milestone', subject: `load:${load}w0` }] });
  expect((await send(operator, issue)).status).toBe(409);
  expect((await send(operator, issue, before.confirm)).status).toBe(409);
  expect(left).toHaveLength(2);

  const sent = await send(operator, issue, plan.confirm);
  expect(sent.status, await sent.clone().text()).toBe(202);
  const { batches } = await sent.json<Sent>();
  expect(batches.map(({ from, rows, replayed }) => [from, rows, replayed])).toEqual([
    [first, 5, false],
    [second, 4, false],
  ]);
  const [made = '', madeOther = ''] = batches.map(({ batchId }) => batchId);
  const summary = await one.reaches(made, 'settled');
  expect(summary).toMatchObject({ rowStates: { delivered: 5 }, fileName: null, uploadedBy: one.keyId });
  await other.reaches(madeOther, 'settled');
  const loads = left.slice(2).map(({ body }) => (JSON.parse(body) as { loadNumber: string }).loadNumber);
  expect(loads.sort()).toEqual([
    ...Array.from({ length: 4 }, (_, at) => `${load}o${at}`),
    ...Array.from({ length: 5 }, (_, at) => `${load}w${at}`),
  ]);
  expect(left[2]?.body).toContain('"=1+1"');

  const rest = await issueOf(operator, 'code_unknown', 1);
  const again = await send(operator, issue, plan.confirm);
  expect((await again.json<{ code: string }>()).code).toBe('plan_changed');
  expect(left).toHaveLength(11);
  const { changes } = await operator.getJson<IssueShown>(`/v1/ops/issues/${rest.id}?environment=test`);
  expect(changes).toMatchObject([
    {
      what: 'resubmitted',
      by: 'Analyst',
      why: 'the word is known',
      batches: [{ batchId: made }, { batchId: madeOther }],
    },
  ]);
});

it('goes past batches whose rows are wrong still', { timeout: 60_000 }, async () => {
  upstreamAnswers(() => Response.json({}));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const load = unique();
  for (let batch = 0; batch < 51; batch += 1)
    await partner.receipt(statusFile(statusRow(`${load}${batch}`, { Status: 'QQ', Stop: 'two' })));
  await settled(partner, statusFile(statusRow(`${load}good`, { Status: 'QQ' })));
  const issue = await issueOf(operator, 'code_unknown', 52);
  await learn(operator, issue, 'QQ');
  expect(await planned(operator, issue)).toMatchObject({ rows: 1, stillWrong: 51, isCut: false });
});

it('goes past what can send nothing: it would stand before the others for as long as it is kept', async () => {
  upstreamAnswers(() => Response.json({}));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const load = unique();
  const batchId = await settled(partner, statusFile(statusRow(`${load}1`, { Status: 'QQ' })));
  const issue = await issueOf(operator, 'code_unknown', 1);
  const gone = env.DIRECTORY.prepare(
    `INSERT INTO issue_batch SELECT environment, issue, ?1, partner, mapping, file_name, row_count, request_count, held,
       first_seen_ms, last_seen_ms, examples FROM issue_batch WHERE batch_id = ?2`,
  );
  const older = Array.from({ length: 60 }, (_, at) => `b_${String(at).padStart(26, '0')}`);
  await env.DIRECTORY.batch(older.map((id) => gone.bind(id, batchId)));
  await learn(operator, issue, 'QQ');
  const plan = await planned(operator, issue);
  expect([plan.rows, plan.left.length, plan.isCut]).toEqual([1, 60, false]);
  const more = Array.from({ length: 150 }, (_, at) => `b_${String(at + 500).padStart(26, '0')}`);
  await env.DIRECTORY.batch(more.map((id) => gone.bind(id, batchId)));
  const past = await planned(operator, issue);
  expect([past.rows, past.left.length, past.isCut]).toEqual([1, 199, true]);
  expect(past.left[0]?.batchId).toBe(older[11]); // the 11 oldest are not looked at
  expect((await send(operator, issue, past.confirm)).status).toBe(202);
});

it('sends once what is asked for twice at once, and leaves alone what is on its way', async () => {
  let answers = false;
  const { left } = upstreamAnswers(() => (answers ? Response.json({}) : new Response('busy', { status: 503 })));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const load = unique();
  await settled(partner, statusFile(statusRow(`${load}1`, { Status: 'QQ' }), statusRow(`${load}2`, { Status: 'QQ' })));
  const issue = await issueOf(operator, 'code_unknown', 2);
  await learn(operator, issue, 'QQ');
  const { confirm } = await planned(operator, issue);
  const twice = await Promise.all([send(operator, issue, confirm), send(operator, issue, confirm)]);
  const made = await Promise.all(twice.map(async (answer) => (await answer.json<Sent>()).batches[0]?.batchId));
  expect(new Set(made).size).toBe(1);
  await vi.waitFor(async () => expect(left.length).toBeGreaterThan(0), PATIENCE);
  expect(await planned(operator, issue)).toMatchObject({ rows: 0, stillWrong: 0, leftOut: 2 });
  answers = true;
  await partner.reaches(made[0] ?? '', 'settled');
  await vi.waitFor(
    async () =>
      expect((await operator.getJson<IssueShown>(`/v1/ops/issues/${issue.id}?environment=test`)).state).toBe(
        'resolved',
      ),
    PATIENCE,
  );
  expect(new Set(left.map(({ body }) => (JSON.parse(body) as { loadNumber: string }).loadNumber)).size).toBe(2);
});

it('leaves a group alone whose correction is on its way, with all of its rows', async () => {
  upstreamAnswers(() => new Response('{}', { status: 503 }));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const orderRef = unique();
  const query = { mapping: 'orders-csv' };
  const lines = ['1', 'two', '3'].map((quantity, at) => ({ orderRef, sku: `SKU-${at}`, quantity }));
  const batchId = await settled(partner, orderFile(...lines), query);
  const { issues } = await vi.waitFor(async () => {
    const found = await operator.getJson<{ issues: IssueShown[] }>('/v1/ops/issues?environment=test&state=open');
    expect(found.issues.length).toBeGreaterThan(0);
    return found;
  }, PATIENCE);
  const corrected = (await (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text()).replace('"two"', '"2"');
  const { batchId: later } = await partner.receipt(corrected, query);
  await vi.waitFor(async () => expect((await partner.summary(later)).rowStates).toEqual({ unknown: 3 }), PATIENCE);
  for (const issue of issues)
    expect(await planned(operator, issue)).toMatchObject({ rows: 0, stillWrong: 0, leftOut: 3 });
});
