/**
 * The attempts of a load or order that ends → files of their batches, a JSON line per request with its attempts.
 *
 * One file per batch and subject, more where one would be long. Writing them again after a crash writes the same.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { FOLD_CHARACTERS_MAX } from '../kernel/limits.ts';
import { attemptsKey, type PartnerScope } from '../kernel/names.ts';
import type { TimelineEntry } from './store/subject-tables.ts';

/** What is folded: a port, so that the rule needs no object. */
export interface Folded {
  /** Whose it is, written on every line. */
  identity: PartnerScope;
  /** The object's name. */
  name: string;
  /** Tells this life of the object from a later one. */
  life: number;
  batches(): string[];
  seqsOf(batchId: string): number[];
  entry(seq: number): TimelineEntry | undefined;
}

type FoldStore = Pick<R2Bucket, 'put' | 'head'>;

/** Throws unless everything is in storage as it was written. */
export async function foldAttempts(files: FoldStore, folded: Folded): Promise<void> {
  const subject = sha256Of(folded.name);
  for (const batchId of folded.batches()) {
    let part = 0;
    for (const text of textsOf(folded, batchId)) {
      part += 1;
      await writeVerified(files, attemptsKey(folded.identity, batchId, { subject, life: folded.life, part }), text);
    }
  }
}

/** Lines up to FOLD_CHARACTERS_MAX; a line is never cut. */
export function* textsOf(folded: Folded, batchId: string, charactersMax = FOLD_CHARACTERS_MAX): Generator<string> {
  let text = '';
  for (const seq of folded.seqsOf(batchId)) {
    const entry = folded.entry(seq);
    if (entry === undefined) continue;
    const line = `${JSON.stringify({ subject: folded.identity, ...entry })}\n`;
    if (text !== '' && text.length + line.length > charactersMax) {
      yield text;
      text = '';
    }
    text += line;
  }
  if (text !== '') yield text;
}

async function writeVerified(files: FoldStore, key: string, text: string): Promise<void> {
  const sha256 = sha256Of(text);
  await files.put(key, text, { sha256 });
  const stored = await files.head(key);
  const found = stored?.checksums.sha256;
  if (found === undefined || Buffer.from(found).toString('hex') !== sha256)
    throw new Error(`${key} was not stored whole`);
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
