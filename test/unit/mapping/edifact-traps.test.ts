/** What IFTSTAs of different partners write in their own way, through the shipped mapping: one event each. */
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { type CompiledMapping, compileMapping } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import type { MilestoneFields } from '../../../src/mapping/request.ts';
import { SHIPPED_LISTS, SHIPPED_TEXTS } from './shipped.ts';

interface Event {
  /** `code path: value` of each. */
  errors: string[];
  /** `message` and `fix` of each. */
  words: string[];
  milestone: MilestoneFields | undefined;
}

const TEXT = SHIPPED_TEXTS.get('edifact-iftsta') ?? '';

/** @param more lines at the top level of the document, as a partner's own mapping has them. */
function mappingWith(more = ''): CompiledMapping {
  const checked = checkMapping(TEXT.replace('\nfields:', `\n${more}fields:`), SHIPPED_LISTS, {
    name: 'edifact-iftsta',
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return compileMapping(checked.value, SHIPPED_LISTS);
}
const USUAL = mappingWith();
const IN_CHICAGO = mappingWith('zone: { const: America/Chicago }\n');

async function eventOf(segments: readonly string[], mapping = USUAL, bgm = 'BGM+23+ST-1+9'): Promise<Event> {
  const message = ['UNH+1+IFTSTA:D:96A:UN', bgm, ...segments, `UNT+${segments.length + 3}+1`];
  const file = ['UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+72', ...message, 'UNZ+1+72', ''].join("'\n");
  const events: Event[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(new TextEncoder().encode(file)))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    for (const { mapped } of step.records) {
      const body = mapped.requests[0]?.body;
      events.push({
        errors: mapped.errors.map(({ code, path, value }) => `${code} ${path.split(',')[0]}: ${value}`),
        words: mapped.errors.map(({ message, fix }) => `${message} ${fix}`),
        milestone: body !== undefined && 'eventCode' in body ? body : undefined,
      });
    }
  }
  const [event] = events;
  if (event === undefined || events.length > 1) throw new Error(`${events.length} events`);
  return event;
}

const timeOf = async (dtm: string, mapping = USUAL): Promise<unknown> => {
  const { milestone, errors } = await eventOf(['CNI+1+LD1', 'STS+1+13', dtm], mapping);
  return milestone?.time.dateTime ?? errors;
};

describe('a DTM', () => {
  it.each([
    ['format 203 with an escaped offset', 'DTM+334:202603020930?+0100:203', '2026-03-02T08:30:00.0000000+00:00'],
    ['format 203 with an offset west', 'DTM+334:202603020930-0600:203', '2026-03-02T15:30:00.0000000+00:00'],
    ['format 204 with an escaped offset', 'DTM+334:20260302093015?+0100:204', '2026-03-02T08:30:15.0000000+00:00'],
    ['format 205, whose offset it is', 'DTM+334:202603020930?+0500:205', '2026-03-02T04:30:00.0000000+00:00'],
    [
      'format 205, whose offset has minutes',
      'DTM+334:202603020930?+0530:205',
      ['time_zone_minutes STS/DTM[01.1=334>178>186]-01.2: 202603020930+0530'],
    ],
    [
      'format 203 without an offset',
      'DTM+334:202603020930:203',
      ['time_zone_missing STS/DTM[01.1=334>178>186]-01.2: 202603020930'],
    ],
    ['a date only', 'DTM+334:20260302:102', ['time_zone_missing STS/DTM[01.1=334>178>186]-01.2: 20260302']],
    [
      'format 203 whose plus is not released',
      'DTM+334:202603020930+0100:203',
      ['value_missing STS/DTM[01.1=334>178>186]-01.3: '],
    ],
    [
      'a month that there is not',
      'DTM+334:202613020930?+0100:203',
      ['bad_date STS/DTM[01.1=334>178>186]-01.2: 202613020930+0100'],
    ],
    ['a format that is in no list', 'DTM+334:2603020930:201', ['code_unknown STS/DTM[01.1=334>178>186]-01.3: 201']],
    ['no format', 'DTM+334:202603020930?+0100', ['value_missing STS/DTM[01.1=334>178>186]-01.3: ']],
  ])('of %s', async (_, dtm, wanted) => expect(await timeOf(dtm)).toEqual(wanted));

  it.each([
    ['a date only: the start of that day', 'DTM+334:20260302:102', '2026-03-02T00:00:00.0000000-06:00'],
    ['a local time', 'DTM+334:202603020930:203', '2026-03-02T09:30:00.0000000-06:00'],
    [
      'an escaped offset, which goes before the zone',
      'DTM+334:202603020930?+0100:203',
      '2026-03-02T08:30:00.0000000+00:00',
    ],
    [
      'an hour that clocks jumped over',
      'DTM+334:202603080230:203',
      ['time_nonexistent STS/DTM[01.1=334>178>186]-01.2: 202603080230'],
    ],
    [
      'an hour that clocks show twice',
      'DTM+334:202611010130:203',
      ['time_ambiguous STS/DTM[01.1=334>178>186]-01.2: 202611010130'],
    ],
  ])('read in the zone of a partner’s own mapping, of %s', async (_, dtm, wanted) =>
    expect(await timeOf(dtm, IN_CHICAGO)).toEqual(wanted),
  );
});

it.each([
  ['20260302:203', 'year, month, day, hour, minute (offset)'],
  ['202603020930:102', 'year, month, day'],
  ['202603020930:204', 'year, month, day, hour, minute, second (offset)'],
  ['20260302093015:203', 'year, month, day, hour, minute (offset)'],
  ['202603020930:205', 'year, month, day, hour, minute, offset'],
  ['260302:102', 'year, month, day'],
])(
  'a DTM value whose form disagrees with its format code (2379) is an error that names both: %s',
  async (dtm, form) => {
    const [value, code] = dtm.split(':');
    const { errors, words } = await eventOf(['CNI+1+LD1', 'STS+1+13', `DTM+334:${dtm}`], IN_CHICAGO);
    expect(errors).toEqual([`bad_date STS/DTM[01.1=334>178>186]-01.2: ${value}`]);
    expect(words[0]).toContain(`written as ${form} without marks, such as 2026`);
    expect(words[0]).toContain(`which "${code}" in "STS/DTM[01.1=334>178>186]-01.3" stands for`);
    expect(words[0]).toContain('or write the code of the form you send');
  },
);

describe('the function of a message (BGM, 1225)', () => {
  const EVENT = ['CNI+1+LD1', 'STS+1+13', 'DTM+334:202603020815-0600:205'];
  it('that is a cancellation (1) is sent as no event: it is an error that names it', async () => {
    const { milestone, errors, words } = await eventOf(EVENT, USUAL, 'BGM+23+ST-1+1');
    expect([milestone, errors]).toEqual([undefined, ['record_kind_unknown BGM-03: 1']]);
    expect(words[0]).toContain('leave them out');
  });
  it.each(['3', '4', '31', '9x'])('that is neither original nor replacement is an error: %s', async (code) => {
    expect((await eventOf(EVENT, USUAL, `BGM+23+ST-1+${code}`)).errors).toEqual([
      `record_kind_unknown BGM-03: ${code}`,
    ]);
  });
  it.each(['BGM+23+ST-1+9', 'BGM+23+ST-1+5', 'BGM+23+ST-1+7', 'BGM+23+ST-1'])(
    'of %s is that of events',
    async (bgm) => {
      expect((await eventOf(EVENT, USUAL, bgm)).milestone).toMatchObject({ loadNumber: 'LD1', eventCode: 'X3' });
    },
  );
});

describe('what a status leaves open', () => {
  const TIME = 'DTM+334:202603020815-0600:205';
  const LOAD = 'STS/RFF[01.1=CN>CU>BM>SRN]-01.2';

  it('is no place: loading, discharge and delivery are none of the activity', async () => {
    const elsewhere = ['LOC+9+USCHI:139:6:Chicago', 'LOC+11+USJOT:139:6:Joliet', 'LOC+7+USGYY:139:6:Gary'];
    const { milestone, errors } = await eventOf(['CNI+1+LD1', 'STS+1+13', TIME, ...elsewhere]);
    expect(errors).toEqual([]);
    expect(milestone).not.toHaveProperty('eventCity');
    const there = await eventOf(['CNI+1+LD1', 'STS+1+13', TIME, ...elsewhere, 'LOC+175+USSYR:139:6:Syracuse']);
    expect(there.milestone?.eventCity).toBe('Syracuse');
  });

  it.each(['132', '133'])('is no time: an estimate (%s) is not when it happened', async (qualifier) => {
    const estimate = `DTM+${qualifier}:202604010815-0600:205`;
    expect(await timeOf(estimate)).toEqual(['value_missing STS/DTM[01.1=334>178>186]-01.2: ']);
    const { milestone } = await eventOf(['CNI+1+LD1', 'STS+1+21', estimate, 'DTM+178:202603020815-0600:205']);
    expect(milestone?.time.dateTime).toBe('2026-03-02T14:15:00.0000000+00:00');
  });

  it('is told where two times, places or loads differ, none of which goes before the other', async () => {
    const errorsOf = async (...segments: string[]) => (await eventOf(segments)).errors;
    expect(await errorsOf('CNI+1+LD1', 'STS+1+21', TIME, 'DTM+334:202603030815-0600:205')).toEqual([
      'values_differ STS/DTM[01.1=334>178>186]-01.2: 202603020815-0600, 202603030815-0600',
    ]);
    expect(await errorsOf('CNI+1+LD1', 'STS+1+21', TIME, 'LOC+175+A:139:6:Aaa', 'LOC+175+B:139:6:Bbb')).toEqual([
      'values_differ STS/LOC[01=175]-02.4: Aaa, Bbb',
    ]);
    expect(await errorsOf('CNI+1', 'STS+1+21', 'RFF+CN:LD1', 'RFF+CN:LD2', TIME)).toEqual([
      `values_differ ${LOAD}: LD1, LD2`,
    ]);
    expect(await errorsOf('RFF+CN:LD1', 'RFF+CN:LD2', 'CNI+1', 'STS+1+21', TIME)).toEqual([
      `values_differ ${LOAD.replace('STS/', 'UNH/')}: LD1, LD2`,
    ]);
  });

  it('is nothing where it is not asked: references that differ stay behind the number of the consignment', async () => {
    const loadOf = async (...segments: string[]) => {
      const { milestone, errors } = await eventOf([...segments, TIME]);
      expect(errors).toEqual([]);
      return milestone?.loadNumber;
    };
    expect(await loadOf('RFF+CN:LD1', 'RFF+CN:LD2', 'CNI+1+LD3', 'STS+1+21')).toBe('LD3');
    expect(await loadOf('CNI+1+LD3', 'RFF+CU:PO1', 'RFF+CU:PO2', 'STS+1+21')).toBe('LD3');
    expect(await loadOf('RFF+CN:LD1', 'RFF+CN:LD2', 'CNI+1', 'RFF+CN:LD4', 'STS+1+21')).toBe('LD4');
  });

  it('is nothing where one goes before the other, or both say the same', async () => {
    const loadOf = async (...segments: string[]) => (await eventOf([...segments, TIME])).milestone?.loadNumber;
    expect(await loadOf('CNI+1', 'STS+1+21', 'RFF+BM:B1', 'RFF+BM:B2', 'RFF+CN:LD1', 'RFF+CN:LD1')).toBe('LD1');
    expect(await loadOf('RFF+CN:LD1', 'CNI+1', 'RFF+CU:LD2', 'STS+1+21')).toBe('LD2');
    expect(await loadOf('RFF+CN:LD1', 'CNI+1+LD3', 'RFF+CU:LD2', 'STS+1+21')).toBe('LD3');
    expect(await loadOf('RFF+CN:LD1', 'CNI+1+LD3', 'STS+1+21', 'RFF+SRN:LD4')).toBe('LD4');
    const times = ['DTM+178:202603020915-0600:205', 'DTM+186:202603021015-0600:205'];
    const { milestone } = await eventOf(['CNI+1+LD1', 'STS+1+21', ...times, TIME]);
    expect(milestone?.time.dateTime).toBe('2026-03-02T14:15:00.0000000+00:00');
  });
});

describe('segments in an order that the directory forbids', () => {
  const TIME = 'DTM+334:202603020930?+0100:203';

  it('belong to the status they stand behind', async () => {
    const { milestone, errors } = await eventOf(['CNI+1+LD1', 'STS+1+13', 'LOC+175+::: Joliet', 'RFF+CN:LD2', TIME]);
    expect(errors).toEqual([]);
    expect(milestone).toMatchObject({ loadNumber: 'LD2', time: { dateTime: '2026-03-02T08:30:00.0000000+00:00' } });
  });

  it('before any status are none’s: the status without its time is an error', async () => {
    const { errors } = await eventOf(['CNI+1+LD1', TIME, 'STS+1+13']);
    expect(errors).toEqual(['value_missing STS/DTM[01.1=334>178>186]-01.2: ']);
  });
});
