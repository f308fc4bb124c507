/** Compiles a time field: its text, its zone and what clock changes do become a function from record to the upstream's time object. */
import { isOffsetSent } from '../kernel/date-time.ts';
import type { Problem } from '../kernel/problem.ts';
import { compileDateTimePattern } from './date-time-pattern.ts';
import { describeTimeProblem } from './date-time-problems.ts';
import { readTime, type TimeProblem, type TimeSpec, type TimeValue } from './date-times.ts';
import type { ClockChanges } from './document.ts';
import { type FieldPlace, placePath } from './fault.ts';
import { patternsOf, type TextField, type TimeField } from './field-spec.ts';
import type { TimeObject } from './request.ts';
import { compileText, compileWorkingText, type FieldContext, onlyWhen, placeOf, type ReadValue } from './text-value.ts';

export type UpstreamTime = TimeObject;

/** What the document says for all its times. */
export interface TimeDefaults {
  zone: TextField | undefined;
  /** Where the document's zone is read: in the record, also for times of its elements. */
  zoneContext: FieldContext;
  clockChanges: ClockChanges;
}

/** The upstream's time object: what it cannot say of an offset is refused. */
export const compileTime = (
  field: TimeField,
  place: FieldPlace,
  defaults: TimeDefaults,
  context: FieldContext,
): ReadValue<UpstreamTime> => compileAny(field, place, defaults, context, isOffsetSent);

/** Of which the `dateTime` alone is sent: whatever its offset is. */
export const compileMoment = (
  field: TimeField,
  place: FieldPlace,
  defaults: TimeDefaults,
  context: FieldContext,
): ReadValue<UpstreamTime> => compileAny(field, place, defaults, context, () => true);

function compileAny(
  field: TimeField,
  place: FieldPlace,
  defaults: TimeDefaults,
  context: FieldContext,
  isSent: (offsetMinutes: number) => boolean,
): ReadValue<UpstreamTime> {
  const readWorkingText = compileWorkingText(field, place, context);
  const zone = field.zone ?? defaults.zone;
  const zoneContext = field.zone === undefined ? defaults.zoneContext : context;
  const zonePlace = zone === undefined ? place : placeOf(zone, 'the time zone', zoneContext);
  const readZone = zone === undefined ? undefined : compileText(zone, zonePlace, zoneContext);
  const spec = timeSpec(field, defaults.clockChanges);
  const read: ReadValue<UpstreamTime> = (fields, errors) => {
    const text = readWorkingText(fields, errors);
    if (text === undefined) return undefined;
    const errorsBefore = errors.length;
    const zoneText = readZone?.(fields, errors);
    if (errors.length > errorsBefore) return undefined;
    const time = readTime(zoneText === undefined ? { text } : { text, zoneText }, spec);
    if (!time.ok) return refuse(time.error, place, zonePlace, errors);
    const { dateTime, timeZoneCode, timeZoneOffset, offsetMinutes } = time.value;
    if (!isSent(offsetMinutes)) {
      const ownOffset = readTime({ text }, spec);
      const at = ownOffset.ok || zoneText === undefined ? { text, place } : { text: zoneText, place: zonePlace };
      return refuseOffset(time.value, at, errors);
    }
    return { dateTime, timeZoneCode, timeZoneOffset };
  };
  return onlyWhen(field.when, read, context);
}

function timeSpec(field: TimeField, { gap, overlap }: ClockChanges): TimeSpec {
  const [first, ...others] = patternsOf(field.parse).map((source) => {
    const pattern = compileDateTimePattern(source);
    if (!pattern.ok) throw new Error(`bad time pattern "${source}": the document was not checked`);
    return pattern.value;
  });
  if (first === undefined) throw new Error('a time without a pattern: the document was not checked');
  return {
    patterns: [first, ...others],
    gap: field.gap ?? gap ?? 'reject',
    overlap: field.overlap ?? overlap ?? 'reject',
  };
}

/** @param at what stands in the record and says the offset: the time itself, or the zone beside it. */
function refuseOffset(
  { offsetMinutes, instantMs }: TimeValue,
  at: { text: string; place: FieldPlace },
  errors: Problem[],
): undefined {
  const problem = { code: 'time_zone_minutes', text: at.text, offsetMinutes, instantMs } as const;
  errors.push(describeTimeProblem(problem, placePath(at.place)));
  return undefined;
}

/** A fault of the zone points at the zone's column, and at what stands there; any other at the time's. */
function refuse(problem: TimeProblem, place: FieldPlace, zonePlace: FieldPlace, errors: Problem[]): undefined {
  const isZoneFault = problem.code === 'time_zone_missing' || problem.code === 'time_zone_unknown';
  const described = describeTimeProblem(problem, placePath(isZoneFault ? zonePlace : place));
  const isEmptyCell = problem.code === 'time_zone_missing' && zonePlace !== place && zonePlace.columns.length > 0;
  errors.push(isEmptyCell ? { ...described, value: '', fix: zoneFix(zonePlace) } : described);
  return undefined;
}

/** Paths of XML that lead out of the record. */
const isAround = (column: string): boolean => column.startsWith('/') || column.startsWith('../');

function zoneFix({ columns }: FieldPlace): string {
  const names = columns.map((column) => `"${column}"`).join(' or ');
  const before = columns.some(isAround) ? ', before the records that it holds for' : '';
  return `Write the time zone of the place into ${names}${before}; or send times with their offset from UTC, or name a zone for the whole file in the mapping (\`zone\`).`;
}
