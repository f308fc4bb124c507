/** What a row was made from, as it stands in the stored file. */
import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { originalRow } from '../../../src/batch/report/original.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { aMapping } from './samples.ts';

const FILE = 'Load,Code,At\nL1,X3,now\nx\n';
const originalAt = (byteFrom: number, byteTo: number, line: number) =>
  originalRow(bytesInMemory(Buffer.from(FILE)), aMapping(), { record: line - 1, byteFrom, byteTo, line });

it('a row is told as its text and its cells, also one of a single character', async () => {
  expect(await originalAt(13, 22, 2)).toEqual({
    cells: [
      { column: 'Load', text: 'L1' },
      { column: 'Code', text: 'X3' },
      { column: 'At', text: 'now' },
    ],
    text: 'L1,X3,now',
    isCut: false,
  });
  expect(await originalAt(23, 24, 3)).toMatchObject({ text: 'x', cells: [{ column: 'Load', text: 'x' }, {}, {}] });
});

it('a row of which nothing stands in the file is told as no text', async () => {
  expect((await originalAt(25, 25, 4)).text).toBe('');
});
