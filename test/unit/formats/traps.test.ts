/** Every trap that files of real senders are known to set, by its name, with the tests that hold what becomes of it. */
import { describe, expect, it } from 'vitest';
import { missingTest } from '../fault-matrix/missing-test.ts';
import { EDIFACT } from './traps/edifact.ts';
import { OTHERS } from './traps/others.ts';
import { TEXT } from './traps/text.ts';
import { X12 } from './traps/x12.ts';

describe.each([
  ['X12', X12],
  ['EDIFACT', EDIFACT],
  ['CSV and text', TEXT],
  ['XLSX, XML, JSON and fixed width', OTHERS],
])('a trap of %s', (_, traps) => {
  it.each(traps)('has its test: $trap', ({ heldBy }) => {
    expect(heldBy.length).toBeGreaterThan(0);
    expect(heldBy.flatMap((proof) => (proof.proof === 'test' ? missingTest(proof) : [proof.proof]))).toEqual([]);
  });
});
