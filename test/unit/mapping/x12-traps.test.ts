/** What 214s of different partners get wrong or write in their own way, through the shipped mapping: one event each. */
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { type CompiledMapping, compileMapping } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import type { MilestoneFields, TraceFields } from '../../../src/mapping/request.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import { SHIPPED_LISTS, SHIPPED_TEXTS } from './shipped.ts';

interface Event {
  /** `message` and `fix` of each. */
  words: string[];
  /** `code path: value` of each. */
  errors: string[];
  milestone: MilestoneFields | undefined;
  trace: TraceFields['traces'][number] | undefined;
}

const TEXT = SHIPPED_TEXTS.get('x12-214') ?? '';

/** @param changes of the document's text, as a partner's own mapping makes them. */
function mappingWith(...changes: (readonly [from: string, to: string])[]): CompiledMapping {
  const changed = changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the mapping has no ${from}`);
    return text.replace(from, to);
  }, TEXT);
  const checked = checkMapping(changed, SHIPPED_LISTS, { name: 'x12-214' });
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return compileMapping(checked.value, SHIPPED_LISTS);
}
const USUAL = mappingWith();

/** A 214 of these segments behind its B10, wrapped in an envelope that counts right. */
function fileOf(segments: readonly string[], version: string): Uint8Array {
  const set = ['ST*214*0001', 'B10*PRO1*SH1*DEMO', ...segments, `SE*${segments.length + 3}*0001`];
  const isa = `ISA*00*${' '.repeat(10)}*00*${' '.repeat(10)}*02*${'DEMO'.padEnd(15)}*ZZ*${'TRANSLOAD'.padEnd(15)}`;
  return new TextEncoder().encode(
    [
      `${isa}*260302*1500*U*00401*000000001*0*T*>`,
      `GS*QM*DEMO*TRANSLOAD*20260302*1500*1*X*${version}`,
      ...set,
      'GE*1*1',
      'IEA*1*000000001',
      '',
    ].join('~\n'),
  );
}

async function eventsOf(segments: readonly string[], mapping = USUAL, version = '004010'): Promise<Event[]> {
  const events: Event[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(fileOf(segments, version)))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    for (const { mapped } of step.records) {
      const event: Event = { words: [], errors: [], milestone: undefined, trace: undefined };
      event.words = mapped.errors.map(({ message, fix }) => `${message} ${fix}`);
      event.errors = mapped.errors.map(({ code, path, value }) => `${code} ${path}: ${value}`);
      for (const { body } of mapped.requests) {
        if ('eventCode' in body) event.milestone = body;
        if ('traces' in body) event.trace = body.traces[0];
      }
      events.push(event);
    }
  }
  return events;
}

async function eventOf(segments: readonly string[], mapping = USUAL, version = '004010'): Promise<Event> {
  const events = await eventsOf(segments, mapping, version);
  const [event] = events;
  if (event === undefined || events.length > 1) throw new Error(`${events.length} events`);
  return event;
}

const at7 = (code: string, reason: string, time = '20260302*0815*CT') => `AT7*${code}*${reason}***${time}`;
const timeOf = async (time: string, mapping = USUAL) => {
  const { milestone, errors } = await eventOf(['LX*1', at7('X1', 'NS', time)], mapping);
  return milestone?.time.dateTime ?? errors;
};

describe('a status', () => {
  it.each(['X3', 'X1', 'X4', 'AF', 'D1', 'X6', 'CA'])('is passed on as it is: %s', async (code) => {
    expect((await eventOf(['LX*1', at7(code, 'NS')])).milestone?.eventCode).toBe(code);
  });

  it('of arrival at pick-up stays one, as does that at delivery, in one file', async () => {
    const events = await eventsOf(['LX*1', at7('X3', 'NS'), at7('X1', 'NS'), 'LX*2', at7('X1', 'NS'), at7('X3', 'NS')]);
    expect(events.map(({ milestone }) => milestone?.eventCode)).toEqual(['X3', 'X1', 'X1', 'X3']);
  });

  // 004010 and 004030, of which published references agree; the order is theirs.
  const CODES_1650 =
    'A3 A7 A9 AF AG AH AI AJ AM AN AP AR AV B6 BA BC C1 CA CB CD CL CP D1 I1 J1 K1 L1 OA OO P1 PA PR R1 RL S1 SD X1 X2 X3 X4 X5 X6 X8 XB';
  it('of X12 element 1650 (AT7 shipment status code) is known: AH, AJ, AM, AV, K1, R1, S1 and others, unverified ones marked', async () => {
    const codes = CODES_1650.split(' ');
    const events = await eventsOf(['LX*1', ...codes.map((code) => at7(code, 'NS'))]);
    expect(events.map(({ milestone, errors }) => milestone?.eventCode ?? errors)).toEqual(codes);
    const { codes: listed = {}, unverified } = SHIPPED_LISTS.get('x12-status-codes')?.document ?? {};
    expect(Object.keys(listed).filter((code) => !codes.includes(code))).toEqual(unverified);
  });

  it('has a reason of X12 element 1651, whichever it is', async () => {
    const codes = ['A3', 'AA', 'AZ', 'B2', 'B9', 'BC', 'BR', 'C1', 'C9', 'CC', 'D2', 'F2', 'P4', 'RC', 'S1', 'T7'];
    const events = await eventsOf(['LX*1', ...codes.map((code) => at7('SD', code))]);
    expect(events.map(({ milestone, errors }) => milestone?.reasonCode ?? errors)).toEqual(codes);
  });

  it.each(['LY', 'RD', 'X01', 'A1', 'NS'])('that is in no list is an error: %s', async (code) => {
    expect(await eventOf(['LX*1', at7(code, 'NS')])).toMatchObject({
      errors: [`code_unknown AT7-01, AT7-03: ${code}`],
      milestone: undefined,
      trace: undefined,
    });
  });

  it('in small letters is the same', async () => {
    expect((await eventOf(['LX*1', at7('x1', 'ns')])).milestone).toMatchObject({ eventCode: 'X1', reasonCode: 'NS' });
  });

  it.each(['AF', 'AG', 'AI', 'D1'])('and a reason of the same letters mean two things: %s', async (code) => {
    const meaningIn = (list: string) => SHIPPED_LISTS.get(list)?.document.meanings?.[code];
    expect(meaningIn('x12-status-codes')).toBeTruthy();
    expect(meaningIn('x12-reason-codes')).toBeTruthy();
    expect(meaningIn('x12-reason-codes')).not.toBe(meaningIn('x12-status-codes'));
    const { milestone } = await eventOf(['LX*1', at7(code, code)]);
    expect(milestone).toMatchObject({ eventCode: code, reasonCode: code });
  });

  it.each([
    ['a reason in the place of a status', 'A1', 'NS', 'code_unknown AT7-01, AT7-03: A1'],
    ['a reason in the place of a status', 'AO', 'NS', 'code_unknown AT7-01, AT7-03: AO'],
    ['a status in the place of a reason', 'X3', 'X3', 'code_unknown AT7-02: X3'],
    ['an appointment in the place of a reason', 'X3', 'AB', 'code_unknown AT7-02: AB'],
  ])('is not %s: %s, %s', async (_, status, reason, error) => {
    expect((await eventOf(['LX*1', at7(status, reason)])).errors).toEqual([error]);
  });

  it('without a reason has none', async () => {
    const { milestone } = await eventOf(['LX*1', 'AT7*X1****20260302*0815*CT']);
    expect(milestone?.eventCode).toBe('X1');
    expect(milestone).not.toHaveProperty('reasonCode');
  });
});

describe('an appointment', () => {
  it.each(['AA', 'AB', 'AC', 'X9', 'XA'])('is an event of its own, with its own reason: %s', async (code) => {
    const { milestone, errors } = await eventOf(['LX*1', `AT7***${code}*NA*20260302*0815*CT`]);
    expect(errors).toEqual([]);
    expect(milestone).toMatchObject({ eventCode: code, reasonCode: 'NA' });
  });

  it('beside a status is an error: which of the two is meant is nobody’s guess', async () => {
    expect((await eventOf(['LX*1', 'AT7*X3*NS*AA*NA*20260302*0815*CT'])).errors).toEqual([
      'code_unknown AT7-01, AT7-03: X3+AA',
    ]);
  });

  it.each([
    ['a status written as an appointment', 'AT7***X3*NS*20260302*0815*CT', 'code_unknown AT7-01, AT7-03: X3'],
    ['an appointment written as a status', 'AT7*AA*NS***20260302*0815*CT', 'code_unknown AT7-01, AT7-03: AA'],
    ['neither of them', 'AT7*****20260302*0815*CT', 'value_missing AT7-01, AT7-03: '],
  ])('is not %s', async (_, segment, error) => {
    expect((await eventOf(['LX*1', segment])).errors).toEqual([error]);
  });
});

describe('a time', () => {
  it.each([
    ['20260302*0815*CT', '2026-03-02T08:15:00.0000000-06:00'],
    ['20260302*081530*CT', '2026-03-02T08:15:30.0000000-06:00'],
    ['20260302*0815305*CT', '2026-03-02T08:15:30.5000000-06:00'],
    ['20260302*081530555*CT', ['bad_date AT7-05, AT7-06: 20260302 081530555']],
    ['20260302*08153025*CT', '2026-03-02T08:15:30.2500000-06:00'],
    ['20260702*0815*CT', '2026-07-02T08:15:00.0000000-05:00'],
    ['20260302*0815*20', '2026-03-02T13:15:00.0000000+00:00'],
    ['20260702*0815*20', '2026-07-02T13:15:00.0000000+00:00'],
    ['20260302*0815*05', '2026-03-02T03:15:00.0000000+00:00'],
    ['20260302*0815*P05', '2026-03-02T03:15:00.0000000+00:00'],
    ['20260302*0815*M05', '2026-03-02T13:15:00.0000000+00:00'],
    ['20260302*0815*P13', ['code_unknown AT7-07: P13']],
    ['20260702*0815*ES', '2026-07-02T08:15:00.0000000-05:00'],
    ['20260702*0815*ED', '2026-07-02T08:15:00.0000000-04:00'],
    ['20260702*0815*UT', '2026-07-02T08:15:00.0000000+00:00'],
    ['20260302*0815', ['time_zone_missing AT7-07: ']],
    ['20260302*0815*NT', ['time_zone_minutes AT7-07: America/St_Johns']],
    ['20260702*0815*ND', ['time_zone_minutes AT7-07: NDT-02:30']],
    ['20260302*0815*LT', ['time_zone_missing AT7-07: ']],
    ['20260302*0815*XX', ['code_unknown AT7-07: XX']],
    ['20260302*2400*CT', ['bad_date AT7-05, AT7-06: 20260302 2400']],
    ['260302*0815*CT', ['bad_date AT7-05, AT7-06: 260302 0815']],
    ['20260308*0230*CT', ['time_nonexistent AT7-05, AT7-06: 20260308 0230']],
    ['20261101*0130*CT', ['time_ambiguous AT7-05, AT7-06: 20261101 0130']],
    ['20261101*0130*CD', '2026-11-01T01:30:00.0000000-05:00'],
  ])('of %s is %s', async (written, wanted) => {
    expect(await timeOf(written)).toEqual(wanted);
  });

  // seed 2.3: `timeZoneCode` is a time-zone abbreviation; what stands there for a bare offset is our choice.
  it.each([
    ['20260702*0815*CS', 'CST', 'UTC-6'],
    ['20260302*0815*CD', 'CDT', 'UTC-5'],
    ['20260302*0815*CT', 'CST', 'UTC-6'],
    ['20260702*0815*CT', 'CDT', 'UTC-5'],
    ['20260702*0815*ES', 'EST', 'UTC-5'],
    ['20260302*0815*ED', 'EDT', 'UTC-4'],
    ['20260702*0815*ET', 'EDT', 'UTC-4'],
    ['20260302*0815*MS', 'MST', 'UTC-7'],
    ['20260302*0815*MD', 'MDT', 'UTC-6'],
    ['20260702*0815*MT', 'MDT', 'UTC-6'],
    ['20260302*0815*PS', 'PST', 'UTC-8'],
    ['20260302*0815*PD', 'PDT', 'UTC-7'],
    ['20260302*0815*PT', 'PST', 'UTC-8'],
    ['20260302*0815*AS', 'AKST', 'UTC-9'],
    ['20260302*0815*AD', 'AKDT', 'UTC-8'],
    ['20260702*0815*AT', 'AKDT', 'UTC-8'],
    ['20260302*0815*TS', 'AST', 'UTC-4'],
    ['20260302*0815*TD', 'ADT', 'UTC-3'],
    ['20260702*0815*TT', 'ADT', 'UTC-3'],
    ['20260302*0815*HS', 'HST', 'UTC-10'],
    ['20260302*0815*HD', 'HDT', 'UTC-9'],
    ['20260702*0815*HT', 'HST', 'UTC-10'],
    ['20260302*0815*UT', 'UTC', 'UTC+0'],
    ['20260302*0815*GM', 'GMT', 'UTC+0'],
    ['20260302*0815*20', NOT_SHOWN.clockWithoutAbbreviation.timeZoneCode, 'UTC+0'],
  ])('X12 CS is sent as CST, CD as CDT, CT by the day: %s as %s', async (written, timeZoneCode, timeZoneOffset) => {
    const { milestone } = await eventOf(['LX*1', at7('X3', 'NS', written)]);
    expect(milestone?.time).toMatchObject({ timeZoneCode, timeZoneOffset });
  });

  const wallClock = mappingWith(['lookup: x12-time-codes\n', 'lookup: x12-time-codes-wall-clock\n']);
  it.each([
    ['20260702*0815*ES', '2026-07-02T08:15:00.0000000-04:00'],
    ['20260302*0815*ES', '2026-03-02T08:15:00.0000000-05:00'],
    ['20260702*0815*PS', '2026-07-02T08:15:00.0000000-07:00'],
    ['20260302*0815*ED', '2026-03-02T08:15:00.0000000-04:00'],
    ['20260702*0815*20', '2026-07-02T13:15:00.0000000+00:00'],
  ])('of a partner who writes standard codes all year and means the clock: %s', async (written, wanted) => {
    expect(await timeOf(written, wallClock)).toBe(wanted);
  });

  it('without a zone takes the one of a partner’s own mapping, where it has one', async () => {
    const withDefault = mappingWith([
      '  lookup: x12-time-codes\n',
      '  lookup: x12-time-codes\n  default: America/Chicago\n',
    ]);
    expect(await timeOf('20260302*0815*LT', withDefault)).toBe('2026-03-02T08:15:00.0000000-06:00');
    expect(await timeOf('20260302*0815', withDefault)).toBe('2026-03-02T08:15:00.0000000-06:00');
    expect(await timeOf('20260302*0815*ET', withDefault)).toBe('2026-03-02T08:15:00.0000000-05:00');
  });

  // 003070 writes years of two digits, and their century in an element of its own, so that all behind it shift by one.
  const SEGMENT_003070 = 'AT7*X1*NS***970302*19*0815*CT';
  it('with the century element of 003070 is an error, never another time', async () => {
    const { errors } = await eventOf(['LX*1', SEGMENT_003070], USUAL, '003070');
    expect(errors).toEqual(['version_not_taken GS08: 003070']);
  });
  it('with the century element of 003070 can be read by a mapping that says where it stands', async () => {
    const of003070 = mappingWith(
      ['notVersions: ["003070"]', 'notVersions: ["003060"]'],
      ['from: AT7-07\n', 'from: AT7-08\n'],
      ['from: [AT7-05, AT7-06]\n', 'from: [AT7-06, AT7-05, AT7-07]\n    join: ""\n'],
      ['parse: [yyyyMMdd HHmm, yyyyMMdd HHmmss, yyyyMMdd HHmmssS, yyyyMMdd HHmmssSS]', 'parse: yyyyMMddHHmm'],
    );
    const { milestone } = await eventOf(['LX*1', SEGMENT_003070], of003070, '003070');
    expect(milestone?.time.dateTime).toBe('1997-03-02T08:15:00.0000000-06:00');
  });
});

describe('a position', () => {
  const positionOf = async (ms1: string) => {
    const { trace, errors } = await eventOf(['LX*1', at7('X6', 'NS'), ms1]);
    return errors.length > 0 ? errors.map((error) => error.split(' ')[0]) : trace?.coordinate;
  };
  it.each([
    ['degrees, minutes and seconds', 'MS1****0951330*0294600*W*N', { latitude: 29.7666667, longitude: -95.225 }],
    ['degrees with decimals', 'MS1****95.225*29.766667*W*N', { latitude: 29.766667, longitude: -95.225 }],
    ['a minus and W', 'MS1****-95.225*29.766667*W*N', { latitude: 29.766667, longitude: -95.225 }],
    ['a minus without a letter', 'MS1****-95.225*+29.766667', { latitude: 29.766667, longitude: -95.225 }],
    ['seconds with decimals', 'MS1****0951330.50*0294600*W*N', { latitude: 29.7666667, longitude: -95.2251389 }],
    ['the other halves', 'MS1****0951330*0294600*E*S', { latitude: -29.7666667, longitude: 95.225 }],
    ['a minus and E', 'MS1****-95.225*29.766667*E*N', ['coordinate_invalid']],
    ['neither letter nor sign', 'MS1****0951330*0294600', ['coordinate_invalid', 'coordinate_invalid']],
    ['the halves swapped', 'MS1****0294600*0951330*W*N', ['coordinates_swapped']],
    ['the letters swapped', 'MS1****0951330*0294600*N*W', ['coordinate_invalid', 'coordinate_invalid']],
    ['more than 60 minutes', 'MS1****0956130*0294600*W*N', ['coordinate_invalid']],
    ['a longitude alone', 'MS1****0951330**W', ['value_missing']],
  ])('of %s', async (_, ms1, wanted) => {
    expect(await positionOf(ms1)).toEqual(wanted);
  });

  it('has no city, and a city no position', async () => {
    const onTheWay = await eventOf(['LX*1', at7('X6', 'NS'), 'MS1****0951330*0294600*W*N']);
    expect(onTheWay.milestone).not.toHaveProperty('eventCity');
    expect(onTheWay.trace).not.toHaveProperty('eventCity');
    const inTown = await eventOf(['LX*1', at7('X3', 'NS'), 'MS1*Joliet*IL*US']);
    expect(inTown.trace).toBeUndefined();
    expect(inTown.milestone).toMatchObject({ eventCity: 'Joliet', eventState: 'IL' });
  });

  it('that is wrong is told, and its status goes without it', async () => {
    const { milestone, trace, errors } = await eventOf(['LX*1', at7('X6', 'NS'), 'MS1****0294600*0951330*W*N']);
    expect([milestone?.eventCode, trace]).toEqual(['X6', undefined]);
    expect(errors).toHaveLength(1);
  });

  it('belongs to the AT7 before it alone', async () => {
    const events = await eventsOf(['LX*1', at7('X6', 'NS'), 'MS1****0951330*0294600*W*N', at7('X6', 'AO')]);
    expect(events.map(({ trace }) => trace !== undefined)).toEqual([true, false]);
  });
});

describe('MS1', () => {
  const wrongOf = async (...ms1: string[]) => {
    const { errors, words } = await eventOf(['LX*1', at7('X3', 'NS'), `MS1*${ms1.join('*')}`]);
    return { errors, words: words.join(' ') };
  };
  it('with city and state swapped ("JOLIET" as state) is an error that names the place and the fix', async () => {
    const { errors, words } = await wrongOf('IL', 'Joliet', 'US');
    expect(errors).toEqual(['state_invalid MS1-02: JOLIET']);
    expect(words).toContain('"MS1-01" holds one: the two look swapped.');
    expect(words).toContain('Write the city into "MS1-01" and the code of its state into "MS1-02".');
    expect((await wrongOf('OH', 'Ada')).errors).toEqual(['state_invalid MS1-02: ADA']);
  });
  it('whose state is written out is an error that says the code', async () => {
    expect((await wrongOf('Joliet', 'Illinois')).words).toContain('Write "IL" into "MS1-02".');
    expect((await wrongOf('Monterrey', 'Nuevo León')).words).toContain('Write "NLE" into "MS1-02".');
    expect((await wrongOf('Joliet', 'Will County')).words).toContain('or leave it empty');
  });
  it.each([
    ['Joliet', 'il', 'IL'],
    ['San Juan', 'PR', 'PR'],
    ['Toronto', 'ON', 'ON'],
    ['Monterrey', 'NLE', 'NLE'],
    ['Monterrey', 'NL', 'NL'],
    ['Sydney', 'NSW', 'NSW'],
    ['Paris', '75', '75'],
    ['ON', 'IL', 'IL'],
  ])('has a state or province code: %s, %s', async (city, state, sent) => {
    const { milestone, errors } = await eventOf(['LX*1', at7('X3', 'NS'), `MS1*${city}*${state}`]);
    expect([milestone?.eventState, errors]).toEqual([sent, []]);
  });
});

describe('a version', () => {
  it('whose AT7 has a century is refused by name, and no other', async () => {
    const century = await eventOf(['LX*1', 'AT7*X3*NS***260302*20*0815*CT'], USUAL, '003070');
    expect(century.errors).toEqual(['version_not_taken GS08: 003070']);
    expect(century.words[0]).toContain('is of version 003070');
    for (const version of ['004010', '004060', '005010X1', '003060']) {
      expect((await eventOf(['LX*1', at7('X3', 'NS')], USUAL, version)).errors).toEqual([]);
    }
  });

  it('with a suffix is the same', async () => {
    const { errors } = await eventOf(['LX*1', at7('X3', 'NS')], USUAL, '003070VICS');
    expect(errors).toEqual(['version_not_taken GS08: 003070VICS']);
  });
});

describe('the words of an error', () => {
  const messagesOf = async (...segments: string[]) => (await eventOf(['LX*1', ...segments])).words;

  it('name the element that is filled, not the one that must stay empty', async () => {
    const [words] = await messagesOf(at7('ZZ', 'NS'));
    expect(words).toContain('Correct "AT7-01"');
    expect(words).not.toContain('AT7-03');
  });

  it('say of a status beside an appointment that one of both belongs there', async () => {
    const [words] = await messagesOf('AT7*X3*NS*AA*NA*20260302*0815*CT');
    expect(words).toContain('"X3+AA", which is "AT7-01" and "AT7-03" together, is none of');
    expect(words).toContain('Fill in only one of "AT7-01" and "AT7-03" where one alone belongs there');
  });

  it('ask for a status or an appointment where an AT7 has neither', async () => {
    expect(await messagesOf('AT7**NS***20260302*0815*CT')).toEqual([
      '"AT7-01" and "AT7-03" are empty, but the status code is needed. Fill in "AT7-01" or "AT7-03" in this row, and send the row again.',
    ]);
    const [words] = await messagesOf('AT7***ZZ*NA*20260302*0815*CT');
    expect(words).toContain('Correct "AT7-03"');
  });

  it('offer elements of which either would do', async () => {
    const { words } = await eventOf(['LX*1', at7('X1', 'NS')], mappingWith(['B10-02', 'B10-09']));
    expect(words).toEqual([
      '"L11[02=LO]-01" and "B10-09" are empty, but the load number is needed. Fill in "L11[02=LO]-01" or "B10-09" in this row, and send the row again.',
    ]);
  });

  it('ask for the letter of a position in its own element', async () => {
    const words = await messagesOf(at7('X6', 'NS'), 'MS1****0951330*0294600');
    expect(words.map((each) => each.slice(each.indexOf('Write')))).toEqual([
      'Write the degrees alone into "MS1-05", such as 0413130 or 41.525, and the letter, N or S, into "MS1-07".',
      'Write the degrees alone into "MS1-04", such as 0880448 or 88.08, and the letter, W or E, into "MS1-06".',
    ]);
  });
});

describe('a place', () => {
  const locationsOf = async (...segments: string[]) =>
    (await eventsOf(segments)).map(({ milestone, errors }) => milestone?.eventCity ?? errors);

  it('is that of the AT7 before it, whatever stands between the two', async () => {
    const between = ['L11*1*PO', 'MAN*VI*1XKYD49X0MJ400001', 'K1*late', 'Q7*A*B', 'AT8*G*L*6240*402'];
    for (const segment of between) {
      const segments = ['LX*1', at7('X3', 'NS'), segment, 'MS1*Joliet*IL', at7('X1', 'NS'), segment, 'MS1*Chicago*IL'];
      expect(await locationsOf(...segments)).toEqual(['Joliet', 'Chicago']);
    }
  });

  it('is none of an AT7 that another one parts from it', async () => {
    const segments = ['LX*1', at7('X3', 'NS'), at7('X1', 'NS'), 'L11*1*PO', 'MS1*Chicago*IL'];
    expect(await locationsOf(...segments)).toEqual([[], 'Chicago']);
  });

  it('of two that stand behind one AT7, or before all of an LX, is an error', async () => {
    const two = ['MS1*Joliet*IL', 'MS1*Chicago*IN'];
    const errors = ['values_differ MS1-01: Joliet, Chicago', 'values_differ MS1-02: IL, IN'];
    const own = await locationsOf('LX*1', at7('X3', 'NS'), two[0] ?? '', 'L11*1*PO', two[1] ?? '');
    expect(own.flat().toSorted()).toEqual(errors);
    expect(await locationsOf('LX*1', ...two, at7('X3', 'NS'))).toHaveLength(1);
    expect((await locationsOf('LX*1', ...two, at7('X3', 'NS'))).flat().toSorted()).toEqual(errors);
  });

  it('leaves the stop behind it to all AT7s of the LX', async () => {
    const segments = ['LX*1', at7('X3', 'NS'), 'L11*4*QN', 'MS1*Joliet*IL', at7('AF', 'NS')];
    expect((await eventsOf(segments)).map(({ milestone }) => milestone?.stopsequenceNumber)).toEqual([4, 4]);
  });
});

it('positions behind an L11 are each of their own AT7', async () => {
  const position = (degrees: string) => `MS1****0${degrees}0000*0410000*W*N`;
  const events = await eventsOf([
    ...['LX*1', at7('X6', 'NS'), 'L11*A*PO', position('88')],
    ...[at7('X6', 'NS', '20260302*0915*CT'), 'L11*A*PO', position('90')],
  ]);
  expect(events.map(({ trace }) => trace?.coordinate.longitude)).toEqual([-88, -90]);
});

describe('equipment', () => {
  const referencesOf = async (...segments: string[]) => {
    const { milestone, errors } = await eventOf(['LX*1', at7('X3', 'NS'), ...segments]);
    return errors.length > 0 ? errors : milestone?.references?.filter(({ name }) => name !== 'PRO');
  };
  it('of an MS2 without a type is kept', async () => {
    expect(await referencesOf('MS2*DEMO*T2201')).toEqual([{ name: 'EQUIPMENT', value: 'T2201' }]);
  });
  it('of an MS2 of another type is kept, and a trailer is named one', async () => {
    expect(await referencesOf('MS2*DEMO*T2201*CN')).toEqual([{ name: 'EQUIPMENT', value: 'T2201' }]);
    expect(await referencesOf('MS2*DEMO*T2201*TL')).toEqual([{ name: 'TRAILER', value: 'T2201' }]);
  });
  it('of a tractor and its trailer is that of both', async () => {
    expect(await referencesOf('MS2*DEMO*TR9*TR', 'MS2*DEMO*T1*TL')).toEqual([
      { name: 'TRAILER', value: 'T1' },
      { name: 'EQUIPMENT', value: 'TR9' },
    ]);
  });
  it('of two MS2 without a type is an error: which is meant is not said', async () => {
    expect(await referencesOf('MS2*DEMO*A1', 'MS2*DEMO*A2')).toEqual(['values_differ MS2[03!=TL]-02: A1, A2']);
  });

  it('that is a trailer is named, also where another kind stands before it', async () => {
    const { milestone } = await eventOf(['LX*1', at7('X3', 'NS'), 'MS2*DEMO*TR9*TR', 'MS2*DEMO*T1*TL']);
    expect(milestone?.references).toContainEqual({ name: 'TRAILER', value: 'T1' });
  });

  it('of two trailers behind one AT7, or two VINs in an LX, is an error', async () => {
    const { errors } = await eventOf(['LX*1', at7('X3', 'NS'), 'MS2*DEMO*T1*TL', 'MS2*DEMO*T2*TL']);
    expect(errors).toEqual(['values_differ MS2[03=TL]-02: T1, T2']);
    const position = ['MS1****0880000*0410000*W*N', 'MAN*VI*1XKYD49X0MJ400001', 'MAN*VI*1XKYD49X0MJ400002'];
    expect((await eventOf(['LX*1', at7('X6', 'NS'), ...position])).errors).toEqual([
      'values_differ MAN[01=VI]-02: 1XKYD49X0MJ400001, 1XKYD49X0MJ400002',
    ]);
  });
});

describe('an L11', () => {
  const stopsOf = async (...segments: string[]) =>
    (await eventsOf(segments)).map(({ milestone }) => milestone?.stopsequenceNumber);
  const bolsOf = async (...segments: string[]) =>
    (await eventsOf(segments)).map(({ milestone }) => milestone?.references?.find(({ name }) => name === 'BOL')?.value);

  it('before its AT7 and one behind it are the same', async () => {
    expect(await stopsOf('LX*1', 'L11*3*QN', at7('X1', 'NS'))).toEqual([3]);
    expect(await stopsOf('LX*1', at7('X1', 'NS'), 'L11*3*QN')).toEqual([3]);
    expect(await stopsOf('LX*1', at7('X1', 'NS'), 'MS1*Joliet*IL', 'MS2*DEMO*T1*TL', 'L11*3*QN')).toEqual([3]);
  });

  it('of one LX that tells several stops, or loads, is an error of each of its AT7s: none of them is guessed', async () => {
    const stops = ['LX*1', 'L11*1*QN', at7('X3', 'NS'), 'L11*2*QN', at7('X1', 'NS')];
    const errors = async (...segments: string[]) => (await eventsOf(segments)).flatMap((event) => event.errors);
    expect(await errors(...stops)).toEqual(Array(2).fill('values_differ L11[02=QN]-01: 1, 2'));
    expect(await errors('LX*1', at7('X3', 'NS'), 'L11*1*QN', at7('X1', 'NS'), 'L11*2*QN')).toHaveLength(2);
    expect(await errors('L11*1*QN', 'L11*2*QN', 'LX*1', at7('X1', 'NS'))).toHaveLength(1);
    expect(await errors('LX*1', at7('X1', 'NS'), 'L11*LD1*LO', 'L11*LD2*LO')).toEqual([
      'values_differ L11[02=LO]-01: LD1, LD2',
    ]);
    // Where the heading is overridden, it does not matter; nor does what is said twice.
    expect(await stopsOf('L11*1*QN', 'L11*2*QN', 'LX*1', 'L11*3*QN', at7('X1', 'NS'), 'L11*3*QN')).toEqual([3]);
    expect(await stopsOf(...stops, 'LX*2', at7('D1', 'NS'), 'L11*9*QN')).toEqual([undefined, undefined, 9]);
  });

  it('belongs to all AT7s of its LX, and to those of no other', async () => {
    const segments = ['LX*1', at7('X3', 'NS'), 'L11*1*QN', at7('AF', 'NS'), 'LX*2', 'L11*2*QN', at7('X1', 'NS')];
    expect(await stopsOf(...segments, 'LX*3', at7('D1', 'NS'))).toEqual([1, 1, 2, undefined]);
  });

  it('of the heading holds where the LX has none of its qualifier', async () => {
    expect(await stopsOf('L11*7*QN', 'LX*1', at7('X1', 'NS'))).toEqual([7]);
    expect(await stopsOf('L11*7*QN', 'LX*1', at7('X1', 'NS'), 'L11*2*QN', 'LX*2', at7('D1', 'NS'))).toEqual([2, 7]);
    expect(await bolsOf('L11*B1*BM', 'LX*1', 'L11*2*QN', at7('X1', 'NS'))).toEqual(['B1']);
  });

  it('behind the parties of the heading is the heading’s', async () => {
    expect(await stopsOf('N1*SH*Sender 1', 'N4*Joliet*IL', 'L11*7*QN', 'LX*1', at7('X1', 'NS'))).toEqual([7]);
  });

  it('with a load number goes before the number of the B10', async () => {
    const loadOf = async (...segments: string[]) => (await eventOf(segments)).milestone?.loadNumber;
    expect(await loadOf('LX*1', at7('X1', 'NS'))).toBe('SH1');
    expect(await loadOf('L11*LD1*LO', 'LX*1', at7('X1', 'NS'))).toBe('LD1');
    expect(await loadOf('L11*LD1*LO', 'LX*1', 'L11*LD2*LO', at7('X1', 'NS'))).toBe('LD2');
  });

  it('that names an order, a shipment, equipment or a partner’s own number is a reference of the event', async () => {
    const numbers = ['BM', 'PO', 'SI', 'DO', 'EQ', 'BX'].map((qualifier) => `L11*${qualifier}1*${qualifier}`);
    const { milestone } = await eventOf(['LX*1', at7('D1', 'NS'), ...numbers]);
    expect(milestone?.references?.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['PRO PRO1', 'BOL BM1', 'PO PO1', 'SHIPMENT SI1', 'DELIVERY_ORDER DO1', 'EQUIPMENT EQ1', 'BX BX1'],
    ]);
  });

  it('that alone parts two events keeps them apart', async () => {
    for (const qualifier of ['BM', 'PO', 'SI', 'DO', 'EQ', 'BX']) {
      const event = (number: string) => ['LX*1', at7('D1', 'NS'), `L11*${number}*${qualifier}`];
      const bodies = (await eventsOf([...event('A'), ...event('B')])).map(({ milestone }) => JSON.stringify(milestone));
      expect(new Set(bodies).size).toBe(2);
    }
  });

  it('whose stop is no whole number is an error', async () => {
    expect((await eventOf(['LX*1', 'L11*1A*QN', at7('X1', 'NS')])).errors).toEqual([
      'not_a_whole_number L11[02=QN]-01: 1A',
    ]);
  });
});

describe('an element', () => {
  it('in which the component separator stands is an error, not its first part', async () => {
    const segments = ['LX*1', at7('X1', 'NS'), 'MS1*St>Louis*MO'];
    expect((await eventOf(segments)).errors).toEqual(['element_divided MS1-01: St Louis']);
    expect((await eventOf(['L11*LD>1*LO', 'LX*1', at7('X1', 'NS')])).errors).toEqual([
      'element_divided L11[02=LO]-01: LD 1',
    ]);
    const first = mappingWith(['- MS1-01', '- MS1-01.1'], ['eventCity: MS1-01', 'eventCity: MS1-01.1']);
    expect((await eventOf(segments, first)).milestone?.eventCity).toBe('St');
  });
  it('that the mapping does not read may have components', async () => {
    expect((await eventOf(['K1*a>b', 'LX*1', at7('X1', 'NS'), 'Q7*a>b'])).errors).toEqual([]);
  });
});

describe('an AT7 without an LX', () => {
  it('is told as that, and not as missing', async () => {
    const words: string[] = [];
    for await (const step of mapFile(USUAL, bytesInMemory(fileOf([at7('X1', 'NS')], '004010')))) {
      if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
      words.push(
        ...step.records.flatMap(({ mapped }) =>
          mapped.errors.map(({ code, path, message }) => `${code} ${path}: ${message}`),
        ),
      );
    }
    expect(words).toEqual([
      'loop_missing LX: This 214 has AT7, but no LX around it, and each AT7 in such a loop would be a record: there is nothing to send. (AK304 3)',
    ]);
  });
});
