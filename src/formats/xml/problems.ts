/**
 * What can be wrong with an XML document or one of its records: facts first, then the messages for people.
 *
 * Lines count from 1, bytes from 0.
 */
import type { Encoding } from '../encoding.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';
import { describedBy, type EmptyFile, emptyFile, type MessagesOf } from '../problems.ts';

interface Place {
  byte: number;
  line: number;
}

/**
 * Reading ends here, because the start of the next record cannot be found. The records before stay valid; if there are
 * none, the file as a whole cannot be read.
 *
 * @property text the text before the fault; `inside`: the path of the open elements.
 */
export type XmlEndProblem = Place & { text: string; inside: string } & (
    | { code: 'xml_not_well_formed'; detail: string }
    | { code: 'xml_cut_off' }
    | { code: 'xml_doctype' }
    | { code: 'xml_too_deep'; depthMax: number }
    | { code: 'xml_too_large'; what: XmlPart; max: number }
    | { code: 'bad_encoding'; encoding: Encoding; hex: string }
  );

type XmlPart = 'record' | 'markup' | 'name' | 'attribute' | 'attributes' | 'captured';

export type XmlFileProblem =
  | EmptyFile
  | { code: 'not_xml'; looksLike: FileLook | null; text: string }
  | { code: 'encoding_unsupported'; declared: string }
  | Utf8Instead
  | { code: 'records_not_found'; path: string; reached: string; names: readonly string[] };

/** Text that is to be of single bytes is UTF-8. @property line of the record; null: it is so from the start. */
interface Utf8Instead {
  code: 'encoding_disagrees';
  encoding: Encoding;
  line: number | null;
  hex: string;
}

/** It costs one record. */
export type XmlRecordProblem =
  | Utf8Instead
  | { code: 'too_many_nodes'; line: number; nodesMax: number }
  | { code: 'value_too_large'; line: number; path: string; characters: number; charactersMax: number; text: string };

export type XmlProblem = XmlEndProblem | XmlFileProblem | XmlRecordProblem;

const exportOrName = (encoding: Encoding): string =>
  `Export the file as ${encoding}, or name in its XML declaration the encoding it is written in.`;

/** Most broken documents have an unescaped ampersand in a company name. */
const AMPERSAND = 'An & in a text must be written as &amp;, a < as &lt;.';
const LARGE_MESSAGES: Record<XmlPart, (max: number) => string> = {
  record: (max) => `the record that begins here does not end within ${max} bytes`,
  markup: (max) => `there is no tag within ${max} bytes`,
  name: (max) => `a name has more than ${max} characters`,
  attribute: (max) => `an attribute has more than ${max} characters`,
  attributes: (max) => `an element has more than ${max} attributes`,
  captured: (max) => `a text outside of the records has more than ${max} characters`,
};

function pointOf({ line, byte, inside }: XmlEndProblem): string {
  const around = inside === '' ? '' : `, inside ${inside}`;
  return `line ${line}, at byte ${byte} of the file${around}`;
}

const MESSAGES: MessagesOf<XmlProblem> = {
  empty_file: emptyFile('it holds no element', ' A document without records is accepted.'),
  not_xml: ({ looksLike, text }) => ({
    value: looksLike ?? text,
    message:
      looksLike === null
        ? 'The file is not XML: it does not begin with <.'
        : `The file is not XML. It looks like ${MAGIC_MESSAGES[looksLike]}.`,
    fix: 'Send the records as an XML document, or choose the kind that this file is of.',
  }),
  encoding_unsupported: ({ declared }) => ({
    value: declared,
    message: `The XML declaration names the encoding ${JSON.stringify(declared)}, which is not read.`,
    fix: 'Export the file as utf-8.',
  }),
  encoding_disagrees: ({ encoding, line, hex }) => ({
    value: 'utf-8',
    message:
      line === null
        ? `The document is read as ${encoding}, but its letters beyond ASCII are written as utf-8 writes them (${hex}).`
        : `The record that begins in line ${line}, or what is read from around it, has letters beyond ASCII as utf-8 writes them (${hex}), but the document is read as ${encoding}.`,
    fix: exportOrName(encoding),
  }),
  records_not_found: ({ path, reached, names }) => ({
    path,
    value: reached,
    message: `There is no ${path} in the document. ${reached === '' ? 'Its root is' : `${reached} holds`} ${names.length === 0 ? 'nothing' : names.join(', ')}.`,
    fix: `Send a document that has its records at ${path}, or choose the kind that this document is of.`,
  }),
  too_many_nodes: ({ line, nodesMax }) => ({
    message: `The record that begins in line ${line} has more than ${nodesMax} elements and attributes.`,
    fix: 'Divide the record.',
  }),
  value_too_large: ({ path, text, characters, charactersMax }) => ({
    path,
    value: text,
    message: `The text at ${path} has ${characters} characters, at most ${charactersMax} are read.`,
    fix: 'Shorten the text, or leave out what nobody needs.',
  }),
  xml_not_well_formed: (fact) => ({
    path: fact.inside,
    value: fact.text,
    message: `The XML is broken in ${pointOf(fact)}: ${fact.detail}. Nothing behind this place can be read, and nothing before it is affected.`,
    fix: `Correct the document there and send what stands behind it. ${AMPERSAND}`,
  }),
  xml_cut_off: (fact) => ({
    path: fact.inside,
    value: fact.text,
    message: `The document ends in ${pointOf(fact)}, before its last end tag: it may have been cut off. The records before it are whole.`,
    fix: `Compare the file with its original and send what is missing. ${AMPERSAND}`,
  }),
  xml_doctype: (fact) => ({
    path: fact.inside,
    value: fact.text,
    message: `The document has a DOCTYPE declaration in ${pointOf(fact)}. Such declarations can define entities and are not read.`,
    fix: 'Export the document without <!DOCTYPE …>; write characters themselves, or by number such as &#233;.',
  }),
  xml_too_deep: (fact) => ({
    path: fact.inside,
    value: fact.text,
    message: `Elements stand more than ${fact.depthMax} deep in ${pointOf(fact)}. Nothing behind this place is read.`,
    fix: 'Check the program that wrote the document: an end tag is missing, or it is no exchange format.',
  }),
  xml_too_large: (fact) => ({
    path: fact.inside,
    value: fact.text,
    message: `The document cannot be read on in ${pointOf(fact)}: ${LARGE_MESSAGES[fact.what](fact.max)}.`,
    fix: 'Look for an end tag or a closing quote that is missing; else divide the record.',
  }),
  bad_encoding: (fact) => ({
    path: fact.inside,
    value: fact.text,
    message: `There are bytes that are not ${fact.encoding} in ${pointOf(fact)}: ${fact.hex}. Nothing behind this place can be read.`,
    fix: exportOrName(fact.encoding),
  }),
};

export const describeXmlProblem = describedBy(MESSAGES);
