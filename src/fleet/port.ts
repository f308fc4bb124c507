/** What reading needs of this deployment, for one caller: its cache, its permits, and work that may end behind the answer. */
import type { Clock } from '../kernel/clock.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { Channel } from '../upstream/channels.ts';
import { asking } from './asking.ts';
import { fleetCache } from './cache.ts';
import type { FleetPort } from './read.ts';

export interface FleetReader {
  channel: Channel;
  clock: Clock;
  partner: string;
  /** As whom the gate knows it beside the partner's loads and orders. */
  subject: string;
  /** Keeps the process until the work has ended. */
  waitUntil(work: Promise<unknown>): void;
}

export function fleetPort(
  env: Pick<Env, 'LOOK_UPS' | 'UPSTREAM_GATE' | 'TOKENS'>,
  { channel, clock, partner, subject, waitUntil }: FleetReader,
): FleetPort {
  return {
    cache: fleetCache(env.LOOK_UPS, channel),
    clock,
    ask: asking({ env, channel, clock, partner, subject }),
    later: (work) =>
      waitUntil(
        work.catch((thrown) =>
          log('warn', 'look_up_not_renewed', { channel: channel.name, detail: messageOf(thrown) }),
        ),
      ),
  };
}
