/**
 * The rows of a fixed-width batch that were not delivered, each line byte for byte, below the carried lines it belongs
 * to, and behind the trailer that parts them from those before. A trailer with a count gets the count of what is written. There is no room for the place a line comes from, so that such
 * a row replaces nothing: it is a new one. Pure but for the ports passed in.
 */
import { sniffStart } from '../../formats/csv/sniff.ts';
import { encodedText, type TextCodec, textCodec } from '../../formats/encoding.ts';
import { Characters } from '../../formats/fixed/characters.ts';
import { type FixedCheckpoint, fixedStart, type LinePlace } from '../../formats/fixed/checkpoint.ts';
import type { FixedSource } from '../../formats/fixed/declaration.ts';
import { type Kind, kindsOf } from '../../formats/fixed/kinds.ts';
import { FIXED_LIMITS } from '../../formats/fixed/limits.ts';
import { type FixedRecord, fixedSlices } from '../../formats/fixed/read.ts';
import { type Counted, countOf, NOTHING_COUNTED, trailerWith, withLine } from '../../formats/fixed/trailer.ts';
import { readSlice, type StoredBytes } from '../../formats/slices.ts';
import { type CorrectableRows, numbersInOrder } from './correctable-rows.ts';
import type { ReportFile } from './report.ts';

export interface FixedPort extends CorrectableRows {
  files: readonly ReportFile[];
}

const LINE_END_UNITS_MAX = 2;

export async function* fixedCorrections(port: FixedPort, source: FixedSource): AsyncGenerator<Uint8Array> {
  const rows = numbersInOrder(port);
  let next = (await rows.next()).value;
  let recordsBefore = 0;
  for (const { source: bytes, problems } of port.files) {
    if (problems.length > 0) continue;
    const file = new CorrectedFile(bytes, source);
    for await (const read of recordsOf(bytes, source)) {
      file.reached(read.checkpoint);
      for (const record of read.records) {
        const number = recordsBefore + record.position.record;
        while (next !== undefined && next < number) next = (await rows.next()).value;
        if (next === number) yield* file.lines(record);
      }
    }
    yield* file.end();
    recordsBefore += file.records;
  }
}

class CorrectedFile {
  records = 0;
  private readonly bytes: StoredBytes;
  private readonly source: FixedSource;
  private checkpoint: FixedCheckpoint = fixedStart;
  private readonly written = new Set<number>();
  private counted: Counted = NOTHING_COUNTED;
  private lineEnd: Uint8Array | null = null;
  private trailerBefore: LinePlace | null = null;

  constructor(bytes: StoredBytes, source: FixedSource) {
    this.bytes = bytes;
    this.source = source;
  }

  reached(checkpoint: FixedCheckpoint): void {
    this.checkpoint = checkpoint;
    this.records = checkpoint.record;
  }

  private get codec(): TextCodec {
    return textCodec(this.checkpoint.encodingByMark ?? this.source.encoding);
  }

  /** The lines it belongs to, where they do not stand above already, and its own. */
  async *lines({ position, fields, above, isCounted, trailerBefore }: FixedRecord): AsyncGenerator<Uint8Array> {
    if (this.lineEnd === null) {
      this.lineEnd = await this.lineEndAfter(position);
      yield await this.mark();
    } else if (trailerBefore !== null && trailerBefore.byteFrom !== this.trailerBefore?.byteFrom) {
      yield* this.trailer(trailerBefore);
      this.written.clear();
      this.counted = NOTHING_COUNTED;
    }
    this.trailerBefore = trailerBefore;
    const own = { ...position, kind: fields.at(-1) ?? null };
    for (const line of [...above, own]) {
      if (this.written.has(line.byteFrom)) continue;
      this.written.add(line.byteFrom);
      this.counted = withLine(this.counted, line.kind);
      yield await this.bytesOf(line);
      yield this.lineEnd;
    }
    if (isCounted) this.counted = { ...this.counted, records: this.counted.records + 1 };
  }

  /** The last trailer of the file, where a line of it is among the corrections. */
  async *end(): AsyncGenerator<Uint8Array> {
    const { trailer } = this.checkpoint;
    if (this.lineEnd === null) return;
    if (trailer !== null && this.kindOf(await this.textOf(trailer))?.count !== undefined) yield* this.trailer(trailer);
  }

  private async *trailer(place: LinePlace): AsyncGenerator<Uint8Array> {
    if (this.lineEnd === null) return;
    const text = await this.textOf(place);
    const kind = this.kindOf(text);
    const written = kind === undefined ? text.text : trailerWith(kind, text, this.countFor(kind));
    yield encodedText(written, this.codec.encoding) ?? (await this.bytesOf(place));
    yield this.lineEnd;
  }

  /** Lines of no known kind are to be corrected into some that count. */
  private countFor({ name, count }: Kind): number {
    const of = count?.of ?? 'records';
    return countOf(typeof of === 'string' ? of : [...of, ''], withLine(this.counted, name));
  }

  private bytesOf({ byteFrom, byteTo }: LinePlace): Promise<Uint8Array> {
    return this.bytes.read(byteFrom, byteTo - byteFrom);
  }

  private async textOf(place: LinePlace): Promise<Characters> {
    return new Characters(this.codec.toText(this.codec.toUnits(await this.bytesOf(place), true)));
  }

  private kindOf(text: Characters): Kind | undefined {
    return kindsOf(this.source).find(text);
  }

  private async mark(): Promise<Uint8Array> {
    const start = await this.bytes.read(0, Math.min(this.bytes.bytes, FIXED_LIMITS.sniffBytes));
    const sniffed = sniffStart(start, this.source.encoding);
    return start.subarray(0, sniffed.ok ? sniffed.value.markBytes : 0);
  }

  /** As the file has it; a last line without one gets one. */
  private async lineEndAfter({ byteTo }: LinePlace): Promise<Uint8Array> {
    if (this.source.lineEnds === 'none') return new Uint8Array();
    const { codec } = this;
    const bytes = await this.bytes.read(
      byteTo,
      Math.min(this.bytes.bytes - byteTo, LINE_END_UNITS_MAX * codec.unitBytes),
    );
    const [found = '\r\n'] = /^(?:\r\n|\n|\r)/.exec(codec.toUnits(bytes, true)) ?? [];
    return encodedText(found, codec.encoding) ?? new Uint8Array();
  }
}

async function* recordsOf(
  bytes: StoredBytes,
  source: FixedSource,
): AsyncGenerator<{ records: readonly FixedRecord[]; checkpoint: FixedCheckpoint }> {
  const read = fixedSlices(source);
  for (let checkpoint = fixedStart; ; ) {
    const from = checkpoint;
    const slice = await readSlice(bytes, from.byte, ({ bytes: part, atEnd }) => read(from, part, atEnd));
    if (slice.outcome !== 'records') return;
    yield slice;
    if (slice.finished) return;
    checkpoint = slice.checkpoint;
  }
}
