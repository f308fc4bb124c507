import { describe, expect, it } from 'vitest';
import { EDIFACT_LIMITS, EDIFACT_SLICE_BYTES_ENOUGH } from '../../../../src/formats/edifact/limits.ts';
import { edifactPartsReader } from '../../../../src/formats/edifact/reader.ts';
import { DEFAULT_POLICY } from '../../../../src/formats/segments/parts.ts';
import { SLICE_BYTES, SLICE_BYTES_MAX } from '../../../../src/kernel/limits.ts';
import { codesOf, declare, latin, readWhole } from './reading.ts';

const UNB = "UNB+UNOC:3+S+R+260101:1200+77'";
const message = (reference: string, body: string, count: number): string =>
  `UNH+${reference}+IFTSTA:D:96A:UN'${body}UNT+${count}+${reference}'`;

/** The message in the middle is too large; its neighbours are not. */
function around(body: string, count: number, limits: Partial<typeof EDIFACT_LIMITS>) {
  const file = `${UNB}${message('M1', "BGM+1'", 3)}${message('M2', body, count)}${message('M3', "BGM+3'", 3)}UNZ+3+77'`;
  const read = readWhole(file, { limits: { ...EDIFACT_LIMITS, ...limits }, sliceBytes: 50 });
  expect(read.sets.map(({ id, problems }) => [id, problems.map(({ code }) => code)])).toMatchObject([
    ['IFTSTA', []],
    ['IFTSTA', [expect.any(String)]],
    ['IFTSTA', []],
  ]);
  expect(codesOf(read)).toHaveLength(1);
  return { file, broken: read.sets[1]! };
}

describe('a message that is too large costs itself alone', () => {
  it('when a segment is longer than segments may be', () => {
    const { file, broken } = around(`FTX+${'x'.repeat(300)}'`, 3, { segmentBytesMax: 100 });
    expect(broken.problems).toMatchObject([
      { code: 'segment_too_large', at: { line: 1, byteFrom: file.indexOf('FTX') }, segment: null, standard: '' },
    ]);
    expect(broken.segments.map(({ tag, number }) => [tag, number])).toEqual([
      ['UNH', 1],
      ['UNT', 3],
    ]);
  });

  it('when that segment is full of released terminators', () => {
    around(`FTX+${"?'??".repeat(100)}'`, 3, { segmentBytesMax: 100 });
  });

  it('when it has more bytes than messages may have', () => {
    const { broken } = around("FTX+x'".repeat(100), 102, { messageBytesMax: 200 });
    expect(broken.problems).toMatchObject([{ code: 'set_too_large', segment: { tag: 'UNH', number: 1 } }]);
    expect(broken.segments.at(-1)).toMatchObject({ tag: 'UNT', number: 102 });
  });

  it('when it has more segments than messages may have', () => {
    const { broken } = around("FTX+x'".repeat(100), 102, { messageSegmentsMax: 20 });
    expect(broken.problems).toMatchObject([{ code: 'set_segments_too_many' }]);
  });
});

it('never asks for a slice longer than slices may be', () => {
  expect(EDIFACT_SLICE_BYTES_ENOUGH).toBeLessThan(SLICE_BYTES_MAX);
  const starts = [
    UNB,
    `${UNB}UNH+1+IFTSTA'`,
    `${UNB}${message('1', "BGM'", 3)}UNZ+1+77'`,
    '',
    `${UNB}UNH+1+IFTSTA'FTX+`,
  ];
  const fillings = ["FTX+x'", ' ', '\n', '?', "?'", 'x', "''", 'U\n\n\n', 'UN', 'UNA'];
  for (const start of starts) {
    for (const filling of fillings) {
      const file = latin(start + filling.repeat(Math.ceil((EDIFACT_SLICE_BYTES_ENOUGH + 1_000) / filling.length)));
      const reader = edifactPartsReader(declare(), DEFAULT_POLICY);
      let checkpoint = reader.start;
      for (let steps = 0; steps < 60; steps++) {
        const bytes = file.subarray(checkpoint.byte, checkpoint.byte + EDIFACT_SLICE_BYTES_ENOUGH);
        if (bytes.byteLength < EDIFACT_SLICE_BYTES_ENOUGH) break;
        const read = reader.read(checkpoint, bytes, false, () => {});
        expect(read.outcome, JSON.stringify([start, filling])).not.toBe('more');
        if (read.outcome !== 'parts' || read.finished) break;
        checkpoint = read.checkpoint;
      }
    }
  }
});

it('keeps a checkpoint small, however much is wrong with an interchange', () => {
  const stray = "UNE+1+1'\n".repeat(20_000);
  const reader = edifactPartsReader(declare(), DEFAULT_POLICY);
  const file = latin(UNB + stray);
  const read = reader.read(reader.start, file.subarray(0, SLICE_BYTES), false, () => {});
  if (read.outcome !== 'parts') throw new Error(read.outcome);
  expect(JSON.stringify(read.checkpoint).length).toBeLessThan(16 * 1_024);
  const whole = readWhole(file);
  expect(
    whole.facts
      .at(-1)!
      .problems.map(({ code }) => code)
      .slice(-2),
  ).toEqual(['more_problems', 'trailer_missing']);
});
