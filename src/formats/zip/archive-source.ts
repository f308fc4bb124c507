/** Stored bytes as the archive reader asks for them: small pieces only, and a failing store is told from a broken archive. */
import type { Reader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { ARCHIVE_DIRECTORY_BYTES_MAX } from '../../kernel/limits.ts';
import type { StoredBytes } from '../slices.ts';

export class ArchiveSource {
  readonly reader: Reader<StoredBytes>;
  askedTooMuch = false;
  #failure: { thrown: unknown } | undefined;

  constructor(stored: StoredBytes) {
    const readUint8Array = async (offset: number, length: number): Promise<Uint8Array> => {
      if (offset < 0 || offset >= stored.bytes) return new Uint8Array();
      const bytes = Math.min(length, stored.bytes - offset);
      if (bytes > ARCHIVE_DIRECTORY_BYTES_MAX) {
        this.askedTooMuch = true;
        throw new Error('more bytes asked for than a directory may have');
      }
      try {
        return await stored.read(offset, bytes);
      } catch (thrown) {
        this.#failure = { thrown };
        throw thrown;
      }
    };
    const createReadable = (): never => {
      throw new Error('the archive is read by range alone');
    };
    this.reader = { size: stored.bytes, readable: new ReadableStream(), readUint8Array, createReadable };
  }

  /** Throws what the store threw, if it did. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
