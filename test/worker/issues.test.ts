/** What failed alike is one issue: in its batch, and over all batches of an environment. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { statusFile, statusRow } from './csv-files.ts';
import { unique } from './dead-letters.ts';
import { anOperator } from './operators.ts';
import { aPartner, type Partner } from './partners.ts';
import { upstreamAnswers } from './upstream-double.ts';

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
function threeKinds(): string {
  const prefix = unique();
  return statusFile(
    ...times(40, (at) => statusRow(`${prefix}${at}`)),
    ...times(250, (at) => statusRow(`${prefix}word-${at}`, { Status: 'QQ' })),
    ...times(50, (at) => statusRow(`closed-${prefix}${at}`)),
    ...times(100, (at) => statusRow(`${prefix}date-${at}`, { 'Event Date': `13/45/2${100 + at}` })),
  );
}

async function settled(partner: Partner, file: string, query: Record<string, string> = {}): Promise<string> {
  const { batchId } = await partner.receipt(file, query);
  await partner.reaches(batchId, 'settled');
  return batchId;
}

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
