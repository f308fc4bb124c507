/**
 * The parts of a workbook, which are files of a ZIP: found by name, unpacked as a stream, counted and checked on the way.
 *
 * A part ends as refused as soon as more comes out of it than may: nothing is held but the piece at hand.
 */
import { crc32 } from 'node:zlib';
import { ERR_ENCRYPTED_CENTRAL_DIRECTORY, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { messageOf } from '../../kernel/log.ts';
import type { StoredBytes } from '../slices.ts';
import { ArchiveSource } from '../zip/archive-source.ts';
import { locateEntry, type ZipFile } from '../zip/entry.ts';
import { INFLATE_STEP_BYTES, PART_FLOOR_BYTES, PART_RATIO_MAX, PART_READ_BYTES } from './limits.ts';
import { partProblem, type WorkbookProblem, WorkbookRefusal } from './problems.ts';

export class WorkbookParts {
  readonly #stored: StoredBytes;
  readonly #source: ArchiveSource;
  readonly #entries: ReadonlyMap<string, FileEntry>;

  private constructor(stored: StoredBytes, source: ArchiveSource, entries: ReadonlyMap<string, FileEntry>) {
    this.#stored = stored;
    this.#source = source;
    this.#entries = entries;
  }

  /** Throws a refusal when the ZIP cannot be read, and what the store throws. */
  static async open(stored: StoredBytes): Promise<WorkbookParts> {
    const source = new ArchiveSource(stored);
    const zip = new ZipReader(source.reader, { filenameValidation: 'tolerant' });
    const entries = new Map<string, FileEntry>();
    try {
      for await (const entry of zip.getEntriesGenerator()) {
        const name = partName(entry.filename);
        if (!entry.directory && !entries.has(name)) entries.set(name, entry);
      }
    } catch (thrown) {
      source.throwFailure();
      throw new WorkbookRefusal(directoryProblem(messageOf(thrown)));
    }
    return new WorkbookParts(stored, source, entries);
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  /** The bytes of a part, checked against length and checksum behind the last of them. */
  async *bytesOf(name: string, bytesMax: number): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(partName(name));
    if (entry === undefined) throw new WorkbookRefusal({ code: 'workbook_broken', fault: 'missing', part: name });
    const located = await locateEntry(this.#source, entry, name);
    if (!located.ok) throw new WorkbookRefusal(partProblem(located.error, name));
    const file = located.value;
    const most = Math.min(bytesMax, Math.max(PART_FLOOR_BYTES, file.packedBytes * PART_RATIO_MAX));
    let bytes = 0;
    let crc = 0;
    for await (const piece of this.#inflated(file)) {
      bytes += piece.byteLength;
      if (bytes > most) {
        throw new WorkbookRefusal({ code: 'workbook_too_large', of: 'part', part: name, bytesMax: most });
      }
      crc = crc32(piece, crc);
      yield piece;
    }
    if (bytes !== file.declaredBytes || crc !== file.crc32) throw damaged(name);
  }

  async *#inflated(file: ZipFile): AsyncGenerator<Uint8Array> {
    const packed = packedPieces(this.#stored, file);
    if (!file.isDeflated) {
      yield* packed;
      return;
    }
    let failure: { thrown: unknown } | undefined;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        try {
          const { done, value } = await packed.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          failure = { thrown };
          controller.error(thrown);
        }
      },
    });
    const reader = stream.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((thrown: unknown) => {
          if (failure !== undefined) throw failure.thrown;
          throw damaged(file.name, thrown);
        });
        if (done) return;
        yield value;
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }
}

/** Cut small, because a thousand times as much can come out of each piece at once. */
async function* packedPieces(
  stored: StoredBytes,
  { offset, packedBytes }: ZipFile,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < packedBytes; at += PART_READ_BYTES) {
    const bytes = await stored.read(offset + at, Math.min(PART_READ_BYTES, packedBytes - at));
    for (let from = 0; from < bytes.byteLength; from += INFLATE_STEP_BYTES) {
      yield new Uint8Array(bytes.subarray(from, from + INFLATE_STEP_BYTES)); // a copy: the stream keeps what it is given
    }
  }
}

const damaged = (part: string, _cause?: unknown): WorkbookRefusal =>
  new WorkbookRefusal({ code: 'workbook_broken', fault: 'packed', part });

function directoryProblem(message: string): WorkbookProblem {
  if (message === ERR_ENCRYPTED_CENTRAL_DIRECTORY) return { code: 'workbook_encrypted', part: null };
  return { code: 'workbook_broken', fault: 'directory' };
}

/** Names of parts are compared without regard to case (ECMA-376-2 6.2.2.3); some programs write backslashes. */
const partName = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
