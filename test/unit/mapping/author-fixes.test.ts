import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AUTHOR_FIXES, authorFix } from '../../../src/mapping/document/author-fixes.ts';
import { MAPPINGS } from './shipped.ts';

const ALL = Object.values(AUTHOR_FIXES).flatMap((fixes) => Object.entries<string>(fixes));

it.each(ALL)('what an author can change for %s is a sentence', (_code, fix) => expect(fix).toMatch(/^[A-Z].*\.$/));

it('every key that an author is told of is one of a mapping document', () => {
  const schema = readFileSync(join(MAPPINGS, 'mapping.schema.json'), 'utf8');
  const keys = ALL.flatMap(([, fix]) => [...fix.matchAll(/`(\w+)/g)].map(([, key]) => key));
  expect(keys.length).toBeGreaterThan(40);
  expect(keys.filter((key) => !schema.includes(`"${key}": {`))).toEqual([]);
});

it('what an author can change depends on the format, and is nothing for what a mapping cannot mend', () => {
  expect(authorFix('csv', 'bad_encoding')).toContain('`encoding`');
  expect(authorFix('json', 'bad_encoding')).toBeUndefined();
  expect(authorFix('x12', 'bad_date')).toBe(authorFix('csv', 'bad_date'));
  expect(authorFix('csv', 'year_out_of_range')).toBeUndefined();
  expect(authorFix('csv', 'constructor')).toBeUndefined();
  expect(authorFix('json', 'value_missing')).toMatch(/^Check the path, .* `default`; .* `skip`; .* `required`/);
  expect(authorFix('fixed', 'value_missing')).toMatch(/^Check the field's `at` and `length`\./);
  expect(authorFix('xlsx', 'value_missing')).toMatch(/^Check that it is the right column\./);
  expect(authorFix('csv', 'not_a_whole_number')).toContain('`round: 0`');
});
