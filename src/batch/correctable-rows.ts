/** Numbers of the rows to correct, page by page, and text as bytes of the file's own encoding. */
import { Buffer } from 'node:buffer';
import type { TextCodec } from '../formats/encoding.ts';
import type { BatchRow } from './summary.ts';

export interface CorrectableRows {
  /** Rows to correct after a record number, in order. */
  rows(after: number, limit: number): Promise<BatchRow[]>;
}

/** Rows asked for at once. Ours. */
const ROWS_AT_ONCE = 500;

export async function* numbersInOrder(port: CorrectableRows): AsyncGenerator<number, undefined> {
  for (let after = 0; ; ) {
    const page = await port.rows(after, ROWS_AT_ONCE);
    for (const { record } of page) yield record;
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return undefined;
    after = last.record;
  }
}

/** @returns undefined where the encoding cannot write it. */
export function encoded(text: string, codec: TextCodec): Uint8Array | undefined {
  const units = codec.fromText(text);
  if (units === null) return undefined;
  const bytes = Buffer.from(units, codec.unitBytes === 1 ? 'latin1' : 'utf16le');
  return codec.encoding === 'utf-16be' ? bytes.swap16() : bytes;
}
