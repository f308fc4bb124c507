/** Units as a person is shown them, before it is known in which character set they are written. */
import { Buffer } from 'node:buffer';
import { quoteValue } from '../../kernel/problem.ts';
import type { Segment } from '../segments/segment.ts';
import { EXCERPT_BYTES } from './limits.ts';

export const shownUnits = (units: string): string =>
  Buffer.from(units, 'latin1').toString('utf8').replaceAll('\0', '\\0');

/** The first bytes in hexadecimal, as they stand in the file. */
export const hexOf = (units: string): string =>
  Buffer.from(units, 'latin1').toString('hex').toUpperCase().replace(/../g, '$& ').trim();

/** A segment in short, as a person recognises it. */
export const excerptText = ({ tag, elements }: Segment): string =>
  quoteValue(
    [tag, ...elements.map((element) => (typeof element === 'string' ? element : element.join(':')))].join('+'),
  );

/** What stands at an offset, as far as a person needs it to find the place. */
export const excerptAt = (units: string, at: number): string => shownUnits(units.slice(at, at + EXCERPT_BYTES));
