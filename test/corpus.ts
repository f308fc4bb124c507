/**
 * Real files of other people, read where they lie. Without their folder the tests of them are left out, and the run says how many
 * (left-out.ts); with it, a test that finds no file fails.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { LEFT_OUT } from './left-out.ts';

export const CORPUS = resolve(import.meta.dirname, '..', process.env.TRANSLOAD_CORPUS ?? '../shared/data');
const isPresent = existsSync(CORPUS);

/** @returns whether a file or folder of the corpus can be read. @throws where the corpus is there without it. */
export function isInCorpus(path: string): boolean {
  if (isPresent && !existsSync(path)) throw new Error(`the corpus lacks ${path}`);
  return isPresent;
}

const leaveOut = (name: string): void => it.skip(name + LEFT_OUT, () => undefined);

type Run<Case> = (...values: Case extends readonly unknown[] ? Case : [Case]) => unknown;

function each<const Case>(cases: readonly Case[]): (name: string, run: Run<Case>) => void {
  if (!isPresent) return leaveOut;
  if (cases.length === 0) return (name) => it(name, () => expect.unreachable(`${CORPUS} has no file for this test`));
  // A case that is a list is spread, as `Run` says.
  return (name, run) => it.each(cases as readonly unknown[])(name, run as (...values: unknown[]) => Promise<void>);
}

function one(name: string, run: () => unknown): void {
  if (isPresent) it(name, run as () => Promise<void>);
  else leaveOut(name);
}

/** As `it`, for what reads the corpus. */
export const itReads: typeof one & { each: typeof each } = Object.assign(one, { each });
