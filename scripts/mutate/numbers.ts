/** A number for each file and each mutant of the sources, the same in every process that looks at the same sources. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { type ConstantKey, constantKey, derivedConstants } from './derived.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

/** The folders that decide what is sent, when and once. */
const FOLDERS = ['delivery', 'tracking', 'batch', 'intake', 'upstream', 'feed', 'webhooks'];

export interface Numbers {
  /** Every source file; in those of `FOLDERS` all mutants, by their keys. */
  files: ReadonlyMap<string, number>;
  mutants: ReadonlyMap<string, number>;
  /** By a mutant's key. */
  fileOf: ReadonlyMap<string, string>;
  all: readonly Mutant[];
  texts: ReadonlyMap<string, string>;
  /** The constants that are made of a constant. */
  derived: ReadonlyMap<ConstantKey, readonly ConstantKey[]>;
  /** By constant of this file: the mutants of others that it is made of. */
  remade(path: string): ReadonlyMap<string, readonly number[]>;
  isMutated(path: string): boolean;
  size: number;
}

export function ids(): Numbers {
  const files = new Map<string, number>();
  const mutants = new Map<string, number>();
  const all: Mutant[] = [];
  const texts = new Map<string, string>();
  const isMutated = (path: string): boolean => FOLDERS.some((folder) => path.startsWith(`src/${folder}/`));
  let last = 0;
  for (const path of globSync('src/**/*.{ts,tsx}', { cwd: PROJECT_ROOT })
    .map((found) => found.replaceAll('\\', '/'))
    .sort()) {
    if (path.endsWith('.d.ts')) continue;
    const text = readFileSync(join(PROJECT_ROOT, path), 'utf8');
    texts.set(path, text);
    last += 1;
    files.set(path, last);
    for (const mutant of isMutated(path) ? mutantsOf(path, text) : []) {
      last += 1;
      mutants.set(mutant.key, last);
      all.push(mutant);
    }
  }
  const derived = derivedConstants(texts);
  const remade = new Map<string, Map<string, number[]>>();
  for (const { file, constant, madeWith, key } of all) {
    const of = constant ?? madeWith;
    for (const made of of === null ? [] : (derived.get(constantKey(file, of)) ?? [])) {
      const [path = '', name = ''] = made.split('\n');
      const ofFile = remade.get(path) ?? new Map<string, number[]>();
      ofFile.set(name, [...(ofFile.get(name) ?? []), mutants.get(key) ?? 0]);
      remade.set(path, ofFile);
    }
  }
  return {
    files,
    mutants,
    fileOf: new Map(all.map(({ key, file }) => [key, file])),
    all,
    texts,
    derived,
    remade: (path) => remade.get(path) ?? new Map(),
    isMutated,
    size: last + 1,
  };
}
