/** Reads a whole small document through slices of a chosen size, as the caller of the reader does: longer slices on `more`. */
import { Buffer } from 'node:buffer';
import { type Capture, type XmlCheckpoint, xmlStart } from '../../../../src/formats/xml/checkpoint.ts';
import { type XmlSource, xmlSource } from '../../../../src/formats/xml/declaration.ts';
import { XML_LIMITS, type XmlLimits } from '../../../../src/formats/xml/limits.ts';
import type { XmlElement } from '../../../../src/formats/xml/path.ts';
import type { XmlEndProblem, XmlFileProblem } from '../../../../src/formats/xml/problems.ts';
import { type XmlRecord, xmlReader, xmlSlices } from '../../../../src/formats/xml/reader.ts';

export interface WholeRead {
  records: XmlRecord[];
  problems: (XmlFileProblem | XmlEndProblem)[];
  endProblem: XmlEndProblem | null;
  checkpoint: XmlCheckpoint;
}

export const declare = (records = 'list/item', more: Record<string, unknown> = {}): XmlSource =>
  xmlSource.parse({ format: 'xml', records, ...more });

export const bytesOf = (input: string | Uint8Array): Uint8Array =>
  typeof input === 'string' ? Buffer.from(input, 'utf8') : input;

export function readWhole(
  input: string | Uint8Array,
  source: XmlSource = declare(),
  {
    sliceBytes = Number.POSITIVE_INFINITY,
    limits = XML_LIMITS,
    captures = [],
  }: { sliceBytes?: number; limits?: XmlLimits; captures?: readonly Capture[] } = {},
): WholeRead {
  const file = bytesOf(input);
  const readSlice = xmlSlices(source, captures, limits);
  const records: XmlRecord[] = [];
  let checkpoint = xmlStart;
  let length = sliceBytes;
  for (let steps = 0; steps <= 4 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const read = readSlice(checkpoint, new Uint8Array(file.subarray(checkpoint.byte, to)), to === file.byteLength);
    if (read.outcome === 'unreadable') {
      return { records: [], problems: read.problems, endProblem: null, checkpoint: xmlStart };
    }
    if (read.outcome === 'more') {
      if (to === file.byteLength) throw new Error('more is asked for at the end');
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    records.push(...read.records);
    length = sliceBytes;
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint)) as XmlCheckpoint; // as it comes back from storage
    if (read.finished) return { records, problems: [], endProblem: read.endProblem, checkpoint };
  }
  throw new Error('the reader does not come to an end');
}

/** Without the way up, which is no tree. */
export const plain = (element: XmlElement | null): unknown =>
  element === null
    ? null
    : {
        name: element.uri === '' ? element.local : `{${element.uri}}${element.local}`,
        attributes: element.attributes,
        text: element.text,
        children: element.children.map(plain),
      };

export const plainRead = ({ records, ...read }: WholeRead) => ({
  ...read,
  records: records.map(({ element, ...record }) => ({ ...record, element: plain(element) })),
});

/** The cells of all records of a document that is read in one go, and what else was said. */
export function cellsOf(
  input: string | Uint8Array,
  paths: string[],
  source = declare(),
  lists: { path: string; shape: { paths: string[]; lists: [] } }[] = [],
) {
  const reader = xmlReader(source, { paths, lists });
  const read = reader.read(reader.start, bytesOf(input), true);
  if (read.outcome !== 'records') throw new Error(JSON.stringify(read));
  return read;
}

export const fieldsOf = (...asked: Parameters<typeof cellsOf>): (readonly string[])[] =>
  cellsOf(...asked).records.map(({ fields }) => fields);
