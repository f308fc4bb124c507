/** What X12 element 723 says of each kind of problem. */
import { expect, it } from 'vitest';
import { elementCode } from '../../../../src/batch/acknowledgment/x12-segments.ts';

it.each([
  ['field_empty', '1'],
  ['stop_missing', '1'],
  ['bad_date', '8'],
  ['date_invalid', '8'],
  ['time_too_old', '8'],
  ['time_zone_unknown', '7'],
  ['time_invalid', '9'],
  ['value_too_long', '5'],
  ['value_too_short', '4'],
  ['code_unknown', '7'],
  ['number_out_of_range', '7'],
  ['character_invalid', '6'],
  ['whatever_else', '7'],
])('%s is %s; of a value that is not there it is missing', (code, wanted) => {
  const problem = { code, path: '', message: '', fix: '' };
  expect(elementCode({ ...problem, value: 'X' })).toBe(wanted);
  expect(elementCode({ ...problem, value: '' })).toBe('1');
});
