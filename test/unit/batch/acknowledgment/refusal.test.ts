/** What a refused document is answered in its own language: every interchange of it, each by what is wrong with it. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { refusalAcknowledgment } from '../../../../src/batch/acknowledgment/refusal.ts';
import { validatedInterchanges } from '../../../../src/batch/envelopes/interchanges.ts';
import { envelopeRules, type RefusedInterchange } from '../../../../src/batch/envelopes/validate.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';
import type { Environment } from '../../../../src/kernel/names.ts';

const AT_MS = Date.UTC(2026, 2, 2, 15, 4);
const RULES = envelopeRules.parse({ senders: ['DEMO'] });

function x12(number: number, { sender = 'DEMO', indicator = 'T' } = {}): string {
  const control = String(number).padStart(9, '0');
  const from = `ISA*00*          *00*          *02*${sender.padEnd(15)}*ZZ*TRANSLOAD      *260302*1500*U*00401`;
  return `${from}*${control}*0*${indicator}*>~\nIEA*0*${control}~\n`;
}

const unb = (reference: number, sender = 'DEMO', more = '++++++1'): string =>
  `UNB+UNOC:3+${sender}:ZZ+TRANSLOAD:ZZ+260302:1500+${reference}${more}'UNZ+0+${reference}'\n`;

async function refusalOf(text: string, environment: Environment): Promise<RefusedInterchange> {
  const format = text.startsWith('UNB') ? 'edifact' : 'x12';
  const result = await validatedInterchanges([bytesInMemory(Buffer.from(text))], format, RULES, environment);
  if (result.ok || result.error.code === 'too_many_interchanges') throw new Error('it was meant to be refused');
  return result.error;
}

async function answered(
  text: string,
  refusal: RefusedInterchange,
  environment: Environment = 'test',
): Promise<string[]> {
  const format = text.startsWith('UNB') ? 'edifact' : 'x12';
  const refused = { bytes: Buffer.from(text), format, rules: RULES, environment, refusal } as const;
  const controls = async (count: number): Promise<number[]> => Array.from({ length: count }, (_, index) => index + 40);
  const bytes = await refusalAcknowledgment(refused, controls, AT_MS);
  return Buffer.from(bytes ?? [])
    .toString('utf8')
    .split('\n');
}

const answer = async (text: string, environment: Environment = 'test'): Promise<string[]> =>
  answered(text, await refusalOf(text, environment), environment);

describe('a document whose second interchange has the number of the first and another sender', () => {
  it('is answered by a TA1 to each sender, with the code of its own fault', async () => {
    const lines = await answer(x12(17) + x12(17, { sender: 'OTHER' }));
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'ISA*00* *00* *ZZ*TRANSLOAD *02*DEMO *260302*1504*U*00401*000000040*0*T*>~',
      'TA1*000000017*260302*1500*R*000~',
      'IEA*0*000000040~',
      'ISA*00* *00* *ZZ*TRANSLOAD *02*OTHER *260302*1504*U*00401*000000041*0*T*>~',
      'TA1*000000017*260302*1500*R*006~',
      'IEA*0*000000041~',
      '',
    ]);
  });

  it('is answered by a CONTRL to each, which rejects the one that is not at fault without naming a fault of it', async () => {
    const lines = await answer(unb(17) + unb(17, 'OTHER'));
    expect(lines.filter((line) => line.startsWith('UCI'))).toEqual([
      "UCI+17+DEMO:ZZ+TRANSLOAD:ZZ+4+18'",
      "UCI+17+OTHER:ZZ+TRANSLOAD:ZZ+4+23'",
    ]);
    expect(lines.filter((line) => line.startsWith('UNZ'))).toEqual(["UNZ+1+40'", "UNZ+1+41'"]);
  });
});

describe('a document with several interchanges at fault', () => {
  it('is told of each by its own code, and of a test indicator by the one that the key has', async () => {
    const lines = await answer(x12(1, { sender: 'OTHER' }) + x12(2, { indicator: 'X' }) + x12(3, { indicator: 'P' }));
    expect(lines.filter((line) => line.startsWith('TA1')).map((line) => line.slice(-6))).toEqual([
      'R*006~',
      'R*020~',
      'R*020~',
    ]);
    const indicators = lines.flatMap((line) => (line.startsWith('ISA') ? [line.split('*')[15]] : []));
    expect(indicators).toEqual(['T', 'T', 'P']);
  });

  it.each([
    ['test', "++++++1'"],
    ['production', "'"],
  ] as const)(
    'is answered in EDIFACT as %s, as the key has it, where an indicator says neither',
    async (environment, end) => {
      const lines = await answer(unb(17, 'OTHER') + unb(18, 'DEMO', '++++++2'), environment);
      const [, second] = lines.filter((line) => line.startsWith('UNB'));
      expect(second).toBe(`UNB+UNOC:3+TRANSLOAD:ZZ+DEMO:ZZ+260302:1504+41${end}`);
    },
  );

  it('is answered whichever way each is written: one in UTF-8 costs the others nothing', async () => {
    const lines = await answer(unb(17) + unb(18, 'ΔEMO').replace('UNOC', 'UNOY'));
    expect(lines.filter((line) => line.startsWith('UNB')).map((line) => line.slice(0, 25))).toEqual([
      'UNB+UNOC:3+TRANSLOAD:ZZ+D',
      'UNB+UNOY:3+TRANSLOAD:ZZ+Δ',
    ]);
  });
});

describe('a document of more interchanges than are judged', () => {
  it('is answered for those alone', async () => {
    const numbers = Array.from({ length: 10_050 }, (_, index) => index + 1);
    const text = x12(0, { sender: 'OTHER' }) + numbers.map((number) => x12(number)).join('');
    const lines = await answer(text);
    expect(lines.filter((line) => line.startsWith('TA1'))).toHaveLength(10_000);
  });
});

describe('a document whose only interchange is refused', () => {
  it('is answered by one TA1', async () => {
    const refusal: RefusedInterchange = { code: 'control_conflict', control: '000000017', batchId: 'b_1' };
    const lines = await answered(x12(17), refusal);
    expect(lines.filter((line) => line.startsWith('TA1'))).toEqual(['TA1*000000017*260302*1500*R*025~']);
  });

  it('is not answered in a language in which nothing can be read of it', async () => {
    const refusal: RefusedInterchange = { code: 'control_conflict', control: '000000017', batchId: 'b_1' };
    expect(await answered('ISA', refusal)).toEqual(['']);
  });
});
