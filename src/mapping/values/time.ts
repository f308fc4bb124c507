/**
 * Compiles a time field: its text, zone and clock-change policy become a function from record to the upstream's time
 * object.
 */
import { isOffsetSent } from '../../kernel/date-time.ts';
import { ELSE_CONTACT, type Problem } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import type { ClockChanges } from '../document/document.ts';
import { namedForm, ownPatterns, patternsOf, type TextField, type TimeField } from '../document/field-spec.ts';
import type { TimeObject } from '../request.ts';
import { asRequired } from './checked.ts';
import { compileDateTimePattern } from './date-time-pattern.ts';
import {
  describeTimeProblem,
  readTime,
  type TimeProblem,
  type TimeSpec,
  type TimeValue,
  timeObjectOf,
} from './date-times.ts';
import { type FieldLocation, locationPath } from './fault.ts';
import {
  compileText,
  compileWorkingText,
  type FieldContext,
  filledLocations,
  locationOf,
  onlyWhen,
  type ReadValue,
} from './text.ts';

/** The document's defaults for all its times. */
export interface TimeDefaults {
  zone: TextField | undefined;
  /** Where the document's zone is read: in the record, also for times of its elements. */
  zoneContext: FieldContext;
  clockChanges: ClockChanges;
}

/** The upstream's time object: an offset that it cannot express is refused. */
export function compileTime(
  field: TimeField,
  locate: FieldLocation,
  defaults: TimeDefaults,
  context: FieldContext,
): ReadValue<TimeObject> {
  const read = compileAny(field, locate, defaults, context, isOffsetSent);
  return (fields, errors) => {
    const time = read(fields, errors);
    return time === undefined ? undefined : timeObjectOf(time);
  };
}

/** Only its `dateTime`, on the clock it was written by, with any offset. */
export function compileMoment(
  field: TimeField,
  locate: FieldLocation,
  defaults: TimeDefaults,
  context: FieldContext,
): ReadValue<string> {
  const read = compileAny(field, locate, defaults, context, () => true);
  return (fields, errors) => read(fields, errors)?.dateTime;
}

function compileAny(
  field: TimeField,
  locate: FieldLocation,
  defaults: TimeDefaults,
  context: FieldContext,
  isSent: (offsetMinutes: number) => boolean,
): ReadValue<TimeValue> {
  const readWorkingText = compileWorkingText(field, locate, context);
  const zone = field.zone ?? defaults.zone;
  const zoneContext = field.zone === undefined ? defaults.zoneContext : context;
  const zonePlace = zone === undefined ? locate : locationOf(zone, 'the time zone', zoneContext);
  const readZone = zone === undefined ? undefined : compileText(zone, zonePlace, zoneContext);
  const readPlace = compileLocation(field, locate, context);
  const readSpec = compileSpec(field, locate.target, defaults.clockChanges, context);
  const read: ReadValue<TimeValue> = (fields, errors) => {
    const text = readWorkingText(fields, errors);
    if (text === undefined) return undefined;
    const errorsBefore = errors.length;
    const { spec, form } = readSpec(fields, errors);
    if (spec === undefined) return undefined;
    const zoneText = readZone?.(fields, errors);
    if (errors.length > errorsBefore) return undefined;
    const time = readTime(zoneText === undefined ? { text } : { text, zoneText }, spec);
    if (!time.ok) return refuse(time.error, readPlace(fields), { zonePlace, form }, errors);
    if (!isSent(time.value.offsetMinutes)) {
      const ownOffset = readTime({ text }, spec);
      const at =
        ownOffset.ok || zoneText === undefined
          ? { text, place: readPlace(fields) }
          : { text: zoneText, place: zonePlace };
      return refuseOffset(time.value, at, errors);
    }
    return time.value;
  };
  return onlyWhen(field.when, read, context);
}

/** Of several columns the one that was read, if there is only one: the problem is there. */
function compileLocation(
  field: TimeField,
  locate: FieldLocation,
  context: FieldContext,
): (fields: readonly string[]) => FieldLocation {
  if (locate.isFirst !== true) return () => locate;
  const readFilled = filledLocations(field, locate, context);
  return (fields) => ({ ...locate, columns: readFilled(fields).filled?.slice(0, 1) ?? locate.columns });
}

/** What a record says about the form of its time. */
interface NamedTimeForm {
  code: string;
  path: string;
}

type ReadSpec = (fields: readonly string[], errors: Problem[]) => { spec?: TimeSpec; form?: NamedTimeForm };

/** The same patterns for all records, or the one that the record names. */
function compileSpec(field: TimeField, target: string, clockChanges: ClockChanges, context: FieldContext): ReadSpec {
  const named = namedForm(field.parse);
  if (named === undefined) {
    const spec = timeSpec(field, ownPatterns(field.parse), clockChanges);
    return () => ({ spec });
  }
  const specs = new Map(
    patternsOf(field.parse, context.lists).map((source) => [source, timeSpec(field, [source], clockChanges)]),
  );
  const locate = locationOf(named, `form of ${target}`, context);
  const readPattern = asRequired(compileText(named, locate, context), locate);
  const index = context.indexOf(named.from) ?? -1;
  return (fields, errors) => {
    const spec = specs.get(readPattern(fields, errors) ?? '');
    const code = trimmed(fields[index] ?? '');
    return spec === undefined ? {} : code === '' ? { spec } : { spec, form: { code, path: locationPath(locate) } };
  };
}

function timeSpec(field: TimeField, sources: readonly string[], { gap, overlap }: ClockChanges): TimeSpec {
  const [first, ...others] = sources.map((source) => {
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

/** @param at what gives the offset in the record: the time itself, or the zone beside it. */
function refuseOffset(
  { offsetMinutes, instantMs }: TimeValue,
  at: { text: string; place: FieldLocation },
  errors: Problem[],
): undefined {
  const problem = { code: 'time_zone_minutes', text: at.text, offsetMinutes, instantMs } as const;
  errors.push(describeTimeProblem(problem, locationPath(at.place)));
  return undefined;
}

/** A fault of the zone names the zone's column and value; any other names the time's. */
function refuse(
  problem: TimeProblem,
  locate: FieldLocation,
  { zonePlace, form }: { zonePlace: FieldLocation; form: NamedTimeForm | undefined },
  errors: Problem[],
): undefined {
  const isZoneFault = problem.code === 'time_zone_missing' || problem.code === 'time_zone_unknown';
  const described = describeTimeProblem(problem, locationPath(isZoneFault ? zonePlace : locate), form);
  const isEmptyCell = problem.code === 'time_zone_missing' && zonePlace !== locate && zonePlace.columns.length > 0;
  errors.push(isEmptyCell ? { ...described, value: '', fix: zoneFix(zonePlace) } : described);
  return undefined;
}

/** XML paths that lead out of the record. */
const isAround = (column: string): boolean => column.startsWith('/') || column.startsWith('../');

function zoneFix({ columns }: FieldLocation): string {
  const names = columns.map((column) => `"${column}"`).join(' or ');
  const before = columns.some(isAround) ? ', before the records that it holds for' : '';
  return `Write the time zone of the place into ${names}${before}; or send times with their offset from UTC. ${ELSE_CONTACT}`;
}
