/** A fault that both standards know has one code, whichever of them the file is written in. */
import { expect, it } from 'vitest';
import * as edifact from '../edifact/reading.ts';
import * as x12 from '../x12/reading.ts';
import { interchange, status } from '../x12/samples.ts';

const LIMITS_OF_X12 = { segmentBytesMax: 200, setBytesMax: 600, setSegmentsMax: 12 };
const X12 = interchange({ sets: [status('1'), status('2')] });
const EDIFACT = [
  "UNB+UNOC:3+SENDER+RECEIVER+260101:1200+77'",
  "UNH+1+IFTSTA:D:96A:UN'",
  "BGM+220'",
  "UNT+3+1'",
  "UNZ+1+77'",
  '',
].join('\n');

const codesOfX12 = (file: string | Uint8Array): string[] => x12.codesOf(x12.readX12(file, { limits: LIMITS_OF_X12 }));
const codesOfEdifact = (file: string | Uint8Array): string[] => edifact.codesOf(edifact.readWhole(file));

it.each([
  ['count_differs', X12.replace('SE*7*1', 'SE*8*1'), EDIFACT.replace('UNT+3', 'UNT+4')],
  ['count_invalid', X12.replace('SE*7*1', 'SE*seven*1'), EDIFACT.replace('UNT+3', 'UNT+three')],
  ['control_number_differs', X12.replace('SE*7*1', 'SE*7*5'), EDIFACT.replace('UNT+3+1', 'UNT+3+5')],
  ['trailer_missing', X12.replace('SE*7*1~\n', ''), EDIFACT.replace("UNT+3+1'\n", '')],
  ['header_missing', X12.replace('ST*214*1~\n', ''), EDIFACT.replace("UNH+1+IFTSTA:D:96A:UN'\n", '')],
  [
    'terminator_missing',
    X12.replace('LX*1~', 'LX*1'),
    EDIFACT.replace("BGM+220'", "BGM+220\nRFF+CN:1'").replace('UNT+3', 'UNT+4'),
  ],
  ['segment_tag_invalid', X12.replace('LX*1', 'lx*1'), EDIFACT.replace('BGM+220', 'bgm+220')],
  ['unexpected_segment', X12.replace('GE*2', 'N9*X~\nGE*2'), EDIFACT.replace('UNZ', "RFF+CN:1'\nUNZ")],
  ['text_outside_interchange', `${X12}the end`, `${EDIFACT}the end`],
  ['nul_character', X12.replace('LX*1', 'LX*\0'), EDIFACT.replace('220', '\0')],
  ['encoding_disagrees', Buffer.from(X12, 'utf16le'), Buffer.from(EDIFACT, 'utf16le')],
  ['empty_file', '', ''],
])('%s', (code, ofX12, ofEdifact) => {
  expect(codesOfX12(ofX12)).toContain(code);
  expect(codesOfEdifact(ofEdifact)).toContain(code);
});

it('bad_encoding', () => {
  const unassigned = (text: string): Uint8Array => Buffer.from(text.replace('@', '\x81'), 'latin1');
  expect(codesOfX12(unassigned(X12.replace('LX*1', 'LX*@')))).toContain('bad_encoding');
  const unicode = EDIFACT.replace('UNOC', 'UNOY').replace('220', '@');
  expect(codesOfEdifact(unassigned(unicode))).toContain('bad_encoding');
});

it('segment_too_large, set_too_large and set_segments_too_many', () => {
  const inX12 = (...segments: string[]): string[] => codesOfX12(interchange({ sets: [['ST*214*1', ...segments]] }));
  const inEdifact = (segments: string): string[] => {
    const limits = { messageSegmentsMax: 12, messageBytesMax: 600, segmentBytesMax: 200, sniffBytes: 64 };
    const others = { envelopeSegmentBytesMax: 200, messageProblemsMax: 20, interchangeProblemsMax: 20 };
    const text = EDIFACT.replace("BGM+220'", segments);
    return edifact.codesOf(edifact.readWhole(text, { limits: { ...limits, ...others } }));
  };
  expect(inX12(`K1*${'x'.repeat(1_000)}`)).toContain('segment_too_large');
  expect(inEdifact(`FTX+${'x'.repeat(1_000)}'`)).toContain('segment_too_large');
  expect(inX12(...Array<string>(6).fill(`K1*${'x'.repeat(150)}`))).toContain('set_too_large');
  expect(inEdifact(`FTX+${'x'.repeat(150)}'`.repeat(6))).toContain('set_too_large');
  expect(inX12(...Array<string>(20).fill('L11*X'))).toContain('set_segments_too_many');
  expect(inEdifact("FTX+X'".repeat(20))).toContain('set_segments_too_many');
});
