/** Joins what a Batch reads with: its own tables, the stored bytes, earlier batches, and the APIs that look-ups go to. */
import { lookUpAsker } from '../fleet/look-up-asker.ts';
import { batchName, registerName } from '../kernel/names.ts';
import { upstreamOf } from '../upstream/settings.ts';
import type { ActionPort } from './action-port.ts';
import type { LookUpStore } from './look-up-store.ts';
import type { ReadingPort } from './reading.ts';
import type { BatchTicket } from './ticket.ts';

type Own = Pick<ReadingPort, 'store' | 'groups' | 'messages' | 'memory' | 'progress'> &
  Pick<ActionPort, 'keep'> & { lookUps: LookUpStore };

export function readingPort(env: Env, ticket: BatchTicket, { lookUps, keep, ...own }: Own): ReadingPort {
  const settings = upstreamOf(env);
  const { channel, partner, batchId } = ticket;
  return {
    ...own,
    files: env.FILES,
    earlier: {
      register: env.INTAKE_REGISTER.getByName(registerName(ticket)),
      batch: (batchId) => env.BATCH.getByName(batchName(ticket, batchId)),
    },
    lookUps: {
      clock: settings.clock,
      ask: lookUpAsker(env, settings, { channel, partner, subject: `look-ups of ${batchId}` }),
      store: lookUps,
      awaited: () => own.progress().awaited,
      keep: (awaited) => keep({ awaited }),
    },
  };
}
