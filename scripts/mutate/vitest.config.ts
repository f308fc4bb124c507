/** The unit and the worker tests over sources with mutants in them: `npm run mutate` runs them, never a person. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { env } from 'node:process';
import { defineConfig } from 'vitest/config';
import whole from '../../vitest.config.ts';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { mutantsOf } from './mutants.ts';
import { ids } from './numbers.ts';
import { withMutants } from './schema.ts';

/** What one run of tests is given. */
export interface RunOrders {
  project: string;
  tests: string[];
  url: string;
  jobs: number;
}

/** The changed sources are slower, and a test that is late by itself is lost. Ours. */
const TEST_MS_MAX = 90_000;

const orders = JSON.parse(env.TRANSLOAD_MUTATION ?? '') as RunOrders;
const numbers = ids();

const plugin = {
  name: 'mutants',
  enforce: 'pre' as const,
  transform(code: string, id: string): { code: string; map: null } | null {
    const path = relative(PROJECT_ROOT, id).replaceAll('\\', '/');
    const fileId = numbers.files.get(path);
    if (fileId === undefined) return null;
    if (code !== readFileSync(join(PROJECT_ROOT, path), 'utf8')) throw new Error(`${path} was changed before`);
    const mutants = numbers.isMutated(path) ? mutantsOf(path, code) : [];
    const numbered = mutants.map((mutant) => ({ ...mutant, id: numbers.mutants.get(mutant.key) ?? 0 }));
    return { code: withMutants(path, code, numbered, fileId, numbers.remade(path)), map: null };
  },
};

export default defineConfig(async () => {
  const projects = (whole.test?.projects ?? []).flatMap((project) => {
    if (typeof project !== 'object' || !('test' in project) || project.test?.name !== orders.project) return [];
    return [
      {
        ...project,
        root: PROJECT_ROOT,
        plugins: [...(project.plugins ?? []), plugin],
        test: {
          ...project.test,
          root: PROJECT_ROOT,
          include: orders.tests,
          exclude: [], // those of the doors have a project of their own
          runner: join(import.meta.dirname, 'runner.ts'),
          provide: { mutation: { url: orders.url, size: numbers.size } },
          maxWorkers: orders.jobs,
          testTimeout: TEST_MS_MAX,
          fsModuleCache: false,
        },
      },
    ];
  });
  // A module that is kept from an earlier run has the numbers of that time, which any change of a source before it moves.
  return { root: PROJECT_ROOT, test: { projects, fsModuleCache: false } };
});
