/** The file of `--lookups`: what is known of vehicles and locations, and answers a batch has recorded, as JSON or YAML. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Answers, answersFrom, lookupFile } from '../../../src/mapping/lookups/lookup.ts';
import { NotRun } from '../../frame/command.ts';

/** @throws NotRun with every problem of the file. */
export function openLookUps(path: string): Answers {
  const read = lookupFile.safeParse(contentOf(path));
  if (read.success) return answersFrom(read.data);
  const problems = read.error.issues.map(({ path: at, message }) => `  ${at.join('.')}: ${message}`);
  throw new NotRun([`${path} holds no look-ups:`, ...problems].join('\n'));
}

function contentOf(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    throw new NotRun(`${path} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
