/** What a module exports, another one imports: what nobody imports is its own, or is to go. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';

/** Read by their path: by the bundler, or in place of a module of the platform. */
const READ_BY_PATH: readonly string[] = [
  'src/index.ts',
  'src/sandbox/index.ts',
  'scripts/keep/next-release.ts',
  'scripts/simulate/workers.ts',
  'scripts/bench/delivery/counters.ts',
];

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;
const IMPORTED = /\b(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\* as \w+|\*)\s+from\s+'(\.[^']+)'/g;
const LOADED = /\bimport\(\s*'(\.[^']+)'/g;

type Sources = ReadonlyMap<string, string>;

/** @returns `file name` of each. */
function unusedIn(sources: Sources, isJudged: (path: string) => boolean): string[] {
  const used = new Set<string>();
  const usedWhole = new Set(READ_BY_PATH);
  for (const [path, text] of sources) {
    const target = (specifier: string): string => posix.join(posix.dirname(path), specifier);
    for (const [, what = '', specifier = ''] of text.matchAll(IMPORTED)) {
      if (what.startsWith('*')) usedWhole.add(target(specifier));
      for (const [, name] of what.matchAll(/[{,]\s*(?:type\s+)?(\w+)/g)) used.add(`${target(specifier)} ${name}`);
    }
    for (const [, specifier = ''] of text.matchAll(LOADED)) usedWhole.add(target(specifier));
  }
  return [...sources].flatMap(([path, text]) =>
    !isJudged(path) || usedWhole.has(path)
      ? []
      : [...text.matchAll(DECLARED)].map(([, name]) => `${path} ${name}`).filter((each) => !used.has(each)),
  );
}

const sources: Sources = new Map(
  globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}']).map((path) => [
    path.replaceAll('\\', '/'),
    readFileSync(path, 'utf8'),
  ]),
);

it('exports nothing that nobody imports', () => {
  expect(unusedIn(sources, (path) => !path.startsWith('test/'))).toEqual([]);
});

it('finds what is imported by nobody, and by its own module alone', () => {
  const planted: Sources = new Map([
    ['a/one.ts', 'export const used = 1;\nexport const own = 2;\nexport interface Shape {}\nconst more = own + 1;\n'],
    ['a/two.ts', "import { type Shape, used as other } from './one.ts';\n"],
    ['b/three.ts', 'export function loaded() {}\n'],
    ['b/four.ts', "const { loaded } = await import('./three.ts');\nexport async function left() {}\n"],
  ]);
  expect(unusedIn(planted, () => true)).toEqual(['a/one.ts own', 'b/four.ts left']);
});
