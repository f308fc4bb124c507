/** Compiles single fields of an event under the rules of its target: required or not, how long, how small. */
import type { Problem } from '../../kernel/problem.ts';
import type { EventFieldName, EventFields } from '../document/event-spec.ts';
import { longForm, type ReferenceField, type TemperatureField, type TextField } from '../document/field-spec.ts';
import { targetField } from '../document/targets.ts';
import { CODE_CHARACTERS_MAX, TEXT_CHARACTERS_MAX } from '../limits.ts';
import type { Reference, RequestKind, TracePoint } from '../request.ts';
import { asRequired, withTextLimits } from '../values/checked.ts';
import { compileCoordinate } from '../values/coordinate-value.ts';
import { compileNumber } from '../values/number.ts';
import { stateFault } from '../values/state-code.ts';
import { compileText, type FieldContext, placeOf, type ReadValue, refuse } from '../values/text.ts';
import { compileMoment, compileTime, type TimeDefaults, type UpstreamTime } from '../values/time.ts';

/** What a plan reads: its fields, and for each of them the record or the element it is read in. */
export interface EventScope {
  target: RequestKind;
  spec<Name extends EventFieldName>(name: Name): EventFields[Name];
  context(name: EventFieldName): FieldContext;
  times: TimeDefaults;
}

export const NO_VALUE: ReadValue<never> = () => undefined;

/** The names of fields that are filled with a kind of form. */
type NameOf<Form> = {
  [Name in EventFieldName]: EventFields[Name] extends Form | undefined ? Name : never;
}[EventFieldName];
export type TextName = Extract<NameOf<TextField>, EventFieldName>;

export function compileTargetText(scope: EventScope, name: TextName): ReadValue<string> {
  const field = scope.spec(name) as TextField | undefined;
  if (field === undefined) return NO_VALUE;
  const place = placeOf(field, name, scope.context(name));
  const target = targetField(scope.target, name);
  const charactersMax = target?.holds === 'text' ? target.charactersMax : TEXT_CHARACTERS_MAX;
  const kind = charactersMax < TEXT_CHARACTERS_MAX ? 'name' : 'line'; // load numbers, codes, resources
  const read = withTextLimits(compileText(field, place, scope.context(name)), charactersMax, place, kind);
  return target?.required === true ? asRequired(read, place) : read;
}

/** City and state of an event. What the look-up of a location gives is the operator's word, and stays as it is. */
export function compileTargetPlace(scope: EventScope): ReadValue<{ eventCity?: string; eventState?: string }> {
  const readCity = compileTargetText(scope, 'eventCity');
  const readState = compileTargetText(scope, 'eventState');
  const [city, state] = [scope.spec('eventCity'), scope.spec('eventState')];
  const cityPlace = city === undefined ? undefined : placeOf(city, 'eventCity', scope.context('eventCity'));
  const statePlace = placeOf(state ?? {}, 'eventState', scope.context('eventState'));
  const isAsked = state !== undefined && longForm(state).enrich === undefined;
  return (fields, errors) => {
    const eventCity = readCity(fields, errors);
    const eventState = readState(fields, errors);
    const fact = isAsked && eventState !== undefined ? stateFault(eventState, eventCity ?? '') : undefined;
    if (eventState !== undefined && fact !== undefined)
      refuse({ code: 'state_invalid', value: eventState, fact, city: cityPlace }, statePlace, errors);
    return { ...(eventCity === undefined ? {} : { eventCity }), ...(eventState === undefined ? {} : { eventState }) };
  };
}

export function compileTargetTime(scope: EventScope): ReadValue<UpstreamTime> {
  const field = scope.spec('time');
  if (field === undefined) return NO_VALUE;
  const place = placeOf(field, 'time', scope.context('time'));
  return asRequired(compileTime(field, place, scope.times, scope.context('time')), place);
}

export function compileTargetMoment(scope: EventScope): ReadValue<string> {
  const field = scope.spec('event_time');
  if (field === undefined) return NO_VALUE;
  const place = placeOf(field, 'event_time', scope.context('event_time'));
  return asRequired(compileMoment(field, place, scope.times, scope.context('event_time')), place);
}

export function compileTargetInteger(scope: EventScope, name: 'stopsequenceNumber' | 'odometer'): ReadValue<number> {
  const field = scope.spec(name);
  if (field === undefined) return NO_VALUE;
  const target = targetField(scope.target, name);
  const minimum = target?.holds === 'integer' ? target.minimum : 0;
  const context = scope.context(name);
  return compileNumber(field, { whole: true, minimum }, placeOf(field, name, context), context);
}

export function compileTargetCoordinate(scope: EventScope): ReadValue<TracePoint['coordinate']> {
  const field = scope.spec('coordinate');
  return field === undefined ? NO_VALUE : compileCoordinate(field, scope.context('coordinate'));
}

type Temperature = NonNullable<TracePoint['temperature']>;

/** Without a value there is no temperature; one of no known moment was measured when the point was. */
export function compileTargetTemperature(
  scope: EventScope,
): (fields: readonly string[], errors: Problem[], pointTime: UpstreamTime | undefined) => Temperature | undefined {
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
  const unitPlace = placeOf(unitOfMeasure, 'temperature unitOfMeasure', context);
  const timePlace = time === undefined ? undefined : placeOf(time, 'temperature time', context);
  const form = { whole: false, minimum: undefined };
  return {
    value: compileNumber(value, form, placeOf(value, 'temperature value', context), context),
    unit: asRequired(
      withTextLimits(compileText(unitOfMeasure, unitPlace, context), CODE_CHARACTERS_MAX, unitPlace),
      unitPlace,
    ),
    time:
      time === undefined || timePlace === undefined ? undefined : compileMoment(time, timePlace, scope.times, context),
  };
}

/** An empty value is sent as such, unless the mapping leaves the reference out; so is none whose `when` does not hold. */
export function compileTargetReferences(
  scope: EventScope,
): (fields: readonly string[], errors: Problem[]) => Reference[] {
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
  const place = placeOf(value, `reference ${name}`, context);
  const read = withTextLimits(compileText(value, place, context), TEXT_CHARACTERS_MAX, place);
  return { name, read, keepsEmpty: !omitWhenEmpty && longForm(value).when === undefined };
}
