/** Joins what a Batch reads with: its own tables, the stored bytes, earlier batches, and the APIs that look-ups go to. */
import { lookUpAsker } from '../../fleet/look-up-asker.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import { upstreamOf } from '../../upstream/settings.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ReadingPort } from '../steps/reading.ts';
import type { LookUpStore } from '../store/look-up-store.ts';
import type { ActionPort } from './action-port.ts';

type Own = Pick<ReadingPort, 'store' | 'claims' | 'groups' | 'messages' | 'memory' | 'progress'> &
  Pick<ActionPort, 'keep'> & { lookUps: LookUpStore };

/** Batches of the same partner: of no other one could any be named. */
export const earlierBatches = (env: Env, ticket: BatchTicket) => ({
  register: env.INTAKE_REGISTER.getByName(registerName(ticket)),
  batch: (batchId: string) => env.BATCH.getByName(batchName(ticket, batchId)),
});

export function readingPort(env: Env, ticket: BatchTicket, { lookUps, keep, ...own }: Own): ReadingPort {
  const settings = upstreamOf(env);
  const { channel, partner, batchId } = ticket;
  return {
    ...own,
    files: env.FILES,
    earlier: earlierBatches(env, ticket),
    lookUps: {
      clock: settings.clock,
      ask: lookUpAsker(env, settings, { channel, partner, subject: `look-ups of ${batchId}` }),
      store: lookUps,
      awaited: () => own.progress().awaited,
      keep: (awaited) => keep({ awaited }),
    },
  };
}
