/** What cannot be read as one text is told with its path, its values and the segment, in lists too. */
import { describe, expect, it } from 'vitest';
import { ambiguousProblems, isAmbiguous } from '../../../../src/formats/segments/fields.ts';
import type { LoopSpecs } from '../../../../src/formats/segments/loops.ts';
import { cellsReader, segmentAt } from '../../../../src/formats/segments/reader.ts';
import { treeBuilder } from '../../../../src/formats/segments/tree.ts';
import { aSet } from './sets.ts';

const LOOPS: LoopSpecs = { PO1: {}, SLN: { in: 'PO1' } };
const RULES = { elements: 'whole', single: ['REF[01=PO]-02', 'SLN/REF[01=LT]-02'] } as const;
const SHAPE = {
  paths: ['BEG-03', ' REF[01=PO]-02 ', 'BEG-04.1'],
  lists: [
    {
      path: 'PO1',
      shape: {
        paths: ['PO1-06=SK>VN'],
        lists: [{ path: 'PO1/SLN', shape: { paths: ['SLN/REF[01=LT]-02'], lists: [] } }],
      },
    },
  ],
};

function told(text: string): string[] {
  const { root } = treeBuilder(LOOPS, undefined)(aSet(text));
  const cells = cellsReader(SHAPE, RULES)(root);
  const problems = ambiguousProblems(root, SHAPE, cells);
  expect(isAmbiguous(cells)).toBe(problems.length > 0);
  return problems.map(
    ({ code, path, value }) => `${code} ${path}: ${value} at ${segmentAt(root, path)?.segment.number}`,
  );
}

describe('a record', () => {
  it('of plain elements is clear, and so is one of which components are wanted', () => {
    expect(told('ST*1~BEG*00*SA*SO-1*a:b~REF*PO*1~PO1*1*****SK*S-1~SLN*1~REF*LT*x~REF*LT*x~SE*1~')).toEqual([]);
  });

  it('is told of each of its elements that has components, and of each path with several values', () => {
    expect(told('ST*1~BEG*00*SA*SO:1~REF*PO*1~REF*PO*2~REF*PO*1~SE*1~')).toEqual([
      'element_divided BEG-03: SO 1 at 2',
      'values_differ REF[01=PO]-02: 1, 2 at 3',
    ]);
  });

  it('is not told of several values that each use passes over for one that goes before them', () => {
    const rules = { elements: 'first', single: ['REF[01=PO]-02'] } as const;
    const of = (text: string, yields: Map<number, number[][]>) => {
      const shape = { paths: ['BEG-03', 'BEG-04', 'REF[01=PO]-02'], lists: [], yields };
      const { root } = treeBuilder(LOOPS, undefined)(aSet(text));
      return ambiguousProblems(root, shape, cellsReader(shape, rules)(root)).map(({ code, path }) => `${code} ${path}`);
    };
    const both = 'ST*1~BEG*00*SA*SO-1*R~REF*PO*1~REF*PO*2~SE*1~';
    const one = 'ST*1~BEG*00*SA*SO-1* ~REF*PO*1~REF*PO*2~SE*1~';
    const told = ['values_differ REF[01=PO]-02'];
    expect(of(both, new Map())).toEqual(told);
    expect(of(both, new Map([[2, [[0]]]]))).toEqual([]);
    expect(of(both, new Map([[2, [[0], [1]]]]))).toEqual([]);
    expect(of(one, new Map([[2, [[0], [1]]]]))).toEqual(told); // the second use has nothing before it
    expect(of(one, new Map([[2, [[1]]]]))).toEqual(told);
  });

  it('is told of those in its lists, each in its place', () => {
    const lines = 'PO1*1*****VN*V-1~PO1*2*****SK*S:1~SLN*1~REF*LT*x~SLN*2~REF*LT*x~REF*LT*y~';
    expect(told(`ST*1~BEG*00*SA*SO-1~${lines}SE*1~`)).toEqual([
      'element_divided PO1[1].PO1-06=SK>VN: S 1 at 4',
      'values_differ PO1[1].PO1/SLN[1].SLN/REF[01=LT]-02: x, y at 8',
    ]);
  });
});
