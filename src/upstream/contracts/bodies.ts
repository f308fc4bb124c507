/**
 * The upstream's bodies (seed 2) as zod schemas, with the upstream's spellings.
 *
 * Strict on what we send: a field the seed does not name is our mistake. Which fields are required is "not shown";
 * NOT_SHOWN has our choice.
 */
import * as z from 'zod';
import { daysInMonth } from '../../kernel/date-time.ts';
import { ABBREVIATION_FORM } from '../../kernel/zone-abbreviations.ts';
import { NOT_SHOWN } from './not-shown.ts';

/** `yyyy-mm-ddThh:mm:ss.fffffff+hh:mm` (seed 2.3): exactly seven fractional digits and a numeric offset, never `Z`. */
export const DATE_TIME_FORM =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{7}[+-](0\d|1[0-4]):[0-5]\d$/;
/** `UTC-6`; `UTC+5:30` only if NOT_SHOWN.offsetMinutesForm allows it. */
export const TIME_ZONE_OFFSET_FORM =
  NOT_SHOWN.offsetMinutesForm === null ? /^UTC[+-](\d|1[0-4])$/ : /^UTC[+-](\d|1[0-4])(:[0-5]\d)?$/;

/** seed 2.4: "vehicle identification number form": 17 letters and digits without I, O and Q. */
const RESOURCE_ID_FORM = /^[A-HJ-NPR-Z0-9]{17}$/;
/** seed 2.4: "a temperature scale letter". */
const SCALE_LETTER_FORM = /^[A-Z]$/;

/** An ISO 8601 date-time whose day exists. */
const dateTime = z.string().regex(DATE_TIME_FORM).refine(isDay, 'there is no such day');

const timeMembers = z.strictObject({
  dateTime,
  timeZoneCode: z.string().regex(ABBREVIATION_FORM, 'is no time-zone abbreviation'),
  timeZoneOffset: z.string().regex(TIME_ZONE_OFFSET_FORM),
});

export const timeObject = timeMembers.refine(isOffsetOfDateTime, {
  path: ['timeZoneOffset'],
  message: 'is not the offset of dateTime',
});

function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 'yyyy-mm-dd'.length).split('-').map(Number);
  return !(day > daysInMonth(year, month)); // other text is refused by the date's form
}

function isOffsetOfDateTime({ dateTime, timeZoneOffset }: z.output<typeof timeMembers>): boolean {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(dateTime) ?? [];
  const [, statedSign, statedHours, statedMinutes = '0'] = /([+-])(\d+)(?::(\d\d))?$/.exec(timeZoneOffset) ?? [];
  if (sign === undefined || statedSign === undefined) return true; // refused by its form
  const size = Number(hours) * 60 + Number(minutes);
  return size === Number(statedHours) * 60 + Number(statedMinutes) && (size === 0 || sign === statedSign);
}

export const reference = z.strictObject({ name: z.string().min(1), value: z.string() });

/** Makes every field optional except those that the setting names. */
function requiring<Shape extends z.ZodRawShape>(shape: Shape, required: readonly string[]) {
  const relaxed = Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      required.includes(name) ? schema : z.optional(schema as z.ZodType),
    ]),
  );
  return z.strictObject(relaxed as { [Name in keyof Shape]: Shape[Name] | z.ZodOptional<z.ZodType> });
}

/** seed 2.2 */
export const milestoneBody = requiring(
  {
    eventCode: z.string().min(1),
    reasonCode: z.string().min(1),
    loadNumber: z.string().min(1),
    eventCity: z.string(),
    eventState: z.string(),
    time: timeObject,
    stopsequenceNumber: z.int(),
    references: z.array(reference),
  },
  NOT_SHOWN.milestoneRequired,
);

/** seed 2.4, trace point */
export const tracePoint = requiring(
  {
    time: timeObject,
    stopsequenceNumber: z.int(),
    resourceId: z.string().regex(RESOURCE_ID_FORM, 'has not the form of a vehicle identification number'),
    resourceType: z.string().min(1),
    odometer: z.int(),
    temperature: z.strictObject({
      unitOfMeasure: z.string().regex(SCALE_LETTER_FORM, 'is no temperature scale letter'),
      value: z.number(),
      dateTime,
    }),
    coordinate: z.strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
    references: z.array(reference),
  },
  NOT_SHOWN.tracePointRequired,
);

/** seed 2.4 */
export const traceBody = requiring(
  {
    loadNumber: z.string().min(1),
    eventCity: z.string(),
    eventState: z.string(),
    traces: z.array(tracePoint).min(1),
  },
  NOT_SHOWN.traceRequired,
);

/** seed 4.3, the OAuth-protected example */
export const loadMilestoneEventBody = z.strictObject({
  load_id: z.string().min(1),
  milestone_type: z.string().min(1),
  event_time: z.iso.datetime({ offset: true }),
});

/** seed 2.8: "full order payload fields: not shown". An object that carries an orderRef; a PUT also carries the id (seed 4.4). */
export const orderBody = z.looseObject({});

/**
 * seed 2.1. The lifetime is `expires_in` at the first token endpoint, `expired_in` at the second (seed 4.1); both are
 * read.
 */
export const tokenAnswer = z
  .looseObject({
    token_type: z.string().optional(),
    access_token: z.string().min(1),
    scope: z.string().optional(),
    expires_in: z.coerce.number().positive().optional(),
    expired_in: z.coerce.number().positive().optional(),
  })
  .transform((answer) => ({ accessToken: answer.access_token, lifeSeconds: answer.expires_in ?? answer.expired_in }));

/** seed 2.8: an order ID is a UUID-format value; anything else never enters a path. */
export const ORDER_ID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Visible ASCII, as in a header. Anything else in a key or token would make every call fail before it leaves. */
export const HEADER_TEXT_FORM = /^[\x21-\x7e]+$/;
/** A carrier's SCAC: two to four capital letters. It becomes a header, so nothing else is accepted. */
export const SCAC_FORM = /^[A-Z]{2,4}$/;
