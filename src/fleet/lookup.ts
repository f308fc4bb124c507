/** Turns mapping lookups into calls of the fleet and locations APIs, and their answers into lookup answers. */
import { type Lookup, type LookupAnswer, lookupKey } from '../mapping/lookups/lookup.ts';
import type { Channel } from '../upstream/channels.ts';
import type { UpstreamSettings } from '../upstream/settings.ts';
import { type FleetItem, type FleetTrouble, locationFact, locationFacts, vehicleFact, vehicleFacts } from './answer.ts';
import { type Resolver, requestWith } from './call.ts';
import { LOOKUPS_AT_ONCE } from './limits.ts';
import { apiOf, type FleetQuestion, isAddressable } from './question.ts';
import { type FleetPort, type FleetReading, fleetCache, readFleet } from './read.ts';

/** @returns null: nothing can have such a key, so no call is made. */
function questionOf(asked: Lookup, { customerNumber }: Pick<Channel, 'customerNumber'>): FleetQuestion | null {
  const { key } = asked;
  if (!isAddressable(key)) return null;
  if (asked.of === 'location') return { of: 'location', locationNumber: key };
  if (asked.by === 'vehicleNumber') return { of: 'vehicle', vehicleNumber: key };
  return { of: 'vehicles', filters: { [asked.by]: key, ...(customerNumber === undefined ? {} : { customerNumber }) } };
}

/** Only exact matches of the key, whatever the upstream's filters let through. */
function answerOf(
  asked: Lookup,
  { items, fetchedAtMs: atMs }: Pick<FleetReading, 'items' | 'fetchedAtMs'>,
  { customerNumber }: Pick<Channel, 'customerNumber'>,
): LookupAnswer {
  const found = (items ?? []).filter((item) => answersTo(item, asked) && isOfCustomer(item, asked, customerNumber));
  const [only] = found;
  if (only === undefined) return { outcome: 'none', atMs };
  if (found.length > 1) return { outcome: 'several', count: found.length, atMs };
  return { outcome: 'found', facts: asked.of === 'vehicle' ? vehicleFacts(only) : locationFacts(only), atMs };
}

function answersTo(item: FleetItem, asked: Lookup): boolean {
  const own = asked.of === 'vehicle' ? vehicleFact(item, asked.by) : locationFact(item, asked.by);
  return own !== undefined && normalized(own) === normalized(asked.key);
}

/** Another customer's vehicle does not count. One without a customer belongs to the account. */
export function isOfCustomer(item: FleetItem, { of }: Pick<Lookup, 'of'>, customerNumber: string | undefined): boolean {
  if (of !== 'vehicle' || customerNumber === undefined) return true;
  return (vehicleFact(item, 'customerNumber') ?? customerNumber) === customerNumber;
}

const normalized = (text: string): string => text.trim().toUpperCase();

/* Runs several lookups, a few at a time; after an API fails, no further calls go to it. */

/**
 * @property answers by `lookupKey`, without those that got no answer. @property trouble why, of the first API that
 * failed.
 */
export interface RequestedLookups {
  answers: ReadonlyMap<string, LookupAnswer>;
  trouble: FleetTrouble | null;
}

async function requestLookups(
  port: FleetPort,
  channel: Pick<Channel, 'customerNumber' | 'fleet'>,
  wanted: readonly Lookup[],
): Promise<RequestedLookups> {
  const answers = new Map<string, LookupAnswer>();
  const failing = new Map<string, FleetTrouble>();
  const queue = [...wanted];
  const requestOne = async (asked: Lookup): Promise<void> => {
    const atMs = port.clock.nowMs();
    const question = questionOf(asked, channel);
    if (channel.fleet === 'off') {
      answers.set(lookupKey(asked), {
        outcome: 'unavailable',
        why: 'look-ups are switched off for this channel',
        atMs,
      });
    } else if (question === null) answers.set(lookupKey(asked), { outcome: 'none', atMs });
    else if (!failing.has(apiOf(question))) {
      const read = await readFleet(port, question, 'renew');
      if (read.ok) answers.set(lookupKey(asked), answerOf(asked, read.value, channel));
      else failing.set(read.error.api, read.error);
    }
  };
  const worker = async (): Promise<void> => {
    for (let asked = queue.shift(); asked !== undefined; asked = queue.shift()) await requestOne(asked);
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, worker));
  const [trouble = null] = failing.values();
  return { answers, trouble };
}

/* Connects lookups to a channel's fleet and locations APIs, with its cache and its gate's permits. */

export type RequestLookups = (wanted: readonly Lookup[]) => Promise<RequestedLookups>;

/** @param of `channel` by its name. Lookups throw if it is not configured. */
export function lookupResolver(
  env: Resolver['env'] & Pick<Env, 'LOOK_UPS'>,
  { channels, clock }: UpstreamSettings,
  of: { channel: string; partner: string; subject: string },
): RequestLookups {
  return async (wanted) => {
    const channel = channels.get(of.channel);
    if (channel === undefined) throw new Error(`channel ${of.channel} is not configured`);
    const requestOne = requestWith({ env, clock, partner: of.partner, subject: of.subject, channel });
    // Nothing runs in the background: an answer that is not fresh is renewed first.
    return requestLookups(
      { cache: fleetCache(env.LOOK_UPS, channel), clock, request: requestOne, later: () => undefined },
      channel,
      wanted,
    );
  };
}
