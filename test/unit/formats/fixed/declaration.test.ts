import { describe, expect, it } from 'vitest';
import { fixedSource } from '../../../../src/formats/fixed/declaration.ts';

const fields = { a: { at: 1, length: 3 } };
const counting = (of: string[]) => ({ use: 'trailer', count: { at: 2, length: 2, of } });
const issues = (source: object) => {
  const parsed = fixedSource.safeParse({ format: 'fixed', ...source });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};

describe('a declaration', () => {
  it('needs no more than one kind with one field', () => {
    expect(issues({ records: { D: { fields } } })).toEqual([]);
    expect(issues({ records: { row: { marker: '', fields } } })).toEqual([]);
  });

  it('may name the kinds of line that a trailer counts: records, carried ones, those nobody reads, and its own', () => {
    const records = { H: { use: 'carried', fields: { h: fields.a } }, D: { fields }, P: { use: 'passed' } };
    expect(issues({ records: { ...records, T: counting(['H', 'D', 'P', 'T']) } })).toEqual([]);
  });

  it('that counts what cannot be counted is told of the kinds that can', () => {
    const source = { format: 'fixed', records: { D: { fields }, T: counting(['E']), U: { use: 'trailer' } } };
    expect(fixedSource.safeParse(source).error?.issues.map(({ message }) => message)).toEqual([
      'the name of a kind of line that is no other trailer: D, T',
    ]);
  });

  it.each([
    ['no kind', { records: {} }, 'records'],
    ['nothing but headers', { records: { H: { use: 'carried', fields } } }, 'records'],
    ['a record without fields', { records: { D: {} } }, 'records.D.fields'],
    ['fields nobody reads', { records: { D: { fields }, X: { use: 'passed', fields } } }, 'records.X.fields'],
    ['an end that is not of a trailer', { records: { D: { fields, ends: 'D' } } }, 'records.D.ends'],
    [
      'a trailer that ends what is not carried',
      { records: { D: { fields }, T: { use: 'trailer', ends: 'D' } } },
      'records.T.ends',
    ],
    [
      'a count that is not of a trailer',
      { records: { D: { fields, count: { at: 1, length: 2 } } } },
      'records.D.count',
    ],
    ['a count of a kind there is not', { records: { D: { fields }, T: counting(['D', 'E']) } }, 'records.T.count.of.1'],
    ['a count of one kind twice', { records: { D: { fields }, T: counting(['D', 'D']) } }, 'records.T.count.of.1'],
    [
      'a count of the lines of another trailer',
      { records: { D: { fields }, T: counting(['U']), U: { use: 'trailer' } } },
      'records.T.count.of.0',
    ],
    ['a count of no kind', { records: { D: { fields }, T: counting([]) } }, 'records.T.count.of'],
    ['a field behind the end', { lineLength: 2, records: { D: { fields } } }, 'records.D.fields.a'],
    ['a position of 0', { records: { D: { fields: { a: { at: 0, length: 1 } } } } }, 'records.D.fields.a.at'],
    [
      'a field named as the kind',
      { records: { D: { fields: { recordKind: fields.a } } } },
      'records.D.fields.recordKind',
    ],
    ['lines without end or length', { lineEnds: 'none', records: { D: { fields } } }, 'lineLength'],
    ['one marker for two kinds', { records: { D: { fields }, E: { marker: 'D', fields } } }, 'records.E.marker'],
    [
      'two kinds for any line',
      { records: { D: { marker: '', fields }, E: { marker: '', fields } } },
      'records.E.marker',
    ],
    [
      'a carried field that a record has too',
      { records: { H: { use: 'carried', fields }, D: { fields } } },
      'records.H.fields.a',
    ],
    ['a key that is none', { records: { D: { fields, colour: 1 } } }, 'records.D'],
  ])('is refused for %s', (_what, source, path) => {
    expect(issues(source)).toContain(path);
  });
});
