/** A declaration brought down to the units a scanner compares. Pure. */
import type { TextCodec } from '../encoding.ts';
import type { CsvSource } from './declaration.ts';
import type { CsvLimits } from './limits.ts';

const SPACE = 0x20;
const TAB = 0x09;
/** A unit that no text holds: the quote of a file without quoting. */
const NO_UNIT = -1;

export interface Dialect {
  delimiter: string;
  delimiterFirst: number;
  quote: number;
  /** What two quotes inside a quoted cell stand for is one of them. */
  quoteText: string;
  comment: string | null;
  trim: boolean;
  recordUnitsMax: number;
  cellUnitsMax: number;
  columnsMax: number;
}

/** Throws only when the declaration did not pass `csvSource`, which is a bug of the caller. */
export function dialectOf(source: CsvSource, codec: TextCodec, limits: CsvLimits): Dialect {
  const delimiter = codec.fromText(source.delimiter);
  const comment = source.comment === undefined ? null : codec.fromText(source.comment);
  if (delimiter === null) throw new Error(`delimiter cannot be written in ${source.encoding}`);
  return {
    delimiter,
    delimiterFirst: delimiter.charCodeAt(0),
    quote: source.quote === '' ? NO_UNIT : source.quote.charCodeAt(0),
    quoteText: source.quote,
    comment,
    trim: source.trim,
    recordUnitsMax: Math.floor(limits.recordBytesMax / codec.unitBytes),
    cellUnitsMax: Math.floor(limits.cellBytesMax / codec.unitBytes),
    columnsMax: limits.columnsMax,
  };
}

/** Blanks that `trim` drops; a delimiter that is itself a blank keeps its meaning. */
export function isBlank(unit: number, dialect: Dialect): boolean {
  return (unit === SPACE || unit === TAB) && unit !== dialect.delimiterFirst;
}
