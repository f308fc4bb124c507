/** README and code name the same codes and states: a code that is added must be explained to people too. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REQUEST_STATES } from '../../src/delivery/states.ts';
import { REASON_WORDS } from '../../src/delivery/words.ts';

const README = readFileSync('README.md', 'utf8');
const section = (title: string): string => README.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const named = (text: string): Set<string> =>
  new Set([...text.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code = '']) => code));

/** Codes as they stand in the unions and problem documents of these files, some in each pattern. */
function codesIn(...patterns: string[]): string[] {
  return patterns.flatMap((pattern) => {
    const texts = globSync(pattern).map((path) => readFileSync(path, 'utf8'));
    const codes = texts.flatMap((text) => [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code));
    expect(codes, pattern).not.toEqual([]);
    return codes;
  });
}

it('explains every code a partner can meet', () => {
  const codes = new Set(
    codesIn(
      'src/intake/upload-error.ts',
      'src/http/**/*.ts',
      'src/ops/publishing/refusal.ts',
      'src/formats/problems.ts',
      'src/formats/json/problems.ts',
      'src/formats/x12/{problems,delimiters}.ts',
      'src/formats/edifact/problems.ts',
      'src/formats/segments/problems.ts',
      'src/formats/fixed/problems.ts',
      'src/formats/xml/problems.ts',
      'src/batch/envelopes/{judge,words}.ts',
      'src/formats/xlsx/problems.ts',
      'src/mapping/values/fault.ts',
      'src/mapping/values/measure-fault.ts',
      'src/mapping/groups/map-group.ts',
      'src/mapping/compile/bind-columns.ts',
      'src/mapping/values/date-times.ts',
      'src/batch/core/run.ts',
      'src/batch/core/replacing.ts',
      'src/batch/core/zip-problems.ts',
    ),
  );
  expect(codes.size).toBeGreaterThan(45);
  const explained = named(section('Error codes'));
  expect([...codes].filter((code) => !explained.has(code))).toEqual([]);
});

it('explains every state of rows and requests', () => {
  const explained = named(section('States'));
  expect([...REQUEST_STATES, 'invalid', 'skipped', 'valid'].filter((state) => !explained.has(state))).toEqual([]);
});

it('explains every reason a request can have', () => {
  const explained = named(section('States'));
  expect(Object.keys(REASON_WORDS).filter((reason) => !explained.has(reason))).toEqual([]);
});
