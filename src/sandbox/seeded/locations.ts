/** Forty made-up service locations, one per place, the same on every start. Contacts use numbers reserved for fiction. */
import { PLACES } from './places.ts';

export interface ServiceLocation {
  locationNumber: string;
  name: string;
  services: string[];
  address: { line1: string; city: string; state: string; postalCode: string; country: string };
  coordinate: { latitude: number; longitude: number };
  timeZone: string;
  amenities: string[];
  businessHours: { day: string; open: string; close: string }[];
  contact: { phone: string; email: string };
}

const FIRST_LOCATION_NUMBER = 1_001;
const SERVICES = ['maintenance', 'fueling', 'washing', 'rental', 'tire service', 'reefer repair'];
const AMENITIES = ['parking', 'driver lounge', 'showers', 'scale', 'charging'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Every location offers maintenance; what else it has depends on its place in the count. */
function someOf(all: string[], index: number): string[] {
  return all.filter((_, position) => position === 0 || (index + position) % 3 === 0);
}

function hoursOf(index: number): ServiceLocation['businessHours'] {
  const isAlwaysOpen = index % 5 === 0;
  const days = isAlwaysOpen ? DAYS : DAYS.slice(0, 6);
  return days.map((day) => {
    if (isAlwaysOpen) return { day, open: '00:00', close: '24:00' };
    return { day, open: '06:00', close: day === 'Saturday' ? '14:00' : '22:00' };
  });
}

export const LOCATIONS: readonly ServiceLocation[] = PLACES.map((place, index) => {
  const { city, state, postalCode, latitude, longitude, timeZone } = place;
  const locationNumber = String(FIRST_LOCATION_NUMBER + index);
  return {
    locationNumber,
    name: `${city} Service Center`,
    services: someOf(SERVICES, index),
    address: { line1: `${100 + index * 15} Depot Road`, city, state, postalCode, country: 'US' },
    coordinate: { latitude, longitude },
    timeZone,
    amenities: someOf(AMENITIES, index),
    businessHours: hoursOf(index),
    contact: {
      phone: `+1-555-01${String(index).padStart(2, '0')}`,
      email: `location-${locationNumber}@sandbox.example`,
    },
  };
});
