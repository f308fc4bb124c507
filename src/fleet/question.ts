/** The calls that the fleet and locations APIs offer (seed 4.2), as plain values. */

import type { Observation } from '../upstream/answer.ts';
import type { UpstreamPort } from '../upstream/call.ts';
import type { Channel } from '../upstream/channels.ts';
import { isPathValue } from '../upstream/compose.ts';
import type { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { getLocation, getVehicle, listLocations, listServiceHistory, listVehicles } from '../upstream/endpoints.ts';
import { LOOKUP_KEY_CHARACTERS_MAX } from './limits.ts';

interface VehicleFilters {
  vin?: string;
  licensePlate?: string;
  customerNumber?: string;
}
type LocationFilters = Partial<Record<(typeof NOT_SHOWN.locationFilterParameters)[number], string>>;

export type FleetQuestion =
  | { of: 'vehicles'; filters: VehicleFilters }
  | { of: 'vehicle'; vehicleNumber: string }
  /** Dates as `yyyy-mm-dd`, both inclusive. */
  | { of: 'serviceHistory'; filters: { vehicleNumber?: string; from?: string; to?: string } }
  | { of: 'locations'; filters: LocationFilters }
  | { of: 'location'; locationNumber: string };

/** Which of the two APIs answers it: each may fail on its own. */
export type FleetApi = 'fleet' | 'locations';
export const apiOf = ({ of }: FleetQuestion): FleetApi =>
  of === 'locations' || of === 'location' ? 'locations' : 'fleet';

/** Whether a number can exist in a path: others need no call. */
export const isAddressable = (text: string): boolean => text.length <= LOOKUP_KEY_CHARACTERS_MAX && isPathValue(text);

export function post(port: UpstreamPort, channel: Channel, question: FleetQuestion): Promise<Observation> {
  switch (question.of) {
    case 'vehicles':
      return listVehicles(port, channel, question.filters);
    case 'vehicle':
      return getVehicle(port, channel, question.vehicleNumber);
    case 'serviceHistory':
      return listServiceHistory(port, channel, question.filters);
    case 'locations':
      return listLocations(port, channel, question.filters);
    case 'location':
      return getLocation(port, channel, question.locationNumber);
  }
}

/** Equal questions have equal texts, in any order of filters. */
export function questionText(question: FleetQuestion): string {
  if (question.of === 'vehicle') return JSON.stringify([question.of, question.vehicleNumber]);
  if (question.of === 'location') return JSON.stringify([question.of, question.locationNumber]);
  const filters = Object.entries(question.filters).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([question.of, filters]);
}
