/**
 * Compiles the fields of a milestone into one function of a record.
 *
 * What it returns is whole: required fields are there, texts are within limits, numbers and times have the upstream's
 * form. So nothing has to validate the body again (a test does, with the upstream's contract).
 */
import type { Problem } from '../kernel/problem.ts';
import { asRequired, compileNumber, withTextLimits } from './checked-value.ts';
import type { MilestoneFieldSpecs } from './document.ts';
import { longForm, type ReferenceField, type TextField } from './field-spec.ts';
import { TEXT_CHARACTERS_MAX } from './limits.ts';
import type { MilestoneFields } from './request.ts';
import { targetFields } from './targets.ts';
import { compileText, type FieldContext, placeOf, type ReadValue } from './text-value.ts';
import { compileTime, type TimeDefaults } from './time-value.ts';

const NO_VALUE: ReadValue<never> = () => undefined;

export function compileMilestone(
  specs: MilestoneFieldSpecs,
  times: TimeDefaults,
  context: FieldContext,
): ReadValue<MilestoneFields> {
  const text = (name: TextName) => compileTargetText(specs[name], name, context);
  const readEventCode = text('eventCode');
  const readReasonCode = text('reasonCode');
  const readLoadNumber = text('loadNumber');
  const readCity = text('eventCity');
  const readState = text('eventState');
  const readTime = compileTargetTime(specs, times, context);
  const readStop = compileTargetInteger(specs, context);
  const readReferences = compileReferences(specs.references ?? [], context);
  return (fields, errors) => {
    const loadNumber = readLoadNumber(fields, errors);
    const eventCode = readEventCode(fields, errors);
    const reasonCode = readReasonCode(fields, errors);
    const eventCity = readCity(fields, errors);
    const eventState = readState(fields, errors);
    const time = readTime(fields, errors);
    const stopsequenceNumber = readStop(fields, errors);
    const references = readReferences(fields, errors);
    if (loadNumber === undefined || eventCode === undefined || time === undefined) return undefined;
    const body: MilestoneFields = { loadNumber, eventCode, time };
    if (reasonCode !== undefined) body.reasonCode = reasonCode;
    if (eventCity !== undefined) body.eventCity = eventCity;
    if (eventState !== undefined) body.eventState = eventState;
    if (stopsequenceNumber !== undefined) body.stopsequenceNumber = stopsequenceNumber;
    if (references.length > 0) body.references = references;
    return body;
  };
}

type TextName = 'eventCode' | 'reasonCode' | 'loadNumber' | 'eventCity' | 'eventState';

const targetOf = (name: string) => targetFields('milestone').find((field) => field.name === name);

function compileTargetText(field: TextField | undefined, name: TextName, context: FieldContext): ReadValue<string> {
  if (field === undefined) return NO_VALUE;
  const place = placeOf(field, name);
  const target = targetOf(name);
  const charactersMax = target?.holds === 'text' ? target.charactersMax : TEXT_CHARACTERS_MAX;
  const read = withTextLimits(compileText(field, place, context), charactersMax, place);
  return target?.required === true ? asRequired(read, place) : read;
}

function compileTargetTime(specs: MilestoneFieldSpecs, times: TimeDefaults, context: FieldContext) {
  if (specs.time === undefined) return NO_VALUE;
  const place = placeOf(specs.time, 'time');
  return asRequired(compileTime(specs.time, place, times, context), place);
}

function compileTargetInteger({ stopsequenceNumber }: MilestoneFieldSpecs, context: FieldContext): ReadValue<number> {
  if (stopsequenceNumber === undefined) return NO_VALUE;
  const target = targetOf('stopsequenceNumber');
  const minimum = target?.holds === 'integer' ? target.minimum : 0;
  return compileNumber(stopsequenceNumber, minimum, placeOf(stopsequenceNumber, 'stopsequenceNumber'), context);
}

type Reference = { name: string; value: string };

/** An empty value is sent as such, unless the mapping leaves the reference out; so is none whose `when` does not hold. */
function compileReferences(specs: readonly ReferenceField[], context: FieldContext) {
  const compiled = specs.map(({ name, value, omitWhenEmpty = false }) => {
    const place = placeOf(value, `reference ${name}`);
    const read = withTextLimits(compileText(value, place, context), TEXT_CHARACTERS_MAX, place);
    return { name, read, keepsEmpty: !omitWhenEmpty && longForm(value).when === undefined };
  });
  return (fields: readonly string[], errors: Problem[]): Reference[] => {
    const references: Reference[] = [];
    for (const { name, read, keepsEmpty } of compiled) {
      const value = read(fields, errors);
      if (value !== undefined) references.push({ name, value });
      else if (keepsEmpty) references.push({ name, value: '' });
    }
    return references;
  };
}
