/** The upstream's bodies, field by field, with the section of its documentation in the name. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import type { MilestoneFields } from '../../../src/mapping/request.ts';
import {
  DATE_TIME_FORM,
  loadMilestoneEventBody,
  milestoneBody,
  ORDER_ID_FORM,
  type reference,
  SCAC_FORM,
  TIME_ZONE_OFFSET_FORM,
  timeObject,
  tokenAnswer,
  traceBody,
  tracePoint,
} from '../../../src/upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';

const TIME = { dateTime: '2026-03-02T08:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };
const MILESTONE: Required<MilestoneFields> = {
  eventCode: 'X3',
  reasonCode: 'NS',
  loadNumber: 'LD100200',
  eventCity: 'Joliet',
  eventState: 'IL',
  time: TIME,
  stopsequenceNumber: 1,
  references: [{ name: 'PRO', value: '774411' }],
};
const POINT = {
  time: TIME,
  stopsequenceNumber: 2,
  resourceId: '1FUJGLDR1CLBP8834',
  resourceType: 'TRUCK',
  odometer: 120_345,
  temperature: { unitOfMeasure: 'F', value: -4.5, dateTime: TIME.dateTime },
  coordinate: { latitude: 41.525, longitude: -88.0817 },
  references: [],
};
const TRACE = { loadNumber: 'LD100200', eventCity: 'Joliet', eventState: 'IL', traces: [POINT] };

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
const without = (value: object, name: string): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe('seed 2.2: a milestone', () => {
  it('is accepted whole', () => {
    expect(accepts(milestoneBody, MILESTONE)).toBe(true);
  });

  it('may have one character where a text must not be empty', () => {
    for (const name of ['eventCode', 'reasonCode', 'loadNumber']) {
      expect([name, accepts(milestoneBody, { ...MILESTONE, [name]: '7' })]).toEqual([name, true]);
    }
    expect(accepts(milestoneBody, { ...MILESTONE, references: [{ name: 'P', value: '1' }] })).toBe(true);
  });

  it('has exactly the fields named, and so has what mappings yield', () => {
    expect(Object.keys(milestoneBody.shape).sort()).toEqual(
      [
        'eventCode',
        'reasonCode',
        'loadNumber',
        'eventCity',
        'eventState',
        'time',
        'stopsequenceNumber',
        'references',
      ].sort(),
    );
    expectTypeOf<keyof MilestoneFields>().toEqualTypeOf<keyof typeof milestoneBody.shape>();
    expectTypeOf<MilestoneFields['time']>().toEqualTypeOf<z.infer<typeof timeObject>>();
    expectTypeOf<Required<MilestoneFields>['references'][number]>().toEqualTypeOf<z.infer<typeof reference>>();
  });

  it.each(NOT_SHOWN.milestoneRequired)('needs %s, by our choice', (name) => {
    expect(accepts(milestoneBody, without(MILESTONE, name))).toBe(false);
  });

  it.each(Object.keys(MILESTONE).filter((name) => !(NOT_SHOWN.milestoneRequired as readonly string[]).includes(name)))(
    'may leave out %s',
    (name) => {
      expect(accepts(milestoneBody, without(MILESTONE, name))).toBe(true);
    },
  );

  it('requires exactly what the type of mappings requires', () => {
    type RequiredNames = {
      [Name in keyof MilestoneFields]-?: object extends Pick<MilestoneFields, Name> ? never : Name;
    };
    expectTypeOf<RequiredNames[keyof MilestoneFields]>().toEqualTypeOf<(typeof NOT_SHOWN.milestoneRequired)[number]>();
  });

  it.each<[string, object]>([
    ['a field of another spelling', { stopSequenceNumber: 1 }],
    ['a field nobody named', { carrier: 'ABCD' }],
    ['a stop number as text', { stopsequenceNumber: '1' }],
    ['a stop number with a fraction', { stopsequenceNumber: 1.5 }],
    ['an empty event code', { eventCode: '' }],
    ['an empty load number', { loadNumber: '' }],
    ['a load number that is a number', { loadNumber: 100_200 }],
    ['a reference without a name', { references: [{ name: '', value: '1' }] }],
    ['a reference without a value', { references: [{ name: 'PRO' }] }],
    ['null where a text stands', { eventCity: null }],
  ])('refuses %s', (_what, wrong) => {
    expect(accepts(milestoneBody, { ...MILESTONE, ...wrong })).toBe(false);
  });
});

describe('seed 2.3: the time object', () => {
  it.each([
    ['2026-03-02T08:15:00.0000000-06:00', 'UTC-6'],
    ['2026-12-31T23:59:59.9999999+05:00', 'UTC+5'],
    ['2026-03-02T00:00:00.0000000+00:00', 'UTC+0'],
    ['2026-03-02T00:00:00.0000000+00:00', 'UTC-0'],
    ['2024-02-29T08:00:00.1234567+14:00', 'UTC+14'],
  ])('accepts dateTime %s beside %s', (dateTime, timeZoneOffset) => {
    expect(DATE_TIME_FORM.test(dateTime)).toBe(true);
    expect(accepts(timeObject, { ...TIME, dateTime, timeZoneOffset })).toBe(true);
  });

  it.each([
    ['Z instead of an offset', '2026-03-02T08:15:00.0000000Z'],
    ['six fractional digits', '2026-03-02T08:15:00.000000-06:00'],
    ['eight fractional digits', '2026-03-02T08:15:00.00000000-06:00'],
    ['no fraction', '2026-03-02T08:15:00-06:00'],
    ['no offset', '2026-03-02T08:15:00.0000000'],
    ['an offset without a colon', '2026-03-02T08:15:00.0000000-0600'],
    ['a blank for T', '2026-03-02 08:15:00.0000000-06:00'],
    ['month 13', '2026-13-02T08:15:00.0000000-06:00'],
    ['day 32', '2026-03-32T08:15:00.0000000-06:00'],
    ['hour 24', '2026-03-02T24:00:00.0000000-06:00'],
    ['second 60', '2026-03-02T08:15:60.0000000-06:00'],
    ['an offset of 15 hours', '2026-03-02T08:15:00.0000000+15:00'],
    ['a line end', '2026-03-02T08:15:00.0000000-06:00\n'],
    ['an impossible day', '2026-02-29T08:15:00.0000000-06:00'],
  ])('refuses a dateTime with %s', (_what, dateTime) => {
    expect(accepts(timeObject, { ...TIME, dateTime })).toBe(false);
  });

  it.each(['UTC-6', 'UTC+0', 'UTC-0', 'UTC+14', 'UTC-11'])('accepts offset %s', (offset) => {
    expect(TIME_ZONE_OFFSET_FORM.test(offset)).toBe(true);
  });

  it.each([
    'UTC',
    'UTC6',
    'UTC-06',
    'UTC-06:00',
    'GMT-6',
    '-6',
    'UTC+15',
    'UTC+5:3',
    'UTC+5:30',
    'UTC-6 ',
    'utc-6',
    'UTC−6',
  ])('refuses offset %s', (offset) => {
    expect(accepts(timeObject, { ...TIME, timeZoneOffset: offset })).toBe(false);
  });

  it.each(['', 'UTC-6', '-06:00', 'America/Chicago', 'Central', 'cst', 'C'])(
    'refuses a timeZoneCode that is no abbreviation: "%s"',
    (timeZoneCode) => {
      expect(accepts(timeObject, { ...TIME, timeZoneCode })).toBe(false);
    },
  );

  it('refuses an offset in dateTime that disagrees with timeZoneOffset', () => {
    for (const timeZoneOffset of ['UTC-5', 'UTC+6', 'UTC+0']) {
      expect(accepts(timeObject, { ...TIME, timeZoneOffset })).toBe(false);
    }
    const halfHour = { dateTime: '2026-03-02T08:15:00.0000000-06:30', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };
    expect(accepts(timeObject, halfHour)).toBe(false);
  });
});

describe('seed 2.4: a trace', () => {
  it('is accepted whole', () => {
    expect(accepts(traceBody, TRACE)).toBe(true);
  });

  it('has exactly the fields named, and so have its points', () => {
    expect(Object.keys(traceBody.shape).sort()).toEqual(Object.keys(TRACE).sort());
    expect(Object.keys(tracePoint.shape).sort()).toEqual(Object.keys(POINT).sort());
  });

  it('needs one point at least', () => {
    expect(accepts(traceBody, { ...TRACE, traces: [] })).toBe(false);
    expect(accepts(traceBody, { ...TRACE, loadNumber: '7', traces: [POINT] })).toBe(true);
    expect(accepts(traceBody, { ...TRACE, loadNumber: '' })).toBe(false);
  });

  it.each(Object.keys(POINT))('may leave out of a point %s only if it is not among those we require', (name) => {
    const required = (NOT_SHOWN.tracePointRequired as readonly string[]).includes(name);
    expect(accepts(tracePoint, without(POINT, name))).toBe(!required);
  });

  it.each([
    ['latitude 90.1', { latitude: 90.1, longitude: 0 }],
    ['latitude -90.1', { latitude: -90.1, longitude: 0 }],
    ['longitude 180.1', { latitude: 0, longitude: 180.1 }],
    ['longitude -180.1', { latitude: 0, longitude: -180.1 }],
    ['a latitude that is no number', { latitude: Number.NaN, longitude: 0 }],
    ['a latitude as text', { latitude: '41.5', longitude: 0 }],
    ['no longitude', { latitude: 41.5 }],
  ])('refuses %s', (_what, coordinate) => {
    expect(accepts(tracePoint, { ...POINT, coordinate })).toBe(false);
  });

  it('accepts the corners of the map', () => {
    expect(accepts(tracePoint, { ...POINT, coordinate: { latitude: -90, longitude: 180 } })).toBe(true);
  });

  it.each(['FAHRENHEIT', '', '1', 'f'])('refuses a temperature scale that is no letter: "%s"', (unitOfMeasure) => {
    const temperature = { ...POINT.temperature, unitOfMeasure };
    expect(accepts(tracePoint, { ...POINT, temperature })).toBe(false);
  });

  it.each(['T2201', '1FUJGLDR1CLBP883', '1FUJGLDR1CLBP883I', '1fujgldr1clbp8834'])(
    'refuses a resourceId that is no VIN: %s',
    (resourceId) => {
      expect(accepts(tracePoint, { ...POINT, resourceId })).toBe(false);
    },
  );

  it('refuses an impossible day of a temperature', () => {
    const temperature = { ...POINT.temperature, dateTime: '2026-04-31T08:15:00.0000000-06:00' };
    expect(accepts(tracePoint, { ...POINT, temperature })).toBe(false);
  });

  it('wants an odometer in whole units and a temperature with all three fields', () => {
    expect(accepts(tracePoint, { ...POINT, odometer: 1.5 })).toBe(false);
    expect(accepts(tracePoint, { ...POINT, temperature: { unitOfMeasure: 'F', value: 3 } })).toBe(false);
  });
});

describe('seed 4.3: the OAuth-protected example', () => {
  const EVENT = { load_id: 'LD1', milestone_type: 'ARRIVED', event_time: '2026-03-02T08:15:00Z' };

  it('has load_id, milestone_type and event_time, all of them', () => {
    expect(accepts(loadMilestoneEventBody, EVENT)).toBe(true);
    expect(accepts(loadMilestoneEventBody, { ...EVENT, event_time: '2026-03-02T08:15:00-06:00' })).toBe(true);
    for (const name of NOT_SHOWN.loadMilestoneEventRequired)
      expect(accepts(loadMilestoneEventBody, without(EVENT, name))).toBe(false);
    expect(accepts(loadMilestoneEventBody, { ...EVENT, loadNumber: '1' })).toBe(false);
    expect(accepts(loadMilestoneEventBody, { ...EVENT, load_id: '7', milestone_type: 'A' })).toBe(true);
    for (const name of ['load_id', 'milestone_type'])
      expect(accepts(loadMilestoneEventBody, { ...EVENT, [name]: '' })).toBe(false);
  });

  it.each(['2026-03-02T08:15:00', '03/02/2026 08:15', ''])('refuses event_time %j', (event_time) => {
    expect(accepts(loadMilestoneEventBody, { ...EVENT, event_time })).toBe(false);
  });
});

describe('seed 2.1: a token answer', () => {
  it.each([
    [{ access_token: 't', expires_in: 3_600 }, 3_600],
    [{ access_token: 't', expired_in: 60 }, 60],
    [{ access_token: 't', expires_in: 10, expired_in: 60 }, 10],
    [{ access_token: 't' }, undefined],
  ])('%j lives %s seconds', (answer, lifeSeconds) => {
    expect(tokenAnswer.parse(answer)).toEqual({ accessToken: 't', lifeSeconds });
  });

  it.each([0, -1, 'soon', {}])('with a life of %j cannot be used', (expires_in) => {
    expect(accepts(tokenAnswer, { access_token: 't', expires_in })).toBe(false);
  });
});

describe('seed 2.8: an order id', () => {
  it.each(['7d444840-9dc0-11d1-b245-5ffdce74fad2', '7D444840-9DC0-11D1-B245-5FFDCE74FAD2'])(
    '%s has UUID form',
    (id) => {
      expect(ORDER_ID_FORM.test(id)).toBe(true);
    },
  );

  it.each([
    '',
    '..',
    '7d4448409dc011d1b2455ffdce74fad2',
    '7d444840-9dc0-11d1-b245-5ffdce74fad2/..',
    '7d444840-9dc0-11d1-b245-5ffdce74fadg',
    '7d444840-9dc0-11d1-b245-5ffdce74fad2\n',
  ])('%j has not', (id) => {
    expect(ORDER_ID_FORM.test(id)).toBe(false);
  });
});

it('takes two to four capital letters for a SCAC, and nothing else', () => {
  expect(['AB', 'ABC', 'ABCD'].every((scac) => SCAC_FORM.test(scac))).toBe(true);
  expect(['A', 'ABCDE', 'abcd', 'AB1', 'AB ', 'ÄB', ''].some((scac) => SCAC_FORM.test(scac))).toBe(false);
});
