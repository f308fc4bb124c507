/** A slice of a file as units of one byte each, and the way back from an offset to a byte, a line and readable text. Pure. */
import { type TextCodec, textCodec } from '../encoding.ts';
import { CR, LF } from './characters.ts';
import { EXCERPT_BYTES } from './limits.ts';

/** What is left of a character of several bytes when the excerpt ends inside it. */
const REPLACEMENT = '\ufffd';
/** Bytes shown as evidence of a wrong encoding. */
const SHOWN_BYTES = 3;

export class Slice {
  readonly text: string;
  readonly codec: TextCodec = textCodec('utf-8');
  readonly atEnd: boolean;
  private readonly byteFrom: number;

  /** @param byteFrom position in the file of the first of the bytes; `atEnd`: they reach the end of the file */
  constructor(byteFrom: number, bytes: Uint8Array, atEnd: boolean) {
    this.byteFrom = byteFrom;
    this.text = this.codec.toUnits(bytes, atEnd);
    this.atEnd = atEnd;
  }

  byteAt(offset: number): number {
    return this.byteFrom + offset;
  }

  /** Enough follows the offset for its excerpt not to depend on where the slice ends. */
  shows(offset: number): boolean {
    return this.atEnd || this.text.length - offset >= EXCERPT_BYTES;
  }

  /** What stands at an offset, up to the end of its line, or up to `limit`. A line break at the offset itself is shown. */
  excerpt(offset: number, limit: number = this.text.length): string {
    const end = Math.min(limit, offset + EXCERPT_BYTES, this.text.length);
    let to = Math.min(offset + 1, end);
    while (to < end && !isLineBreak(this.text.charCodeAt(to))) to++;
    if (to > offset + 1 && isLineBreak(this.text.charCodeAt(offset))) to = offset + 1;
    const shown = this.codec.toText(this.text.slice(offset, to));
    const isCut = to === offset + EXCERPT_BYTES && shown.endsWith(REPLACEMENT);
    return isCut ? shown.slice(0, -1) : shown;
  }

  /** The byte at an offset and the non-ASCII ones after it, at most three. */
  hex(offset: number): string {
    const bytes: string[] = [];
    for (let at = offset; at < Math.min(offset + SHOWN_BYTES, this.text.length); at++) {
      const unit = this.text.charCodeAt(at);
      if (at > offset && unit < 0x80) break;
      bytes.push(unit.toString(16).padStart(2, '0'));
    }
    return bytes.join(' ');
  }
}

const isLineBreak = (unit: number): boolean => unit === LF || unit === CR;

export function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === LF) count++;
  return count;
}

/** Counts the lines of a text from its start on; every line end is looked for once, however often it is asked. */
export class LineCounter {
  private readonly text: string;
  private lines: number;
  private nextLineFeed: number;

  /** @param lines ended before the text begins */
  constructor(text: string, lines: number) {
    this.text = text;
    this.lines = lines;
    this.nextLineFeed = this.find(0);
  }

  /** Lines ended before `offset`, which is not smaller than in any call before. */
  endedBefore(offset: number): number {
    while (this.nextLineFeed < offset) {
      this.lines++;
      this.nextLineFeed = this.find(this.nextLineFeed + 1);
    }
    return this.lines;
  }

  private find(from: number): number {
    const at = this.text.indexOf('\n', from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  }
}
