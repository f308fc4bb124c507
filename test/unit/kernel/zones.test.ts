import { describe, expect, it, vi } from 'vitest';
import {
  findZone,
  isZone,
  offsetAt,
  resolveLocal,
  spanAt,
  type Zone,
  zoneAbbreviation,
} from '../../../src/kernel/zones.ts';

function zoneOf(text: string): Zone {
  const zone = findZone(text);
  if (zone === undefined) throw new Error(`${text} is unknown`);
  return zone;
}

/** A reading such as `2026-03-08T02:30` counted as though it were UTC. */
const local = (reading: string): number => Date.parse(`${reading}Z`);

function meaning(zone: string, reading: string): unknown {
  const resolved = resolveLocal(zoneOf(zone), local(reading));
  if (resolved.kind === 'exact') return resolved.span.offsetMinutes;
  if (resolved.kind === 'gap') {
    const changeAt = new Date(resolved.after.fromMs).toISOString();
    return ['gap', resolved.before.offsetMinutes, resolved.after.offsetMinutes, changeAt];
  }
  const changeAt = new Date(resolved.later.fromMs).toISOString();
  return ['overlap', resolved.earlier.offsetMinutes, resolved.later.offsetMinutes, changeAt];
}

describe('findZone', () => {
  it.each([
    'America/Chicago',
    'america/chicago',
    'US/Central',
    'America/Argentina/Buenos_Aires',
    'CST6CDT',
    'Etc/GMT+6',
  ])('knows %s', (text) => expect(isZone(text)).toBe(true));

  it.each(['CST', 'EST', 'IST', 'BST', 'AST', 'Central', 'Japan', 'local', 'LT'])(
    'refuses %s, which means more than one zone or none',
    (text) => expect(isZone(text)).toBe(false),
  );

  it.each([
    '',
    ' ',
    'America/Nowhere',
    'Etc/Unknown',
    '../etc/passwd',
    'America/',
    '/Chicago',
    'America/Chi cago',
    '\0',
  ])('refuses %j', (text) => expect(findZone(text)).toBeUndefined());

  it.each(['__proto__', 'constructor', 'A/'.repeat(40_000), 'America/Chicago\n', '＋６', '+٠٦:٠٠'])(
    'refuses evil text %#',
    (text) => expect(findZone(text)).toBeUndefined(),
  );

  it.each([
    ['Z', 0, 'UTC'],
    ['UTC', 0, 'UTC'],
    ['utc', 0, 'UTC'],
    ['UT', 0, 'UTC'],
    ['GMT', 0, 'GMT'],
    ['+00:00', 0, 'UTC'],
    ['-00:00', 0, 'UTC'],
    ['-06:00', -360, null],
    ['-0600', -360, null],
    ['-06', -360, null],
    ['-6', -360, null],
    ['UTC-6', -360, null],
    ['UTC-06:00', -360, null],
    ['GMT+1', 60, null],
    ['UTC+5:30', 330, null],
    ['+530', 330, null],
    ['+14:00', 840, null],
    ['-14', -840, null],
    ['CST-06:00', -360, 'CST'],
    ['BST+01:00', 60, 'BST'],
    ['NST-03:30', -210, 'NST'],
  ])('reads %s as a fixed offset of %d minutes, abbreviated %s', (text, offsetMinutes, abbreviation) => {
    const zone = zoneOf(text);
    for (const instantMs of [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)]) {
      expect(offsetAt(zone, instantMs)).toBe(offsetMinutes);
      expect(zoneAbbreviation(zone, instantMs)).toBe(abbreviation);
    }
    expect(resolveLocal(zone, local('2026-03-08T02:30'))).toMatchObject({ kind: 'exact', span: { offsetMinutes } });
  });

  it.each([
    '+15:00',
    '-14:01',
    '+05:60',
    '+99',
    '6',
    '06:00',
    '+',
    'UTC+',
    '+1:2',
    '+12345',
    '-06:00:00',
    'CST-6',
    'cst-06:00',
    'CST-15:00',
    'C1T-06:00',
  ])('refuses %s, which is no offset within 14 hours', (text) => expect(isZone(text)).toBe(false));

  it('counts west as minus in GMT-6 and as plus in the database name Etc/GMT+6', () => {
    expect(offsetAt(zoneOf('GMT-6'), Date.UTC(2026, 0, 1))).toBe(-360);
    expect(offsetAt(zoneOf('Etc/GMT+6'), Date.UTC(2026, 0, 1))).toBe(-360);
  });
});

describe('resolveLocal', () => {
  it.each([
    ['America/Chicago', '2026-03-08T01:59:59.999', -360],
    ['America/Chicago', '2026-03-08T02:00', ['gap', -360, -300, '2026-03-08T08:00:00.000Z']],
    ['America/Chicago', '2026-03-08T02:30', ['gap', -360, -300, '2026-03-08T08:00:00.000Z']],
    ['America/Chicago', '2026-03-08T02:59:59.999', ['gap', -360, -300, '2026-03-08T08:00:00.000Z']],
    ['America/Chicago', '2026-03-08T03:00', -300],
    ['America/Chicago', '2026-11-01T00:59:59.999', -300],
    ['America/Chicago', '2026-11-01T01:00', ['overlap', -300, -360, '2026-11-01T07:00:00.000Z']],
    ['America/Chicago', '2026-11-01T01:59:59.999', ['overlap', -300, -360, '2026-11-01T07:00:00.000Z']],
    ['America/Chicago', '2026-11-01T02:00', -360],
    ['America/New_York', '2026-03-08T02:30', ['gap', -300, -240, '2026-03-08T07:00:00.000Z']],
    ['America/New_York', '2026-11-01T01:30', ['overlap', -240, -300, '2026-11-01T06:00:00.000Z']],
    ['America/Denver', '2026-03-08T02:30', ['gap', -420, -360, '2026-03-08T09:00:00.000Z']],
    ['America/Los_Angeles', '2026-11-01T01:30', ['overlap', -420, -480, '2026-11-01T09:00:00.000Z']],
  ])('reads a US clock: %s at %s', (zone, reading, expected) => expect(meaning(zone, reading)).toEqual(expected));

  it.each([
    ['2006-04-02T02:30', 'gap'],
    ['2006-10-29T01:30', 'overlap'],
    ['2007-03-11T02:30', 'gap'],
    ['2006-03-12T02:30', 'exact'],
  ])('follows the US law of the year: %s in Chicago is %s', (reading, kind) => {
    expect(resolveLocal(zoneOf('America/Chicago'), local(reading)).kind).toBe(kind);
  });

  it.each(['America/Phoenix', 'Asia/Kolkata', 'Asia/Tokyo', 'Pacific/Honolulu', 'Etc/UTC'])(
    'finds no change in %s from 2000 to 2037',
    (name) => {
      const zone = zoneOf(name);
      for (let year = 2000; year <= 2037; year++) offsetAt(zone, Date.UTC(year, 5, 1));
      expect([...zone.spansByYear.values()].every((spans) => spans.length === 1)).toBe(true);
    },
  );

  it('finds two changes a year in Chicago from 2000 to 2037', () => {
    const zone = zoneOf('America/Chicago');
    for (let year = 2000; year <= 2037; year++) {
      offsetAt(zone, Date.UTC(year, 5, 1));
      expect(zone.spansByYear.get(year)?.map((span) => span.abbreviation)).toEqual(['CST', 'CDT', 'CST']);
    }
  });

  it.each([
    ['Asia/Kolkata', '2026-03-08T02:30', 330],
    ['Asia/Kathmandu', '2026-06-01T00:00', 345],
    ['Australia/Eucla', '2026-06-01T00:00', 525],
    ['Australia/Adelaide', '2026-04-05T02:30', ['overlap', 630, 570, '2026-04-04T16:30:00.000Z']],
    ['Australia/Adelaide', '2026-10-04T02:30', ['gap', 570, 630, '2026-10-03T16:30:00.000Z']],
    ['Australia/Lord_Howe', '2026-04-05T01:45', ['overlap', 660, 630, '2026-04-04T15:00:00.000Z']],
    ['Australia/Lord_Howe', '2026-04-05T01:15', 660],
    ['Australia/Lord_Howe', '2026-10-04T02:15', ['gap', 630, 660, '2026-10-03T15:30:00.000Z']],
    ['Australia/Lord_Howe', '2026-10-04T02:30', 660],
    ['America/St_Johns', '2026-11-01T01:30', ['overlap', -150, -210, '2026-11-01T04:30:00.000Z']],
    ['Pacific/Chatham', '2026-09-27T03:00', ['gap', 765, 825, '2026-09-26T14:00:00.000Z']],
    ['Europe/Dublin', '2026-03-29T01:30', ['gap', 0, 60, '2026-03-29T01:00:00.000Z']],
    ['Antarctica/Troll', '2026-03-29T02:00', ['gap', 0, 120, '2026-03-29T01:00:00.000Z']],
    ['America/Santiago', '2025-09-07T00:30', ['gap', -240, -180, '2025-09-07T04:00:00.000Z']],
  ])('reads odd clocks: %s at %s', (zone, reading, expected) => expect(meaning(zone, reading)).toEqual(expected));

  it.each([
    ['Pacific/Apia', '2011-12-30T12:00', ['gap', -600, 840, '2011-12-30T10:00:00.000Z']],
    ['Pacific/Apia', '2011-12-31T00:00', 840],
    ['Pacific/Kwajalein', '1993-08-21T12:00', ['gap', -720, 720, '1993-08-21T12:00:00.000Z']],
    ['Pacific/Kiritimati', '1994-12-31T12:00', ['gap', -600, 840, '1994-12-31T10:00:00.000Z']],
    ['Pacific/Kiritimati', '1994-12-30T23:59', -600],
    ['Pacific/Kiritimati', '1995-01-01T00:00', 840],
    ['Africa/Cairo', '2010-08-11T12:00', 120],
    ['America/Boa_Vista', '2000-10-07T12:00', -240],
    ['America/Boa_Vista', '2000-10-10T12:00', -180],
    ['America/Boa_Vista', '2000-10-16T12:00', -240],
  ])('sees a skipped day or a short season: %s at %s', (zone, reading, expected) => {
    expect(meaning(zone, reading)).toEqual(expected);
  });

  it.each([
    ['America/Managua', '1996-12-31T23:30', ['overlap', -300, -360, '1997-01-01T05:00:00.000Z']],
    ['Asia/Khandyga', '2004-01-01T00:30', ['gap', 540, 600, '2003-12-31T15:00:00.000Z']],
  ])('sees a change in the night of New Year from either year: %s at %s', (zone, reading, expected) => {
    expect(meaning(zone, reading)).toEqual(expected);
  });

  it('reads the first and last moment of the years it serves, in the outermost zones', () => {
    for (const [name, offsetMinutes] of [
      ['Pacific/Kiritimati', 840],
      ['Pacific/Niue', -660],
    ] as const) {
      expect(meaning(name, '2099-12-31T23:59:59.999')).toBe(offsetMinutes);
      expect(offsetAt(zoneOf(name), local('2099-12-31T23:59') - offsetMinutes * 60_000)).toBe(offsetMinutes);
    }
    expect(meaning('Asia/Tokyo', '1990-01-01T00:00')).toBe(540);
    expect(offsetAt(zoneOf('Asia/Tokyo'), local('1990-01-01T00:00') - 540 * 60_000)).toBe(540);
  });

  it('takes a year beyond its bounds, or no number, for a bug', () => {
    const zone = zoneOf('America/Chicago');
    for (const instantMs of [Date.UTC(1900, 0, 1), Date.UTC(2500, 0, 1), Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => offsetAt(zone, instantMs)).toThrow(RangeError);
      expect(() => resolveLocal(zone, instantMs)).toThrow(RangeError);
    }
    expect(() => offsetAt(zoneOf('UTC'), Number.NaN)).toThrow(RangeError);
    expect(() => resolveLocal(zoneOf('UTC'), Number.NaN)).toThrow(RangeError);
  });
});

describe('zoneAbbreviation', () => {
  it.each([
    ['America/Chicago', 'CST', 'CDT'],
    ['America/Phoenix', 'MST', 'MST'],
    ['America/Halifax', 'AST', 'ADT'],
    ['America/Anchorage', 'AKST', 'AKDT'],
    ['America/St_Johns', 'NST', 'NDT'],
    ['Pacific/Honolulu', 'HST', 'HST'],
    ['Europe/London', 'GMT', 'BST'],
    ['Europe/Dublin', 'GMT', 'IST'],
    ['Europe/Lisbon', 'WET', 'WEST'],
    ['Europe/Berlin', 'CET', 'CEST'],
    ['Europe/Kyiv', 'EET', 'EEST'],
    ['Europe/Moscow', 'MSK', 'MSK'],
    ['Asia/Kolkata', 'IST', 'IST'],
    ['Asia/Calcutta', 'IST', 'IST'],
    ['Asia/Tokyo', 'JST', 'JST'],
    ['Australia/Sydney', 'AEDT', 'AEST'],
    ['Australia/Brisbane', 'AEST', 'AEST'],
    ['Pacific/Auckland', 'NZDT', 'NZST'],
    ['America/Sao_Paulo', null, null],
    ['Asia/Kathmandu', null, null],
  ])('calls %s %s in January and %s in July', (name, january, july) => {
    const zone = zoneOf(name);
    expect(zoneAbbreviation(zone, Date.UTC(2026, 0, 15))).toBe(january);
    expect(zoneAbbreviation(zone, Date.UTC(2026, 6, 15))).toBe(july);
  });

  it('is letters alone in every zone of the database, in winter and in summer', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      for (const month of [0, 6]) {
        const abbreviation = zoneAbbreviation(zoneOf(name), Date.UTC(2026, month, 15));
        if (abbreviation !== null) expect(abbreviation).toMatch(/^[A-Z][A-Za-z][A-Z]{1,3}$/);
      }
    }
  });

  it('never lends a name to an offset the zone no longer keeps', () => {
    expect(spanAt(zoneOf('Europe/Moscow'), Date.UTC(2012, 0, 1))).toMatchObject({
      offsetMinutes: 240,
      abbreviation: null,
    });
  });
});

describe('the tables', () => {
  it('ask Intl once per zone and year', () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    offsetAt(zoneOf('America/Boise'), Date.UTC(2021, 3, 1));
    expect(asked).toHaveBeenCalled();
    asked.mockClear();
    for (let day = 0; day < 365; day++) {
      offsetAt(zoneOf('America/Boise'), Date.UTC(2021, 0, 1 + day));
      resolveLocal(zoneOf('America/Boise'), Date.UTC(2021, 0, 1 + day));
    }
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
  });

  it('are forgotten, oldest first, when a file names too many zones', () => {
    const first = zoneOf('America/Boise');
    for (let index = 0; index < 600; index++) expect(isZone(`Junk/Zone_${index}`)).toBe(false);
    expect(zoneOf('America/Boise')).not.toBe(first);
    expect(zoneOf('America/Boise')).toBe(zoneOf('America/Boise'));
  });
});
