/**
 * The records of an XML batch that were not delivered: the document itself, byte for byte, without the records that
 * need no correction. What stands around the records stays, so that it reads as it did; each record names the row it
 * replaces in two attributes. Pure but for the ports passed in.
 */
import { encodedText, type TextCodec, textCodec } from '../../formats/encoding.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../../formats/replaced.ts';
import { readSlice, type StoredBytes } from '../../formats/slices.ts';
import { type XmlCheckpoint, xmlStart } from '../../formats/xml/checkpoint.ts';
import type { XmlSource } from '../../formats/xml/declaration.ts';
import { type XmlRecord, xmlSlices } from '../../formats/xml/read.ts';
import { type CorrectableRows, numbersInOrder } from './correctable-rows.ts';

export interface XmlPort extends CorrectableRows {
  source: StoredBytes;
}

/** Bytes copied at once. Ours. */
const COPIED_BYTES = 64 * 1024;
/** Longest stretch between two records that is looked at for being blank. Ours. */
const BLANK_BYTES_MAX = 1_024;

export async function* xmlCorrections(port: XmlPort, batchId: string, source: XmlSource): AsyncGenerator<Uint8Array> {
  const { source: file } = port;
  const rows = numbersInOrder(port);
  let next = (await rows.next()).value;
  let written = 0;
  let last: XmlCheckpoint = xmlStart;
  for await (const { records, checkpoint } of slicesOf(file, source)) {
    last = checkpoint;
    const codec = textCodec(checkpoint.encoding ?? source.encoding);
    for (const { position } of records) {
      while (next !== undefined && next < position.record) next = (await rows.next()).value;
      const { byteFrom, byteTo } = position;
      if (next === position.record) {
        yield* copied(file, written, byteFrom);
        const bytes = await file.read(byteFrom, byteTo - byteFrom);
        yield withPlace(bytes, codec, batchId, position.record);
      } else if (!(await isBlank(file, written, byteFrom, codec))) {
        yield* copied(file, written, byteFrom);
      }
      written = byteTo;
    }
  }
  const isWhole = last.endProblem === null;
  yield* copied(file, written, isWhole ? file.bytes : last.byte);
  const ends = last.open.toReversed().map(({ name }) => `</${name}>`);
  if (!isWhole) yield encodedText(`${ends.join('')}\n`, last.encoding ?? source.encoding) ?? new Uint8Array();
}

async function* copied(file: StoredBytes, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += COPIED_BYTES) yield await file.read(at, Math.min(COPIED_BYTES, to - at));
}

async function isBlank(file: StoredBytes, from: number, to: number, codec: TextCodec): Promise<boolean> {
  if (from === 0 || to - from > BLANK_BYTES_MAX) return false;
  return codec.toText(codec.toUnits(await file.read(from, to - from), true)).trim() === '';
}

/** One attribute with the blanks before it. */
const ATTRIBUTE = /\s+([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')/y;
const PLACE_NAMES: readonly string[] = [REPLACED_BATCH, REPLACED_RECORD];

/** A place it brought along from an earlier correction is replaced by its own. */
function withPlace(bytes: Uint8Array, codec: TextCodec, batchId: string, record: number): Uint8Array {
  const text = codec.toText(codec.toUnits(bytes, true));
  const nameEnd = text.search(/[\s/>]/);
  let tag = `${text.slice(0, nameEnd)} ${REPLACED_BATCH}="${batchId}" ${REPLACED_RECORD}="${record}"`;
  let at = nameEnd;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    const [whole, name = ''] = match;
    if (!PLACE_NAMES.includes(name)) tag += whole;
    at += whole.length;
  }
  return encodedText(tag + text.slice(at), codec.encoding) ?? bytes;
}

async function* slicesOf(
  file: StoredBytes,
  source: XmlSource,
): AsyncGenerator<{ records: readonly XmlRecord[]; checkpoint: XmlCheckpoint }> {
  const read = xmlSlices(source, []);
  for (let checkpoint = xmlStart; ; ) {
    const from = checkpoint;
    const slice = await readSlice(file, from.byte, ({ bytes, atEnd }) => read(from, bytes, atEnd));
    if (slice.outcome !== 'records') return;
    yield slice;
    if (slice.finished) return;
    checkpoint = slice.checkpoint;
  }
}
