/**
 * The texts that the cells of a workbook share, by number.
 *
 * Stored as bytes in one piece: a million separate strings would take several times their length.
 */
import { Buffer } from 'node:buffer';
import { SHARED_STRINGS_BYTES_MAX } from './limits.ts';
import { readXml, type WorkbookParts } from './workbook.ts';

/*
 * Decodes `_x000D_` in the texts of a workbook: XML cannot write every character, and `_x005F_` is an escaped
 * underscore.
 */

const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** ST_Xstring, ECMA-376-1 22.9.2.19. The text after an escaped underscore is not decoded again. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).toWellFormed();
}

/* The text of a shared string or an inline string: its runs joined, without the phonetic ones that give its reading. */

/** Receives every tag inside `si` or `is` (ECMA-376-1 18.4.8). */
export class TextRuns {
  #text = '';
  #isText = false;
  #phonetic = 0;

  clear(): void {
    this.#text = '';
    this.#isText = false;
    this.#phonetic = 0;
  }

  open(name: string): void {
    if (name === 'rPh') this.#phonetic += 1;
    this.#isText = name === 't' && this.#phonetic === 0;
  }

  text(text: string): void {
    if (this.#isText) this.#text += text;
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic -= 1;
    this.#isText = false;
  }

  /** Each run is escaped on its own, but none ends inside an escape. */
  whole(): string {
    return unescaped(this.#text);
  }
}

export class SharedStrings {
  #bytes = Buffer.alloc(64 * 1_024);
  #ends = new Uint32Array(4_096);
  #count = 0;

  add(text: string): void {
    const from = this.#endOf(this.#count - 1);
    // No UTF-16 unit takes more than three bytes of UTF-8.
    if (from + text.length * 3 > this.#bytes.byteLength) this.#grow(from + Buffer.byteLength(text));
    const to = from + this.#bytes.write(text, from);
    if (this.#count === this.#ends.length) {
      const longer = new Uint32Array(this.#ends.length * 2);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    this.#ends[this.#count] = to;
    this.#count += 1;
  }

  /** @param index from 0. @returns undefined if there is none. */
  get(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined;
    return this.#bytes.toString('utf8', this.#endOf(index - 1), this.#endOf(index));
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }

  #grow(needed: number): void {
    let length = this.#bytes.byteLength;
    while (length < needed) length *= 2;
    if (length === this.#bytes.byteLength) return;
    const longer = Buffer.alloc(length);
    this.#bytes.copy(longer);
    this.#bytes = longer;
  }
}

/** Throws a refusal. */
export async function readSharedStrings(parts: WorkbookParts, part: string | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings();
  if (part === undefined || !parts.has(part)) return strings;
  const runs = new TextRuns();
  await readXml(part, parts.bytesOf(part, SHARED_STRINGS_BYTES_MAX), {
    open(name) {
      if (name === 'si') runs.clear();
      else runs.open(name);
    },
    text: (text) => runs.text(text),
    close(name) {
      if (name === 'si') strings.add(runs.whole());
      else runs.close(name);
    },
  });
  return strings;
}
