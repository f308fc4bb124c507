/** What look-ups may take of a vehicle or a location, where the receiving system has it. */
import { expect, it } from 'vitest';
import { locationFacts, vehicleFacts } from '../../../src/fleet/answer.ts';

it('a location is read by its number, its address and its coordinate, as text', () => {
  const location = {
    locationNumber: '1001',
    name: ' Joliet yard ',
    address: { line1: '1 Main St', city: 'Joliet', state: 'IL', postalCode: 60_432, country: 'US' },
    coordinate: { latitude: 41.525, longitude: -88.0817 },
    timeZone: 'America/Chicago',
  };
  expect(locationFacts(location)).toEqual({
    locationNumber: '1001',
    name: 'Joliet yard',
    ...{ line1: '1 Main St', city: 'Joliet', state: 'IL', postalCode: '60432', country: 'US' },
    ...{ latitude: '41.525', longitude: '-88.0817' },
    timeZone: 'America/Chicago',
  });
});

it('a vehicle is read by its numbers, and what is empty or missing is no fact', () => {
  expect(vehicleFacts({ vehicleNumber: '00700001', VIN: '1FUJGLDR1CLBP8834', licensePlate: ' ' })).toEqual({
    vehicleNumber: '00700001',
    vin: '1FUJGLDR1CLBP8834',
  });
});
