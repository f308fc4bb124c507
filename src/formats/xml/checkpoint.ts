/** How far an XML document was read, so that a restart continues after a tag and finds the same records. */
import type { Encoding } from '../encoding.ts';
import { TEXT_START, type TextCheckpoint } from '../record-reader.ts';
import type { XmlEndProblem } from './problems.ts';

/** A text from outside the records. @property steps matched by the open elements; done: its first element was read. */
export interface CaptureState {
  value: string;
  steps: number;
  done: boolean;
}

/** An open element around the records. @property prefixes it declares namespaces for; '' the default one. */
export interface OpenElement {
  /** As written, with its prefix. */
  name: string;
  prefixes: Readonly<Record<string, string>>;
}

/** Where reading continues: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface XmlCheckpoint extends TextCheckpoint {
  /** Null: nothing was read yet. */
  encoding: Encoding | null;
  /**
   * Set when a byte-order mark, or the XML declaration, names another encoding than the mapping: it wins, and this is
   * reported.
   */
  encodingByMark: Encoding | null;
  encodingByDeclaration: Encoding | null;
  /** From the root on. */
  open: readonly OpenElement[];
  rootClosed: boolean;
  /** How many of the open elements are on the path to the records; the most there ever were. */
  matched: number;
  deepest: number;
  /** What was found where the next step of the path was expected. */
  names: readonly string[];
  captured: readonly CaptureState[];
  /** Set when reading ended early. */
  endProblem: XmlEndProblem | null;
}

/** The start of any XML file. */
export const xmlStart: XmlCheckpoint = {
  ...TEXT_START,
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
