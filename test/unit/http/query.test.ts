import { describe, expect, it } from 'vitest';
import { REQUEST_STATES } from '../../../src/delivery/states.ts';
import { pageSize, ROW_STATES, rangeIn, readStates } from '../../../src/http/edge/query.ts';

describe('pageSize', () => {
  it.each([
    ['1', 1],
    ['50', 50],
    ['200', 200],
    ['201', 200],
    ['1000000', 200],
  ])('takes %s as %d rows, at most 200', (text, rows) => {
    expect(pageSize(text, 100, 200)).toBe(rows);
  });

  it.each([undefined, '', '0', '-5', '1.5', 'many', 'NaN', 'Infinity', '9007199254740993', '10; DROP'])(
    'takes %j for the normal size',
    (text) => {
      expect(pageSize(text, 100, 200)).toBe(100);
    },
  );
});

describe('readStates', () => {
  it.each([undefined, ''])('takes %j for every state', (text) => {
    expect(readStates(text)).toEqual({ ok: true, value: null });
  });

  it.each(ROW_STATES)('knows %s', (state) => {
    expect(readStates(state)).toEqual({ ok: true, value: [state] });
  });

  it('takes several, separated by commas, with blanks or without', () => {
    expect(readStates('rejected,dead, invalid ')).toEqual({ ok: true, value: ['rejected', 'dead', 'invalid'] });
  });

  it.each([
    ['failed', 'failed'],
    ['delivered,failed', 'failed'],
    ['Delivered', 'Delivered'],
    ['delivered,,dead', ''],
    ["delivered' OR 1=1 --", "delivered' OR 1=1 --"],
    ['x'.repeat(5_000), 'x'.repeat(40)],
  ])('refuses %.40j and names what it does not know', (text, value) => {
    expect(readStates(text)).toEqual({ ok: false, error: { value, known: ROW_STATES } });
  });

  it('knows the states of requests and those of rows without requests, and no other', () => {
    expect([...ROW_STATES].sort()).toEqual([...REQUEST_STATES, 'invalid', 'skipped', 'valid'].sort());
  });
});

describe('a range', () => {
  it.each([
    ['bytes=0-3', { offset: 0, length: 4 }],
    ['bytes=6-', { offset: 6, length: 4 }],
    ['bytes=-3', { offset: 7, length: 3 }],
    ['bytes=-30', { offset: 0, length: 10 }],
    ['bytes=8-99', { offset: 8, length: 2 }],
    ['bytes=10-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=5-2', null],
    ['bytes=0-1,4-5', null],
    ['rows=1-2', null],
  ])('%s of ten bytes', (header, part) => {
    expect(rangeIn(header, 10)).toEqual(part);
  });
});
