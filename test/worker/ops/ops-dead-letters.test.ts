/** `GET /v1/ops/letters`: what of all partners did not arrive, page by page, filtered; and one of them whole. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LetterPage, letterAt, loadsFile, mixedAnswers, unique, uploaded } from '../dead-letters.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const list = (operator: Operator, query = ''): Promise<LetterPage> =>
  operator.getJson<LetterPage>(`/v1/ops/letters${query}`);

/** A batch with one row of every end: delivered, held, refused, given up, not mapped. */
async function everyEnd(partner?: Partner): Promise<{ partner: Partner; receipt: Receipt; prefix: string }> {
  mixedAnswers();
  const owner = partner ?? (await aPartner());
  const prefix = unique();
  const file = loadsFile(prefix, 'good', '-held', '-bad', '-moved', 'invalid');
  const receipt = await uploaded(owner, file, { delivered: 1, held: 1, rejected: 1, dead: 1, invalid: 1 });
  return { partner: owner, receipt, prefix };
}

describe('the list', () => {
  it('holds everything that is held, refused, given up or invalid, with why and the last answer', async () => {
    const { partner, receipt, prefix } = await everyEnd();
    const { letters, next } = await list(await anOperator());
    expect(next).toBeNull();
    const { batchId } = receipt;
    const own = { partner: partner.name, batchId };
    expect(letters).toMatchObject([
      {
        ...own,
        record: 2,
        request: 1,
        state: 'held',
        reason: 'unknown_then_refused',
        status: 422,
        subject: `load:${prefix}-held`,
        answer: '{"times":2}',
        line: 3,
      },
      {
        ...own,
        record: 3,
        request: 1,
        state: 'rejected',
        reason: null,
        status: 422,
        answer: '{"wrong":"stop"}',
        kind: 'milestone',
      },
      { ...own, record: 4, request: 1, state: 'dead', reason: 'redirected', outcome: 'not_applied', status: 307 },
      {
        ...own,
        record: 5,
        request: 0,
        state: 'invalid',
        kind: null,
        problems: [{ code: 'code_unknown', value: 'Q9' }],
      },
    ]);
  });

  it('holds what its filters say', async () => {
    const { partner, receipt, prefix } = await everyEnd();
    const operator = await anOperator();
    const filters: [string, number[]][] = [
      ['state=held', [2]],
      ['state=rejected,invalid', [3, 5]],
      ['state=cancelled', []],
      ['reason=redirected', [4]],
      ['reason=code_unknown', [5]],
      ['reason=redirected,code_unknown', [4, 5]],
      ['status=422', [2, 3]],
      ['status=422&state=rejected', [3]],
      ['kind=milestone', [2, 3, 4]],
      ['kind=order.create', []],
    ];
    for (const [query, records] of filters) {
      const found = await list(operator, `?${query}&partner=${partner.name}`);
      expect([query, found.letters.map(({ record }) => record)]).toEqual([query, records]);
    }
    const one = await list(operator, `?batch=${receipt.batchId}&subject=${prefix}-bad`);
    expect(one.letters.map(({ record }) => record)).toEqual([3]);
    const asAnswered = await operator.fetch(`/v1/ops/letters?subject=load:${prefix}-bad`);
    expect([asAnswered.status, await asAnswered.text()]).toEqual([400, expect.stringContaining('without \\"load:\\"')]);
  });

  it('goes on where a page ends, over batches and partners, and shows each letter once', async () => {
    const first = await everyEnd();
    const second = await everyEnd(first.partner);
    const third = await everyEnd();
    const operator = await anOperator();
    const seen: string[] = [];
    let path: string | null = '/v1/ops/letters?limit=3';
    for (let pages = 0; path !== null && pages < 20; pages += 1) {
      const page: LetterPage = await operator.getJson(path);
      expect(page.letters.length).toBeLessThanOrEqual(3);
      seen.push(...page.letters.map(({ batchId, record }) => `${batchId}/${record}`));
      path = page.next;
    }
    const all = [second, first, third].flatMap(({ receipt }) =>
      [2, 3, 4, 5].map((record) => `${receipt.batchId}/${record}`),
    );
    expect(seen).toEqual(all);
  });

  it('shows a key the letters of its environments and no others', async () => {
    const test = await everyEnd();
    const production = await everyEnd(await aPartner({ partner: test.partner.name, environment: 'production' }));
    const both = await anOperator({ environments: ['test', 'production'] });
    expect(await problemOf(await both.fetch('/v1/ops/letters'))).toMatchObject({ code: 'environment_required' });
    const batches = async (operator: Operator, environment: string) =>
      new Set((await list(operator, `?environment=${environment}`)).letters.map(({ batchId }) => batchId));
    expect(await batches(both, 'test')).toEqual(new Set([test.receipt.batchId]));
    expect(await batches(both, 'production')).toEqual(new Set([production.receipt.batchId]));
    const tester = await anOperator();
    const refused = await tester.fetch('/v1/ops/letters?environment=production');
    expect(await problemOf(refused)).toMatchObject({ status: 403, code: 'environment_not_allowed' });
    for (const path of [
      letterAt(production.receipt, 2),
      `${letterAt(production.receipt, 2)}?partner=${test.partner.name}`,
    ]) {
      expect(await problemOf(await tester.fetch(path))).toMatchObject({ status: 404, code: 'letter_unknown' });
    }
    const elsewhere = await list(tester, `?batch=${production.receipt.batchId}`);
    expect(elsewhere).toMatchObject({ letters: [], next: null });
  });

  it.each([
    ['state=delivered', 'parameter_invalid'],
    ['status=42', 'parameter_invalid'],
    ['kind=milestones', 'parameter_invalid'],
    ['reason=', 'parameter_invalid'],
    ['batch=b_1', 'parameter_invalid'],
    ['cursor=zzz', 'parameter_invalid'],
    ['stat=held', 'parameter_unknown'],
    ['partner=nobody', 'partner_unknown'],
  ])('refuses %s', async (query, code) => {
    const operator = await anOperator();
    expect((await problemOf(await operator.fetch(`/v1/ops/letters?${query}`))).code).toBe(code);
  });

  it('leaves dry runs out: nothing of them was to be sent', async () => {
    mixedAnswers();
    const partner = await aPartner();
    await uploaded(partner, loadsFile(unique(), 'good', 'invalid'), { valid: 1, invalid: 1 }, { dryRun: 'true' });
    expect((await list(await anOperator())).letters).toEqual([]);
  });
});

describe('one letter', () => {
  it('shows its body, every attempt with its answer, what may be decided, and what is advised', async () => {
    const { partner, receipt, prefix } = await everyEnd();
    const operator = await anOperator({ role: 'viewer' });
    const letter = await operator.getJson(letterAt(receipt, 2));
    expect(letter).toMatchObject({
      partner: partner.name,
      record: 2,
      position: { line: 3 },
      state: 'held',
      reason: 'unknown_then_refused',
      kind: 'milestone',
      subject: `load:${prefix}-held`,
      body: { loadNumber: `${prefix}-held` },
      version: expect.stringMatching(/^1\.\d+$/),
      decisions: ['send_again', 'mark_delivered', 'close'],
      recommended: expect.stringContaining('Ask the receiving system'),
      replay: null,
      generations: [
        {
          generation: 1,
          attempts: [
            { attempt: 1, effect: 'unknown', status: 500, answer: '{"times":1}' },
            { attempt: 2, effect: 'refused', status: 422, answer: '{"times":2}' },
          ],
        },
      ],
      decided: [],
      batchActions: [],
    });
  });

  it('that has ended, was delivered, or never became a request says what can be done about it, and nobody else is shown it', async () => {
    const { receipt } = await everyEnd();
    const operator = await anOperator();
    const show = (record: number, request = 1) => operator.getJson(letterAt(receipt, record, request));
    expect(await show(1)).toMatchObject({ state: 'delivered', decisions: [], replay: null });
    expect(await show(3)).toMatchObject({ state: 'rejected', decisions: [], replay: 'retried' });
    expect(await show(4)).toMatchObject({ state: 'dead', reason: 'redirected', replay: 'retried' });
    expect(await show(5, 0)).toMatchObject({
      state: 'invalid',
      body: null,
      generations: [],
      problems: [{ code: 'code_unknown' }],
      recommended: expect.stringContaining('Correct it'),
    });
    const other = await aPartner();
    const unknown = [
      letterAt(receipt, 99),
      letterAt(receipt, 1, 2),
      letterAt(receipt, 1, 0),
      `${letterAt(receipt, 2)}?partner=${other.name}`,
    ];
    for (const path of unknown) {
      expect(await problemOf(await operator.fetch(path))).toMatchObject({ status: 404, code: 'letter_unknown' });
    }
  });
});
