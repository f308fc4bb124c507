/** Compiles the fields of a trace into one function of a record: a request with the record's one point. Only the load packs points. */

import type { TraceFields, TracePoint } from '../request.ts';
import type { ReadValue } from '../values/text.ts';
import {
  compileTargetCoordinate,
  compileTargetInteger,
  compileTargetPlace,
  compileTargetReferences,
  compileTargetTemperature,
  compileTargetText,
  compileTargetTime,
  type EventScope,
} from './event-values.ts';

export function compileTrace(scope: EventScope): ReadValue<TraceFields> {
  const readLoadNumber = compileTargetText(scope, 'loadNumber');
  const readPlace = compileTargetPlace(scope);
  const readPoint = compilePoint(scope);
  return (fields, errors) => {
    const loadNumber = readLoadNumber(fields, errors);
    const eventPlace = readPlace(fields, errors);
    const point = readPoint(fields, errors);
    if (loadNumber === undefined || point === undefined) return undefined;
    const body: TraceFields = { loadNumber, traces: [point], ...eventPlace };
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
