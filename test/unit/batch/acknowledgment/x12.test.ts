/** 997, 999 and TA1: what they say of interchanges that are accepted, in part or not at all; and that others can read them. */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { groupNumber } from '../../../../src/batch/acknowledgment/x12.ts';
import { problemsOf, readX12 } from '../../formats/x12/reading.ts';
import { acknowledged, segmentsOf } from './acknowledging.ts';

const AS_997 = { mapping: 'x12-214', kind: '997' } as const;
const AS_999 = { mapping: 'x12-214', kind: '999' } as const;

const EVENT = ['AT7*X3*NS***20260302*0815*CT~'];
const BAD_CODE = ['AT7*ZZ*NS***20260302*0815*CT~'];

/** One load; its AT7s begin at segment 4. @param count SE01 where it is not what was counted. */
function set(control: string, events: readonly string[], count?: number, kind = '214'): string {
  const inner = [`ST*${kind}*${control}~`, `B10*PRO*L${control}*DEMO~`, 'LX*1~', ...events];
  return [...inner, `SE*${count ?? inner.length + 1}*${control}~`].join('\n');
}

interface GroupWanted {
  control?: string;
  count?: number | string;
  code?: string;
  closes?: string;
  header?: string;
}

function group(sets: readonly string[], wanted: GroupWanted = {}): string {
  const { control = '17', count = sets.length, code = 'QM', closes = control } = wanted;
  const { header = `GS*${code}*DEMO*TRANSLOAD*20260302*1500*${control}*X*004010~` } = wanted;
  return [header, ...sets, `GE*${count}*${closes}~`].join('\n');
}

function interchange(groups: readonly string[], { ta1 = '0', count = groups.length, closes = '000000017' } = {}) {
  const isa = `ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*${ta1}*T*>~`;
  return [isa, ...groups, `IEA*${count}*${closes}~`].join('\n');
}

const bodyOf = (text: string): string[] =>
  segmentsOf(text, '~').filter((segment) => !/^(?:ISA|GS|ST|SE|GE|IEA)\*/.test(segment));

describe('a 997', () => {
  it('goes back to the sender and counts itself rightly', async () => {
    expect(segmentsOf(await acknowledged(interchange([group([set('0001', EVENT)])]), AS_997), '~')).toEqual([
      'ISA*00*          *00*          *ZZ*TRANSLOAD      *02*DEMO           *260302*1504*U*00401*000000041*0*T*>',
      'GS*FA*TRANSLOAD*DEMO*20260302*1504*41001*X*004010',
      'ST*997*0001',
      'AK1*QM*17',
      'AK2*214*0001',
      'AK5*A',
      'AK9*A*1*1*1',
      'SE*6*0001',
      'GE*1*41001',
      'IEA*1*000000041',
    ]);
  });

  it('rejects the set of which nothing can be used, and says which element is wrong', async () => {
    const text = await acknowledged(interchange([group([set('0001', EVENT), set('0002', BAD_CODE)])]), AS_997);
    expect(bodyOf(text).slice(1)).toEqual([
      ...['AK2*214*0001', 'AK5*A', 'AK2*214*0002', 'AK3*AT7*4**8', 'AK4*1**7*ZZ', 'AK5*R*5'],
      'AK9*P*2*2*1',
    ]);
  });

  it('accepts a set of which a part can be used with errors, and so its group', async () => {
    const text = await acknowledged(interchange([group([set('0001', [...EVENT, ...BAD_CODE])])]), AS_997);
    expect(bodyOf(text).slice(1)).toEqual(['AK2*214*0001', 'AK3*AT7*5**8', 'AK4*1**7*ZZ', 'AK5*E*5', 'AK9*E*1*1*1']);
  });

  it('rejects a set of which the mapping leaves out whatever is right', async () => {
    const errors = [{ code: 'code_unknown', path: 'AT7-01', value: 'ZZ', message: '', fix: '' }];
    const wrong = { record: 2, state: 'invalid' as const, errors };
    const rows = [{ record: 1, state: 'skipped' as const, errors: [] }, wrong];
    const text = await acknowledged(interchange([group([set('0001', [...EVENT, ...BAD_CODE])])]), { ...AS_997, rows });
    expect(bodyOf(text).slice(1)).toEqual(['AK2*214*0001', 'AK3*AT7*5**8', 'AK4*1**7*ZZ', 'AK5*R*5', 'AK9*R*1*1*0']);
  });

  it('accepts a set of which the mapping leaves out all', async () => {
    const rows = [{ record: 1, state: 'skipped' as const, errors: [] }];
    const text = await acknowledged(interchange([group([set('0001', EVENT)])]), { ...AS_997, rows });
    expect(bodyOf(text).slice(1)).toEqual(['AK2*214*0001', 'AK5*A', 'AK9*A*1*1*1']);
  });

  it('rejects the group of which every set is rejected', async () => {
    const text = await acknowledged(interchange([group([set('0001', BAD_CODE)])]), AS_997);
    expect(bodyOf(text).at(-1)).toBe('AK9*R*1*1*0');
  });

  it.each([
    ['a wrong count', set('0001', EVENT, 9), 'AK5*R*4'],
    ['another control number in SE', set('0001', EVENT).replace(/\*0001~$/, '*0002~'), 'AK5*R*3'],
    ['no trailer', set('0001', EVENT).replace(/\nSE.*$/, ''), 'AK5*R*2'],
    ['a kind that is not taken', set('0001', EVENT, undefined, '990'), 'AK5*R*1'],
  ])('rejects a set with %s by the code of the standard', async (_about, wrong, wanted) => {
    const text = await acknowledged(interchange([group([wrong, set('0003', EVENT)])]), AS_997);
    expect(bodyOf(text).filter((segment) => segment.startsWith('AK5'))).toEqual([wanted, 'AK5*A']);
    expect(bodyOf(text).at(-1)).toBe('AK9*P*2*2*1');
  });

  it('rejects all sets of an ISA that is not 106 characters wide, where the partner is strict', async () => {
    const text = interchange([group([set('0001', EVENT)])]).replace('DEMO           *ZZ', 'DEMO*ZZ');
    const segments = bodyOf(await acknowledged(text, { ...AS_997, policy: { width: 'strict' }, rows: [] }));
    expect(segments[0]).toBe('TA1*000000017*260302*1500*R*022');
    expect(segments.slice(2)).toEqual(['AK2*214*0001', 'AK5*R', 'AK9*R*1*1*0']);
    expect(bodyOf(await acknowledged(text, AS_997))).toContain('AK5*A');
  });

  it('rejects the second set under a number', async () => {
    const text = await acknowledged(interchange([group([set('0001', EVENT), set('0001', EVENT)])]), AS_997);
    expect(bodyOf(text).filter((segment) => segment.startsWith('AK5'))).toEqual(['AK5*A', 'AK5*R*23']);
  });

  it.each([
    ['count', { count: 3 }, 'AK9*E*3*1*1*5'],
    ['control number', { closes: '18' }, 'AK9*E*1*1*1*4'],
  ])('notes a wrong %s in GE and accepts the set, because it was sent', async (_about, wrong, wanted) => {
    const text = await acknowledged(interchange([group([set('0001', EVENT)], wrong)]), AS_997);
    expect(bodyOf(text).slice(-2)).toEqual(['AK5*A', wanted]);
  });

  it.each([
    [
      'an LX that has lost its W01 at that LX',
      'x12-940',
      ['ST*940*1~', 'W05*N*SO-1~', 'LX*1~', 'W01*1*EA**VN*SOFA-3~', 'LX*2~', 'SE*6*1~'],
      ['AK3*LX*5**8', 'AK5*R*5'],
    ],
    [
      'a quantity that is missing at its POC',
      'x12-860',
      ['ST*860*1~', 'BCH*04*SA*SO-1**1*20260303~', 'POC*1*AI***EA***VN*SOFA-3~', 'SE*4*1~'],
      ['AK3*POC*3**8', 'AK4*3**1', 'AK5*R*5'],
    ],
    [
      'a date that is none at its element',
      'x12-850',
      ['ST*850*1~', 'BEG*00*SA*SO-1**20260301~', 'DTM*002*20260931~', 'PO1*1*2*EA***VN*SOFA-3~', 'SE*5*1~'],
      ['AK3*DTM*3**8', 'AK4*2**8*20260931', 'AK5*R*5'],
    ],
    [
      'a period whose form disagrees with its format qualifier (1250) at the period',
      'x12-850',
      ['ST*850*1~', 'BEG*00*SA*SO-1**20260301~', 'DTM*002****D8*202609~', 'PO1*1*2*EA***VN*SOFA-3~', 'SE*5*1~'],
      ['AK3*DTM*3**8', 'AK4*6**8*202609', 'AK5*R*5'],
    ],
    [
      'a format qualifier (1250) that says no day at itself',
      'x12-850',
      ['ST*850*1~', 'BEG*00*SA*SO-1**20260301~', 'DTM*002****TM*0815~', 'PO1*1*2*EA***VN*SOFA-3~', 'SE*5*1~'],
      ['AK3*DTM*3**8', 'AK4*5**7*TM', 'AK5*R*5'],
    ],
  ])('places %s', async (_, mapping, segments, wanted) => {
    const text = await acknowledged(interchange([group([segments.join('\n')])]), { mapping, kind: '997' });
    expect(bodyOf(text).slice(2, -1)).toEqual(wanted);
  });

  it.each([
    ['GS06 that is no number', { control: 'A1' }, 'AK9*E*1*1*1*6'],
    ['GS without its version', { header: 'GS*QM*DEMO*TRANSLOAD*20260302*1500*17~' }, 'AK9*E*1*1*1*6'],
  ])('tells of a %s, under a GS that is whole', async (_about, wrong, wanted) => {
    const text = await acknowledged(interchange([group([set('0001', EVENT)], wrong)]), AS_997);
    expect(bodyOf(text).at(-1)).toBe(wanted);
    expect(segmentsOf(text, '~')[1]).toBe('GS*FA*TRANSLOAD*DEMO*20260302*1504*41001*X*004010');
  });

  it('has addresses of the interchange and its version where GS names none', async () => {
    const named = interchange([group([set('0001', EVENT)], { header: 'GS*QM~', closes: '' })]);
    const text = await acknowledged(named.replace('*00401*', '*00501*'), AS_997);
    expect(segmentsOf(text, '~')[1]).toBe('GS*FA*TRANSLOAD*DEMO*20260302*1504*41001*X*005010');
  });

  it.each([
    ['as GE01 says', { count: 5 }, 'AK9*P*5*2*1*5'],
    ['as it was counted where GE01 is no number', { count: 'two' }, 'AK9*P*2*2*1*5'],
  ])('says how many sets are included, %s, beside those received', async (_about, wrong, wanted) => {
    const text = await acknowledged(interchange([group([set('0001', EVENT), set('0002', BAD_CODE)], wrong)]), AS_997);
    expect(bodyOf(text).at(-1)).toBe(wanted);
  });

  it('rejects a group in which no set stands though GE says so', async () => {
    expect(bodyOf(await acknowledged(interchange([group([], { count: 2 })]), AS_997))).toEqual([
      'AK1*QM*17',
      'AK9*R*2*0*0*5',
    ]);
  });

  it('answers no acknowledgment, also where one stands beside what is answered', async () => {
    const acknowledgments = group([set('0001', [], undefined, '997')], { code: 'FA', control: '18' });
    const text = await acknowledged(interchange([acknowledgments, group([set('0001', EVENT)])]), AS_997);
    expect(bodyOf(text)).toEqual(['AK1*QM*17', 'AK2*214*0001', 'AK5*A', 'AK9*A*1*1*1']);
  });

  it('says as 999 after which guide a set was written', async () => {
    const guided = set('0001', EVENT).replace('ST*214*0001~', 'ST*214*0001*004010X100~');
    expect(bodyOf(await acknowledged(interchange([group([guided])]), AS_999))[1]).toBe('AK2*214*0001*004010X100');
    expect(bodyOf(await acknowledged(interchange([group([guided])]), AS_997))[1]).toBe('AK2*214*0001');
  });

  it('accepts a group that says itself that no set stands in it', async () => {
    expect(bodyOf(await acknowledged(interchange([group([])]), AS_997))).toEqual(['AK1*QM*17', 'AK9*A*0*0*0']);
  });

  it('counts a set that no ST opens among the received ones, though it has no number to be told under', async () => {
    const headless = 'B10*PRO*L2*DEMO~\nSE*2*0002~';
    const text = await acknowledged(interchange([group([set('0001', EVENT), headless])]), AS_997);
    expect(bodyOf(text)).toEqual(['AK1*QM*17', 'AK2*214*0001', 'AK5*A', 'AK9*P*2*2*1']);
  });

  it.each([
    ['the time alone', '20260302*2515', ['AK4*6**9*2515']],
    ['the date alone', '20261302*0815', ['AK4*5**8*20261302']],
    ['the time alone, on a leap day of a short year', '000229*2515', ['AK4*6**9*2515']],
    ['the time that is missing', '20260302*', ['AK4*6**1']],
    ['the date and the time', '20261302*2515', ['AK4*5**8*20261302', 'AK4*6**9*2515']],
    ['the date that has a letter in it, and the time', '2026030Z*2515', ['AK4*5**8*2026030Z', 'AK4*6**9*2515']],
  ])('says of a wrong date and time which element is wrong: %s', async (_about, wrong, wanted) => {
    const events = [`AT7*X3*NS***${wrong}*CT~`];
    const text = await acknowledged(interchange([group([set('0001', events)])]), AS_997);
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*AT7*4**8', ...wanted, 'AK5*R*5']);
  });

  it.each(['time_nonexistent', 'time_ambiguous'])(
    'names the time where its date has it not, or twice (%s)',
    async (code) => {
      const wrong = { code, path: 'AT7-05, AT7-06', value: '20260302 0815', message: '', fix: '' };
      const rows = [{ record: 1, state: 'invalid' as const, errors: [wrong] }];
      const text = await acknowledged(interchange([group([set('0001', EVENT)])]), { ...AS_997, rows });
      expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*AT7*4**8', 'AK4*6**9*0815', 'AK5*R*5']);
    },
  );

  it('names the element that holds the code, of two that may', async () => {
    const text = await acknowledged(interchange([group([set('0001', ['AT7***QQ*NA*20260302*0815*CT~'])])]), AS_997);
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*AT7*4**8', 'AK4*3**7*QQ', 'AK5*R*5']);
  });

  it('names the segment that is missing, and not the one that the record begins with', async () => {
    const headless = set('0001', EVENT).replace('B10*PRO*L0001*DEMO~\n', '').replace('SE*5', 'SE*4');
    const text = await acknowledged(interchange([group([headless])]), AS_997);
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*B10*3**3', 'AK5*R*5']);
    const as999 = await acknowledged(interchange([group([headless])]), AS_999);
    expect(bodyOf(as999).slice(2, -1)).toEqual(['IK3*B10*3**3', 'IK5*R*5']);
  });

  it('takes a set with errors whose only record has a sound event beside one that is wrong', async () => {
    const events = ['AT7*X6*NS***20260302*0815*CT~', 'MS1****0951330*0960000*W*N~'];
    const text = await acknowledged(interchange([group([set('0001', events)])]), AS_997);
    expect(bodyOf(text).at(-2)).toBe('AK5*E*5');
  });

  it('names the element of a SCAC that the key may not use, once for all events of the load', async () => {
    const wrong = { code: 'scac_not_allowed', path: 'B10-03', value: 'DEMO', message: '', fix: '' };
    const rows = [1, 2].map((record) => ({ record, state: 'invalid' as const, errors: [wrong] }));
    const text = await acknowledged(interchange([group([set('0001', [...EVENT, ...EVENT])])]), { ...AS_997, rows });
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*B10*2**8', 'AK4*3**7*DEMO', 'AK5*R*5']);
  });

  it('names the element that was read, of one segment that is there and one that is not', async () => {
    const wrong = { code: 'scac_not_allowed', path: 'MS2-01, B10-03', value: 'DEMO', message: '', fix: '' };
    const rows = [{ record: 1, state: 'invalid' as const, errors: [wrong] }];
    const text = await acknowledged(interchange([group([set('0001', EVENT)])]), { ...AS_997, rows });
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*B10*2**8', 'AK4*3**7*DEMO', 'AK5*R*5']);
  });

  it.each(['scac', ''])('tells of a fault whose path is %j, which is of no segment, at the record', async (path) => {
    const wrong = { code: 'scac_missing', path, value: '', message: '', fix: '' };
    const rows = [{ record: 1, state: 'invalid' as const, errors: [wrong] }];
    const text = await acknowledged(interchange([group([set('0001', EVENT)])]), { ...AS_997, rows });
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*AT7*4**8', 'AK5*R*5']);
  });

  it('names segments at fault in the order of their numbers', async () => {
    const late = { code: 'required', path: 'AT7-01', value: '', message: '', fix: '' };
    const early = { code: 'required', path: 'B10-01', value: '', message: '', fix: '' };
    const rows = [{ record: 1, state: 'invalid' as const, errors: [late, early] }];
    const text = await acknowledged(interchange([group([set('0001', EVENT)])]), { ...AS_997, rows });
    expect(bodyOf(text).filter((segment) => segment.startsWith('AK3'))).toEqual(['AK3*B10*2**8', 'AK3*AT7*4**8']);
  });

  it('gives an innocent set that shares the fate of its interchange no code of a fault that it does not have', async () => {
    const text = await acknowledged(interchange([group([set('0001', EVENT), set('0002', EVENT, 9)])]), {
      ...AS_997,
      policy: { broken: 'interchange' },
    });
    expect(bodyOf(text).slice(1)).toEqual(['AK2*214*0001', 'AK5*R', 'AK2*214*0002', 'AK5*R*4', 'AK9*R*2*2*0']);
  });

  it('names the loop that a set lacks', async () => {
    const text = await acknowledged(interchange([group([set('0001', [])])]), AS_997);
    expect(bodyOf(text).slice(2, -1)).toEqual(['AK3*AT7*1**3', 'AK5*R*5']);
  });

  it('is not acknowledged itself', async () => {
    const own = group(['ST*997*0001~\nAK1*QM*1~\nAK9*A*1*1*1~\nSE*4*0001~'], { code: 'FA' });
    expect(await acknowledged(interchange([own]), AS_997)).toBe('');
  });

  it('tells each group in one of its own', async () => {
    const text = await acknowledged(
      interchange([group([set('0001', EVENT)]), group([set('0001', BAD_CODE)], { control: '18' })]),
      AS_997,
    );
    expect(bodyOf(text).filter((segment) => /^AK[19]/.test(segment))).toEqual([
      ...['AK1*QM*17', 'AK9*A*1*1*1'],
      ...['AK1*QM*18', 'AK9*R*1*1*0'],
    ]);
    expect(segmentsOf(text, '~').filter((segment) => /^(?:GE|IEA)/.test(segment))).toEqual([
      ...['GE*1*41001', 'GE*1*41002', 'IEA*2*000000041'],
    ]);
  });
});

describe('a TA1', () => {
  const ta1Of = async (text: string) =>
    segmentsOf(await acknowledged(text, AS_997), '~').filter((segment) => segment.startsWith('TA1'));
  const sound = [group([set('0001', EVENT)])];

  it('comes where it is wanted, and else only where something is wrong', async () => {
    expect(await ta1Of(interchange(sound))).toEqual([]);
    expect(await ta1Of(interchange(sound, { ta1: '1' }))).toEqual(['TA1*000000017*260302*1500*A*000']);
  });

  it.each([
    ['the number of groups', { count: 3 }, '021'],
    ['the control number', { closes: '000000018' }, '001'],
  ])('tells a wrong IEA by the code of the standard: %s', async (_about, wrong, code) => {
    expect(await ta1Of(interchange(sound, wrong))).toEqual([`TA1*000000017*260302*1500*E*${code}`]);
  });

  it('rejects the interchange with a fault of which no set was taken, and accepts it where one was', async () => {
    const refused = [set('0001', BAD_CODE), set('0002', BAD_CODE)];
    expect(await ta1Of(interchange([group(refused)], { count: 3 }))).toEqual(['TA1*000000017*260302*1500*R*021']);
    expect(await ta1Of(interchange([group([...refused, set('0003', EVENT)])], { count: 3 }))).toEqual([
      'TA1*000000017*260302*1500*E*021',
    ]);
  });

  it('rejects it also where what stands in it is a set that no ST opens', async () => {
    expect(await ta1Of(interchange([group(['B10*PRO*L2*DEMO~\nSE*2*0002~'])], { count: 3 }))).toEqual([
      'TA1*000000017*260302*1500*R*021',
    ]);
  });

  it('that is wanted only of what is rejected comes where the sets of its groups are', async () => {
    const refused = [group([set('0001', BAD_CODE)])];
    expect(await ta1Of(interchange(refused, { ta1: '2', count: 3 }))).toEqual(['TA1*000000017*260302*1500*R*021']);
  });

  it('tells that the interchange breaks off', async () => {
    expect(await ta1Of(interchange(sound).replace(/\nIEA.*$/, ''))).toEqual(['TA1*000000017*260302*1500*E*023']);
  });
});

describe('a TA1 of an interchange of which nothing was taken', () => {
  const ISA = interchange([]).split('\n')[0] ?? '';
  const loose = (ta1: string) => interchange([set('0001', EVENT)], { ta1, count: 0 });

  it.each(['0', '1', '2', '3'])('rejects it where a set stands outside any group, with ISA14 %s', async (ta1) => {
    expect(bodyOf(await acknowledged(loose(ta1), AS_997))).toEqual(['TA1*000000017*260302*1500*R*022']);
  });

  it('accepts it with errors where other sets of it were taken', async () => {
    const mixed = interchange([group([set('0001', EVENT)]), set('0002', EVENT)], { ta1: '2', count: 1 });
    expect(bodyOf(await acknowledged(mixed, AS_997))[0]).toBe('TA1*000000017*260302*1500*E*022');
  });

  it('rejects it where its ISA is refused', async () => {
    const equal = interchange([group([set('0001', EVENT)])])
      .replace('*T*>~', '*T*>>~')
      .replaceAll('~', '>');
    const text = await acknowledged(equal.replace('>>>', '>>'), AS_997);
    expect(bodyOf(text)).toEqual(['TA1*000000017*260302*1500*R*004']);
  });

  it.each([
    ['R', 'where nothing else stands in it', [] as string[], []],
    ['E', 'where its sets were taken', [group([set('0001', EVENT)])], []],
  ])('says %s and why of text before the ISA, %s', async (outcome, _about, groups) => {
    const text = `${interchange([group([set('0001', EVENT)])])}\nstray text~\n${interchange(groups, { ta1: '0' })}`;
    const told = bodyOf(await acknowledged(text, AS_997)).filter((segment) => segment.startsWith('TA1'));
    expect(told).toEqual([`TA1*000000017*260302*1500*${outcome}*024`]);
  });

  it('rejects it where a segment stands in it that may not, and nothing else', async () => {
    const text = [ISA, 'B10*PRO*L1*DEMO~', 'SE*2*0001~', 'IEA*0*000000017~'].join('\n');
    expect(bodyOf(await acknowledged(text, AS_997))).toEqual(['TA1*000000017*260302*1500*R*022']);
  });
});

describe('an acknowledgment that is a TA1 alone', () => {
  it('is an interchange without a fault', async () => {
    const text = await acknowledged(interchange([set('0001', EVENT)], { count: 0 }), AS_997);
    expect([text.includes('TA1*'), problemsOf(readX12(text))]).toEqual([true, []]);
  });
});

describe('a TA1 that is wanted', () => {
  const sound = [group([set('0001', EVENT)])];
  const SOUND = 'TA1*000000017*260302*1500*A*000';
  const WRONG = 'TA1*000000017*260302*1500*E*021';

  it.each([
    ['0', [], [WRONG]],
    ['1', [SOUND], [WRONG]],
    ['2', [], []],
    ['3', [], [WRONG]],
  ])('by ISA14 %s comes accordingly', async (ta1, ofSound, ofWrong) => {
    const told = async (count: number) =>
      bodyOf(await acknowledged(interchange(sound, { ta1, count }), AS_997)).filter((each) => each.startsWith('TA1'));
    expect([await told(1), await told(3)]).toEqual([ofSound, ofWrong]);
  });
});

describe('the number of a group', () => {
  it('is another one in each of several acknowledgments, and the same in GS06 and GE02', async () => {
    const one = interchange([group([set('0001', EVENT)]), group([set('0001', EVENT)], { control: '18' })]);
    const lines = segmentsOf(await acknowledged(`${one}\n${one}`, AS_997), '~');
    const opened = lines.flatMap((line) => (line.startsWith('GS*') ? [line.split('*')[6]] : []));
    const closed = lines.flatMap((line) => (line.startsWith('GE*') ? [line.split('*')[2]] : []));
    expect(opened).toEqual(['41001', '41002', '42001', '42002']);
    expect(closed).toEqual(opened);
  });

  it('has nine digits at most, whatever the number of the interchange', () => {
    expect([999_999, 1_000_000, 999_999_999].map((control) => groupNumber(control, 1))).toEqual([
      999_999_001, 1, 999_999_001,
    ]);
  });
});

describe('a 999', () => {
  it('says the same in its own segments', async () => {
    const text = await acknowledged(interchange([group([set('0001', EVENT), set('0002', BAD_CODE)])]), AS_999);
    expect(segmentsOf(text, '~').slice(0, -1)).toEqual([
      'ISA*00*          *00*          *ZZ*TRANSLOAD      *02*DEMO           *260302*1504*^*00501*000000041*0*T*>',
      'GS*FA*TRANSLOAD*DEMO*20260302*1504*41001*X*005010X231A1',
      'ST*999*0001*005010X231A1',
      'AK1*QM*17*004010',
      ...['AK2*214*0001', 'IK5*A', 'AK2*214*0002', 'IK3*AT7*4**8', 'IK4*1**7*ZZ', 'IK5*R*5'],
      ...['AK9*P*2*2*1', 'SE*10*0001', 'GE*1*41001'],
    ]);
  });
});

const FILES: readonly [about: string, text: string][] = [
  ['accepted', interchange([group([set('0001', EVENT), set('0002', EVENT)])])],
  [
    'accepted in part, with a TA1',
    interchange([group([set('0001', EVENT), set('0002', BAD_CODE), set('0003', EVENT, 9)])], { ta1: '1' }),
  ],
  ['rejected', interchange([group([set('0001', BAD_CODE)], { count: 4 })], { count: 2 })],
  ['with a set outside any group', interchange([group([set('0001', EVENT)]), set('0002', EVENT)], { count: 1 })],
  ['with a GS that is not whole', interchange([group([set('0001', EVENT)], { header: 'GS*QM~', closes: '' })])],
  ['of two groups', interchange([group([set('0001', EVENT)]), group([set('0001', EVENT)], { control: '18' })])],
];
const CASES = FILES.flatMap(([about, file]) =>
  [AS_997, AS_999].map((wanted) => [wanted.kind, about, file, wanted] as const),
);

describe('an acknowledgment read back', () => {
  it.each(CASES)('by our own reader is without a fault: %s of a file %s', async (kind, _about, file, wanted) => {
    const text = await acknowledged(file, wanted);
    const read = readX12(text);
    const notes = text.includes('TA1*') ? ['TA1 segments stand in the interchange; they were passed over.'] : [];
    expect([problemsOf(read), read.notes]).toEqual([[], notes]);
    expect(read.sets.map(({ id }) => id)).toEqual(Array(file.split('\nGS*').length - 1).fill(kind));
  });

  it.each(CASES)(
    'by a strict parser of other people has the same segments: %s of a file %s',
    async (_kind, _about, file, wanted) => {
      const text = await acknowledged(file, wanted);
      const { functionalGroups, diagnostics } = parsedByOthers(text);
      expect(diagnostics).toEqual([]);
      const found = functionalGroups.flatMap(({ transactions }) => transactions.flatMap(({ segments }) => segments));
      const written = found.map(({ tag, elements }) => [tag, ...elements.map(({ value }) => value)].join('*'));
      expect(written).toEqual(bodyOf(text).filter((segment) => !segment.startsWith('TA1')));
    },
  );

  it('by that parser would show a count that is wrong', async () => {
    const text = await acknowledged(interchange([group([set('0001', EVENT)])]), AS_997);
    expect(() => parsedByOthers(text.replace('SE*6*', 'SE*7*'))).toThrow(/segment/i);
  });
});

/** What is used of the other parser, whose own types lead nowhere. */
interface OtherInterchange {
  functionalGroups: { transactions: { segments: { tag: string; elements: { value: string }[] }[] }[] }[];
}
interface OtherParser {
  diagnostics: unknown[];
  parse(text: string): OtherInterchange;
}

function parsedByOthers(text: string): OtherInterchange & Pick<OtherParser, 'diagnostics'> {
  const { X12Parser }: { X12Parser: new (isStrict: boolean) => OtherParser } = createRequire(import.meta.url)(
    'node-x12',
  );
  const parser = new X12Parser(true);
  const { functionalGroups } = parser.parse(text.replace(/^TA1.*\n/m, '').replaceAll('~\n', '~')); // it knows no TA1
  return { functionalGroups, diagnostics: parser.diagnostics };
}
