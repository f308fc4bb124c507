/** What files of 64 KB are made of that are to cost time. */
import { Buffer } from 'node:buffer';

const BYTES = 65_536;

/** A start, and one row over and over. */
export const filledWith = (row: string, start: string): Buffer => {
  const rows = Buffer.from(row, 'latin1');
  return Buffer.concat([Buffer.from(start), Buffer.alloc(BYTES, rows)]).subarray(0, BYTES);
};

/** Numbers that look random and are the same in every run. */
export const noise = (values: number): Buffer => {
  let state = 20_260_301;
  return Buffer.from(
    Uint8Array.from({ length: BYTES }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 16) % values;
    }),
  );
};
