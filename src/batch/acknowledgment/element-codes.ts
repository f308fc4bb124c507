/** What is wrong with a value, as X12 element 723 (AK403) tells it: the nearest of its codes to each of ours. */
import type { Problem } from '../../kernel/problem.ts';

const CODES: readonly [code: string, problems: RegExp][] = [
  ['1', /^(?:required|field_empty|value_missing|place_missing)|_missing$/],
  ['8', /^(?:bad_date|date_|year_|time_too_old|time_in_future)/],
  ['7', /^time_zone_/],
  ['9', /^time_/],
  ['5', /too_long$|too_large$/],
  ['4', /too_short$|too_small$/],
  ['7', /unknown$|_out_of_range$|not_allowed$/],
  ['6', /character|encoding/],
];

/** Invalid code value: what a receiver says of a value that it cannot use, for whatever other reason. */
const INVALID_VALUE = '7';

export const elementCode = ({ code, value }: Problem): string =>
  value === '' ? '1' : (CODES.find(([, problems]) => problems.test(code))?.[0] ?? INVALID_VALUE);
