/** The locations API (seed 2.7, 4.2): a filtered list of service locations, and one in full. Pure, and the same for every caller. */
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { json, refuse } from './answers.ts';
import { type Ask, answerOnly, type Decision } from './decision.ts';
import { applyFilters, checkParameters, type FilterTexts } from './filters.ts';
import { LOCATIONS, type ServiceLocation } from './seeded/locations.ts';

type FilterName = (typeof NOT_SHOWN.locationFilterParameters)[number];

const LOCATION_FILTERS: Record<FilterName, FilterTexts<ServiceLocation>[string]> = {
  city: ({ address }) => [address.city],
  state: ({ address }) => [address.state],
  postalCode: ({ address }) => [address.postalCode],
  service: ({ services }) => services,
};

export function decideLocations(ask: Ask): Decision {
  const refusal = checkParameters(ask.received, NOT_SHOWN.locationFilterParameters);
  if (refusal !== null) return answerOnly(refusal);
  const found = applyFilters(LOCATIONS, ask.received, LOCATION_FILTERS);
  const summaries = found.map(({ locationNumber, name, services, address, coordinate, timeZone }) => {
    return { locationNumber, name, services, address, coordinate, timeZone };
  });
  return answerOnly(json(200, { [NOT_SHOWN.listKeys.locations]: summaries }));
}

export function decideLocation(ask: Ask): Decision {
  const found = LOCATIONS.find(({ locationNumber }) => locationNumber === ask.params.locationNumber);
  if (found !== undefined) return answerOnly(json(200, found));
  return answerOnly(refuse('location_unknown', `There is no location ${ask.params.locationNumber}.`));
}
