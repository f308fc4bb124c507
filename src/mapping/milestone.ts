/**
 * Compiles the fields of a milestone into one function of a record.
 *
 * What it returns is whole: required fields are there, texts are within limits, numbers and times have the upstream's
 * form. So nothing has to validate the body again (a test does, with the upstream's contract).
 */
import {
  compileTargetInteger,
  compileTargetReferences,
  compileTargetText,
  compileTargetTime,
  type EventScope,
} from './event-values.ts';
import type { MilestoneFields } from './request.ts';
import type { ReadValue } from './text-value.ts';

export function compileMilestone(scope: EventScope): ReadValue<MilestoneFields> {
  const readEventCode = compileTargetText(scope, 'eventCode');
  const readReasonCode = compileTargetText(scope, 'reasonCode');
  const readLoadNumber = compileTargetText(scope, 'loadNumber');
  const readCity = compileTargetText(scope, 'eventCity');
  const readState = compileTargetText(scope, 'eventState');
  const readTime = compileTargetTime(scope, 'time');
  const readStop = compileTargetInteger(scope, 'stopsequenceNumber');
  const readReferences = compileTargetReferences(scope);
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
