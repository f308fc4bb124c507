/** Small documents read whole. */
import { Buffer } from 'node:buffer';
import type { Capture } from '../../../../src/formats/xml/around.ts';
import { type XmlCheckpoint, xmlStart } from '../../../../src/formats/xml/checkpoint.ts';
import { type XmlSource, xmlSource } from '../../../../src/formats/xml/declaration.ts';
import type { XmlRecord } from '../../../../src/formats/xml/document.ts';
import { XML_LIMITS, type XmlLimits } from '../../../../src/formats/xml/limits.ts';
import type { XmlElement } from '../../../../src/formats/xml/path.ts';
import type { XmlEndProblem, XmlFileProblem } from '../../../../src/formats/xml/problems.ts';
import { xmlReader, xmlSlices } from '../../../../src/formats/xml/reader.ts';
import { readSlices, type WholeRead as Whole } from '../whole-read.ts';

export type WholeRead = Whole<XmlCheckpoint, XmlRecord, XmlFileProblem | XmlEndProblem, XmlEndProblem>;

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
  return readSlices(xmlSlices(source, captures, limits), xmlStart, bytesOf(input), sliceBytes);
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
