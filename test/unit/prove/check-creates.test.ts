/** Every check of creates is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { type CreateEvidence, createViolations } from '../../../scripts/invariants/creates.ts';
import { sendingsOf } from '../../../scripts/invariants/evidence.ts';
import { CREATE_CASES, caseFigures, faultRulesOf, type PlannedCase } from '../../../scripts/prove/create-cases.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { faultRules } from '../../../src/sandbox/faults/faults.ts';
import { anAttempt, aStoredRequest, said } from '../kill/stored-samples.ts';

type Evidence = { -readonly [Part in keyof CreateEvidence<PlannedCase>]: CreateEvidence<PlannedCase>[Part] };

const caseOf = (name: string) => {
  const found = CREATE_CASES.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const create = (seq: number, orderRef: string, status = 200, applied = true) => ({
  seq,
  receivedAtMs: seq,
  path: '/test/rcsc/order-requests/v1/',
  body: JSON.stringify({ orderRef }),
  status,
  applied,
});
const row = (orderRef: string, state: string, reason: string | null, evidence: string | null): BatchRow =>
  ({
    record: 1,
    state,
    group: null,
    requests: [{ subject: `order:${orderRef}`, reason, evidence }],
  }) as unknown as BatchRow;

/** One order that was found, one that is held, one that was sent again behind 429. */
const evidence = (): Evidence => ({
  cases: [
    { plan: caseOf('LOST'), orderRefs: ['LOST-0'], rows: [row('LOST-0', 'delivered', null, 'reconcile')] },
    { plan: caseOf('BOTH'), orderRefs: ['BOTH-0'], rows: [row('BOTH-0', 'held', 'multiple', null)] },
    { plan: caseOf('BUSY'), orderRefs: ['BUSY-0'], rows: [row('BUSY-0', 'delivered', null, 'answer')] },
  ],
  creates: [create(1, 'LOST-0'), create(2, 'BOTH-0'), create(3, 'BUSY-0', 429, false), create(4, 'BUSY-0')],
  asked: 1,
  upstreamRefs: ['LOST-0', 'BOTH-0', 'BOTH-0', 'BUSY-0'],
  sendings: sendingsOf({
    requests: [aStoredRequest({ lane: 'operations', attempts: [anAttempt('', { purpose: 'check' })] })],
    sets: [],
  }),
});

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  [
    'a second create',
    (found) => {
      found.creates = [...found.creates, create(9, 'LOST-0')];
    },
    /LOST-0: 2 creates arrived, not 1[\s\S]*LOST-0 was sent again after journal 1, answered 200/,
  ],
  [
    'a create that was sent again without a proof',
    (found) => {
      found.creates = found.creates.map((entry) => (entry.seq === 3 ? { ...entry, status: 500 } : entry));
    },
    /BUSY-0 was sent again after journal 3, answered 500/,
  ],
  [
    'a second order upstream',
    (found) => {
      found.upstreamRefs = [...found.upstreamRefs, 'LOST-0'];
    },
    /LOST-0: 2 orders stand upstream, not 1/,
  ],
  [
    'an order that is not there',
    (found) => {
      found.upstreamRefs = found.upstreamRefs.slice(1);
    },
    /LOST-0: 0 orders stand upstream, not 1/,
  ],
  [
    'a row that is delivered without evidence',
    (found) => {
      found.cases = found.cases.map((each) => ({ ...each, rows: each.rows.map((one) => ({ ...one, requests: [] })) }));
    },
    /LOST-0: no row tells of it[\s\S]*LOST, record 1 is delivered, not delivered/,
  ],
  [
    'a row that adopted what it may not',
    (found) => {
      found.cases = found.cases.map((each) => ({
        ...each,
        rows: [row(each.orderRefs[0] ?? '', 'delivered', null, 'reconcile')],
      }));
    },
    /BOTH, record 1 is delivered/,
  ],
  [
    'a look-up without an intent',
    (found) => {
      found.asked = 2;
    },
    /2 look-ups arrived, 1 intents of them are stored/,
  ],
];

describe('creates whose answers fail', () => {
  it('are found well kept when everything held, and told case by case', () => {
    expect(createViolations(evidence())).toEqual([]);
    expect(caseFigures(evidence())).toEqual([
      'applied, connection lost: 1 orders, 1 POSTs, 1 upstream, 1 delivered reconcile',
      expect.stringMatching(/1 orders, 1 POSTs, 2 upstream \(1 of them older\), 1 held multiple$/),
      'not applied, answered 429 once: 1 orders, 2 POSTs, 1 upstream, 1 delivered answer',
    ]);
  });

  it.each(PLANTED)('are seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(said(createViolations(found)).join('\n')).toMatch(sentence);
  });

  it('meet faults that the receiving system understands, and none that meets another case', () => {
    const rules = faultRules.parse(faultRulesOf(CREATE_CASES, 3, 4));
    expect(rules).toHaveLength(CREATE_CASES.filter(({ fault }) => fault !== undefined).length + 1);
    const marks = rules.flatMap(({ match }) => match.bodyIncludes ?? []);
    for (const { name } of CREATE_CASES) {
      expect(marks.filter((mark) => `{"orderRef":"${name}-1"}`.includes(mark)).length).toBeLessThanOrEqual(1);
    }
  });
});
