/** Whether a test that is said to hold something is there: its file, its full title, and the row of its table. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Proof } from './proofs.ts';
import { titlesOf } from './titles-of.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const textsRead = new Map<string, string>();
export function textOf(file: string): string {
  const text = textsRead.get(file) ?? readFileSync(resolve(ROOT, file), 'utf8');
  textsRead.set(file, text);
  return text;
}

/** @returns what is missing, in words; nothing where it is all there. */
export function missingTest({ file, title, row }: Extract<Proof, { proof: 'test' }>): string[] {
  if (!titlesOf(textOf(file)).includes(title)) return [`${file} has no test “${title}”`];
  return row === undefined || textOf(file).includes(row) ? [] : [`the table of “${title}” in ${file} has no “${row}”`];
}
