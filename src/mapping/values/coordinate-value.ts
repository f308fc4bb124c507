/** Compiles a position: two texts become a latitude and a longitude on the globe, or the reason why they are none. */

import { type CoordinateField, type CoordinatePair, longForm } from '../document/field-spec.ts';
import type { TracePoint } from '../request.ts';
import { asRequired } from './checked.ts';
import { type Axis, type CoordinateFault, looksSwapped, pairFault, readCoordinate } from './coordinate.ts';
import { withEnrichment } from './enrich.ts';
import type { FieldPlace } from './fault.ts';
import { compileWorkingText, type FieldContext, onlyWhen, placeOf, type ReadValue, refuse } from './text.ts';

/** Half of a pair: a number of degrees, whatever its range, or the fault. */
type Half = { degrees: number; outOfRange: boolean; value: string; degreesMax: number };

export function compileCoordinate(
  { latitude, longitude }: CoordinatePair,
  context: FieldContext,
): ReadValue<TracePoint['coordinate']> {
  const places = {
    latitude: placeOf(latitude, 'latitude', context),
    longitude: placeOf(longitude, 'longitude', context),
  };
  const readLatitude = compileHalf(latitude, 'latitude', places.latitude, context);
  const readLongitude = compileHalf(longitude, 'longitude', places.longitude, context);
  const pair: FieldPlace = {
    columns: [...new Set([...places.latitude.columns, ...places.longitude.columns])],
    target: 'coordinate',
  };
  return (fields, errors) => {
    const lat = readLatitude(fields, errors);
    const long = readLongitude(fields, errors);
    if (lat === undefined || long === undefined) return undefined;
    if (!lat.outOfRange && !long.outOfRange) {
      const value = `${lat.value}, ${long.value}`;
      if (pairFault(lat.degrees, long.degrees) === 'no_fix') {
        return refuse({ code: 'coordinate_no_fix', value }, pair, errors);
      }
      return { latitude: lat.degrees, longitude: long.degrees };
    }
    if (looksSwapped(lat.degrees, long.degrees)) {
      return refuse({ code: 'coordinates_swapped', value: `${lat.value}, ${long.value}` }, pair, errors);
    }
    for (const [half, place] of [
      [lat, places.latitude],
      [long, places.longitude],
    ] as const) {
      const { value, degreesMax } = half;
      if (half.outOfRange) refuse({ code: 'coordinate_out_of_range', value, degreesMax }, place, errors);
    }
    return undefined;
  };
}

function compileHalf(field: CoordinateField, axis: Axis, place: FieldPlace, context: FieldContext): ReadValue<Half> {
  const spec = longForm(field);
  const { form = 'decimal', decimal = '.', hemisphere } = spec;
  const read = withEnrichment(spec.enrich, compileWorkingText(spec, place, context), place, context.lookUps);
  const half: ReadValue<Half> = (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    const found = readCoordinate(value, axis, form, decimal, hemisphere);
    if (found.ok) return { degrees: found.value, outOfRange: false, value, degreesMax: 0 };
    const { error } = found;
    if (error.code === 'out_of_range') {
      return { degrees: error.value, outOfRange: true, value, degreesMax: error.degreesMax };
    }
    return refuse({ code: 'coordinate_invalid', value, form, decimal, why: reasonOf(error) }, place, errors);
  };
  return asRequired(onlyWhen(spec.when, half, context), place);
}

function reasonOf(fault: Exclude<CoordinateFault, { code: 'out_of_range' }>): string {
  switch (fault.code) {
    case 'empty':
    case 'not_a_coordinate':
      return 'it has another form';
    case 'wrong_hemisphere':
      return `the letter ${fault.letter} belongs to the other half, so latitude and longitude may be swapped`;
    case 'sign_contradicts_letter':
      return `the sign ${fault.sign} contradicts the letter ${fault.letter}`;
    case 'hemisphere_missing':
      return 'it does not say which side it means (N or S, E or W)';
    case 'minutes_out_of_range':
      return 'minutes and seconds must be below 60';
  }
}
