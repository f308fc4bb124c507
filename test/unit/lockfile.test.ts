/** `npm ci` works from this lockfile wherever it runs. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>;
};

it('names every platform package, else npm ci refuses it: run npm run lock', () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(wanted.length).toBeGreaterThan(20);
  const missing = wanted.filter((name) => !Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`)));
  expect(missing).toEqual([]);
});

it('names no registry', () => {
  const addressed = Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http'));
  expect(addressed).toEqual([]);
});
