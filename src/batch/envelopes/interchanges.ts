/** The interchanges of stored files, validated against the partner's rules. */
import { hasEnvelopes, partsReaderOf, type RecordSource } from '../../formats/reader.ts';
import { storedParts } from '../../formats/segments/parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { Environment } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Contents } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { storedSource } from '../files/pinned.ts';
import { refusalMessage, type TooManyInterchanges } from './messages.ts';
import {
  DEFAULT_RULES,
  type EnvelopeRefusal,
  type EnvelopeRules,
  type InterchangeFault,
  interchangeKey,
  interchangeLooks,
  inUpload,
  policyOf,
  type RefusedInterchange,
  validateInterchange,
} from './validate.ts';

/** An interchange that may come only once. @property control as written, for people. */
export interface ClaimedInterchange {
  key: string;
  control: string;
  digest: string;
}

/**
 * Interchanges of one upload whose control numbers are stored and that are reported if it is refused. Ours: far more
 * than any file has.
 */
export const INTERCHANGES_MAX = 10_000;

/**
 * @returns those that may come only once. If one may not come, nothing of the upload is accepted, and the others are
 * named. none for formats without envelopes, and when control numbers need not be unique.
 */
export async function validatedInterchanges(
  sources: readonly StoredBytes[],
  format: RecordSource['format'],
  rules: EnvelopeRules,
  environment: Environment,
): Promise<Result<ClaimedInterchange[], RefusedInterchange | TooManyInterchanges>> {
  if (!hasEnvelopes(format)) return ok([]);
  const claims: ClaimedInterchange[] = [];
  const faults: InterchangeFault[] = [];
  const sound: string[] = [];
  let first: EnvelopeRefusal | undefined;
  let place = 0;
  files: for (const source of sources) {
    for await (const look of interchangeLooks(storedParts(partsReaderOf(format, policyOf(rules)), source))) {
      const refusal = validateInterchange(look, rules, environment);
      const { control, digest } = look;
      const isBeyond = place >= INTERCHANGES_MAX;
      if (first !== undefined && isBeyond) break files;
      if (refusal !== undefined) {
        first ??= refusal;
        faults.push({ place, control, code: refusal.code, standard: refusal.standard });
      } else if (!isBeyond) sound.push(control);
      place += 1;
      if (first !== undefined || rules.controlNumbers === 'any') continue;
      if (isBeyond) return err({ code: 'too_many_interchanges', control, interchangesMax: INTERCHANGES_MAX });
      claims.push({ key: interchangeKey(look), control, digest });
    }
  }
  return first === undefined ? ok(claims) : err({ ...first, ...inUpload({ faults, sound }) });
}

/* The interchanges in a compressed upload, validated as those of a plain one are before it is accepted. */

/** Uniqueness of control numbers: a port of the caller. */
export interface InterchangeRegister {
  claimInterchanges(batchId: string, interchanges: readonly ClaimedInterchange[]): Promise<RefusedInterchange | null>;
}

/** @returns why nothing of it may be sent. Throws when storage or the register cannot be reached. */
export async function validateUnpacked(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { format }: RecordSource,
  contents: Contents,
  register: InterchangeRegister,
): Promise<Problem | null> {
  const kept = contents.files?.map(({ bytes }, index) => ({ bytes, file: index + 1 })) ?? [{ bytes: contents.bytes }];
  const sources = kept.map((content) => storedSource(files, ticket, content));
  const judged = await validatedInterchanges(sources, format, ticket.envelopes ?? DEFAULT_RULES, ticket.environment);
  if (!judged.ok) return problemOf(judged.error.code, judged.error.control, refusalMessage(judged.error));
  if (ticket.dryRun || ticket.forced === true) return null;
  const repeated = await register.claimInterchanges(ticket.batchId, judged.value);
  return repeated === null ? null : problemOf(repeated.code, repeated.control, refusalMessage(repeated));
}

const problemOf = (code: string, control: string, { detail, fix }: { detail: string; fix: string }): Problem => ({
  code,
  path: '',
  value: control,
  message: detail,
  fix,
});
