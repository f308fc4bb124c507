import { describe, expect, it } from 'vitest';
import { DEAD_LETTER_STATES, mayHaveDeadLetters, TROUBLED_STATES } from '../../../src/batch/core/dead-letters.ts';
import { readDeadLettersQuery } from '../../../src/http/ops/dead-letters.ts';
import { DEAD_LETTERS_PAGE_DEFAULT, DEAD_LETTERS_PAGE_MAX } from '../../../src/kernel/limits.ts';
import { writeCursor } from '../../../src/ops/dead-letters/dead-letters.ts';

const BATCH = `b_${'0'.repeat(26)}`;

describe('the address of a list of letters', () => {
  it('that names nothing asks for everything in trouble, and not for what was withdrawn', () => {
    expect(readDeadLettersQuery({})).toEqual({
      ok: true,
      value: {
        partner: null,
        batchId: null,
        cursor: null,
        limit: DEAD_LETTERS_PAGE_DEFAULT,
        filter: { states: TROUBLED_STATES, kinds: null, reasons: null, statuses: null, subject: null, places: null },
      },
    });
    expect(TROUBLED_STATES).toEqual(DEAD_LETTER_STATES.filter((state) => state !== 'cancelled'));
  });

  it('names everything at once', () => {
    const cursor = { partner: 'acme', seq: 2, after: { record: 3, request: 1 } };
    const text = {
      partner: 'acme',
      batch: BATCH,
      subject: 'L 1',
      state: 'held, dead',
      reason: 'deadline,closed',
      status: '422,500',
      kind: 'trace',
      limit: '7',
      cursor: writeCursor(cursor),
    };
    expect(readDeadLettersQuery(text)).toEqual({
      ok: true,
      value: {
        partner: 'acme',
        batchId: BATCH,
        cursor,
        limit: 7,
        filter: {
          states: ['held', 'dead'],
          kinds: ['trace'],
          reasons: ['deadline', 'closed'],
          statuses: [422, 500],
          subject: 'L 1',
          places: null,
        },
      },
    });
  });

  it('gets no longer pages than there are', () => {
    expect(readDeadLettersQuery({ limit: '100000' })).toMatchObject({ value: { limit: DEAD_LETTERS_PAGE_MAX } });
  });

  it.each([
    { state: 'delivered' },
    { state: '' },
    { reason: 'No Reason' },
    { reason: 'a,,b' },
    { status: 'all' },
    { status: '600' },
    { status: '422,' },
    { kind: 'milestones' },
    { batch: 'b_1' },
    { batch: '../b' },
    { cursor: 'x' },
  ])('is refused where it cannot be meant: %o', (text) => {
    expect(readDeadLettersQuery(text)).toMatchObject({ ok: false, error: { status: 400, code: 'parameter_invalid' } });
  });
});

describe('a batch is searched', () => {
  it('only where its counts say that there is something to find', () => {
    const counts = { records: { invalid: 1, rejected: 2 }, requests: { rejected: 2 } };
    expect(mayHaveDeadLetters(counts, ['held', 'dead'])).toBe(false);
    expect(mayHaveDeadLetters(counts, ['held', 'rejected'])).toBe(true);
    expect(mayHaveDeadLetters(counts, ['invalid'])).toBe(true);
    expect(mayHaveDeadLetters({ records: {}, requests: {} }, DEAD_LETTER_STATES)).toBe(false);
  });
});
