/** Joins what a Batch reads with: its own tables, the stored bytes, earlier batches, and the APIs that look-ups go to. */
import { asking } from '../fleet/asking.ts';
import { fleetCache } from '../fleet/cache.ts';
import { askLookUps } from '../fleet/look-up-asking.ts';
import { batchName, registerName } from '../kernel/names.ts';
import { upstreamOf } from '../upstream/settings.ts';
import type { ActionPort } from './action-port.ts';
import type { LookUpStore } from './look-up-store.ts';
import type { LookingPort } from './looking-up.ts';
import type { ReadingPort } from './reading.ts';
import type { BatchTicket } from './ticket.ts';

type Own = Pick<ReadingPort, 'store' | 'groups' | 'messages' | 'memory' | 'progress'> &
  Pick<ActionPort, 'keep'> & { lookUps: LookUpStore };

export function readingPort(env: Env, ticket: BatchTicket, { lookUps, keep, ...own }: Own): ReadingPort {
  return {
    ...own,
    files: env.FILES,
    earlier: {
      register: env.INTAKE_REGISTER.getByName(registerName(ticket)),
      batch: (batchId) => env.BATCH.getByName(batchName(ticket, batchId)),
    },
    lookUps: {
      ...lookingUp(env, ticket),
      store: lookUps,
      awaited: () => own.progress().awaited,
      keep: (awaited) => keep({ awaited }),
    },
  };
}

function lookingUp(env: Env, { channel: name, partner, batchId }: BatchTicket): Pick<LookingPort, 'clock' | 'ask'> {
  const { channels, clock } = upstreamOf(env);
  return {
    clock,
    ask(wanted) {
      const channel = channels.get(name);
      if (channel === undefined) throw new Error(`channel ${name} is not configured`);
      const ask = asking({ env, channel, clock, partner, subject: `look-ups of ${batchId}` });
      const port = { cache: fleetCache(env.LOOK_UPS, channel), clock, ask, later: () => undefined };
      return askLookUps(port, channel, wanted);
    },
  };
}
