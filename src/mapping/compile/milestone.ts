/**
 * Compiles the fields of a milestone into one function of a record.
 *
 * What it returns is whole: required fields are there, texts are within limits, numbers and times have the upstream's
 * form. So nothing has to validate the body again (a test does, with the upstream's contract).
 */

import type { MilestoneFields } from '../request.ts';
import type { ReadValue } from '../values/text.ts';
import {
  compileTargetInteger,
  compileTargetPlace,
  compileTargetReferences,
  compileTargetText,
  compileTargetTime,
  type EventScope,
} from './event-values.ts';

export function compileMilestone(scope: EventScope): ReadValue<MilestoneFields> {
  const readEventCode = compileTargetText(scope, 'eventCode');
  const readReasonCode = compileTargetText(scope, 'reasonCode');
  const readLoadNumber = compileTargetText(scope, 'loadNumber');
  const readPlace = compileTargetPlace(scope);
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
    Object.assign(body, eventPlace);
    if (stopsequenceNumber !== undefined) body.stopsequenceNumber = stopsequenceNumber;
    if (references.length > 0) body.references = references;
    return body;
  };
}
