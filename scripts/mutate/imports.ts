/** Which test files can reach a source file, by what they import. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';

export interface TestFile {
  path: string;
  project: 'unit' | 'worker';
  text: string;
  /** Of a worker test, the whole bridge: it stands in the runtime beside it. */
  imports: ReadonlySet<string>;
}

const textOf = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

export function importsOf(path: string, text: string): string[] {
  const named = /\b(?:from|import)\b\s*\(?\s*'(\.[^'\n]*)'/g;
  return [...text.matchAll(named)].map(([, name]) => posix.normalize(posix.join(posix.dirname(path), name ?? '')));
}

function closureOf(path: string, known: Map<string, string[]>): Set<string> {
  const found = new Set([path]);
  for (const file of found) {
    if (!/\.tsx?$/.test(file) || !existsSync(join(PROJECT_ROOT, file))) continue;
    const direct = known.get(file) ?? importsOf(file, textOf(file));
    known.set(file, direct);
    for (const one of direct) found.add(one);
  }
  return found;
}

/** Without the long ones: a mutant is not worth minutes. */
export function testFiles(): TestFile[] {
  const known = new Map<string, string[]>();
  const bridge = closureOf('src/index.ts', known);
  return (['unit', 'worker'] as const).flatMap((project) =>
    globSync(`test/${project}/**/*.test.ts`, { cwd: PROJECT_ROOT })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => !path.endsWith('.long.test.ts'))
      .sort()
      .map((path) => {
        const own = closureOf(path, known);
        return {
          path,
          project,
          text: textOf(path),
          imports: project === 'worker' ? new Set([...own, ...bridge]) : own,
        };
      }),
  );
}
