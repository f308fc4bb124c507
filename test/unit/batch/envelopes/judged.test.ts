/** Every interchange of a file is held against what is agreed, however many there are, and each says whether it is a test. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { validatedInterchanges } from '../../../../src/batch/envelopes/interchanges.ts';
import { DEFAULT_RULES, envelopeRules, interchangeLooks } from '../../../../src/batch/envelopes/validate.ts';
import { partsReaderOf } from '../../../../src/formats/reader.ts';
import { DEFAULT_POLICY, storedParts } from '../../../../src/formats/segments/parts.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';
import type { Environment } from '../../../../src/kernel/names.ts';

const AGREED = { senders: ['02:DEMO'] };

function x12(number: number, { sender = 'DEMO', indicator = 'T' } = {}): string {
  const control = String(number).padStart(9, '0');
  const isa = [
    'ISA*00*          *00*          *02',
    sender.padEnd(15),
    'ZZ*TRANSLOAD      *260302*1500*U*00401',
    control,
  ];
  return `${isa.join('*')}*0*${indicator}*>~\nIEA*0*${control}~\n`;
}

const many = (count: number): string => Array.from({ length: count }, (_, index) => x12(index + 1)).join('');
const unb = (indicator: string): string => `UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+17${indicator}'UNZ+0+17'`;

async function judged(texts: readonly string[], rules: object, environment: Environment = 'test') {
  const format = texts[0]?.startsWith('UNB') === true ? 'edifact' : 'x12';
  const sources = texts.map((text) => bytesInMemory(Buffer.from(text, 'utf8')));
  return validatedInterchanges(sources, format, envelopeRules.parse(rules), environment);
}

const codeOf = async (...asked: Parameters<typeof judged>): Promise<string> => {
  const result = await judged(...asked);
  return result.ok ? 'taken' : result.error.code;
};

it('where nothing is agreed the rules are those of an agreement that says nothing', () => {
  expect(DEFAULT_RULES).toEqual(envelopeRules.parse({}));
});

it('an agreement may say what holds where nothing is agreed', () => {
  expect(envelopeRules.parse(DEFAULT_RULES)).toEqual(DEFAULT_RULES);
});

describe('the interchanges of a file', () => {
  it('are judged to the last one, behind any number of agreed ones', async () => {
    const text = many(10_001) + x12(10_002, { sender: 'FOREIGN' });
    expect(await judged([text], { ...AGREED, controlNumbers: 'any' })).toMatchObject({
      ok: false,
      error: { code: 'identity_mismatch', control: '000010002', found: '02:FOREIGN' },
    });
  });

  it('may come once, or any number of times, as is agreed, and once where nothing is', async () => {
    for (const rules of [{ ...AGREED, controlNumbers: 'once' }, AGREED]) {
      const once = await judged([x12(1)], rules);
      expect(once).toMatchObject({ ok: true, value: [{ control: '000000001' }] });
    }
    expect(await judged([x12(1)], { ...AGREED, controlNumbers: 'any' })).toEqual({ ok: true, value: [] });
  });

  it('are each judged, also one that has no end before the next begins', async () => {
    const open = x12(1).replace(/IEA.*\n/, '');
    expect(await judged([open + x12(2)], AGREED)).toMatchObject({
      ok: true,
      value: [{ control: '000000001' }, { control: '000000002' }],
    });
  });

  it('are refused by the first that is not as agreed, and all that are not are named', async () => {
    const text = [x12(1), x12(2, { sender: 'FOREIGN' }), x12(3, { sender: 'STRANGE' })].join('');
    expect(await judged([text], AGREED)).toMatchObject({
      error: {
        ...{ control: '000000002', found: '02:FOREIGN' },
        upload: { faults: [{ control: '000000002' }, { control: '000000003' }], sound: ['000000001'] },
      },
    });
  });

  it('are told of up to so many where all of them are refused', async () => {
    const foreign = Array.from({ length: 10_050 }, (_, index) => x12(index + 1, { sender: 'FOREIGN' })).join('');
    const result = await judged([foreign, foreign], AGREED);
    expect(result.ok ? [] : 'upload' in result.error && result.error.upload?.faults).toHaveLength(10_000);
  });

  it('are refused where they are more than control numbers are kept of, also through the files of an archive', async () => {
    const whole = await judged([many(10_000)], AGREED);
    expect(whole.ok && whole.value.length).toBe(10_000);
    expect(await judged([many(10_001)], AGREED)).toEqual({
      ok: false,
      error: { code: 'too_many_interchanges', control: '000010001', interchangesMax: 10_000 },
    });
    expect(await codeOf([many(6_000), many(6_000)], AGREED)).toBe('too_many_interchanges');
    expect(await codeOf([many(10_001)], { ...AGREED, controlNumbers: 'any' })).toBe('taken');
  });
});

describe('the senders of groups', () => {
  it('are kept of an interchange up to so many', async () => {
    const groups = Array.from(
      { length: 1_001 },
      (_, at) => `GS*QM*S${at}*TRANSLOAD*20260302*1500*${at}*X*004010~\nGE*0*${at}~\n`,
    );
    const text = x12(1).replace('IEA*0', `${groups.join('')}IEA*1001`);
    const parts = storedParts(partsReaderOf('x12', DEFAULT_POLICY), bytesInMemory(Buffer.from(text, 'utf8')));
    const [look] = await Array.fromAsync(interchangeLooks(parts));
    expect(look?.groupSenders).toEqual(Array.from({ length: 1_000 }, (_, at) => `S${at}`));
  });
});

describe('who sends an interchange to whom', () => {
  const rulesFor = (sender: string, receiver: string) => ({ senders: [sender], receivers: [receiver] });

  it.each([
    ['X12', x12(1), '02:DEMO', 'ZZ:TRANSLOAD'],
    ['EDIFACT', unb('++++++1'), 'ZZ:DEMO', 'ZZ:TRANSLOAD'],
  ])('is agreed with the qualifier, or without: %s', async (_format, text, sender, receiver) => {
    expect(await codeOf([text], rulesFor(sender, receiver))).toBe('taken');
    expect(await codeOf([text], rulesFor('DEMO', 'TRANSLOAD'))).toBe('taken');
    expect(await codeOf([text], rulesFor('14:DEMO', receiver))).toBe('identity_mismatch');
    expect(await codeOf([text], rulesFor(sender, '14:TRANSLOAD'))).toBe('identity_mismatch');
  });

  it('is agreed for groups, too: a foreign one is named beside those that are agreed', async () => {
    const group = 'GS*QM*OTHER*TRANSLOAD*20260302*1500*1*X*004010~\nGE*0*1~\n';
    const text = x12(1).replace('IEA*0', `${group}IEA*1`);
    expect(await judged([text], { groupSenders: ['DEMO'] })).toMatchObject({
      error: { code: 'identity_mismatch', what: 'group sender', found: 'OTHER', allowed: ['DEMO'] },
    });
    expect(await codeOf([text], { groupSenders: ['OTHER'] })).toBe('taken');
  });
});

describe('the test indicator', () => {
  it.each([
    ['T', 'test', 'taken'],
    ['P', 'production', 'taken'],
    ['P', 'test', 'environment_mismatch'],
    ['T', 'production', 'environment_mismatch'],
    ['X', 'test', 'test_indicator_invalid'],
    [' ', 'production', 'test_indicator_invalid'],
  ] as const)('ISA15 %j under a key for %s is %s', async (indicator, environment, wanted) => {
    expect(await codeOf([x12(1, { indicator })], {}, environment)).toBe(wanted);
  });

  it('is asked of an ISA that breaks off behind it', async () => {
    const cut = x12(1, { indicator: 'P' }).slice(0, 104);
    expect(await codeOf([cut], {})).toBe('environment_mismatch');
  });

  it('is not asked of an ISA that breaks off, of which nothing is taken', async () => {
    expect(await codeOf(['ISA*00*          *00*          *02*DEMO~'], {})).toBe('taken');
  });

  it.each([
    ['++++++1', 'test', 'taken'],
    ['++++++1', 'production', 'environment_mismatch'],
    ['', 'production', 'taken'],
    ['', 'test', 'environment_mismatch'],
    ['++++++9', 'test', 'test_indicator_invalid'],
  ] as const)('UNB ending in %j under a key for %s is %s', async (indicator, environment, wanted) => {
    expect(await codeOf([unb(indicator)], {}, environment)).toBe(wanted);
  });
});
