import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/kernel/problem.ts';
import { asRequired, withNumber, withTextLimits } from '../../../src/mapping/values/checked.ts';
import { describeFault, type FieldFault } from '../../../src/mapping/values/fault.ts';
import type { ReadValue } from '../../../src/mapping/values/text.ts';

const NOWHERE = { indexOf: () => undefined, within: '' };
const withInteger = (read: ReadValue<string>, minimum: number, place: typeof PLACE) =>
  withNumber(read, {}, { whole: true, minimum }, place, NOWHERE);

const PLACE = { columns: ['Odometer'], target: 'odometer' };

function numberOf(text: string, decimal: '.' | ','): number | string {
  const errors: Problem[] = [];
  const value = withNumber(() => text, { decimal }, { whole: false, minimum: undefined }, PLACE, NOWHERE)([], errors);
  return value ?? errors[0]?.code ?? 'nothing';
}

describe('numbers with a decimal mark', () => {
  it.each([
    ['12.5', '.', 12.5],
    ['-0.25', '.', -0.25],
    ['12,5', ',', 12.5],
    ['7', ',', 7],
  ] as const)('reads %j with mark %j', (text, decimal, wanted) => expect(numberOf(text, decimal)).toBe(wanted));
  it.each([
    ['12,5', '.', 'decimal_mark_wrong'],
    ['12.5', ',', 'decimal_mark_wrong'],
    ['1.234,5', ',', 'thousands_mark_wrong'],
    ['1,2,3', ',', 'not_a_number'],
    ['.5', '.', 'not_a_number'],
    ['5.', '.', 'not_a_number'],
    ['NaN', '.', 'not_a_number'],
    ['Infinity', '.', 'not_a_number'],
    ['1e400', '.', 'not_a_number'],
    ['1234567890123456', '.', 'number_too_long'],
  ] as const)('refuses %j with mark %j', (text, decimal, code) => expect(numberOf(text, decimal)).toBe(code));
});

describe('what every value must pass', () => {
  it('adds no second error to a value that already has one', () => {
    const errors: Problem[] = [];
    asRequired(
      withInteger(() => 'x', 0, PLACE),
      PLACE,
    )([], errors);
    expect(errors.map(({ code }) => code)).toEqual(['not_a_whole_number']);
  });
  it('refuses half a character pair, which no UTF-8 can write', () => {
    const errors: Problem[] = [];
    expect(withTextLimits(() => 'ab\ud800', 10, PLACE)([], errors)).toBeUndefined();
    expect(errors).toMatchObject([{ code: 'control_character' }]);
    expect(errors[0]?.message).toContain('U+D800 at character 3');
  });
});

it('has plain words and a fix for every fault', () => {
  const faults: FieldFault[] = [
    { code: 'value_missing' },
    { code: 'not_a_whole_number', value: 'x' },
    { code: 'not_a_number', value: 'x', decimal: ',' },
    { code: 'number_too_small', value: '-1', minimum: 0 },
    { code: 'code_unknown', value: 'x', lists: ['words'], nearest: [] },
    { code: 'scac_invalid', value: 'x' },
    { code: 'value_too_long', value: 'x'.repeat(300), charactersMax: 255 },
    { code: 'control_character', value: 'x', character: 'the control character U+0000', at: 1 },
  ];
  for (const fault of faults) {
    const problem = describeFault(fault, PLACE);
    expect(problem.code).toBe(fault.code);
    expect(problem.path).toBe('Odometer');
    expect(problem.fix).toContain('"Odometer"');
    expect(problem.value.length).toBeLessThan(160);
  }
});

it('names the field itself where a value comes from no column', () =>
  expect(describeFault({ code: 'value_missing' }, { columns: [], target: 'eventCode' }).path).toBe('eventCode'));
