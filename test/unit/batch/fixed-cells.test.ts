/** A line of fixed width as cells, and changed cells back in the line. */
import { describe, expect, it } from 'vitest';
import { fixedCells, notWritableCell, withFixedChanges } from '../../../src/batch/report/fixed-cells.ts';
import { fixedSource } from '../../../src/formats/fixed/declaration.ts';

const SOURCE = fixedSource.parse({
  format: 'fixed',
  encoding: 'windows-1252',
  records: {
    STS: {
      fields: { code: { at: 4, length: 3 }, stop: { at: 7, length: 4 }, miles: { at: 11, length: 5, number: {} } },
    },
  },
});
const LINE = 'STSX3    200012 rest';

describe('a line of fixed width', () => {
  it('is the fields of its kind, without padding, each with its width', () => {
    expect(fixedCells(LINE, SOURCE)).toEqual([
      { column: 'code', text: 'X3', charactersMax: 3 },
      { column: 'stop', text: '2', charactersMax: 4 },
      { column: 'miles', text: '00012', charactersMax: 5 },
    ]);
    for (const line of ['what', 'STS\tX3']) expect(fixedCells(line, SOURCE), line).toBeNull();
  });

  it('takes a changed field in its own width and padding, and nothing else of it moves', () => {
    expect(withFixedChanges(LINE, SOURCE, { code: 'D1' })).toBe('STSD1    200012 rest');
    expect(withFixedChanges(LINE, SOURCE, { code: '' })).toBe('STS      200012 rest');
    expect(withFixedChanges(LINE, SOURCE, { stop: '13', miles: '7' })).toBe('STSX3   1300007 rest');
    expect(withFixedChanges('STSX3', SOURCE, { miles: '7' })).toBe('STSX3     00007');
    expect(withFixedChanges('STSX3𝒂   200012', SOURCE, { stop: '3' })).toBe('STSX3𝒂   300012');
    expect(withFixedChanges(LINE, SOURCE, {})).toBe(LINE);
  });

  it('holds no text that is too long, has a line break, or letters that its file cannot have', () => {
    const cell = (text: string) => ({ column: 'code', text, charactersMax: 3 });
    expect(notWritableCell([cell('ABC'), cell('')], SOURCE.encoding)).toBeUndefined();
    for (const text of ['ABCD', 'A\nB', 'Ł'])
      expect(notWritableCell([cell('A'), cell(text)], SOURCE.encoding)?.text).toBe(text);
  });
});
