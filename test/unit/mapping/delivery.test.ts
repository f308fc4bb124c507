/** What a document may ask of delivery: its form, what has no effect, and the rules it compiles to. */
import { describe, expect, it } from 'vitest';
import { mappingOf, namesOf, problemsOf } from './documents.ts';

const asking = (delivery: unknown, more = {}) => namesOf(problemsOf({ delivery, ...more }));
const ORDER = {
  target: 'order.create',
  fields: undefined,
  order: { orderRef: 'Load' },
  examples: [{ input: 'Load\nSO-1\n', records: [] }],
};

describe('what a document asks of delivery', () => {
  it('is the usual where it asks for nothing', () => {
    expect(mappingOf().delivery).toBeNull();
    expect(mappingOf({ delivery: {} }).delivery).toBeNull();
    const usual = { whenUnclear: 'resend', whenLoadUnknown: 'reject', laterEvents: 'pass' };
    expect(mappingOf({ delivery: usual }).delivery).toBeNull();
  });

  it('is compiled with the usual for what it leaves open', () => {
    expect(mappingOf({ delivery: { whenUnclear: 'hold' } }).delivery).toEqual({
      unclear: 'hold',
      loadWaitMs: null,
      laterEvents: 'pass',
      namesKey: false,
    });
    const all = {
      whenUnclear: 'hold',
      whenLoadUnknown: { waitFor: '24h' },
      laterEvents: 'wait',
      requestKey: 'references',
    };
    expect(mappingOf({ delivery: all }).delivery).toEqual({
      unclear: 'hold',
      loadWaitMs: 86_400_000,
      laterEvents: 'wait',
      namesKey: true,
    });
  });

  it.each([
    ['warn', null],
    [{}, null],
    [{ outOfOrder: 'warn', speed: 'warn' }, null],
    ['off', { outOfOrder: 'off', cameLate: 'off', stops: 'off', speed: 'off', inFuture: 'off', tooOld: 'off' }],
    [
      { outOfOrder: 'reject', cameLate: 'warn', tooOld: 'off' },
      { outOfOrder: 'reject', tooOld: 'off' },
    ],
  ])('keeps of what becomes of surprises (%j) what is not the usual', (surprises, kept) => {
    const { delivery } = mappingOf({ delivery: { surprises } });
    expect(delivery?.surprises ?? null).toEqual(kept);
    expect(delivery === null).toBe(kept === null);
  });

  it('is told what becomes of surprises in words that are known', () => {
    expect(asking({ surprises: 'refuse' })).toEqual(['wrong_form delivery.surprises']);
    expect(asking({ surprises: { speed: true, stop: 'off' } }).sort()).toEqual([
      'unknown_key delivery.surprises.stop',
      'wrong_form delivery.surprises.speed',
    ]);
  });

  it.each([
    ['1m', 60_000],
    ['90m', 5_400_000],
    ['2d', 172_800_000],
    ['72h', 259_200_000],
    ['3d', 259_200_000],
    ['4320m', 259_200_000],
  ])('reads %s', (waitFor, loadWaitMs) => {
    expect(mappingOf({ delivery: { whenLoadUnknown: { waitFor } } }).delivery).toMatchObject({ loadWaitMs });
  });

  it.each(['', '0m', '24', '24 h', '1.5h', '-1h', '73h', '4d', '4321m', '30s', '1w', '024h', 24])(
    'refuses to wait for %j and names the wanted form',
    (waitFor) => {
      const problems = problemsOf({ delivery: { whenLoadUnknown: { waitFor } } });
      expect(namesOf(problems)).toEqual(['wrong_form delivery.whenLoadUnknown.waitFor']);
      expect(problems[0]?.wanted).toMatch(/90m, 24h or 2d|a text/);
    },
  );

  it('is told all its mistakes at once, each with its path', () => {
    const wrong = { whenUnclear: 'held', whenLoadUnknown: 'wait', laterEvents: true, requestKeys: 'references' };
    expect(asking(wrong).sort()).toEqual([
      'unknown_key delivery.requestKeys',
      'wrong_form delivery.laterEvents',
      'wrong_form delivery.whenLoadUnknown',
      'wrong_form delivery.whenUnclear',
    ]);
    expect(asking('hold')).toEqual(['wrong_form delivery']);
    expect(asking({ whenLoadUnknown: {} })).toEqual(['key_missing delivery.whenLoadUnknown.waitFor']);
  });

  it('has no effect on a document that only makes orders', () => {
    expect(asking({ whenUnclear: 'hold', laterEvents: 'wait' }, ORDER)).toEqual([
      'no_effect delivery.whenUnclear',
      'no_effect delivery.laterEvents',
    ]);
  });

  it('names the key only where something has references', () => {
    const plain = {
      target: 'loadMilestoneEvent',
      fields: { load_id: 'Load', milestone_type: 'Code', event_time: { from: 'When', parse: 'yyyy-MM-dd HH:mm' } },
    };
    expect(asking({ requestKey: 'references' }, plain)).toEqual(['no_effect delivery.requestKey']);
    expect(asking({ whenUnclear: 'hold' }, plain)).toEqual([]);
    expect(asking({ requestKey: 'references' })).toEqual([]);
  });
});
