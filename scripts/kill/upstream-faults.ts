/** What the receiving system does to five requests in a hundred while the bridge is killed: it fails in each way in turn. */
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';

const ANY_REQUEST = { path: '/*' };
/** The effect may come this much later than the failure, on the bridge's clock: later than the repeat. */
const LATE_MS = 10 * 60_000;
/** Answers this late otherwise, so that a kill meets requests on their way. */
const ANSWER_DELAY_MS = 15;

const FAULTS: readonly { share: number; fault: Record<string, unknown> }[] = [
  { share: 0.01, fault: { type: 'reset', apply: 'before' } },
  { share: 0.01, fault: { type: 'reset', apply: 'never' } },
  { share: 0.005, fault: { type: 'reset', apply: 'after' } },
  { share: 0.005, fault: { type: 'status', status: 500, apply: 'before' } },
  { share: 0.005, fault: { type: 'status', status: 502, apply: 'never' } },
  { share: 0.005, fault: { type: 'status', status: 503, headers: { 'Retry-After': '2' } } },
  { share: 0.005, fault: { type: 'too_many_requests', retryAfter: 1 } },
  { share: 0.005, fault: { type: 'truncate', keepBytes: 5 } },
];

/** Share of the requests that meet a fault. */
export const FAULT_SHARE = FAULTS.reduce((sum, { share }) => sum + share, 0);

/** Share of the polls whose answer is lost beside that: there are few of them. */
const LOST_POLLS_SHARE = 0.1;

/** @returns rules for `PUT /_sandbox/faults`; the same seed draws the same requests. */
export const faultRules = (seed: number, timeScale: number): unknown[] => [
  {
    match: { path: ENDPOINTS.orderHistory.path, parameter: 'partnerId' },
    probability: LOST_POLLS_SHARE,
    seed,
    fault: { type: 'lost_poll' },
  },
  ...FAULTS.map(({ share, fault }, index) => ({
    match: ANY_REQUEST,
    probability: share,
    seed: seed * FAULTS.length + index,
    fault: fault.apply === 'after' ? { ...fault, lateMs: Math.round(LATE_MS / timeScale) } : fault,
  })),
  { match: {}, fault: { type: 'delay', ms: ANSWER_DELAY_MS, apply: 'before' } },
];
