import { describe, expect, it } from 'vitest';
import { milestoneOf } from '../../milestone-of.ts';
import { mappingOf, RIGHT, withFields } from './documents.ts';

const missing = (changes: Record<string, unknown>, columns: string[]) => {
  const bound = mappingOf(changes).bind(columns);
  return bound.ok ? [] : bound.error;
};

describe('binding to the columns of a file', () => {
  it('finds them in any order and among others', () => {
    const bound = mappingOf().bind(['x', 'When', 'Load', 'y', 'Code']);
    expect(bound.ok && bound.value.map(['', '2026-03-02 08:00', 'L9', '', 'X1']).requests[0]?.subject).toBe('load:L9');
  });
  it('looks past blanks around a column’s name', () => expect(missing({}, ['Load ', ' Code', 'When'])).toEqual([]));
  it('names every missing column once, for the whole file', () => {
    const fields = withFields({ eventCity: 'City', reasonCode: { from: ['City', 'Reason'] } });
    const problems = missing(fields, ['Load', 'Code']);
    expect(problems.map(({ code, path }) => [code, path])).toEqual([
      ['missing_column', 'City'],
      ['missing_column', 'Reason'],
      ['missing_column', 'When'],
    ]);
    expect(problems[0]?.message).toBe(
      'The file has no column "City", which is needed for the reason code and the city. It has: "Load", "Code".',
    );
  });
  it('suggests the column that was renamed', () =>
    expect(missing({}, ['Load Number', 'Code', 'When'])[0]?.fix).toBe(
      'If "Load Number" is meant, rename that column to "Load". If that cannot be, ask the operator.',
    ));
  it('does not take a similar column for the right one', () =>
    expect(missing({}, ['load', 'Code', 'When'])).toHaveLength(1));
  it('asks for the columns of conditions, zone, SCAC and references, and of every request', () => {
    const changes = {
      skip: { when: { any: [{ field: 'S1', empty: true }, { not: { field: 'S2', empty: true } }] } },
      zone: 'Z',
      scac: 'C',
      requests: [{ when: { field: 'W', empty: false }, fields: { eventCity: 'Q' } }],
      ...withFields({ references: [{ name: 'R', value: 'Ref' }] }),
    };
    expect(missing(changes, ['Load', 'Code', 'When']).map(({ path }) => path)).toEqual([
      'S1',
      'S2',
      'C',
      'Z',
      'Ref',
      'W',
      'Q',
    ]);
  });
  it('lets an optional column be absent and takes it for empty', () => {
    const fields = withFields({ eventCity: { from: 'City', optional: true, default: 'unknown' } });
    const bound = mappingOf(fields).bind(['Load', 'Code', 'When']);
    const mapped = bound.ok ? bound.value.map(['L1', 'X1', '2026-03-02 08:00']) : undefined;
    expect(milestoneOf(mapped?.requests[0]).eventCity).toBe('unknown');
  });
  it('lets the column of an optional condition be absent', () => {
    const skip = { when: { field: 'Void', equals: 'Y', optional: true } };
    expect(missing({ skip }, ['Load', 'Code', 'When'])).toEqual([]);
  });
  it('names a bounded number of the columns a file has', () => {
    const columns = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
    expect(missing({}, columns)[0]?.message).toContain('"c39", and 960 more.');
  });
  it('works by declared names where the file has no header', () => {
    const source = { format: 'csv', header: false, columns: ['When', 'Load', 'Code'] };
    const mapping = mappingOf({ source });
    const bound = mapping.bind(source.columns);
    expect(bound.ok && bound.value.map(['2026-03-02 08:00', 'L9', 'X1']).requests[0]?.subject).toBe('load:L9');
  });
  it('takes the cells that a short record lacks for empty', () => {
    const bound = mappingOf().bind(['Load', 'Code', 'When']);
    expect(bound.ok && bound.value.map(['L1']).errors.map(({ path }) => path)).toEqual(['Code', 'When']);
  });
});

it('tells what it is and how its file is written', () =>
  expect(mappingOf()).toMatchObject({
    name: 'trial-csv',
    description: RIGHT.description,
    targets: ['milestone'],
    source: { format: 'csv', delimiter: ',' },
  }));
