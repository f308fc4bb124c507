/** A document that looks like another format than its mapping reads is told so; what looks like nothing is left to the reader. */
import { expect, it } from 'vitest';
import type { RecordSource } from '../../../src/formats/reader.ts';
import { lookProblem } from '../../../src/intake/admit.ts';

const HEADS = {
  json: '{"a":1}',
  xml: '<?xml version="1.0"?><a/>',
  x12: 'ISA*00*          *00*          *02*DEMO           *',
  edifact: "UNA:+.? 'UNB+UNOC:3",
  text: 'Load,Code\nL1,X3\n',
  zip: 'PK\u0003\u0004',
};
const OWN: Record<RecordSource['format'], (keyof typeof HEADS)[]> = {
  csv: [],
  json: ['json'],
  ndjson: ['json'],
  x12: ['x12'],
  xml: ['xml'],
  edifact: ['edifact'],
  fixed: [],
  xlsx: [],
};

it.each(Object.entries(OWN))('a mapping that reads %s', (format, own) => {
  const mapping = { name: 'stops', format: format as RecordSource['format'] };
  for (const [look, head] of Object.entries(HEADS)) {
    const fits = look === 'text' || look === 'zip' || own.some((each) => each === look);
    const problem = lookProblem(new TextEncoder().encode(head), mapping);
    expect([look, problem?.code ?? 'taken']).toEqual([look, fits ? 'taken' : 'content_disagrees']);
    if (problem !== undefined) expect(problem).toMatchObject({ mapping: 'stops', format, looksLike: look });
  }
});
