/** The interchanges of an upload that has been stored, judged by what is agreed with its partner: before anything is promised. */
import { interchangeKey, judgeInterchanges } from '../batch/envelopes/judge.ts';
import { lookAtInterchanges } from '../batch/envelopes/look.ts';
import { type EnvelopeRules, policyOf } from '../batch/envelopes/rules.ts';
import { storedSource } from '../batch/pinned.ts';
import type { BatchTicket } from '../batch/ticket.ts';
import { partsReaderOf } from '../formats/reader.ts';
import { storedParts } from '../formats/segments/stored-parts.ts';
import { log, messageOf } from '../kernel/log.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { ClaimedInterchange } from './interchanges.ts';
import type { OfferedMapping } from './ports.ts';
import type { UploadError } from './upload-error.ts';

/** @returns those that may come once only; none for formats without envelopes, and for what is compressed: its Batch looks. */
export async function interchangesOf(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { format }: Pick<OfferedMapping, 'format'>,
  rules: EnvelopeRules,
): Promise<Result<ClaimedInterchange[], UploadError>> {
  if (format !== 'x12' && format !== 'edifact') return ok([]);
  try {
    const parts = storedParts(partsReaderOf(format, policyOf(rules)), storedSource(files, ticket, null));
    const looks = await lookAtInterchanges(parts);
    const refusal = judgeInterchanges(looks, rules, ticket.environment);
    if (refusal !== undefined) return err(refusal);
    if (rules.controlNumbers === 'any') return ok([]);
    return ok(looks.map((look) => ({ key: interchangeKey(look), control: look.control, digest: look.digest })));
  } catch (thrown) {
    log('error', 'upload_not_read_back', { batchId: ticket.batchId, detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}
