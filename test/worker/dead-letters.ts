/** What did not arrive, in the worker tests: files that end in every way, and the operators' routes about them. */
import { expect, vi } from 'vitest';
import type { DeadLetterState } from '../../src/batch/core/dead-letters.ts';
import { statusFile, statusRow } from './csv-files.ts';
import { PATIENCE } from './loads.ts';
import type { Operator } from './operators.ts';
import { orderFile } from './order-files.ts';
import { lists, ordersAnswer } from './orders.ts';
import type { Partner, Receipt } from './partners.ts';
import { type Answering, type Left, type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

export interface LetterShown {
  partner: string;
  batchId: string;
  record: number;
  request: number;
  state: DeadLetterState;
  reason: string | null;
  status: number | null;
  subject: string | null;
  answer: string | null;
  problems: { code: string }[];
  links: { self: string };
}

export interface LetterPage {
  letters: LetterShown[];
  next: string | null;
}

let prefixes = 0;
/** A prefix of load numbers and references that no other test has. */
export const unique = (): string => {
  prefixes += 1;
  return `LT${prefixes}-`;
};

const redirect = (): Response => new Response(null, { status: 307, headers: { Location: '/elsewhere' } });

/** Answers by what the body names: `-bad` is refused, `-moved` redirected, `-held` unclear and then refused. */
export function mixedAnswers(): UpstreamDouble {
  const seen = new Map<string, number>();
  const answer: Answering = ({ body }) => {
    if (body.includes('-bad"')) return Response.json({ wrong: 'stop' }, { status: 422 });
    if (body.includes('-moved"')) return redirect();
    if (!body.includes('-held"')) return Response.json({});
    const times = (seen.get(body) ?? 0) + 1;
    seen.set(body, times);
    return Response.json({ times }, { status: times === 1 ? 500 : 422 });
  };
  return upstreamAnswers(answer);
}

/** Loads named by these endings, a row each; `invalid` is a row that cannot be mapped. */
export const loadsFile = (prefix: string, ...endings: string[]): string =>
  statusFile(
    ...endings.map((ending) =>
      ending === 'invalid' ? statusRow(`${prefix}${ending}`, { Status: 'Q9' }) : statusRow(`${prefix}${ending}`),
    ),
  );

/** Uploads, and waits until its rows stand like this. */
export async function uploaded(
  partner: Partner,
  file: string,
  rowStates: Record<string, number>,
  query: Record<string, string> = {},
): Promise<Receipt> {
  const receipt = await partner.receipt(file, query);
  await stands(partner, receipt.batchId, rowStates);
  return receipt;
}

export const stands = (partner: Partner, batchId: string, rowStates: Record<string, number>): Promise<void> =>
  vi.waitFor(async () => expect((await partner.summary(batchId)).rowStates).toEqual(rowStates), PATIENCE);

/** Creates have no clear answer, and when the order is looked up, there are two: a person decides. */
export const unclearCreates = (): UpstreamDouble =>
  ordersAnswer([500], [lists({ orderId: OTHER_IDS[0] }, { orderId: OTHER_IDS[1] })]);

const OTHER_IDS = ['11111111-6c1e-4b0e-9f4e-6d6d3a8b8f10', '22222222-6c1e-4b0e-9f4e-6d6d3a8b8f10'];

/** Creates that left, without what was only looked up. */
export const createsIn = ({ left }: UpstreamDouble): Left[] => left.filter(({ method }) => method === 'POST');

/** An order whose create had no clear answer. @returns its reference. */
export async function heldOrder(partner: Partner): Promise<{ orderRef: string; receipt: Receipt }> {
  const orderRef = `${unique()}order`;
  const file = orderFile({ orderRef, sku: 'S1' });
  const receipt = await uploaded(partner, file, { held: 1 }, { mapping: 'orders-csv' });
  return { orderRef, receipt };
}

/** A milestone that was unclear and then refused. */
export async function heldMilestone(partner: Partner): Promise<Receipt> {
  return uploaded(partner, loadsFile(unique(), '-held'), { held: 1 });
}

export const letterAt = (receipt: Receipt, record = 1, request = 1): string =>
  `/v1/ops/letters/${receipt.batchId}/${record}/${request}`;

let keys = 0;
/** Posts with a key of its own, unless one is given. */
export const post = (
  operator: Operator,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> => {
  keys += 1;
  return operator.fetch(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Idempotency-Key': `click-${keys}`, ...headers },
  });
};

export const WHY = 'asked the receiving system by phone';

export const decide = (
  operator: Operator,
  receipt: Receipt,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
) => post(operator, `${letterAt(receipt)}/decisions`, { why: WHY, ...body }, headers);

export async function made(operator: Operator, receipt: Receipt, body: Record<string, unknown>): Promise<unknown> {
  const answer = await decide(operator, receipt, body);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}

export interface Shown {
  state: string;
  reason: string | null;
  outcome: string | null;
  version: string;
  decisions: string[];
  generations: { attempts: { effect: string }[]; possibleDuplicate: boolean }[];
  decided: Record<string, unknown>[];
}
export const shown = (operator: Operator, receipt: Receipt): Promise<Shown> =>
  operator.getJson<Shown>(letterAt(receipt));
