import { describe, expect, it } from 'vitest';
import { x12Source } from '../../../../src/formats/x12/declaration.ts';

describe('the source block of X12', () => {
  it('needs the sets it takes and has defaults for the rest', () => {
    expect(x12Source.parse({ format: 'x12', sets: ['214'] })).toEqual({
      format: 'x12',
      sets: ['214'],
      loops: {},
      encoding: 'windows-1252',
    });
  });

  it.each([
    ['no sets', { sets: [] }, 'sets'],
    ['a set id that YAML read as a number', { sets: [214] }, 'sets.0'],
    ['a set id of a name', { sets: ['status'] }, 'sets.0'],
    ['a set both taken and passed over', { sets: ['214'], ignore: ['214'] }, 'ignore'],
    ['an encoding of two bytes', { sets: ['214'], encoding: 'utf-16le' }, 'encoding'],
    ['delimiters, which stand in the file', { sets: ['214'], delimiter: '*' }, ''],
  ])('is refused with the path of the fault: %s', (_, block, path) => {
    const parsed = x12Source.safeParse({ format: 'x12', ...block });
    expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});
