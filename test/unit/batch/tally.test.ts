import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import type { Tally } from '../../../src/batch/core/row.ts';
import { addTo, batchState, countOutcome, countRows, firstState, total } from '../../../src/batch/core/tally.ts';
import { foldRow, followedState, type RecordState, type RequestOutcome } from '../../../src/delivery/outcome.ts';
import { isFinal, REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';
import { csvStart as START } from '../../../src/formats/csv/checkpoint.ts';
import { aMappedRow } from './samples.ts';

const none = (): Tally => ({ records: {}, requests: {} });
const progress = (more: Partial<BatchProgress> = {}): BatchProgress => ({
  state: 'reading',
  checkpoint: START,
  readingFinished: true,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
  ...more,
});
const outcome = (record: number, request: number, state: RequestState): RequestOutcome => ({
  record,
  request,
  generation: 1,
  revision: 1,
  state,
  reason: null,
  outcome: null,
  evidence: null,
  attempts: 1,
  status: null,
  answer: '',
  possibleDuplicate: false,
  late: false,
  into: null,
  intoState: null,
  nextAtMs: null,
  decidedAtMs: 0,
  diff: null,
  action: null,
});

describe('addTo', () => {
  it('counts up, down, and leaves no zero behind', () => {
    const counts = {};
    addTo(counts, 'queued', 2);
    addTo(counts, 'queued', -1);
    expect(counts).toEqual({ queued: 1 });
    addTo(counts, 'queued', -1);
    expect(counts).toEqual({});
  });
});

describe('countRows', () => {
  const rows = [
    aMappedRow(1, 1),
    aMappedRow(2, 2),
    aMappedRow(3, 0, { state: 'invalid' }),
    aMappedRow(4, 0, { state: 'skipped' }),
  ];

  it('counts rows by their first state, and requests as queued', () => {
    const tally = none();
    countRows(tally, rows, false);
    expect(tally).toEqual({ records: { queued: 2, invalid: 1, skipped: 1 }, requests: { queued: 3 } });
  });

  it('counts no request of a dry run: its rows end as valid', () => {
    const tally = none();
    countRows(tally, rows, true);
    expect(tally).toEqual({ records: { valid: 2, invalid: 1, skipped: 1 }, requests: {} });
  });

  it('adds to what earlier slices counted', () => {
    const tally = none();
    countRows(tally, rows, false);
    countRows(tally, rows, false);
    expect(total(tally.records)).toBe(8);
  });
});

describe('firstState', () => {
  it.each([
    ['queued', null, false],
    ['valid', null, true],
    ['invalid', 'invalid', true],
    ['skipped', 'skipped', false],
  ] as const)('is %s for a row that is %s, dry run %s', (wanted, state, dryRun) => {
    expect(firstState(aMappedRow(1, 1, { state }), dryRun)).toBe(wanted);
  });
});

describe('countOutcome', () => {
  it('moves the request and, when it changes, its row', () => {
    const tally: Tally = { records: { queued: 1 }, requests: { queued: 2 } };
    const row = countOutcome(tally, {
      was: 'queued',
      outcome: outcome(1, 1, 'delivered'),
      rowWas: 'queued',
      rows: 1,
      rowStates: ['delivered', 'queued'],
    });
    expect(row).toBe('queued');
    expect(tally).toEqual({ records: { queued: 1 }, requests: { queued: 1, delivered: 1 } });
    countOutcome(tally, {
      was: 'queued',
      outcome: outcome(1, 2, 'rejected'),
      rowWas: 'queued',
      rows: 1,
      rowStates: ['delivered', 'rejected'],
    });
    expect(tally).toEqual({ records: { rejected: 1 }, requests: { delivered: 1, rejected: 1 } });
  });

  it('moves all rows of a group with its request', () => {
    const tally: Tally = { records: { queued: 4 }, requests: { queued: 2 } };
    const change = { was: 'queued', outcome: outcome(1, 1, 'delivered'), rowWas: 'queued', rows: 3 } as const;
    countOutcome(tally, { ...change, rowStates: ['delivered'] });
    expect(tally).toEqual({ records: { queued: 1, delivered: 3 }, requests: { queued: 1, delivered: 1 } });
  });

  it.each([
    ['queued', 'queued'],
    ['unknown', 'unknown'],
    ['held', 'held'],
    ['delivered', 'coalesced'],
    ['rejected', 'rejected'],
    ['dead', 'dead'],
  ] as const)('counts a point whose request is %s as %s', (intoState, counted) => {
    const tally: Tally = { records: { queued: 1 }, requests: { queued: 1 } };
    const into = { batchId: 'b_2', record: 7, request: 1 };
    const row = countOutcome(tally, {
      was: 'queued',
      outcome: { ...outcome(1, 1, 'coalesced'), into, intoState },
      rowWas: 'queued',
      rows: 1,
      rowStates: [followedState('coalesced', intoState)],
    });
    expect(row).toBe(intoState);
    expect(tally).toEqual({ records: { [intoState]: 1 }, requests: { [counted]: 1 } });
  });

  it('agrees with a count from scratch after any sequence of outcomes', () => {
    const batch = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 });
    const reports = fc.array(
      fc.record({ row: fc.nat(5), request: fc.nat(2), state: fc.constantFrom(...REQUEST_STATES) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(batch, reports, (requestsPerRow, changes) => {
        const rows = requestsPerRow.map((count, index) =>
          aMappedRow(index + 1, count, count === 0 ? { state: 'invalid' } : {}),
        );
        const tally = none();
        countRows(tally, rows, false);
        const states = rows.map(({ requests }) => requests.map((): RequestState => 'queued'));
        const rowStates = rows.map((row) => firstState(row, false));
        for (const { row, request, state } of changes) {
          const ofRow = states[row];
          const was = ofRow?.[request];
          if (!ofRow || was === undefined) continue;
          ofRow[request] = state;
          const rowWas = rowStates[row] as RecordState;
          const change = { was, outcome: outcome(row + 1, request + 1, state), rowWas, rowStates: ofRow, rows: 1 };
          rowStates[row] = countOutcome(tally, change);
        }
        expect(tally).toEqual(recount(states));
      }),
    );
  });
});

/** The counts as a reader of all rows would find them. */
function recount(states: RequestState[][]): Tally {
  const tally = none();
  for (const ofRow of states) {
    addTo(tally.records, ofRow.length === 0 ? 'invalid' : foldRow(ofRow), 1);
    for (const state of ofRow) addTo(tally.requests, state, 1);
  }
  return tally;
}

/** A request is counted as coalesced only once the one it travels in is delivered. */
const OPEN = REQUEST_STATES.filter((state) => !isFinal(state) && state !== 'coalesced');

describe('batchState', () => {
  it('is reading until the last slice is read, whatever was delivered', () => {
    expect(batchState(progress({ readingFinished: false }), none())).toBe('reading');
    expect(batchState(progress({ readingFinished: false }), { records: {}, requests: { delivered: 5 } })).toBe(
      'reading',
    );
  });

  it('is settled for a file whose rows need nothing sent', () => {
    expect(batchState(progress(), { records: { invalid: 3 }, requests: {} })).toBe('settled');
    expect(batchState(progress(), none())).toBe('settled');
  });

  it.each(OPEN)('is delivering while one request is %s', (state) => {
    expect(batchState(progress(), { records: {}, requests: { delivered: 99, [state]: 1 } })).toBe('delivering');
  });

  it('is settled when all that is left travelled in requests that were delivered', () => {
    expect(batchState(progress(), { records: {}, requests: { delivered: 1, coalesced: 3 } })).toBe('settled');
  });

  it('is settled when every request is final', () => {
    const finals = Object.fromEntries(REQUEST_STATES.filter(isFinal).map((state) => [state, 1]));
    expect(batchState(progress({ state: 'delivering' }), { records: {}, requests: finals })).toBe('settled');
  });

  it('is delivering while a cancel is under way, though every request known is final', () => {
    const tally = { records: {}, requests: { cancelled: 3 } };
    expect(batchState(progress({ withdrawal: { phase: 'rest' } }), tally)).toBe('delivering');
    expect(batchState(progress({ withdrawal: { phase: 'rest' }, readingFinished: false }), tally)).toBe('reading');
  });

  it('is delivering while requests of a retry are still to be handed over', () => {
    const tally = { records: {}, requests: { delivered: 3, rejected: 1 } };
    expect(batchState(progress({ retrying: true, state: 'delivering' }), tally)).toBe('delivering');
  });

  it.each(['settled', 'unreadable'] as const)('stays %s', (state) => {
    expect(batchState(progress({ state, readingFinished: false }), { records: {}, requests: { queued: 1 } })).toBe(
      state,
    );
  });
});

describe('total', () => {
  it('adds every count', () => {
    expect(total({ queued: 2, delivered: 3 })).toBe(5);
    expect(total({})).toBe(0);
  });
});
