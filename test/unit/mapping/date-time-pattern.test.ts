import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileDateTimePattern,
  type DateTimePattern,
  describePatternProblem,
  type PatternProblem,
} from '../../../src/mapping/values/date-time-pattern.ts';
import { draws } from '../../draws.ts';

function compile(source: string): DateTimePattern {
  const compiled = compileDateTimePattern(source);
  if (!compiled.ok) throw new Error(`${source}: ${JSON.stringify(compiled.error)}`);
  return compiled.value;
}

/** The reading as `2026-03-01T06:15:00.000`, then finer digits and offset where there are any. */
function read(source: string, text: string): string {
  const parsed = compile(source).parse(text);
  if (!parsed.ok) return `${parsed.error.at}: ${parsed.error.wanted}`;
  const time = parsed.value;
  const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 23);
  if (time.kind === 'instant') return `@${time.instantMs}${time.finer === '' ? '' : ` +${time.finer}`}`;
  const offset = time.offsetMinutes === undefined ? '' : ` ${time.offsetMinutes}`;
  const finer = time.finer === '' ? '' : ` +${time.finer}`;
  if (time.kind === 'service') return `${iso(time.dayMs)} and ${time.elapsedMs / 60_000} min${finer}${offset}`;
  return `${iso(time.localMs)}${finer}${offset}`;
}

function problemsOf(source: string): PatternProblem[] {
  const compiled = compileDateTimePattern(source);
  return compiled.ok ? [] : compiled.error;
}

describe('a pattern reads', () => {
  it.each([
    ['MM/dd/yyyy HH:mm', '03/01/2026 06:15', '2026-03-01T06:15:00.000'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSSSSSXXX", '2026-03-01T06:15:00.1234567-06:00', '2026-03-01T06:15:00.123 +4567 -360'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSSSSSXXX", '2026-03-01T06:15:00.0000000Z', '2026-03-01T06:15:00.000 +0000 0'],
    ['dd.MM.yyyy HH:mm:ss', '01.03.2026 06:15:59', '2026-03-01T06:15:59.000'],
    ['yyyyMMdd HHmm', '20260301 0615', '2026-03-01T06:15:00.000'],
    ['yyyyMMddHHmm[ss[SS]]', '202603010615', '2026-03-01T06:15:00.000'],
    ['yyyyMMddHHmm[ss[SS]]', '20260301061559', '2026-03-01T06:15:59.000'],
    ['yyyyMMddHHmm[ss[SS]]', '2026030106155907', '2026-03-01T06:15:59.070'],
    ['M/d/yy h:mm a', '3/1/26 6:15 am', '2026-03-01T06:15:00.000'],
    ['M/d/yy h:mm a', '12/31/26 06:15 PM', '2026-12-31T18:15:00.000'],
    ['M/d/yy hh:mma', '3/1/26 12:05AM', '2026-03-01T00:05:00.000'],
    ['M/d/yy hh:mma', '3/1/26 12:05Pm', '2026-03-01T12:05:00.000'],
    ['dd-MMM-yyyy', '01-MAR-2026', '2026-03-01T00:00:00.000'],
    ['MMMM d, yyyy H:m', 'September 7, 2026 6:5', '2026-09-07T06:05:00.000'],
    ['MMMM d, yyyy', 'may 7, 2026', '2026-05-07T00:00:00.000'],
    ["yyyy.MM.dd 'o''clock' HH", "2026.03.01 o'clock 06", '2026-03-01T06:00:00.000'],
    ["yyyy-MM-dd''HH", "2026-03-01'06", '2026-03-01T06:00:00.000'],
    ['yyyy-MM-dd[ HH:mm[:ss]]', '2026-03-01', '2026-03-01T00:00:00.000'],
    ['yyyy-MM-dd[ HH:mm[:ss]]', '2026-03-01 06:15', '2026-03-01T06:15:00.000'],
    ['yyyy-MM-dd[ HH:mm[:ss]]', '2026-03-01 06:15:07', '2026-03-01T06:15:07.000'],
    ['dd/MM/yyyy', '29/02/2024', '2024-02-29T00:00:00.000'],
    ['yyyyMMdd HHmmX', '20260301 0615-06', '2026-03-01T06:15:00.000 -360'],
    ['yyyyMMdd HHmmX', '20260301 0615+0530', '2026-03-01T06:15:00.000 330'],
    ['yyyyMMdd HHmmX', '20260301 0615Z', '2026-03-01T06:15:00.000 0'],
    ['yyyyMMdd HHmmXX', '20260301 0615-0600', '2026-03-01T06:15:00.000 -360'],
    ['yyyyMMdd HHmmZ', '20260301 0615-0000', '2026-03-01T06:15:00.000 0'],
    ['yyyyMMdd HHmm[Z]', '20260301 0615', '2026-03-01T06:15:00.000'],
  ])('%s: %s', (source, text, expected) => expect(read(source, text)).toBe(expected));

  it.each([
    ['00', '2000'],
    ['69', '2069'],
    ['70', '1970'],
    ['99', '1999'],
  ])('the two-digit year %s as %s', (year, full) => expect(read('yyMMdd', `${year}0301`)).toMatch(`${full}-03-01`));

  it.each([
    ['2026-03-01 25:10:00', '2026-03-01T00:00:00.000 and 1510 min'],
    ['2026-03-01 6:15:30', '2026-03-01T00:00:00.000 and 375.5 min'],
    ['2026-03-01 99:59:00', '2026-03-01T00:00:00.000 and 5999 min'],
  ])('hours of a service day beyond 23: %s', (text, expected) =>
    expect(read('yyyy-MM-dd HHH:mm:ss', text)).toBe(expected),
  );

  it('keeps seven digits of a fraction and cuts the rest', () => {
    expect(read('yyyy-MM-dd HH:mm:ss.SSSSSSSSS', '2026-03-01 06:15:00.123456789')).toBe(
      '2026-03-01T06:15:00.123 +4567',
    );
    expect(read('yyyy-MM-dd HH:mm:ss.S', '2026-03-01 06:15:00.5')).toBe('2026-03-01T06:15:00.500');
  });
});

describe('a pattern refuses', () => {
  it.each([
    ['MM/dd/yyyy HH:mm', '13/01/2026 06:15', '0: month 01 to 12'],
    ['MM/dd/yyyy HH:mm', '00/01/2026 06:15', '0: month 01 to 12'],
    ['MM/dd/yyyy HH:mm', '03/32/2026 06:15', '3: day 01 to 31'],
    ['MM/dd/yyyy HH:mm', '03/00/2026 06:15', '3: day 01 to 31'],
    ['MM/dd/yyyy HH:mm', '04/31/2026 06:15', '3: day 1 to 30 in month 4 of 2026'],
    ['MM/dd/yyyy HH:mm', '02/29/2026 06:15', '3: day 1 to 28 in month 2 of 2026'],
    ['MM/dd/yyyy HH:mm', '03/01/2026 24:00', '11: hour 00 to 23'],
    ['MM/dd/yyyy HH:mm', '03/01/2026 06:60', '14: minute 00 to 59'],
    ['MM/dd/yyyy HH:mm', '3/01/2026 06:15', '0: month 01 to 12'],
    ['MM/dd/yyyy HH:mm', '03/01/26 06:15', '6: year of four digits'],
    ['MM/dd/yyyy HH:mm', '03-01-2026 06:15', '2: "/"'],
    ['MM/dd/yyyy HH:mm', '03/01/2026  06:15', '11: hour 00 to 23'],
    ['MM/dd/yyyy HH:mm', '03/01/2026 06:15 ', '16: the end of the text'],
    ['MM/dd/yyyy HH:mm', ' 03/01/2026 06:15', '0: month 01 to 12'],
    ['MM/dd/yyyy HH:mm', '03/01/2026', '10: " "'],
    ['MM/dd/yyyy HH:mm', '', '0: month 01 to 12'],
    ['MM/dd/yyyy HH:mm', '+3/01/2026 06:15', '0: month 01 to 12'],
    ['yyyy-MM-dd HH:mm:ss', '2026-03-01 06:15:60', '17: second 00 to 59'],
    ['M/d/yyyy h:mm a', '3/1/2026 13:00 PM', '9: hour 1 to 12'],
    ['M/d/yyyy h:mm a', '3/1/2026 0:00 AM', '9: hour 1 to 12'],
    ['M/d/yyyy h:mm a', '3/1/2026 1:00 XM', '14: AM or PM'],
    ['dd-MMM-yyyy', '01-MÄR-2026', '3: month as Jan, Feb, … Dec'],
    ['dd-MMM-yyyy', '01-March-2026', '6: "-"'],
    ['yyyyMMdd HHmmXXX', '20260301 0615-0600', '13: offset as Z or -06:00'],
    ['yyyyMMdd HHmmXXX', '20260301 0615', '13: offset as Z or -06:00'],
    ['yyyyMMdd HHmmXX', '20260301 0615-0660', '16: minutes 00 to 59'],
    ['yyyyMMdd HHmmZ', '20260301 0615Z', '13: offset as -0600'],
    ['yyyy-MM-dd[ HH:mm]', '2026-03-01 25:00', '11: hour 00 to 23'],
    ['yyyy-MM-dd HHH:mm', '2026-03-01 100:00', '13: ":"'],
  ])('%s: %s', (source, text, expected) => expect(read(source, text)).toBe(expected));

  it.each([
    '０３/01/2026 06:15',
    '٠٣/01/2026 06:15',
    '03/01/2026\u00a006:15',
    '03/01/2026 06:15\0',
    '\ufeff03/01/2026 06:15',
    '1e/01/2026 06:15',
  ])('look-alike text %j', (text) => expect(compile('MM/dd/yyyy HH:mm').parse(text).ok).toBe(false));

  it('a missing section leaves nothing of what it had read', () => {
    expect(read('yyyy-MM-dd[ HH:mm]X', '2026-03-01 06:Z')).toMatch(/^14: minute/);
    expect(read('yyyy-MM-dd[ HH.mm][X]', '2026-03-01Z')).toBe('2026-03-01T00:00:00.000 0');
    expect(read("yyyy-MM-dd[ HH:mm]' 06'", '2026-03-01 06')).toBe('2026-03-01T00:00:00.000');
  });

  it('a text of megabytes without looking at it', () => {
    const patterns = ['MM/dd/yyyy HH:mm', 'iso', 'epochMillis', 'MMMM d, yyyy'].map(compile);
    for (const text of ['0'.repeat(5_000_000), ' '.repeat(5_000_000), '2026-03-01T06:15:00.'.padEnd(5_000_000, '1')]) {
      const startMs = performance.now();
      for (const pattern of patterns) expect(pattern.parse(text).ok).toBe(false);
      expect(performance.now() - startMs).toBeLessThan(1_000);
    }
  });

  it('any text without throwing, and names a place inside it', () => {
    const patterns = ['yyyy-MM-dd[ HH:mm[:ss[.SSS]]][XXX]', 'iso', 'epochSeconds', 'dd MMMM yy h a'].map(compile);
    fc.assert(
      fc.property(fc.constantFrom(...patterns), fc.string({ unit: 'binary', maxLength: 40 }), (pattern, text) => {
        const parsed = pattern.parse(text);
        if (parsed.ok) return;
        expect(parsed.error.at).toBeGreaterThanOrEqual(0);
        expect(parsed.error.at).toBeLessThanOrEqual(text.length);
        expect(parsed.error.wanted).not.toBe('');
      }),
    );
  });
});

describe('named patterns', () => {
  it.each([
    ['2026-03-01T06:15', '2026-03-01T06:15:00.000'],
    ['2026-03-01 06:15:07', '2026-03-01T06:15:07.000'],
    ['2026-03-01t06:15:07z', '2026-03-01T06:15:07.000 0'],
    ['2026-03-01T06:15:07,5', '2026-03-01T06:15:07.500'],
    ['2026-03-01T06:15:07.1234567-06:00', '2026-03-01T06:15:07.123 +4567 -360'],
    ['2026-03-01T06:15:07.123456789+0530', '2026-03-01T06:15:07.123 +4567 330'],
    ['2026-03-01T06:15-06', '2026-03-01T06:15:00.000 -360'],
    ['2026-03-01T06:15:00Z?', '20: the end of the text'],
    ['2026-03-01', '10: "T"'],
    ['2026-03-01T', '11: hour 00 to 23'],
    ['2026-3-1T06:15', '5: month 01 to 12'],
    ['2026-02-30T06:15', '8: day 1 to 28 in month 2 of 2026'],
    ['2026-03-01T06:15:61', '17: second 00 to 59'],
    ['2026-03-01T06:15:00.', "20: digits of a second's fraction"],
    ['2026-03-01T06:15:00 -06:00', '19: offset as Z or -06:00 or the end of the text'],
    ['+002026-03-01T06:15', '0: year of four digits'],
  ])('iso reads %s as %s', (text, expected) => expect(read('iso', text)).toBe(expected));

  it.each([
    ['epochSeconds', '1767225600', '@1767225600000'],
    ['epochSeconds', '1767225600.1234567', '@1767225600123 +4567'],
    ['epochSeconds', '1767225600.', "10: a fraction's one to nine digits"],
    ['epochSeconds', '1.2.3', "1: a fraction's one to nine digits"],
    ['epochSeconds', '1767225600000', '11: seconds since 1970 in at most 11 digits'],
    ['epochMillis', '1767225600123', '@1767225600123'],
    ['epochMillis', '1767225600123.5', '13: the end of the text'],
    ['epochMillis', '1.7672256e12', '1: the end of the text'],
    ['epochMillis', '-5', '0: whole milliseconds since 1970 in digits'],
    ['epochMillis', '', '0: whole milliseconds since 1970 in digits'],
    ['epochMillis', '0x10', '0: whole milliseconds since 1970 in digits'],
    ['epochMillis', '999999999999999999999', '14: milliseconds since 1970 in at most 14 digits'],
  ])('%s reads %s as %s', (source, text, expected) => expect(read(source, text)).toBe(expected));
});

describe('a bad pattern is refused with its place', () => {
  it.each<[string, unknown[]]>([
    ['', [{ code: 'pattern_length', characters: 0 }]],
    ['yyyy-MM-dd'.padEnd(161), [{ code: 'pattern_length', characters: 161 }]],
    [
      'YYYY-MM-DD',
      [
        { code: 'pattern_letter', at: 0, letter: 'Y' },
        { code: 'pattern_letter', at: 8, letter: 'D' },
      ],
    ],
    ['yyyy-MM-ddTHH:mm', [{ code: 'pattern_letter', at: 10, letter: 'T' }]],
    ['yyy-MM-dd', [{ code: 'pattern_letter_count', at: 0, letters: 'yyy', forms: ['yyyy', 'yy'] }]],
    ['yyyy-MM-dd HHHH', [{ code: 'pattern_letter_count', at: 11, letters: 'HHHH', forms: ['H', 'HH', 'HHH'] }]],
    ["yyyy-MM-dd'T", [{ code: 'pattern_quote', at: 10 }]],
    ['yyyy-MM-dd[ HH', [{ code: 'pattern_section', at: 10, mark: '[' }]],
    ['yyyy-MM-dd] HH', [{ code: 'pattern_section', at: 10, mark: ']' }]],
    ['yyyy-MM-dd MM', [{ code: 'pattern_field_twice', at: 11, field: 'month' }]],
    ['yyyy-MM-dd H a', [{ code: 'pattern_field_twice', at: 13, field: 'AM/PM' }]],
    [
      'HH:mm',
      ['year', 'month', 'day'].map((field) => ({ code: 'pattern_field_missing', field, neededBy: 'every pattern' })),
    ],
    ['yyyy-MM[-dd]', [{ code: 'pattern_field_missing', field: 'day', neededBy: 'every pattern' }]],
    ['yyyy-MM-dd mm', [{ code: 'pattern_field_missing', field: 'hour', neededBy: 'minute' }]],
    ['yyyy-MM-dd[ HH]:mm', [{ code: 'pattern_field_missing', field: 'hour', neededBy: 'minute' }]],
    ['yyyy-MM-dd hh:mm', [{ code: 'pattern_field_missing', field: 'AM/PM', neededBy: 'hour' }]],
    ['yyyy-MM-dd hh:mm[ a]', [{ code: 'pattern_field_missing', field: 'AM/PM', neededBy: 'hour' }]],
    ['yyyy-MM-dd HH.SSS', [{ code: 'pattern_field_missing', field: 'second', neededBy: 'fraction of a second' }]],
    ['yyyyMd', [{ code: 'pattern_ambiguous', at: 4, letters: 'M' }]],
    ['yyyyM[/]d', [{ code: 'pattern_ambiguous', at: 4, letters: 'M' }]],
    [
      'MM/d[ H[:mm]]yyyy',
      [
        { code: 'pattern_ambiguous', at: 6 },
        { code: 'pattern_ambiguous', at: 3 },
      ],
    ],
    ['yyyyMMdd HHHmm', [{ code: 'pattern_ambiguous', at: 9, letters: 'HHH' }]],
    ["yyyy-MM-d'0'", [{ code: 'pattern_ambiguous', at: 8, letters: 'd' }]],
  ])('%s', (source, expected) => {
    expect(problemsOf(source)).toMatchObject(expected);
    expect(problemsOf(source)).toHaveLength(expected.length);
  });

  it('is described by place and remedy', () => {
    const [problem] = problemsOf('yyyy-MM-ddTHH:mm');
    expect(describePatternProblem(problem!)).toEqual({
      message: '"T" at character 11 means nothing in a date pattern.',
      fix: "Put literal letters in quotes ('T'), or use a pattern by name: iso, epochSeconds, epochMillis.",
    });
  });

  it.each([
    ['yyyy-MM-DD', '"D" at character 9', 'day of the year', 'Write dd, or d, for the day of the month.'],
    ['YYYY-MM-dd', '"Y" at character 1', 'year of a week', 'Write yyyy, or yy, for the year.'],
    ['yyyy-MM-dd hh:mm A', '"A" at character 18', 'AM or PM', 'Write a for AM or PM.'],
  ])('says what a letter is elsewhere, and which one is meant: %s', (source, where, elsewhere, fix) => {
    const [problem] = problemsOf(source).filter(({ code }) => code === 'pattern_letter');
    expect(describePatternProblem(problem!)).toEqual({
      message: `${where} means nothing in a date pattern; elsewhere it is ${elsewhere === 'AM or PM' ? '' : 'the '}${elsewhere}.`,
      fix,
    });
  });

  it('has words for every kind of problem', () => {
    const sources = ['', ' '.repeat(200), 'Q', 'yyy', "'", '[', ']', 'ddd', 'dd dd', 'HH:mm', 'mm', 'yyyyMd', 'HH a'];
    const problems = sources.flatMap(problemsOf);
    expect(new Set(problems.map(({ code }) => code)).size).toBe(8);
    for (const problem of problems) {
      const { message, fix } = describePatternProblem(problem);
      expect(message).toMatch(/\.$/);
      expect(fix).toMatch(/\.$/);
      expect(message + fix).not.toMatch(/undefined|NaN|\[object/);
    }
  });

  it('never throws, whatever its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."yMdHhmsSaXZ'[] -T0".split('')), maxLength: 20 }), (source) => {
        const compiled = compileDateTimePattern(source);
        if (compiled.ok) compiled.value.parse('2026-03-01 06:15');
        else expect(compiled.error.length).toBeGreaterThan(0);
      }),
      { numRuns: draws(500) },
    );
  });
});
