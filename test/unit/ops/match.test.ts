/** The kind of a file is found from its beginning: every sample is recognised, whole or cut, and a foreign file is not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatsOfLook, matchFile } from '../../../src/ops/publishing/match.ts';
import { FIXTURES, SHIPPED } from '../mapping/shipped.ts';

const mappings = [...SHIPPED.values()].map(({ mapping }) => mapping);
const samples = readdirSync(join(FIXTURES, 'samples'));
const SHOWN_BYTES = 3_000;

const fitting = (bytes: Uint8Array) => {
  const formats = formatsOfLook(bytes);
  return mappings.filter(({ source }) => formats.includes(source.format));
};

describe('a sample', () => {
  it.each(samples)('%s is of the kind that it is a sample of', async (sample) => {
    const bytes = readFileSync(join(FIXTURES, 'samples', sample));
    const [best] = await matchFile(bytes, fitting(bytes), false);
    expect([best?.mapping, best?.fit]).toEqual([
      sample.slice(0, sample.lastIndexOf('.')),
      expect.stringMatching(/certain|likely/),
    ]);
  });

  it('is so by its beginning alone, whose cut row and missing end are no problem', async () => {
    const bytes = readFileSync(join(FIXTURES, 'samples', 'carrier-status-csv.csv')).subarray(0, SHOWN_BYTES);
    const [best] = await matchFile(bytes, fitting(bytes), true);
    expect(best).toMatchObject({ mapping: 'carrier-status-csv', fit: 'certain' });
    expect(best?.reason).toMatch(
      /^12 of its 12 columns are used, and 3\d of the first 4\d rows can be sent(?: and \d+ left out)?\.$/,
    );
  });
});

describe('another file', () => {
  it.each([
    ['of other columns', 'a,b\n1,2\n'],
    ['of JSON that nobody maps', '{"a":1}\n'],
    ['that is prose', 'Dear all,\nplease find the file attached.\n'],
  ])('%s fits nothing, and the nearest says why', async (_, text) => {
    const bytes = new TextEncoder().encode(text);
    const found = await matchFile(bytes, fitting(bytes), false);
    expect(found.filter(({ fit }) => fit === 'certain')).toEqual([]);
  });

  it('that is an image has no format at all', () => {
    expect(formatsOfLook(new TextEncoder().encode('%PDF-1.7'))).toEqual([]);
  });

  it('that lacks a column is told which', async () => {
    const bytes = new TextEncoder().encode(
      'Load #,Status,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\nL,X3,,,,,,,,\n',
    );
    const found = await matchFile(
      bytes,
      mappings.filter(({ name }) => name === 'carrier-status-csv'),
      false,
    );
    expect(found).toMatchObject([{ fit: 'unlikely', reason: 'It needs a column that the file lacks: "Reason".' }]);
  });
});
