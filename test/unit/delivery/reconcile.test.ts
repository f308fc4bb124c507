/** When an order whose create proved nothing is looked up, and what the answers decide. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterAnsweredCheck,
  afterFailedCheck,
  type Check,
  type Finding,
  findingIn,
  firstCheck,
  type ListedOrder,
  outOfTime,
  type Unsure,
} from '../../../src/delivery/orders/reconcile.ts';
import { clockAt, HOUR_MS, MINUTE_MS, NOW_MS, SECOND_MS } from './samples.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const OTHER = '1b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const UNSURE: Unsure = { endedAtMs: NOW_MS, isAccepted: false, deadlineMs: NOW_MS + 72 * HOUR_MS };
const ACCEPTED: Unsure = { ...UNSURE, isAccepted: true };
const NONE: Finding = { found: 'none' };
const FAILED = { effect: 'unknown' } as const;
const middle = () => 0.5;

const answeredAt = (...afterMs: number[]): Check[] =>
  afterMs.map((each) => ({ atMs: NOW_MS + each, isAnswered: true }));
const failedAt = (...afterMs: number[]): Check[] => afterMs.map((each) => ({ atMs: NOW_MS + each, isAnswered: false }));
const verdict = (checks: Check[], finding: Finding = NONE, unsure = UNSURE) =>
  afterAnsweredCheck(unsure, checks, finding, clockAt(checks.at(-1)?.atMs ?? NOW_MS));

describe('the checks of a create that proved nothing', () => {
  it('begin 30 seconds behind it', () => {
    expect(firstCheck(UNSURE, clockAt(NOW_MS))).toEqual({
      state: 'unknown',
      atMs: NOW_MS + 30 * SECOND_MS,
      reason: 'create_unconfirmed',
    });
  });

  it('begin no earlier than the answer asks', () => {
    expect(firstCheck(UNSURE, clockAt(NOW_MS), 5 * MINUTE_MS)).toMatchObject({ atMs: NOW_MS + 5 * MINUTE_MS });
    expect(firstCheck(UNSURE, clockAt(NOW_MS), SECOND_MS)).toMatchObject({ atMs: NOW_MS + 30 * SECOND_MS });
  });

  it('follow 2, 10, 30 and 120 minutes behind it, and the last one settles it', () => {
    const due = [30 * SECOND_MS];
    const steps = [];
    for (let made = 1; made <= 5; made += 1) {
      const step = verdict(answeredAt(...due));
      steps.push(step);
      if ('atMs' in step) due.push(step.atMs - NOW_MS);
    }
    expect(due).toEqual([30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]);
    expect(steps.at(-1)).toEqual({ state: 'held', reason: 'not_found' });
  });

  it('pass as much faster as the clock does', () => {
    const fast = clockAt(NOW_MS + 100, 300);
    expect(firstCheck(UNSURE, fast)).toMatchObject({ atMs: NOW_MS + 100 });
    const step = afterAnsweredCheck(UNSURE, answeredAt(100), NONE, fast);
    expect(step).toMatchObject({ atMs: NOW_MS + 100 + 300 });
  });

  it('keep their distance when the first of them was answered late', () => {
    expect(verdict(answeredAt(3 * HOUR_MS))).toMatchObject({ atMs: NOW_MS + 3 * HOUR_MS + 90 * SECOND_MS });
  });

  it('settle nothing by fewer than four answers, however late', () => {
    const late = [3, 4, 5].map((hours) => hours * HOUR_MS);
    expect(verdict(answeredAt(...late))).toMatchObject({ state: 'unknown' });
    expect(verdict(answeredAt(...late, 6 * HOUR_MS))).toEqual({ state: 'held', reason: 'not_found' });
  });

  it('settle nothing within two hours, however many were answered', () => {
    const many = answeredAt(...Array.from({ length: 20 }, (_, minute) => minute * MINUTE_MS));
    expect(verdict(many)).toMatchObject({ state: 'unknown' });
  });

  it('do not count when they failed', () => {
    const checks = [...answeredAt(30 * SECOND_MS, 2 * MINUTE_MS), ...failedAt(1 * HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS)];
    const step = verdict([...checks, ...answeredAt(4 * HOUR_MS)]);
    expect(step).toMatchObject({ state: 'unknown', atMs: NOW_MS + 4 * HOUR_MS + 20 * MINUTE_MS });
  });

  it('are made again after a failure, at growing distances, and the answered ones keep their place', () => {
    const waits = [1, 2, 3, 4, 9].map((failures) => {
      const checks = [...answeredAt(0), ...failedAt(...Array.from({ length: failures }, (_, index) => index + 1))];
      const step = afterFailedCheck(UNSURE, checks, FAILED, clockAt(NOW_MS), middle);
      return 'atMs' in step ? step.atMs - NOW_MS : step;
    });
    expect(waits).toEqual([30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 30 * MINUTE_MS]);
  });

  it('wait for what the channel or the answer asks for', () => {
    const waitOf = (seen: Parameters<typeof afterFailedCheck>[2], checks = failedAt(0)) => {
      const step = afterFailedCheck(UNSURE, checks, seen, clockAt(NOW_MS), middle);
      return 'atMs' in step ? step.atMs - NOW_MS : step;
    };
    expect(waitOf({ effect: 'not_applied', retryAfterMs: HOUR_MS })).toBe(HOUR_MS);
    expect(waitOf({ effect: 'channel', reason: 'credentials_refused' })).toBe(30 * SECOND_MS);
    expect(waitOf({ effect: 'not_sent', retry: true }, [])).toBe(30 * SECOND_MS);
  });

  it('spread what failed together', () => {
    const at = (dice: number) => afterFailedCheck(UNSURE, failedAt(0), FAILED, clockAt(NOW_MS), () => dice);
    expect(at(0)).toMatchObject({ atMs: NOW_MS + 24 * SECOND_MS });
    expect(at(0.999)).toMatchObject({ atMs: NOW_MS + 36 * SECOND_MS - 12 });
  });

  it('end with the deadline: what may exist is held, never given up', () => {
    const soon: Unsure = { ...UNSURE, deadlineMs: NOW_MS + MINUTE_MS };
    expect(verdict(answeredAt(30 * SECOND_MS), NONE, soon)).toEqual({ state: 'held', reason: 'exhausted' });
    expect(firstCheck({ ...soon, deadlineMs: NOW_MS + 1 }, clockAt(NOW_MS))).toEqual({
      state: 'held',
      reason: 'exhausted',
    });
    expect(outOfTime(true)).toEqual({ state: 'held', reason: 'order_id_missing' });
  });

  it('say of a create that was taken that its id is missing, whatever they did not find', () => {
    expect(firstCheck(ACCEPTED, clockAt(NOW_MS))).toMatchObject({ state: 'unknown', reason: 'order_id_missing' });
    const all = answeredAt(30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 2 * HOUR_MS);
    expect(verdict(all, NONE, ACCEPTED)).toEqual({ state: 'held', reason: 'order_id_missing' });
  });

  it.each<[Finding, object]>([
    [
      { found: 'one', orderId: ID },
      { state: 'delivered', evidence: 'reconcile' },
    ],
    [{ found: 'several' }, { state: 'held', reason: 'multiple' }],
    [{ found: 'doubtful' }, { state: 'held', reason: 'ambiguous' }],
  ])('decide at once by what they find: %j', (finding, step) => {
    expect(verdict(answeredAt(30 * SECOND_MS), finding)).toEqual(step);
    expect(verdict(answeredAt(30 * SECOND_MS), finding, ACCEPTED)).toEqual(step);
  });
});

const listed = (orderId: string, more: Partial<ListedOrder> = {}): ListedOrder => ({
  orderId,
  orderRef: 'R1',
  createdAtMs: NOW_MS + 5,
  isCancelled: false,
  ...more,
});
const find = (orders: ListedOrder[], { ours = [], before = [] }: { ours?: string[]; before?: string[] } = {}) =>
  findingIn(orders, {
    orderRef: 'R1',
    known: { ours: new Set(ours), before: new Set(before) },
    sentAtMs: NOW_MS,
  });

describe('what a list of orders says', () => {
  it('is that there is none, where all of them are known', () => {
    expect(find([])).toEqual({ found: 'none' });
    expect(find([listed(ID)], { ours: [ID] })).toEqual({ found: 'none' });
    expect(find([listed(ID)], { before: [ID] })).toEqual({ found: 'none' });
    expect(find([listed(ID.toUpperCase())], { before: [ID] })).toEqual({ found: 'none' });
  });

  it('is the one that nobody knew', () => {
    expect(find([listed(ID)])).toEqual({ found: 'one', orderId: ID });
    expect(find([listed(OTHER), listed(ID)], { ours: [OTHER] })).toEqual({ found: 'one', orderId: ID });
    expect(find([listed(OTHER), listed(ID)], { before: [OTHER] })).toEqual({ found: 'one', orderId: ID });
  });

  it.each<[string, Partial<ListedOrder>]>([
    ['cancelled', { isCancelled: true }],
    ['older than the create', { createdAtMs: NOW_MS - MINUTE_MS }],
    ['of another reference', { orderRef: 'R2' }],
  ])('is doubtful about one that is %s', (_what, more) => {
    expect(find([listed(ID, more)])).toEqual({ found: 'doubtful' });
  });

  it('allows two clocks to differ by two seconds', () => {
    expect(find([listed(ID, { createdAtMs: NOW_MS - 2_000 })])).toMatchObject({ found: 'one' });
    expect(find([listed(ID, { createdAtMs: NOW_MS - 2_001 })])).toMatchObject({ found: 'doubtful' });
  });

  it('is that there are several, where more than one is unknown', () => {
    expect(find([listed(ID), listed(OTHER)])).toEqual({ found: 'several' });
    expect(find([listed(ID, { isCancelled: true }), listed(OTHER)])).toEqual({ found: 'several' });
  });
});

describe('whatever the receiving system answers, in whatever order', () => {
  const ids = Array.from({ length: 5 }, (_, index) => `${index}b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10`);
  const order = fc.record({
    orderId: fc.constantFrom(...ids),
    orderRef: fc.constantFrom('R1', 'R1', 'R1', 'R2'),
    createdAtMs: fc.integer({ min: NOW_MS - 10_000, max: NOW_MS + 10_000 }),
    isCancelled: fc.boolean(),
  });
  const list = fc.uniqueArray(order, { selector: ({ orderId }) => orderId, maxLength: 4 });
  const answers = fc.array(fc.option(list), { maxLength: 12 });
  const some = fc.subarray(ids);

  it('at most one id is adopted, and none that was known before', () => {
    fc.assert(
      fc.property(answers, some, some, (answered, ours, before) => {
        const adopted: string[] = [];
        const checks: Check[] = [];
        const known = { ours: new Set(ours), before: new Set(before) };
        let nowMs = NOW_MS + 30 * SECOND_MS;
        for (const orders of answered) {
          checks.push({ atMs: nowMs, isAnswered: orders !== null });
          const finding = orders === null ? null : findingIn(orders, { orderRef: 'R1', known, sentAtMs: NOW_MS });
          const step =
            finding === null
              ? afterFailedCheck(UNSURE, checks, FAILED, clockAt(nowMs), middle)
              : afterAnsweredCheck(UNSURE, checks, finding, clockAt(nowMs));
          if (step.state === 'delivered' && finding?.found === 'one') adopted.push(finding.orderId);
          if (step.state !== 'unknown') break;
          expect(step.atMs).toBeGreaterThan(nowMs);
          nowMs = step.atMs;
        }
        expect(adopted.length).toBeLessThanOrEqual(1);
        for (const id of adopted) expect([...ours, ...before]).not.toContain(id);
      }),
    );
  });
});
