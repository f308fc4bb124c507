/** Sets cut out of interchanges: byte for byte, in the envelopes they came in, with counts of their own. */
import { expect, it } from 'vitest';
import { cutOut } from '../../../../src/batch/envelopes/cut-out.ts';
import type { SegmentSource } from '../../../../src/formats/reader.ts';
import { DEFAULT_POLICY } from '../../../../src/formats/segments/parts.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';

const X12 = { format: 'x12', sets: ['214'], loops: { AT7: {} }, record: 'AT7', encoding: 'utf-8' } as SegmentSource;
const EDIFACT = {
  format: 'edifact',
  messages: ['IFTSTA'],
  loops: { STS: {} },
  record: 'STS',
  bare: 'accept',
  encoding: 'utf-8',
} as SegmentSource;

async function cut(text: string, wanted: readonly number[], declared = X12, bytesMax = 10_000) {
  const source = bytesInMemory(new TextEncoder().encode(text));
  const found = await cutOut({ source, declared, policy: DEFAULT_POLICY }, new Set(wanted), bytesMax);
  return found && { text: new TextDecoder().decode(found.bytes), records: found.records };
}

const isa = (control: string): string =>
  `ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*${control}*0*T*>~`;
const set = (control: string, ...codes: string[]): string =>
  [`ST*214*${control}~`, ...codes.map((code) => `AT7*${code}~`), `SE*${codes.length + 2}*${control}~`].join('\n');
const GS = 'GS*QM*DEMO*TRANSLOAD*20260302*1500*7*X*004010~';

it('keeps the sets with a wanted record, says which records only come along, and counts anew', async () => {
  const first = [isa('000000017'), GS, set('0001', 'A', 'B'), set('0002', 'C'), 'GE*2*7~', 'IEA*1*000000017~'];
  const other = [
    isa('000000018'),
    GS,
    set('0001', 'D'),
    'GE*1*7~',
    GS,
    set('0009', 'E'),
    'GE*1*7~',
    'IEA*2*000000018~',
  ];
  const text = [...first, ...other].join('\n');
  expect(await cut(text, [2, 5])).toEqual({
    text: [
      `${isa('000000017')}${GS}${set('0001', 'A', 'B')}GE*1*7~IEA*1*000000017~`,
      `${isa('000000018')}${GS}${set('0009', 'E')}GE*1*7~IEA*1*000000018~`,
    ].join(''),
    records: [null, 2, 5],
  });
  expect(await cut(text, [2, 5], X12, 300)).toBeNull();
});

it('leaves out sets that were refused as a whole: alone, one that repeats a number would look right', async () => {
  const sets = [set('0001', 'A'), set('0001', 'B'), set('0003', 'C').replace('SE*3', 'SE*9')];
  const text = [isa('000000017'), GS, ...sets, 'GE*3*7~', 'IEA*1*000000017~'].join('\n');
  expect(await cut(text, [2, 3])).toEqual({ text: '', records: [] });
});

it.each([
  ['a terminator of two bytes', '~', '¬'],
  ['a separator of two bytes', '*', '¦'],
])('closes what it cuts out of X12 with %s', async (_what, usual, sign) => {
  const text = [isa('000000017'), GS, set('0001', 'A'), set('0002', 'B'), 'GE*2*7~', 'IEA*1*000000017~'].join('\n');
  const own = (each: string) => each.replaceAll(usual, sign);
  const found = await cut(own(text), [2]);
  expect(found).toEqual({
    text: own(`${isa('000000017')}${GS}${set('0002', 'B')}GE*1*7~IEA*1*000000017~`),
    records: [2],
  });
  expect(await cut(found?.text ?? '', [1])).toEqual({ ...found, records: [1] });
});

it('closes an interchange whose ISA has lost its terminator with that of its segments, not with ISA16', async () => {
  const text = [isa('000000017').slice(0, -1), GS, set('0001', 'A'), set('0002', 'B'), 'GE*2*7~', 'IEA*1*000000017~'];
  const found = await cut(text.join(''), [2]);
  expect(found?.text).toBe(`${isa('000000017').slice(0, -1)}${GS}${set('0002', 'B')}GE*1*7~IEA*1*000000017~`);
});

it('takes along the UNA that only an earlier interchange of the file has, where its delimiters are read with it', async () => {
  const message = (code: string): string => [`UNH|1|IFTSTA;D;96A;UN~`, `STS|1|${code}~`, `UNT|3|1~`].join('\n');
  const unb = (control: number) => `UNB|UNOC;3|DEMO;ZZ|TRANSLOAD;ZZ|260302;1500|${control}||||||1~`;
  const own = (control: number, code: string) => [unb(control), message(code), `UNZ|1|${control}~`].join('\n');
  const other = (text: string) => text.replaceAll(/[|;~]/g, (each) => ({ '|': '!', ';': '^', '~': '$' })[each] ?? each);
  const levelA = (text: string) =>
    text.replaceAll(/[|;~]/g, (each) => ({ '|': '+', ';': ':', '~': "'" })[each] ?? each);
  const earlier = ['UNA;|.? ~', own(1, 'A'), own(2, 'B')];
  expect(await cut(earlier.join('\n'), [2], EDIFACT)).toEqual({
    text: `UNA;|.? ~${unb(2)}${message('B')}UNZ|1|2~`,
    records: [2],
  });
  const several = [...earlier, 'UNA^!.? $', other(own(3, 'C')), other(own(4, 'D')), levelA(own(5, 'E'))].join('\n');
  expect(await cut(several, [4, 5], EDIFACT)).toEqual({
    text: `UNA^!.? $${other(`${unb(4)}${message('D')}UNZ|1|4~`)}${levelA(`${unb(5)}${message('E')}UNZ|1|5~`)}`,
    records: [4, 5],
  });
  const alone = await cut(several, [2], EDIFACT);
  expect(await cut(alone?.text ?? '', [1], EDIFACT)).toEqual({ ...alone, records: [1] });
});

it('takes the UNA along, and its delimiters for what closes', async () => {
  const message = (number: number, code: string): string =>
    [`UNH|${number}|IFTSTA;D;96A;UN~`, `STS|1|${code}~`, `UNT|3|${number}~`].join('\n');
  const unb = 'UNB|UNOC;3|DEMO;ZZ|TRANSLOAD;ZZ|260302;1500|0071||||||1~';
  const text = ['UNA;|.? ~', unb, message(1, 'A'), message(2, 'B'), 'UNZ|2|0071~'].join('\n');
  expect(await cut(text, [2], EDIFACT)).toEqual({
    text: `UNA;|.? ~${unb}${message(2, 'B')}UNZ|1|0071~`,
    records: [2],
  });
});
