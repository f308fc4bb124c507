/** Rows of X12 and EDIFACT that an issue is about: cut out of their interchanges, mapped under the mapping of now, sent once. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { unique } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214, arrival } from '../x12-files.ts';

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
  list: string;
  rows: number;
  state: string;
}

interface Plan {
  rows: number;
  stillWrong: number;
  left: { problem: { why: string } }[];
  confirm: string;
}

const WHY = 'the word is known';
const pathOf = ({ id }: IssueShown, query = ''): string => `/v1/ops/issues/${id}/resubmit?environment=test${query}`;

const issueOf = (operator: Operator, code: string, rows: number): Promise<IssueShown> =>
  vi.waitFor(async () => {
    const { issues } = await operator.getJson<{ issues: IssueShown[] }>(
      `/v1/ops/issues?environment=test&code=${code}&state=open`,
    );
    expect(issues.map((each) => each.rows)).toEqual([rows]);
    return issues[0] as IssueShown;
  }, PATIENCE);

const learn = (operator: Operator, { list }: IssueShown, word: string, means: string): Promise<unknown> =>
  operator.done('PATCH', `/v1/ops/code-lists/${list}?environment=test`, { set: { [word]: means } });

const planned = (operator: Operator, issue: IssueShown): Promise<Plan> =>
  operator.done<Plan>('POST', pathOf(issue, '&dryRun=true'), { why: WHY });

/** @returns the batch that was made of the rows. */
async function sent(operator: Operator, issue: IssueShown, { confirm }: Plan): Promise<string> {
  const answer = await operator.fetch(pathOf(issue), { method: 'POST', body: JSON.stringify({ why: WHY, confirm }) });
  expect(answer.status).toBe(202);
  const { batches } = await answer.json<{ batches: { batchId: string }[] }>();
  return batches[0]?.batchId ?? '';
}

const acknowledged = async (partner: Partner, batchId: string): Promise<[number, string]> => {
  const answer = await partner.fetch(`/v1/batches/${batchId}/acknowledgment`);
  return [answer.status, await answer.text()];
};

it('sends the events of a 214 that the issue is about, and no other of their sets; the acknowledgment stays as it was', async () => {
  const { left } = upstreamAnswers(() => Response.json({}));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const load = unique();
  const file = a214([
    { load: `${load}A`, events: [arrival('X3', '0815'), arrival('Q9', '0915'), arrival('AF', '1015')] },
    { load: `${load}B` },
    { load: `${load}C`, events: [arrival('Q9', '0815')] },
    { load: `${load}D`, events: [arrival('Q9', '0815')], count: 99 },
  ]);
  const { batchId } = await partner.receipt(file, { mapping: 'x12-214' });
  await partner.reaches(batchId, 'settled');
  const first = await acknowledged(partner, batchId);
  const issue = await issueOf(operator, 'code_unknown', 2);
  expect(await planned(operator, issue)).toMatchObject({ rows: 0, stillWrong: 2, left: [] });

  await learn(operator, issue, 'Q9', 'X1');
  const before = left.length;
  const plan = await planned(operator, issue);
  expect(plan).toMatchObject({ rows: 2, stillWrong: 0, left: [] });
  const made = await sent(operator, issue, plan);
  const summary = await partner.reaches(made, 'settled');
  expect(summary).toMatchObject({
    rowStates: { delivered: 2, skipped: 2 },
    sentAgainFrom: batchId,
    corrected: false,
    uploadedBy: partner.keyId,
    problems: [],
    notes: [],
  });
  const bodies = left.slice(before).map(({ body }) => JSON.parse(body) as { loadNumber: string; eventCode: string });
  expect(bodies.map(({ loadNumber, eventCode }) => [loadNumber, eventCode]).sort()).toEqual([
    [`${load}A`, 'X1'],
    [`${load}C`, 'X1'],
  ]);
  await vi.waitFor(async () => expect((await partner.summary(batchId)).resolved).toBe(2), PATIENCE);
  await vi.waitFor(
    async () =>
      expect(await operator.getJson(`/v1/ops/issues/${issue.id}?environment=test`)).toMatchObject({
        state: 'resolved',
      }),
    PATIENCE,
  );
  expect(await acknowledged(partner, batchId)).toEqual(first);
  expect((await acknowledged(partner, made))[0]).toBe(404);
});

const LETTERS = "UNA:+.? 'UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+0071++++++1'";
const iftsta = (load: string, codes: readonly string[], number: number): string => {
  const inner = [
    `BGM+23+ST-${number}+9'`,
    "DTM+137:202603021900:203'",
    "NAD+CA+DEMO:172'",
    `CNI+1+${load}'`,
    ...codes.flatMap((code, at) => [`STS+1+${code}'`, `DTM+334:20260302060${at}-0600:205'`]),
  ];
  return [`UNH+${number}+IFTSTA:D:96A:UN'`, ...inner, `UNT+${inner.length + 2}+${number}'`].join('\n');
};

it('sends those of an IFTSTA once, whoever asks how often, under the delimiters of their file', async () => {
  const { left } = upstreamAnswers(() => Response.json({}));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const load = unique();
  const file = [LETTERS, iftsta(`${load}A`, ['21'], 1), iftsta(`${load}B`, ['997'], 2), "UNZ+2+0071'"].join('\n');
  const { batchId } = await partner.receipt(file, { mapping: 'edifact-iftsta' });
  const state = await partner.reaches(batchId, 'settled');
  expect(state.rowStates).toEqual({ delivered: 1, invalid: 1 });
  const issue = await issueOf(operator, 'code_unknown', 1);
  await learn(operator, issue, '997', 'X1');
  const plan = await planned(operator, issue);
  expect(plan).toMatchObject({ rows: 1, stillWrong: 0 });
  const twice = await Promise.all([sent(operator, issue, plan), sent(operator, issue, plan)]);
  expect(new Set(twice).size).toBe(1);
  expect(await partner.reaches(twice[0] ?? '', 'settled')).toMatchObject({ rowStates: { delivered: 1 }, notes: [] });
  expect(left.map(({ body }) => (JSON.parse(body) as { loadNumber: string }).loadNumber)).toEqual([
    `${load}A`,
    `${load}B`,
  ]);
});

it('leaves faults of envelopes and of whole sets to the partner', async () => {
  upstreamAnswers(() => Response.json({}));
  const [operator, partner] = [await anOperator(), await aPartner()];
  const { batchId } = await partner.receipt(a214([{ load: unique(), count: 99 }]), { mapping: 'x12-214' });
  await partner.reaches(batchId, 'settled');
  const [issue] = await vi.waitFor(async () => {
    const { issues } = await operator.getJson<{ issues: IssueShown[] }>('/v1/ops/issues?environment=test&state=open');
    expect(issues).toHaveLength(1);
    return issues;
  }, PATIENCE);
  expect(await planned(operator, issue as IssueShown)).toMatchObject({
    rows: 0,
    left: [{ problem: { why: 'envelopes' } }],
  });
});
