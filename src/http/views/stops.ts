/** What keeps a partner's requests from being sent over a channel, and until when. */
import type { Context } from 'hono';
import { iso } from '../../kernel/clock.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchName, type Environment } from '../../kernel/names.ts';
import type { ChannelHealth } from '../../ops/gates.ts';
import type { Breaker, OpenedBy } from '../../upstream/gate/breaker.ts';
import type { HttpBindings } from '../edge/context.ts';
import { isForLater } from '../edge/later.ts';
import type { AppPorts } from '../edge/ports.ts';

/** @property scac only its requests wait; null: all of the batch do. */
export interface SendingStop {
  scac: string | null;
  why: OpenedBy;
  since: string;
  nextTry: string;
}

/** @param of what others on the channel wait for is not told. */
export function stopsFor(
  found: ChannelHealth,
  { partner, scacs }: { partner: string; scacs: readonly string[] },
): SendingStop[] {
  if (!found.reached) return [];
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

/** One batch of a list, as the register or the index has it. */
export interface ListedForStops {
  batchId: string;
  partner: string;
  state: string;
  dryRun: boolean;
  /** Of all its rows; null: they may differ. */
  scac: string | null;
}

const OPEN: readonly string[] = ['reading', 'delivering'];

/** A batch that has ended waits for nothing, and a dry run sends nothing. */
export const maySend = ({ state, dryRun }: Pick<ListedForStops, 'state' | 'dryRun'>): boolean =>
  !dryRun && OPEN.includes(state);

/**
 * Of those of a list that have any. The batches themselves are called only while a channel is stopped: else none of
 * them can be.
 * @param channels on which they are sent; null: any of the environment.
 */
export async function stopsListed(
  { env }: Context<HttpBindings>,
  ports: Pick<AppPorts, 'gates'>,
  { environment, channels }: { environment: Environment; channels: readonly string[] | null },
  listed: readonly ListedForStops[],
): Promise<Map<string, SendingStop[]>> {
  const open = listed.filter(maySend);
  if (open.length === 0) return new Map();
  const gates = ports.gates(env);
  const found =
    channels === null
      ? await gates.health(environment)
      : await Promise.all(channels.map((channel) => gates.healthOf(environment, channel)));
  const stopped = new Map(found.filter(isStopped).map((health) => [health.channel, health]));
  if (stopped.size === 0) return new Map();
  const stops = await Promise.all(
    open.map(async ({ batchId, partner, scac }) => {
      const route = await routeOf(env, { environment, partner }, batchId);
      const health = stopped.get(route?.channel ?? '');
      return route === undefined || health === undefined
        ? []
        : stopsFor(health, { partner, scacs: scac === null ? route.scacs : [scac] });
    }),
  );
  return new Map(open.map(({ batchId }, at) => [batchId, stops[at] ?? []]));
}

const isStopped = (found: ChannelHealth): boolean =>
  found.reached &&
  (found.health.auth !== null || found.health.breakers.length > 0 || found.health.parkedScacs.length > 0);

/** @returns undefined also while the batch does not answer: the list is right without it. */
async function routeOf(env: Env, scope: { environment: Environment; partner: string }, batchId: string) {
  try {
    return await env.BATCH.getByName(batchName(scope, batchId)).route();
  } catch (thrown) {
    if (!isForLater(thrown)) throw thrown;
    log('warn', 'route_not_told', { batchId, detail: messageOf(thrown) });
    return undefined;
  }
}
