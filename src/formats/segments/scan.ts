/** The text of a slice, and what the scanners of X12 and EDIFACT have in common to find segments in it. */
import { Buffer, isAscii } from 'node:buffer';
import { countOf, type ForwardSearch, type SliceSearches } from './list.ts';
import { type DividedText, NO_UNIT } from './segment.ts';

/** A point between two segments. `line`: physical lines that ended before it. */
export interface Place {
  at: number;
  line: number;
}

/** The text of a slice, one unit per byte. */
export interface SliceText {
  text: string;
  /** The same units as numbers. */
  bytes: Uint8Array;
  isAscii: boolean;
  hasNul: boolean;
  /** It reaches the end of the file. */
  atEnd: boolean;
  /** Position of the slice in the file. */
  byteBase: number;
}

export function sliceText(bytes: Uint8Array, byteBase: number, atEnd: boolean): SliceText {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  // A copy: segments are read after the caller's memory has the next slice.
  return { text, bytes: bytes.slice(), isAscii: isAscii(bytes), hasNul: text.includes('\0'), atEnd, byteBase };
}

export class SliceScanner {
  readonly text: string;
  readonly atEnd: boolean;
  readonly within: DividedText;
  readonly lineFeed: ForwardSearch;
  readonly carriageReturn: ForwardSearch;
  protected readonly segmentBytesMax: number;
  private readonly lineBreak: string;

  constructor(
    { text, bytes, byteBase, atEnd, searches }: ScannedSlice,
    delimiters: { element: string; component: string | null; repetition: string | null },
    { lineBreak, segmentBytesMax }: { lineBreak: string; segmentBytesMax: number },
  ) {
    const codeOf = (separator: string | null): number =>
      separator === null || separator === '' ? NO_UNIT : separator.charCodeAt(0);
    const { element, component, repetition } = delimiters;
    this.text = text;
    this.atEnd = atEnd;
    this.within = {
      ...{ text, bytes, byteBase },
      ...{ element: codeOf(element), component: codeOf(component), repetition: codeOf(repetition) },
    };
    this.lineFeed = searches.of('\n');
    this.carriageReturn = searches.of('\r');
    this.segmentBytesMax = segmentBytesMax;
    this.lineBreak = lineBreak;
  }

  /** @returns how many lines ended before `to`, of which `line` did before `from`. */
  lineAt(from: number, to: number, line: number): number {
    return line + countOf(this.text, this.lineBreak, from, to);
  }

  /** Offset of the first line break from there on. */
  protected breakFrom(from: number): number {
    return Math.min(this.lineFeed.from(from), this.carriageReturn.from(from));
  }
}

/** @property searches shared by all scanners of a slice. */
export interface ScannedSlice extends Pick<SliceText, 'text' | 'bytes' | 'byteBase' | 'atEnd'> {
  searches: SliceSearches;
}
