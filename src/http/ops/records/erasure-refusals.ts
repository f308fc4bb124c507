/** What a request to erase says, and why it is refused. */
import * as z from 'zod';
import { messagesFor, type RefusalTable } from '../../../kernel/refusals.ts';
import type { OpsContext } from '../../edge/context.ts';
import { problem } from '../../edge/problem.ts';
import { why } from '../request.ts';

export const eraseBody = z.strictObject({ why, confirm: z.string().optional() });

type ErasureRefusal = 'erasure_unseen' | 'erasure_changed' | 'erasure_under_way' | 'nothing_to_erase';

export const refusedErasure = (
  context: OpsContext,
  code: ErasureRefusal,
  more: Record<string, unknown> = {},
): Response => problem(context, { ...messagesFor(MESSAGES, { code }), code }, more);

const MESSAGES: RefusalTable<{ code: ErasureRefusal }> = {
  erasure_unseen: {
    status: 409,
    title: 'Plan not seen',
    detail:
      'What is erased cannot be brought back, and the request does not say that its plan was read. Nothing was erased.',
    fix: 'Send it with dryRun=true first, read the plan, and send its "confirm" along.',
  },
  erasure_changed: {
    status: 409,
    title: 'Plan changed',
    detail: 'What would be erased is no longer what "confirm" stands for. Nothing was erased.',
    fix: 'Read the plan as it is now; to go on, send the same again with its "confirm".',
  },
  erasure_under_way: {
    status: 409,
    title: 'Something is under way',
    detail:
      'Requests of it wait for their turn, for an answer or for a decision, or a batch that has rows of it has not ended.',
    fix: 'Wait until they have ended, decide about those that are held, or cancel the batch. Then read the plan again, and repeat.',
  },
  nothing_to_erase: {
    status: 404,
    title: 'Nothing stored',
    detail: 'Nothing is stored under this name. Nothing was erased.',
    fix: 'Check the number or reference, the partner and the SCAC.',
  },
};
