/** What keeps a partner's requests from being sent over a channel, and until when. Pure. */
import { iso } from '../../kernel/clock.ts';
import type { ChannelHealth } from '../../ops/gates.ts';
import type { Breaker, OpenedBy } from '../../upstream/gate/breaker.ts';

/** @property scac only its requests wait; null: all of the batch do. */
export interface SendingStop {
  scac: string | null;
  why: OpenedBy;
  since: string;
  nextTry: string;
}

/** @param of what others on the channel wait for is not told. */
export function stopsFor(
  found: ChannelHealth | null,
  { partner, scacs }: { partner: string; scacs: readonly string[] },
): SendingStop[] {
  if (found === null || !found.reached) return [];
  const { breakers, auth, parkedScacs } = found.health;
  const own = breakers.filter(({ scope }) => scope === 'channel' || scope === `partner:${partner}`);
  return [...(auth === null ? [] : [auth]), ...own, ...parkedScacs]
    .map(stopOf)
    .filter(({ scac }) => scac === null || scacs.includes(scac));
}

const stopOf = ({ scope, why, sinceMs, untilMs }: Breaker): SendingStop => ({
  scac: scope.startsWith('scac:') ? scope.slice('scac:'.length) : null,
  why,
  since: iso(sinceMs),
  nextTry: iso(untilMs),
});
