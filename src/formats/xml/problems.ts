/**
 * What can be wrong with an XML document or one of its records: facts first, then the messages for people.
 *
 * Lines count from 1, bytes from 0.
 */
import { type Problem, quotePath, quoteValue } from '../../kernel/problem.ts';
import type { Encoding } from '../encoding.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';

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

export type XmlPart = 'record' | 'markup' | 'name' | 'attribute' | 'attributes' | 'captured';

export type XmlFileProblem =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_xml'; looksLike: FileLook | null; text: string }
  | { code: 'encoding_unsupported'; declared: string }
  | { code: 'records_not_found'; path: string; reached: string; names: readonly string[] };

/** It costs one record. */
export type XmlRecordProblem =
  | { code: 'too_many_nodes'; line: number; nodesMax: number }
  | { code: 'value_too_large'; line: number; path: string; characters: number; charactersMax: number; text: string };

export type XmlProblem = XmlEndProblem | XmlFileProblem | XmlRecordProblem;

type MessageTable = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

export function describeXmlProblem(problem: XmlProblem): Problem {
  const words = messageFor(problem);
  return { code: problem.code, ...words, path: quotePath(words.path), value: quoteValue(words.value) };
}

function messageFor(problem: XmlProblem): MessageTable {
  switch (problem.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: 'The file is empty: it holds no element.',
        fix: 'Check the export and send the file again. A document without records is accepted.',
      };
    case 'not_xml':
      return {
        path: '',
        value: problem.looksLike ?? problem.text,
        message:
          problem.looksLike === null
            ? 'The file is not XML: it does not begin with <.'
            : `The file is not XML. It looks like ${MAGIC_MESSAGES[problem.looksLike]}.`,
        fix: 'Send the records as an XML document, or choose a mapping made for this kind of file.',
      };
    case 'encoding_unsupported':
      return {
        path: '',
        value: problem.declared,
        message: `The XML declaration names the encoding ${JSON.stringify(problem.declared)}, which is not read.`,
        fix: 'Export the file as utf-8.',
      };
    case 'records_not_found':
      return {
        path: problem.path,
        value: problem.reached,
        message: `There is no ${problem.path} in the document. ${problem.reached === '' ? 'Its root is' : `${problem.reached} holds`} ${problem.names.length === 0 ? 'nothing' : problem.names.join(', ')}.`,
        fix: `Send a document that has its records at ${problem.path}, or choose a mapping made for this kind of document.`,
      };
    case 'too_many_nodes':
      return {
        path: '',
        value: '',
        message: `The record that begins in line ${problem.line} has more than ${problem.nodesMax} elements and attributes.`,
        fix: 'Divide the record.',
      };
    case 'value_too_large':
      return {
        path: problem.path,
        value: problem.text,
        message: `The text at ${problem.path} has ${problem.characters} characters, at most ${problem.charactersMax} are read.`,
        fix: 'Shorten the text, or leave out what nobody needs.',
      };
    default:
      return endMessage(problem);
  }
}

/** Most broken documents have an unescaped ampersand in a company name. */
const AMPERSAND = 'An & in a text must be written as &amp;, a < as &lt;.';
const LARGE_MESSAGES: Record<XmlPart, (max: number) => string> = {
  record: (max) => `the record that begins here does not end within ${max} bytes`,
  markup: (max) => `there is no tag within ${max} bytes`,
  name: (max) => `a name has more than ${max} characters`,
  attribute: (max) => `an attribute has more than ${max} characters`,
  attributes: (max) => `an element has more than ${max} attributes`,
  captured: (max) => `a text outside of the records that the mapping reads has more than ${max} characters`,
};

function endMessage(problem: XmlEndProblem): MessageTable {
  const inside = problem.inside === '' ? '' : `, inside ${problem.inside}`;
  const place = `line ${problem.line}, at byte ${problem.byte} of the file${inside}`;
  const words = { path: problem.inside, value: problem.text };
  switch (problem.code) {
    case 'xml_not_well_formed':
      return {
        ...words,
        message: `The XML is broken in ${place}: ${problem.detail}. Nothing behind this place can be read, and nothing before it is affected.`,
        fix: `Correct the document there and send what stands behind it. ${AMPERSAND}`,
      };
    case 'xml_cut_off':
      return {
        ...words,
        message: `The document ends in ${place}, before its last end tag: it may have been cut off. The records before it are whole.`,
        fix: `Compare the file with its original and send what is missing. ${AMPERSAND}`,
      };
    case 'xml_doctype':
      return {
        ...words,
        message: `The document has a DOCTYPE declaration in ${place}. Such declarations can define entities and are not read.`,
        fix: 'Export the document without <!DOCTYPE …>; write characters themselves, or by number such as &#233;.',
      };
    case 'xml_too_deep':
      return {
        ...words,
        message: `Elements stand more than ${problem.depthMax} deep in ${place}. Nothing behind this place is read.`,
        fix: 'Check the program that wrote the document: an end tag is missing, or it is no exchange format.',
      };
    case 'xml_too_large':
      return {
        ...words,
        message: `The document cannot be read on in ${place}: ${LARGE_MESSAGES[problem.what](problem.max)}.`,
        fix: 'Look for an end tag or a closing quote that is missing; else divide the record.',
      };
    case 'bad_encoding':
      return {
        ...words,
        message: `There are bytes that are not ${problem.encoding} in ${place}: ${problem.hex}. Nothing behind this place can be read.`,
        fix: `Export the file as ${problem.encoding}, or name in its XML declaration the encoding it is written in.`,
      };
  }
}
