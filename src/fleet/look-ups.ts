/** What mappings look up → questions of the fleet and locations APIs, and what their answers mean. */
import type { LookUp, LookUpAnswer } from '../mapping/lookups/look-up.ts';
import type { Channel } from '../upstream/channels.ts';
import { locationFact, locationFacts, vehicleFact, vehicleFacts } from './facts.ts';
import type { FleetItem } from './judge.ts';
import { type FleetQuestion, isAddressable } from './question.ts';
import type { FleetReading } from './read.ts';

/** @returns null: nothing can stand under such a key, so nobody is asked. */
export function questionOf(asked: LookUp, { customerNumber }: Pick<Channel, 'customerNumber'>): FleetQuestion | null {
  const { key } = asked;
  if (!isAddressable(key)) return null;
  if (asked.of === 'location') return { of: 'location', locationNumber: key };
  if (asked.by === 'vehicleNumber') return { of: 'vehicle', vehicleNumber: key };
  return { of: 'vehicles', filters: { [asked.by]: key, ...(customerNumber === undefined ? {} : { customerNumber }) } };
}

/** What answers to the key exactly, whatever the upstream's own filters let through. */
export function answerOf(
  asked: LookUp,
  { items, fetchedAtMs: atMs }: Pick<FleetReading, 'items' | 'fetchedAtMs'>,
  { customerNumber }: Pick<Channel, 'customerNumber'>,
): LookUpAnswer {
  const found = (items ?? []).filter((item) => answersTo(item, asked) && isOfCustomer(item, asked, customerNumber));
  const [only] = found;
  if (only === undefined) return { outcome: 'none', atMs };
  if (found.length > 1) return { outcome: 'several', count: found.length, atMs };
  return { outcome: 'found', facts: asked.of === 'vehicle' ? vehicleFacts(only) : locationFacts(only), atMs };
}

function answersTo(item: FleetItem, asked: LookUp): boolean {
  const own = asked.of === 'vehicle' ? vehicleFact(item, asked.by) : locationFact(item, asked.by);
  return own !== undefined && folded(own) === folded(asked.key);
}

/** A vehicle of somebody else's is none. One that does not say whose it is, is the account's. */
export function isOfCustomer(item: FleetItem, { of }: Pick<LookUp, 'of'>, customerNumber: string | undefined): boolean {
  if (of !== 'vehicle' || customerNumber === undefined) return true;
  return (vehicleFact(item, 'customerNumber') ?? customerNumber) === customerNumber;
}

const folded = (text: string): string => text.trim().toUpperCase();
