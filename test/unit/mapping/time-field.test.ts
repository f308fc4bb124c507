import { describe, expect, it } from 'vitest';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import { milestoneOf } from '../../milestone-of.ts';
import { bodyOf, errorsOf, type Loose, mapCells, namesOf, problemsOf, withFields } from './documents.ts';

const PARSE = 'yyyy-MM-dd HH:mm';
const time = (changes: Loose, cells: Record<string, string>) => bodyOf(changes, cells).time;

describe('the zone of a time', () => {
  it('is the column of the document, translated by a code list', () =>
    expect(time({ zone: { from: 'TZ', lookup: 'zones' } }, { TZ: 'ct' })).toEqual({
      dateTime: '2026-03-02T08:00:00.0000000-06:00',
      timeZoneCode: 'CST',
      timeZoneOffset: 'UTC-6',
    }));
  it('is the default where the cell is empty', () =>
    expect(time({ zone: { from: 'TZ', default: 'America/Denver' } }, { TZ: '' }).timeZoneCode).toBe('MST'));
  it('is the time’s own where it has one', () => {
    const own = { from: 'When', parse: PARSE, zone: { const: 'America/New_York' } };
    expect(time(withFields({ time: own }), {}).timeZoneOffset).toBe('UTC-5');
  });
  // seed 2.3: `timeZoneCode` is a time-zone abbreviation.
  const codeOf = (zone: unknown, cells: Record<string, string>) => time({ zone }, cells).timeZoneCode;
  it('a written abbreviation is sent as written', () => {
    expect(codeOf({ from: 'TZ', lookup: 'zones' }, { TZ: 'cst', When: '2026-07-02 08:00' })).toBe('CST');
    const iso = { zone: 'TZ', ...withFields({ time: { from: 'When', parse: 'iso' } }) };
    expect(time(iso, { When: '2026-07-02T08:00:00-06:00', TZ: 'CST' }).timeZoneCode).toBe('CST');
  });
  it('a region gives the abbreviation of that day', () => {
    expect(codeOf({ const: 'America/Chicago' }, { When: '2026-03-02 08:00' })).toBe('CST');
    expect(codeOf({ const: 'America/Chicago' }, { When: '2026-07-02 08:00' })).toBe('CDT');
    expect(codeOf({ const: 'Europe/Berlin' }, { When: '2026-07-02 08:00' })).toBe('CEST');
    expect(codeOf({ const: 'Europe/London' }, { When: '2026-07-02 08:00' })).toBe('BST');
  });
  it('what has no abbreviation follows one declared choice: the same moment on the clock of UTC', () => {
    const { timeZoneCode } = NOT_SHOWN.clockWithoutAbbreviation;
    for (const zone of ['-06:00', 'UTC-6', 'Etc/GMT+6']) {
      const wanted = { dateTime: '2026-03-02T14:00:00.0000000+00:00', timeZoneCode, timeZoneOffset: 'UTC+0' };
      expect(time({ zone: { const: zone } }, {})).toEqual(wanted);
    }
    expect(codeOf({ const: 'America/Sao_Paulo' }, {})).toBe(timeZoneCode);
  });
  it('is missing as an error of its column, never UTC', () =>
    expect(errorsOf({ zone: 'TZ' }, { TZ: '' })).toMatchObject([{ code: 'time_zone_missing', path: 'TZ', value: '' }]));
  it('that is empty has a fix that says where the zone belongs, and of a place around the record, that it stands before', () => {
    expect(errorsOf({ zone: 'TZ' }, { TZ: '' })[0]?.fix).toMatch(
      /^Write the time zone of the place into "TZ"; or send/,
    );
    expect(errorsOf({ zone: '/head/TZ' }, { '/head/TZ': '' })[0]?.fix).toContain(
      'into "/head/TZ", before the records that it holds for;',
    );
  });
  it('off the hour is an error of its column, or of a time that bears it, with the same moment in UTC', () => {
    const [ofZone] = errorsOf({ zone: 'TZ' }, { TZ: 'Asia/Kolkata' });
    expect(ofZone).toMatchObject({ code: 'time_zone_minutes', path: 'TZ', value: 'Asia/Kolkata' });
    expect(ofZone?.message).toContain('UTC+5:30');
    expect(ofZone?.fix).toContain('in UTC it is 2026-03-02 02:30');
    const field = withFields({ time: { from: 'When', parse: 'iso' } });
    expect(errorsOf({ ...field, zone: 'TZ' }, { When: '2026-03-02T08:00:00-03:30', TZ: 'CT' })).toMatchObject([
      { code: 'time_zone_minutes', path: 'When', value: '2026-03-02T08:00:00-03:30' },
    ]);
    expect(time({ ...field, zone: 'TZ' }, { When: '2026-03-02T08:00:00Z', TZ: 'Asia/Kolkata' }).timeZoneOffset).toBe(
      'UTC+0',
    );
  });
  it('is unknown as an error of its column', () =>
    expect(errorsOf({ zone: 'TZ' }, { TZ: 'CST' })).toMatchObject([
      { code: 'time_zone_unknown', path: 'TZ', value: 'CST' },
    ]));
  it('makes one error, not two, when its code is not in the list', () =>
    expect(namesOf(errorsOf({ zone: { from: 'TZ', lookup: 'zones' } }, { TZ: 'QT' }))).toEqual(['code_unknown TZ']));
  it('is not needed where the text carries an offset', () => {
    const changes = { zone: undefined, ...withFields({ time: { from: 'When', parse: 'iso' } }) };
    expect(time(changes, { When: '2026-03-02T08:00:00-05:00' }).dateTime).toBe('2026-03-02T13:00:00.0000000+00:00');
  });
});

describe('the text of a time', () => {
  it('is joined from several columns and constants', () => {
    const field = { from: [{ const: '2026-03-02' }, 'Clock'], parse: PARSE };
    expect(time(withFields({ time: field }), { Clock: '09:30' }).dateTime).toContain('T09:30');
  });
  it('is tried against several patterns in order', () => {
    const field = { from: 'When', parse: ['MM/dd/yyyy h:mm a', PARSE] };
    expect(time(withFields({ time: field }), { When: '03/02/2026 9:30 pm' }).dateTime).toContain('T21:30');
    expect(time(withFields({ time: field }), {}).dateTime).toContain('T08:00');
  });
  it('can be mended by functions before it is read', () => {
    const field = {
      from: 'When',
      replace: [{ find: 'h', with: ':' }],
      substring: { from: 1, length: 16 },
      parse: PARSE,
    };
    expect(time(withFields({ time: field }), { When: '2026-03-02 08h15 local' }).dateTime).toContain('T08:15');
  });
  it('is missing as an error of all its columns', () =>
    expect(errorsOf(withFields({ time: { from: ['D', 'T'], parse: PARSE } }), { D: '', T: '' })).toMatchObject([
      { code: 'value_missing', path: 'D, T' },
    ]));
  it('runs past midnight of a service day', () => {
    const field = { from: [{ const: '2026-03-02' }, 'Clock'], parse: 'yyyy-MM-dd HHH:mm:ss' };
    expect(time(withFields({ time: field }), { Clock: '25:10:00' }).dateTime).toContain('2026-03-03T01:10');
  });
});

describe('clock changes', () => {
  const zone = { const: 'America/New_York' };
  const skipped = { When: '2026-03-08 02:30' };
  const twice = { When: '2026-11-01 01:30' };
  it('reject a time that does not exist or exists twice, unless told otherwise', () => {
    expect(namesOf(errorsOf({ zone }, skipped))).toEqual(['time_nonexistent When']);
    expect(namesOf(errorsOf({ zone }, twice))).toEqual(['time_ambiguous When']);
  });
  it('follow the policy of the document', () => {
    expect(time({ zone, time: { gap: 'later' } }, skipped).dateTime).toBe('2026-03-08T03:30:00.0000000-04:00');
    expect(time({ zone, time: { overlap: 'earlier' } }, twice).timeZoneCode).toBe('EDT');
  });
  it('follow the policy of the field before that of the document', () => {
    const field = { from: 'When', parse: PARSE, gap: 'earlier', overlap: 'later' };
    const changes = { zone, time: { gap: 'later', overlap: 'earlier' }, ...withFields({ time: field }) };
    expect(time(changes, twice).timeZoneCode).toBe('EST');
    expect(time(changes, skipped).dateTime).toBe('2026-03-08T01:30:00.0000000-05:00');
  });
});

describe('a document is refused', () => {
  const timeProblems = (field: unknown, changes: Loose = {}) =>
    namesOf(problemsOf({ ...changes, ...withFields({ time: field }) }));
  it('whose time has no pattern', () =>
    expect(timeProblems({ from: 'When' })).toEqual(['key_missing fields.time.parse']));
  it('whose time is only a column name', () => expect(timeProblems('When')).toEqual(['wrong_form fields.time']));
  it('whose pattern cannot be read, naming every fault of every pattern', () =>
    expect(timeProblems({ from: 'When', parse: ['yyyy-MM-dd QQ', 'HH:mm', PARSE] })).toEqual(
      expect.arrayContaining(['pattern_invalid fields.time.parse[0]', 'pattern_invalid fields.time.parse[1]']),
    ));
  it('whose time has neither zone nor offset', () =>
    expect(timeProblems({ from: 'When', parse: PARSE }, { zone: undefined })).toEqual(['zone_missing fields.time']));
  it('but not for a zone when one pattern reads an offset', () => {
    expect(timeProblems({ from: 'When', parse: [PARSE, 'yyyy-MM-dd HH:mm XXX'] }, { zone: undefined })).toEqual([]);
    expect(timeProblems({ from: 'When', parse: "yyyy-MM-dd HH:mm 'X'" }, { zone: undefined })).toEqual([
      'zone_missing fields.time',
    ]);
  });
  it('whose zone is a name where a column stands', () => {
    const [problem] = problemsOf({ zone: 'America/Chicago' });
    expect(problem).toMatchObject({ code: 'zone_unknown', path: 'zone', wanted: '{ const: America/Chicago }' });
  });
  it.each([
    [{ const: 'America/Chicage' }, 'zone.const'],
    [{ from: 'TZ', default: 'CST' }, 'zone.default'],
    [{ from: 'TZ', lookup: 'words' }, 'zone.lookup'],
  ])('whose zone is %j', (zone, path) => expect(namesOf(problemsOf({ zone }))).toEqual([`zone_unknown ${path}`]));
  it('whose clock change policy is none', () =>
    expect(namesOf(problemsOf({ time: { gap: 'guess' } }))).toEqual(['wrong_form time.gap']));
});

it('keeps the times of a record independent of each other', () => {
  const first = mapCells({}, {});
  const second = mapCells({}, { When: '2026-03-02 09:00' });
  expect(milestoneOf(first.requests[0]).time.dateTime).not.toBe(milestoneOf(second.requests[0]).time.dateTime);
});
