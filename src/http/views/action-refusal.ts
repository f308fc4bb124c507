/** Why a cancel or a retry was refused, in words. Pure; exhaustive: a new code does not compile until it has them. */
import type { CancelRefusal } from '../../batch/actions/cancel.ts';
import type { RetryRefusal } from '../../batch/actions/retry.ts';
import type { ProblemWords } from '../edge/problem.ts';

export type ActionRefusal = CancelRefusal | RetryRefusal;

export function describeRefusal(refusal: ActionRefusal): ProblemWords {
  switch (refusal.code) {
    case 'batch_settled':
      return {
        status: 409,
        code: 'batch_settled',
        title: 'Batch settled',
        detail: 'Every row of this batch has its final state: there is nothing left to withdraw.',
        fix: 'What was delivered can only be corrected in the receiving system; the report says what was.',
      };
    case 'batch_unreadable':
      return {
        status: 409,
        code: 'batch_unreadable',
        title: 'Batch unreadable',
        detail: 'The file could not be read, so nothing of it was sent or will be.',
        fix: 'Correct what the problems of the batch name, and send the file again.',
      };
    case 'nothing_to_cancel':
      return {
        status: 409,
        code: 'nothing_to_cancel',
        title: 'Nothing to cancel',
        detail: 'This batch is a dry run: nothing of it is sent.',
        fix: 'Leave it; it ends by itself.',
      };
    case 'nothing_to_retry':
      return {
        status: 409,
        code: 'nothing_to_retry',
        title: 'Nothing to retry',
        detail:
          'No request of this batch that was asked for ended refused, given up or withdrawn and can be sent again. What a retry took is under way already.',
        fix: 'Rows to correct go into a new file. Where leftOut names requests, its notes say what is needed.',
      };
    case 'cancel_under_way':
      return {
        status: 409,
        code: 'cancel_under_way',
        title: 'Cancel under way',
        detail: 'This batch is being cancelled: what was not sent is still being withdrawn.',
        fix: 'Ask again when no row is queued any more; GET the batch for its counts.',
      };
    case 'file_sent_again':
      return {
        status: 409,
        code: 'file_sent_again',
        title: 'File sent again',
        detail: `Nothing of this batch was ever sent, and the same file has come in again since, as batch ${refusal.batchId}.`,
        fix: `See what became of batch ${refusal.batchId}, and retry that one if need be.`,
      };
  }
}
