/** How far an XML document was read, so that a restart goes on behind a tag and finds the same records. */
import type { Encoding } from '../encoding.ts';
import type { CaptureState } from './captures.ts';
import type { XmlEndProblem } from './problems.ts';

/** An element around the records that is open. @property prefixes it declares namespaces for; '' the default one. */
export interface OpenElement {
  /** As written, with its prefix. */
  name: string;
  prefixes: Readonly<Record<string, string>>;
}

/** Where reading goes on: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface XmlCheckpoint {
  /** First byte not read yet. */
  byte: number;
  /** Line feeds read. */
  line: number;
  /** Records read, those with problems counted. */
  record: number;
  /** Null: nothing was read yet. */
  encoding: Encoding | null;
  /** Set when a byte-order mark, or the XML declaration, names another encoding than the mapping: it wins, and people are told. */
  encodingByMark: Encoding | null;
  encodingByDeclaration: Encoding | null;
  /** From the root on. */
  open: readonly OpenElement[];
  rootClosed: boolean;
  /** So many of the open elements are those on the path to the records; the most there ever were. */
  matched: number;
  deepest: number;
  /** What stands where the next step of the path was looked for. */
  names: readonly string[];
  captured: readonly CaptureState[];
  /** Set when reading ended early. */
  endProblem: XmlEndProblem | null;
}

/** The start of any XML file. */
export const xmlStart: XmlCheckpoint = {
  byte: 0,
  line: 0,
  record: 0,
  encoding: null,
  encodingByMark: null,
  encodingByDeclaration: null,
  open: [],
  rootClosed: false,
  matched: 0,
  deepest: 0,
  names: [],
  captured: [],
  endProblem: null,
};
