/**
 * Puts back into package-lock.json the platform packages that npm left out.
 *
 * A registry that carries only some platforms makes `npm install` write a lockfile without the others, and `npm ci` then
 * refuses it on every machine. npm fetches them only on the platform they are for. What they must be (integrity, licence) the
 * registry says now, once.
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
const SYSTEMS = { android: 'android', darwin: 'darwin', win32: 'win32', windows: 'win32', linux: 'linux' } as const;

const lockfile = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { packages: Record<string, LockedPackage> };
const { '': root = {}, ...packages } = lockfile.packages;
const isLocked = (name: string): boolean => Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`));

function platformEntry(name: string, version: string): LockedPackage {
  const system = Object.entries(SYSTEMS).find(([part]) => name.includes(part))?.[1];
  const exact = version.replace(/^[~^]/, '');
  return {
    version: exact,
    integrity: said(`${name}@${exact}`, 'dist.integrity'),
    cpu: [name.includes('arm64') ? 'arm64' : 'x64'],
    dev: true,
    license: said(`${name}@${exact}`, 'license'),
    ...(system === 'linux' ? { libc: [name.includes('musl') ? 'musl' : 'glibc'] } : {}),
    optional: true,
    ...(system === undefined ? {} : { os: [system] }),
  };
}

const said = (what: string, field: string): string =>
  execFileSync('npm', ['view', what, field], { encoding: 'utf8' }).trim();

const missing = Object.values(packages)
  .flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
  .filter(([name]) => !isLocked(name));
for (const [name, version] of missing) packages[`node_modules/${name}`] = platformEntry(name, version);
const sorted = Object.fromEntries(Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(LOCKFILE, `${JSON.stringify({ ...lockfile, packages: { '': root, ...sorted } }, null, 2)}\n`);
process.stdout.write(`${missing.length} platform packages put back\n`);
