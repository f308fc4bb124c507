/** The interchanges of what a compressed upload held: judged as those of a plain one are before it is taken. */
import type { RecordSource } from '../../formats/reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { Contents } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { storedSource } from '../files/pinned.ts';
import { type ClaimedInterchange, judgedInterchanges } from './judged.ts';
import type { RefusedInterchange } from './refused-upload.ts';
import { DEFAULT_RULES } from './rules.ts';
import { refusalWords } from './words.ts';

/** Uniqueness of control numbers: a port of the caller. */
export interface InterchangeRegister {
  claimInterchanges(batchId: string, interchanges: readonly ClaimedInterchange[]): Promise<RefusedInterchange | null>;
}

/** @returns why nothing of it may be sent. Throws when storage or the register cannot be reached. */
export async function judgeUnpacked(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { format }: RecordSource,
  contents: Contents,
  register: InterchangeRegister,
): Promise<Problem | null> {
  const kept = contents.files?.map(({ bytes }, index) => ({ bytes, file: index + 1 })) ?? [{ bytes: contents.bytes }];
  const sources = kept.map((content) => storedSource(files, ticket, content));
  const judged = await judgedInterchanges(sources, format, ticket.envelopes ?? DEFAULT_RULES, ticket.environment);
  if (!judged.ok) return problemOf(judged.error.code, judged.error.control, refusalWords(judged.error));
  if (ticket.dryRun || ticket.forced === true) return null;
  const repeated = await register.claimInterchanges(ticket.batchId, judged.value);
  return repeated === null ? null : problemOf(repeated.code, repeated.control, refusalWords(repeated));
}

const problemOf = (code: string, control: string, { detail, fix }: { detail: string; fix: string }): Problem => ({
  code,
  path: '',
  value: control,
  message: detail,
  fix,
});
