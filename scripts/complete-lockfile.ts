/**
 * Puts back into package-lock.json the platform packages that npm left out.
 *
 * A registry that carries only some platforms makes `npm install` write a lockfile without the others, and `npm ci` then
 * refuses it on every machine. npm fetches them only on the platform they are for. What they must be (integrity, licence) and
 * which platform that is, the registry says now, once.
 *
 *   npm run lock      after every `npm install` that changed a dependency
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
  [field: string]: unknown;
}

const LOCKFILE = 'package-lock.json';

const lockfile = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { packages: Record<string, LockedPackage> };
const { '': root = {}, ...packages } = lockfile.packages;
const isLocked = (name: string): boolean => Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`));

/** What the registry says of one version; a list is absent where the package is for all. */
interface Published {
  'dist.integrity': string;
  license: string;
  cpu?: string[];
  libc?: string[];
  os?: string[];
}

function platformEntry(name: string, version: string): LockedPackage {
  const exact = version.replace(/^[~^]/, '');
  const { 'dist.integrity': integrity, license, cpu, libc, os } = published(`${name}@${exact}`);
  return {
    ...{ version: exact, integrity },
    ...(cpu === undefined ? {} : { cpu }),
    ...{ dev: true, license },
    ...(libc === undefined ? {} : { libc }),
    optional: true,
    ...(os === undefined ? {} : { os }),
  };
}

function published(what: string): Published {
  const fields = ['dist.integrity', 'license', 'cpu', 'libc', 'os'];
  return JSON.parse(execFileSync('npm', ['view', what, ...fields, '--json'], { encoding: 'utf8' })) as Published;
}

const missing = Object.values(packages)
  .flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
  .filter(([name]) => !isLocked(name));
for (const [name, version] of missing) packages[`node_modules/${name}`] = platformEntry(name, version);
const sorted = Object.fromEntries(Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(LOCKFILE, `${JSON.stringify({ ...lockfile, packages: { '': root, ...sorted } }, null, 2)}\n`);
process.stdout.write(`${missing.length} platform packages put back\n`);
