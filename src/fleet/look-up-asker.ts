/** Joins look-ups to the fleet and locations APIs of a channel, with its cache and the permits of its gate. */
import type { LookUp } from '../mapping/lookups/look-up.ts';
import type { UpstreamSettings } from '../upstream/settings.ts';
import { type Asker, asking } from './asking.ts';
import { fleetCache } from './cache.ts';
import { type AskedLookUps, askLookUps } from './look-up-asking.ts';

export type AskLookUps = (wanted: readonly LookUp[]) => Promise<AskedLookUps>;

/** @param of `channel` by its name. Asking throws where it is not configured. */
export function lookUpAsker(
  env: Asker['env'] & Pick<Env, 'LOOK_UPS'>,
  { channels, clock }: UpstreamSettings,
  of: { channel: string; partner: string; subject: string },
): AskLookUps {
  return async (wanted) => {
    const channel = channels.get(of.channel);
    if (channel === undefined) throw new Error(`channel ${of.channel} is not configured`);
    const ask = asking({ env, clock, partner: of.partner, subject: of.subject, channel });
    // Nothing goes on behind a look-up: an answer that is not fresh is renewed first.
    return askLookUps(
      { cache: fleetCache(env.LOOK_UPS, channel), clock, ask, later: () => undefined },
      channel,
      wanted,
    );
  };
}
