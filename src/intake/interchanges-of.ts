/** The interchanges of an upload that has been stored, judged by what is agreed with its partner: before anything is promised. */

import type { BatchTicket } from '../batch/core/ticket.ts';
import { type ClaimedInterchange, judgedInterchanges } from '../batch/envelopes/judged.ts';
import type { EnvelopeRules } from '../batch/envelopes/rules.ts';
import { storedSource } from '../batch/files/pinned.ts';
import { log, messageOf } from '../kernel/log.ts';
import { err, type Result } from '../kernel/result.ts';
import type { OfferedMapping } from './ports.ts';
import type { UploadError } from './upload-error.ts';

/** @returns those that may come once only; none of what is compressed: its Batch looks. */
export async function interchangesOf(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { format }: Pick<OfferedMapping, 'format'>,
  rules: EnvelopeRules,
): Promise<Result<ClaimedInterchange[], UploadError>> {
  try {
    return await judgedInterchanges([storedSource(files, ticket, null)], format, rules, ticket.environment);
  } catch (thrown) {
    log('error', 'upload_not_read_back', { batchId: ticket.batchId, detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}
