/** The interchanges of what a compressed upload held: judged as those of a plain one are before it is taken. */
import { partsReaderOf, type RecordSource } from '../../formats/reader.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { Contents } from '../contents.ts';
import { storedSource } from '../pinned.ts';
import type { BatchTicket } from '../ticket.ts';
import { interchangeKey, judgeInterchanges } from './judge.ts';
import { lookAtInterchanges } from './look.ts';
import { DEFAULT_RULES, policyOf } from './rules.ts';
import { type ControlRefusal, refusalWords } from './words.ts';

/** Uniqueness of control numbers: a port of the caller. */
export interface InterchangeRegister {
  claimInterchanges(
    batchId: string,
    interchanges: readonly { key: string; control: string; digest: string }[],
  ): Promise<ControlRefusal | null>;
}

/** @returns why nothing of it may be sent. Throws when storage or the register cannot be reached. */
export async function judgeUnpacked(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { format }: RecordSource,
  contents: Contents,
  register: InterchangeRegister,
): Promise<Problem | null> {
  if (format !== 'x12' && format !== 'edifact') return null;
  const rules = ticket.envelopes ?? DEFAULT_RULES;
  const kept = contents.files?.map(({ bytes }, index) => ({ bytes, file: index + 1 })) ?? [{ bytes: contents.bytes }];
  const looks = [];
  for (const content of kept) {
    const parts = storedParts(partsReaderOf(format, policyOf(rules)), storedSource(files, ticket, content));
    looks.push(...(await lookAtInterchanges(parts)));
  }
  const refusal = judgeInterchanges(looks, rules, ticket.environment);
  if (refusal !== undefined) return problemOf(refusal.code, refusal.control, refusalWords(refusal));
  if (rules.controlNumbers === 'any' || ticket.dryRun || ticket.forced === true) return null;
  const interchanges = looks.map((look) => ({ key: interchangeKey(look), control: look.control, digest: look.digest }));
  const repeated = await register.claimInterchanges(ticket.batchId, interchanges);
  return repeated === null ? null : problemOf(repeated.code, repeated.control, refusalWords(repeated));
}

const problemOf = (code: string, control: string, { detail, fix }: { detail: string; fix: string }): Problem => ({
  code,
  path: '',
  value: control,
  message: detail,
  fix,
});
