/** Ways in which creates of orders meet an upstream or a network that fails, and how each must end. Plain values. */
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { CreateCase, CreateEvidence } from '../invariants/creates.ts';

/** @property upstream counts older orders, too. */
export interface PlannedCase extends CreateCase {
  what: string;
  /** What meets its creates; an upstream as it should be, where there is none. */
  fault?: Record<string, unknown>;
  /** How often it meets them; always, where nothing is said. */
  times?: 'once';
  /** Orders that stand under its references before. */
  older: 0 | 1;
}

const found = { state: 'delivered', reason: null, evidence: 'reconcile' } as const;
const answered = { state: 'delivered', reason: null, evidence: 'answer' } as const;
const heldAs = (reason: string) => ({ state: 'held', reason, evidence: null }) as const;
const status = (code: number, apply: 'before' | 'after' | 'never', more: object = {}) => ({
  type: 'status',
  status: code,
  apply,
  ...more,
});
const ONE = { older: 0, posts: 1, upstream: 1 } as const;
const NONE = { older: 0, posts: 1, upstream: 0 } as const;

/** How late the upstream applies what it applies late, in ms: between the third check and the last. */
const LATE_MS = 1_500;

export const CREATE_CASES: readonly PlannedCase[] = [
  { name: 'WELL', what: 'answered', ...ONE, row: answered },
  { name: 'LOST', what: 'applied, connection lost', fault: { type: 'reset', apply: 'before' }, ...ONE, row: found },
  {
    name: 'GONE',
    what: 'not applied, connection lost',
    fault: { type: 'reset', apply: 'never' },
    ...NONE,
    row: heldAs('not_found'),
  },
  { name: 'FAIL', what: 'applied, answered 500', fault: status(500, 'before'), ...ONE, row: found },
  { name: 'BAD', what: 'not applied, answered 500', fault: status(500, 'never'), ...NONE, row: heldAs('not_found') },
  {
    name: 'LATE',
    what: 'answered 502, applied late',
    fault: status(502, 'after', { lateMs: LATE_MS }),
    ...ONE,
    row: found,
  },
  { name: 'CONF', what: 'applied, answered 409', fault: status(409, 'before'), ...ONE, row: found },
  { name: 'CLASH', what: 'not applied, answered 409', fault: status(409, 'never'), ...NONE, row: heldAs('not_found') },
  {
    name: 'NOID',
    what: 'applied, answered 201 without an id',
    fault: status(201, 'before', { body: '{}' }),
    ...ONE,
    row: found,
  },
  { name: 'CUT', what: 'applied, answer cut', fault: { type: 'truncate', keepBytes: 5 }, ...ONE, row: found },
  {
    name: 'BUSY',
    what: 'not applied, answered 429 once',
    fault: { type: 'too_many_requests' },
    times: 'once',
    older: 0,
    posts: 2,
    upstream: 1,
    row: answered,
  },
  {
    name: 'OLD',
    what: 'not applied, connection lost; an older order under the reference',
    fault: { type: 'reset', apply: 'never' },
    older: 1,
    posts: 1,
    upstream: 1,
    row: heldAs('ambiguous'),
  },
  {
    name: 'BOTH',
    what: 'applied, connection lost; an older order under the reference',
    fault: { type: 'reset', apply: 'before' },
    older: 1,
    posts: 1,
    upstream: 2,
    row: heldAs('ambiguous or multiple'),
  },
];

/** @returns fault rules of the sandbox; the first checks of all cases fail too. @param orders per case. */
export const faultRulesOf = (cases: readonly PlannedCase[], orders: number, failingChecks: number): unknown[] => [
  ...cases.flatMap(({ name, fault, times }) =>
    fault === undefined
      ? []
      : [
          {
            match: { method: 'POST', path: ENDPOINTS.orderCreate.path, bodyIncludes: `"${name}-` },
            ...(times === 'once' ? { times: orders } : {}),
            fault,
          },
        ],
  ),
  {
    match: { method: 'GET', path: ENDPOINTS.orderHistory.path },
    times: failingChecks,
    fault: { type: 'status', status: 500, apply: 'never' },
  },
];

/** A line per case, of what was seen. */
export function caseFigures({ cases, creates, upstreamRefs }: CreateEvidence<PlannedCase>): string[] {
  return cases.map(({ plan, orderRefs, rows }) => {
    const refs = new Set(orderRefs);
    const posts = creates.filter(({ body }) => refs.has((JSON.parse(body) as { orderRef: string }).orderRef)).length;
    const orders = upstreamRefs.filter((ref) => refs.has(ref)).length;
    const ends = rows
      .filter(({ group }) => group === null)
      .map(({ state, requests: [first] }) => [state, first?.reason ?? first?.evidence].filter(Boolean).join(' '));
    const ended = [...Map.groupBy(ends, (end) => end)].map(([end, { length }]) => `${length} ${end}`).join(', ');
    const older = plan.older === 0 ? '' : ` (${refs.size} of them older)`;
    return `${plan.what}: ${refs.size} orders, ${posts} POSTs, ${orders} upstream${older}, ${ended}`;
  });
}
