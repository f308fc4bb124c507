/** The packages of the lockfile, and which of them are in what is deployed or given away. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';

export interface LockedPackage {
  version?: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  optional?: boolean;
  os?: readonly string[];
  hasInstallScript?: boolean;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
}

/** By its place in `node_modules`, without the project itself. */
export function lockedPackages(): ReadonlyMap<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return new Map(Object.entries(packages).filter(([path]) => path !== ''));
}

/** @param path such as `node_modules/a/node_modules/@b/c`. */
export const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? path;

/** Bare names in `import` and `from`: of packages, not of Node or the platform. */
const IMPORTED = /(?:from|import) '((?:@[^/']+\/)?[^./'@][^/']*)[^']*'/g;

/** Those that the Workers, their pages and the command bring along, with what these need themselves. */
export function shippedNames(): string[] {
  const locked = lockedPackages();
  const found = new Set<string>();
  const add = (name: string): void => {
    const one = locked.get(`node_modules/${name}`);
    if (one === undefined || found.has(name)) return;
    found.add(name);
    for (const needed of Object.keys(one.dependencies ?? {})) add(needed);
  };
  for (const folder of ['src', join('scripts', 'transload')])
    for (const text of sources(folder)) for (const [, name = ''] of text.matchAll(IMPORTED)) add(name);
  return [...found].sort();
}

const sources = (folder: string): string[] =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(PROJECT_ROOT, folder, name), 'utf8'));
