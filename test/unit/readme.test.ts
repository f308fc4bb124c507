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

it('names only commands that exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const texts = [README, ...globSync('docs/*.md').map((path) => readFileSync(path, 'utf8'))];
  const used = texts.flatMap((text) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, name = '']) => name),
  );
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
});

/** Names of files in documents and comments, as they are written: bare, or with folders before them. */
const FILE_NAMED = /(?<![\w./@-])(?:[\w-]+\/)*[\w-]+\.tsx?\b/g;

it('no document and no comment of the source names a file that is not there', () => {
  const all = globSync('{src,test,scripts,mappings}/**/*.{ts,tsx}').map((path) => `/${path}`);
  const isThere = (name: string): boolean => all.some((path) => path.endsWith(`/${name}`));
  const documents = ['README.md', 'ARCHITECTURE.md', ...globSync('docs/*.md')].map((path) => [
    path,
    readFileSync(path, 'utf8'),
  ]);
  const comments = globSync('src/**/*.{ts,tsx}').map((path) => [
    path,
    readFileSync(path, 'utf8').replace(/^import [^;]*;$/gm, ''),
  ]);
  const named = [...documents, ...comments].flatMap(([path = '', text = '']) =>
    [...text.matchAll(FILE_NAMED)].map(([name]) => [path, name] as const),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([, name]) => !isThere(name)).map((each) => each.join(' names '))).toEqual([]);
});
