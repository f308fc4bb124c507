/** Compiles single fields of an event under the rules of its target: required or not, how long, how small. */

import type { Problem } from '../../kernel/problem.ts';
import {
  type CoordinateField,
  type CoordinatePair,
  longForm,
  type ReferenceField,
  type TemperatureField,
  type TextField,
} from '../document/field-spec.ts';
import { type EventFieldName, type EventFields, targetField } from '../document/targets.ts';
import { CODE_CHARACTERS_MAX, TEXT_CHARACTERS_MAX } from '../limits.ts';
import type {
  LoadMilestoneEventFields,
  MilestoneFields,
  Reference,
  RequestKind,
  TimeObject,
  TraceFields,
  TracePoint,
} from '../request.ts';
import { asRequired, compileNumber, withTextLimits } from '../values/checked.ts';
import { type Axis, type CoordinateFault, looksSwapped, pairFault, readCoordinate } from '../values/coordinate.ts';
import type { FieldLocation } from '../values/fault.ts';
import { stateFault } from '../values/state-code.ts';
import {
  compileText,
  compileWorkingText,
  type FieldContext,
  locationOf,
  onlyWhen,
  type ReadValue,
  refuse,
  withEnrichment,
} from '../values/text.ts';
import { compileMoment, compileTime, type TimeDefaults } from '../values/time.ts';

/* Compiles a position: two texts become latitude and longitude, or the reason why not. */

/** One coordinate: a number of degrees, whatever its range, or the fault. */
type Half = { degrees: number; outOfRange: boolean; value: string; degreesMax: number };

function compileCoordinate(
  { latitude, longitude }: CoordinatePair,
  context: FieldContext,
): ReadValue<TracePoint['coordinate']> {
  const places = {
    latitude: locationOf(latitude, 'latitude', context),
    longitude: locationOf(longitude, 'longitude', context),
  };
  const readLatitude = compileHalf(latitude, 'latitude', places.latitude, context);
  const readLongitude = compileHalf(longitude, 'longitude', places.longitude, context);
  const pair: FieldLocation = {
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
    for (const [half, locate] of [
      [lat, places.latitude],
      [long, places.longitude],
    ] as const) {
      const { value, degreesMax } = half;
      if (half.outOfRange) refuse({ code: 'coordinate_out_of_range', value, degreesMax }, locate, errors);
    }
    return undefined;
  };
}

function compileHalf(
  field: CoordinateField,
  axis: Axis,
  locate: FieldLocation,
  context: FieldContext,
): ReadValue<Half> {
  const spec = longForm(field);
  const { form = 'decimal', decimal = '.', hemisphere } = spec;
  const read = withEnrichment(spec.enrich, compileWorkingText(spec, locate, context), locate, context.lookUps);
  const half: ReadValue<Half> = (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    const found = readCoordinate(value, axis, form, decimal, hemisphere);
    if (found.ok) return { degrees: found.value, outOfRange: false, value, degreesMax: 0 };
    const { error } = found;
    if (error.code === 'out_of_range') {
      return { degrees: error.value, outOfRange: true, value, degreesMax: error.degreesMax };
    }
    return refuse({ code: 'coordinate_invalid', value, form, decimal, why: reasonOf(error) }, locate, errors);
  };
  return asRequired(onlyWhen(spec.when, half, context), locate);
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

/** What a plan reads: its fields, and for each the record or the element it is read in. */
export interface EventScope {
  target: RequestKind;
  spec<Name extends EventFieldName>(name: Name): EventFields[Name];
  context(name: EventFieldName): FieldContext;
  times: TimeDefaults;
}

const NO_VALUE: ReadValue<never> = () => undefined;

/** The names of fields that have a kind of form. */
type NameOf<Form> = {
  [Name in EventFieldName]: EventFields[Name] extends Form | undefined ? Name : never;
}[EventFieldName];
type TextName = Extract<NameOf<TextField>, EventFieldName>;

function compileTargetText(scope: EventScope, name: TextName): ReadValue<string> {
  const field = scope.spec(name) as TextField | undefined;
  if (field === undefined) return NO_VALUE;
  const locate = locationOf(field, name, scope.context(name));
  const target = targetField(scope.target, name);
  const charactersMax = target?.holds === 'text' ? target.charactersMax : TEXT_CHARACTERS_MAX;
  const kind = charactersMax < TEXT_CHARACTERS_MAX ? 'name' : 'line'; // load numbers, codes, resources
  const read = withTextLimits(compileText(field, locate, scope.context(name)), charactersMax, locate, kind);
  return target?.required === true ? asRequired(read, locate) : read;
}

interface EventLocation {
  eventCity: string | undefined;
  eventState: string | undefined;
}

/** Without a member that has no value: the parts are set one by one, as a spread would take as long as all other fields. */
function locateEvent(
  body: { eventCity?: string; eventState?: string },
  { eventCity, eventState }: EventLocation,
): void {
  if (eventCity !== undefined) body.eventCity = eventCity;
  if (eventState !== undefined) body.eventState = eventState;
}

/** City and state of an event. What a location lookup returns is the operator's text, and is not changed. */
function compileTargetLocation(scope: EventScope): (fields: readonly string[], errors: Problem[]) => EventLocation {
  const readCity = compileTargetText(scope, 'eventCity');
  const readState = compileTargetText(scope, 'eventState');
  const [city, state] = [scope.spec('eventCity'), scope.spec('eventState')];
  const cityPlace = city === undefined ? undefined : locationOf(city, 'eventCity', scope.context('eventCity'));
  const statePlace = locationOf(state ?? {}, 'eventState', scope.context('eventState'));
  const isAsked = state !== undefined && longForm(state).enrich === undefined;
  return (fields, errors) => {
    const eventCity = readCity(fields, errors);
    const eventState = readState(fields, errors);
    const fact = isAsked && eventState !== undefined ? stateFault(eventState, eventCity ?? '') : undefined;
    if (eventState !== undefined && fact !== undefined)
      refuse({ code: 'state_invalid', value: eventState, fact, city: cityPlace }, statePlace, errors);
    return { eventCity, eventState };
  };
}

function compileTargetTime(scope: EventScope): ReadValue<TimeObject> {
  const field = scope.spec('time');
  if (field === undefined) return NO_VALUE;
  const locate = locationOf(field, 'time', scope.context('time'));
  return asRequired(compileTime(field, locate, scope.times, scope.context('time')), locate);
}

function compileTargetMoment(scope: EventScope): ReadValue<string> {
  const field = scope.spec('event_time');
  if (field === undefined) return NO_VALUE;
  const locate = locationOf(field, 'event_time', scope.context('event_time'));
  return asRequired(compileMoment(field, locate, scope.times, scope.context('event_time')), locate);
}

function compileTargetInteger(scope: EventScope, name: 'stopsequenceNumber' | 'odometer'): ReadValue<number> {
  const field = scope.spec(name);
  if (field === undefined) return NO_VALUE;
  const target = targetField(scope.target, name);
  const minimum = target?.holds === 'integer' ? target.minimum : 0;
  const context = scope.context(name);
  return compileNumber(field, { whole: true, minimum }, locationOf(field, name, context), context);
}

function compileTargetCoordinate(scope: EventScope): ReadValue<TracePoint['coordinate']> {
  const field = scope.spec('coordinate');
  return field === undefined ? NO_VALUE : compileCoordinate(field, scope.context('coordinate'));
}

type Temperature = NonNullable<TracePoint['temperature']>;

/** Without a value there is no temperature; without a time of its own it was measured when the point was. */
function compileTargetTemperature(
  scope: EventScope,
): (fields: readonly string[], errors: Problem[], pointTime: TimeObject | undefined) => Temperature | undefined {
  const field = scope.spec('temperature');
  if (field === undefined) return NO_VALUE;
  const read = compileTemperature(field, scope);
  return (fields, errors, pointTime) => {
    const value = read.value(fields, errors);
    if (value === undefined) return undefined;
    const unitOfMeasure = read.unit(fields, errors);
    const dateTime = read.time?.(fields, errors) ?? pointTime?.dateTime;
    if (unitOfMeasure === undefined || dateTime === undefined) return undefined;
    return { unitOfMeasure, value, dateTime };
  };
}

function compileTemperature({ value, unitOfMeasure, time }: TemperatureField, scope: EventScope) {
  const context = scope.context('temperature');
  const unitPlace = locationOf(unitOfMeasure, 'temperature unitOfMeasure', context);
  const timePlace = time === undefined ? undefined : locationOf(time, 'temperature time', context);
  const form = { whole: false, minimum: undefined };
  return {
    value: compileNumber(value, form, locationOf(value, 'temperature value', context), context),
    unit: asRequired(
      withTextLimits(compileText(unitOfMeasure, unitPlace, context), CODE_CHARACTERS_MAX, unitPlace),
      unitPlace,
    ),
    time:
      time === undefined || timePlace === undefined ? undefined : compileMoment(time, timePlace, scope.times, context),
  };
}

/** An empty value is sent as such, unless the mapping leaves the reference out or its `when` does not hold. */
function compileTargetReferences(scope: EventScope): (fields: readonly string[], errors: Problem[]) => Reference[] {
  const compiled = (scope.spec('references') ?? []).map((spec) => compileReference(spec, scope.context('references')));
  return (fields, errors) => {
    const references: Reference[] = [];
    for (const { name, read, keepsEmpty } of compiled) {
      const value = read(fields, errors);
      if (value !== undefined) references.push({ name, value });
      else if (keepsEmpty) references.push({ name, value: '' });
    }
    return references;
  };
}

function compileReference({ name, value, omitWhenEmpty = false }: ReferenceField, context: FieldContext) {
  const locate = locationOf(value, `reference ${name}`, context);
  const read = withTextLimits(compileText(value, locate, context), TEXT_CHARACTERS_MAX, locate);
  return { name, read, keepsEmpty: !omitWhenEmpty && longForm(value).when === undefined };
}

/*
 * Compiles the fields of a milestone into one function of a record.
 *
 * Its result is complete: required fields are there, texts are within limits, numbers and times have the upstream's
 * form. So nothing validates the body again (a test does, with the upstream's contract).
 */

export function compileMilestone(scope: EventScope): ReadValue<MilestoneFields> {
  const readEventCode = compileTargetText(scope, 'eventCode');
  const readReasonCode = compileTargetText(scope, 'reasonCode');
  const readLoadNumber = compileTargetText(scope, 'loadNumber');
  const readPlace = compileTargetLocation(scope);
  const readTime = compileTargetTime(scope);
  const readStop = compileTargetInteger(scope, 'stopsequenceNumber');
  const readReferences = compileTargetReferences(scope);
  return (fields, errors) => {
    const loadNumber = readLoadNumber(fields, errors);
    const eventCode = readEventCode(fields, errors);
    const reasonCode = readReasonCode(fields, errors);
    const eventPlace = readPlace(fields, errors);
    const time = readTime(fields, errors);
    const stopsequenceNumber = readStop(fields, errors);
    const references = readReferences(fields, errors);
    if (loadNumber === undefined || eventCode === undefined || time === undefined) return undefined;
    const body: MilestoneFields = { loadNumber, eventCode, time };
    if (reasonCode !== undefined) body.reasonCode = reasonCode;
    locateEvent(body, eventPlace);
    if (stopsequenceNumber !== undefined) body.stopsequenceNumber = stopsequenceNumber;
    if (references.length > 0) body.references = references;
    return body;
  };
}

export function compileLoadMilestoneEvent(scope: EventScope): ReadValue<LoadMilestoneEventFields> {
  const readLoad = compileTargetText(scope, 'load_id');
  const readType = compileTargetText(scope, 'milestone_type');
  const readMoment = compileTargetMoment(scope);
  return (fields, errors) => {
    const load_id = readLoad(fields, errors);
    const milestone_type = readType(fields, errors);
    const event_time = readMoment(fields, errors);
    if (load_id === undefined || milestone_type === undefined || event_time === undefined) return undefined;
    return { load_id, milestone_type, event_time };
  };
}

/*
 * Compiles the fields of a trace into one function of a record: a request with the record's one point. Only the load
 * packs points.
 */

export function compileTrace(scope: EventScope): ReadValue<TraceFields> {
  const readLoadNumber = compileTargetText(scope, 'loadNumber');
  const readPlace = compileTargetLocation(scope);
  const readPoint = compilePoint(scope);
  return (fields, errors) => {
    const loadNumber = readLoadNumber(fields, errors);
    const eventPlace = readPlace(fields, errors);
    const point = readPoint(fields, errors);
    if (loadNumber === undefined || point === undefined) return undefined;
    const body: TraceFields = { loadNumber, traces: [point] };
    locateEvent(body, eventPlace);
    return body;
  };
}

function compilePoint(scope: EventScope): ReadValue<TracePoint> {
  const readTime = compileTargetTime(scope);
  const readCoordinate = compileTargetCoordinate(scope);
  const readStop = compileTargetInteger(scope, 'stopsequenceNumber');
  const readResourceId = compileTargetText(scope, 'resourceId');
  const readResourceType = compileTargetText(scope, 'resourceType');
  const readOdometer = compileTargetInteger(scope, 'odometer');
  const readTemperature = compileTargetTemperature(scope);
  const readReferences = compileTargetReferences(scope);
  return (fields, errors) => {
    const time = readTime(fields, errors);
    const coordinate = readCoordinate(fields, errors);
    const stopsequenceNumber = readStop(fields, errors);
    const resourceId = readResourceId(fields, errors);
    const resourceType = readResourceType(fields, errors);
    const odometer = readOdometer(fields, errors);
    const temperature = readTemperature(fields, errors, time);
    const references = readReferences(fields, errors);
    if (time === undefined || coordinate === undefined) return undefined;
    const point: TracePoint = { time, coordinate };
    if (stopsequenceNumber !== undefined) point.stopsequenceNumber = stopsequenceNumber;
    if (resourceId !== undefined) point.resourceId = resourceId;
    if (resourceType !== undefined) point.resourceType = resourceType;
    if (odometer !== undefined) point.odometer = odometer;
    if (temperature !== undefined) point.temperature = temperature;
    if (references.length > 0) point.references = references;
    return point;
  };
}
