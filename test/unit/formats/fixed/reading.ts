/** Small fixed-width files read whole. */
import { Buffer } from 'node:buffer';
import { type FixedCheckpoint, fixedStart } from '../../../../src/formats/fixed/checkpoint.ts';
import { type FixedSource, fixedSource } from '../../../../src/formats/fixed/declaration.ts';
import { FIXED_LIMITS, type FixedLimits } from '../../../../src/formats/fixed/limits.ts';
import type { FixedFileProblem, TrailerFault } from '../../../../src/formats/fixed/problems.ts';
import { type FixedRecord, fixedSlices } from '../../../../src/formats/fixed/reader.ts';
import { readSlices, type WholeRead as Whole } from '../whole-read.ts';

export type WholeRead = Whole<FixedCheckpoint, FixedRecord, FixedFileProblem, TrailerFault>;

export const declare = (source: Record<string, unknown>): FixedSource =>
  fixedSource.parse({ format: 'fixed', ...source });

/** A load line whose number is carried, status lines, a trailer that counts them. */
export const LOADS = {
  lineLength: 20,
  records: {
    LOAD: { use: 'carried', fields: { load: { at: 5, length: 6 } } },
    STOP: { use: 'carried', fields: { stop: { at: 5, length: 2, number: {} } } },
    S: { marker: 'STAT', fields: { code: { at: 5, length: 2 }, city: { at: 7, length: 8, trim: 'right' } } },
    T: {
      marker: 'TRLR',
      use: 'trailer',
      count: { at: 5, length: 4 },
    },
    note: { marker: '*', use: 'passed' },
  },
};

export function readWhole(
  input: string | Uint8Array,
  source: FixedSource = declare(LOADS),
  { sliceBytes = Number.POSITIVE_INFINITY, limits = FIXED_LIMITS }: { sliceBytes?: number; limits?: FixedLimits } = {},
): WholeRead {
  const file = typeof input === 'string' ? Buffer.from(input, 'utf8') : input;
  return readSlices(fixedSlices(source, limits), fixedStart, file, sliceBytes);
}

export const fieldsOf = ({ records }: WholeRead): (readonly string[])[] => records.map(({ fields }) => fields);
export const codesOf = ({ records }: WholeRead): string[] =>
  records.map(({ problems }) => problems.map(({ code }) => code).join(' '));
