/** Standard input, or a file, as bytes that are read by range: what mapFile asks of stored bytes. */
import type { Readable } from 'node:stream';
import type { StoredBytes } from '../../../src/formats/slices.ts';

/** A stream read by range, forwards only. How many bytes there are is known once the stream has ended. */
export class StreamBytes implements StoredBytes {
  bytes = Number.POSITIVE_INFINITY;
  readonly #chunks: AsyncIterator<Buffer>;
  #kept: Buffer = Buffer.alloc(0);
  #storedFrom = 0;

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const left = this.#kept.subarray(offset - this.#storedFrom);
    const pieces = [left];
    let bytes = left.byteLength;
    while (bytes < length && this.bytes === Number.POSITIVE_INFINITY) {
      const next = await this.#chunks.next();
      if (next.done) this.bytes = offset + bytes;
      else {
        pieces.push(next.value);
        bytes += next.value.byteLength;
      }
    }
    this.#kept = pieces.length === 1 ? left : Buffer.concat(pieces);
    this.#storedFrom = offset;
    return this.#kept.subarray(0, length);
  }
}
