/** Compiles single fields of an event under the rules of its target: required or not, how long, how small. */
import type { Problem } from '../kernel/problem.ts';
import { asRequired, withTextLimits } from './checked-value.ts';
import { compileCoordinate } from './coordinate-value.ts';
import type { EventFieldName, EventFields } from './event-spec.ts';
import { longForm, type ReferenceField, type TemperatureField, type TextField } from './field-spec.ts';
import { CODE_CHARACTERS_MAX, TEXT_CHARACTERS_MAX } from './limits.ts';
import { compileNumber } from './number-value.ts';
import type { Reference, RequestKind, TracePoint } from './request.ts';
import { targetField } from './targets.ts';
import { compileText, type FieldContext, placeOf, type ReadValue } from './text-value.ts';
import { compileMoment, compileTime, type TimeDefaults, type UpstreamTime } from './time-value.ts';

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
  const read = withTextLimits(compileText(field, place, scope.context(name)), charactersMax, place);
  return target?.required === true ? asRequired(read, place) : read;
}

export function compileTargetTime(scope: EventScope, name: 'time' | 'event_time'): ReadValue<UpstreamTime> {
  const field = scope.spec(name);
  if (field === undefined) return NO_VALUE;
  const place = placeOf(field, name, scope.context(name));
  const compiled = (name === 'time' ? compileTime : compileMoment)(field, place, scope.times, scope.context(name));
  return asRequired(compiled, place);
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
    const time = read.time?.(fields, errors) ?? pointTime;
    if (unitOfMeasure === undefined || time === undefined) return undefined;
    return { unitOfMeasure, value, dateTime: time.dateTime };
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
