/**
 * What can be wrong with a fixed-width file or one of its lines: facts first, then the messages for people.
 *
 * Lines and positions in a line count from 1, bytes from 0.
 */
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import type { Encoding } from '../encoding.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';
import { describeFormatProblem, type FileProblem } from '../problems.ts';
import { type Marker, type NumberForm, numberMessage } from './declaration.ts';
import { MARKERS_LISTED_MAX } from './limits.ts';

export interface FieldRef {
  name: string;
  /** Position of its first character in the line, from 1. */
  at: number;
  length: number;
}

/** The file as a whole cannot be read. */
export type FixedFileProblem =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_fixed_width'; looksLike: FileLook }
  | (FileProblem & { code: 'encoding_disagrees' });

/** One line cannot be used. */
export type FixedRecordProblem =
  | {
      code: 'unknown_record_kind';
      line: number;
      text: string;
      known: readonly (readonly Marker[])[];
    }
  | { code: 'line_too_long'; line: number; kind: string; characters: number; wanted: number; surplus: string }
  | { code: 'line_too_short'; line: number; kind: string; characters: number; wanted: number }
  /** The last one, without a line end, where no other line is short. */
  | { code: 'last_line_cut'; line: number; kind: string; characters: number; wanted: number }
  | { code: 'line_too_large'; line: number; bytes: number; bytesMax: number }
  | {
      code: 'bad_encoding';
      line: number;
      encoding: Encoding;
      field: FieldRef | null;
      byte: number;
      hex: string;
      text: string;
    }
  | { code: 'nul_character'; line: number; field: FieldRef | null; at: number; text: string }
  | { code: 'tab_character'; line: number; field: FieldRef | null; at: number; text: string }
  | { code: 'number_malformed'; line: number; field: FieldRef; form: NumberForm; text: string }
  | { code: 'field_cut'; line: number; field: FieldRef; characters: number; text: string }
  /** The record itself is fine; a line before it, whose fields it should have, is not. */
  | { code: 'carried_line_unusable'; line: number; kind: string | null };

/** The trailer contradicts the lines before it, or is missing. */
export type TrailerFault =
  | {
      code: 'trailer_count_differs';
      line: number;
      kind: string;
      counted: number;
      said: number;
      of: 'records' | 'lines' | readonly string[];
    }
  | { code: 'trailer_count_unreadable'; line: number; kind: string; text: string }
  | { code: 'trailer_missing'; kinds: readonly string[]; records: number };

export type FixedProblem = FixedFileProblem | FixedRecordProblem | TrailerFault;

type MessageTable = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

export function describeFixedProblem(problem: FixedProblem): Problem {
  const words = messageFor(problem);
  return { code: problem.code, ...words, value: quoteValue(words.value) };
}

function messageFor(problem: FixedProblem): MessageTable {
  switch (problem.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: 'The file is empty: it has no line with anything in it.',
        fix: 'Check the export and send the file again. A file with a header and no records is accepted.',
      };
    case 'not_fixed_width':
      return {
        path: '',
        value: problem.looksLike,
        message: `The file is not fixed-width text. It looks like ${MAGIC_MESSAGES[problem.looksLike]}.`,
        fix: 'Send the lines as plain text, or choose a mapping made for this kind of file.',
      };
    case 'encoding_disagrees':
      return describeFormatProblem(problem);
    case 'trailer_count_differs':
    case 'trailer_count_unreadable':
    case 'trailer_missing':
      return trailerMessage(problem);
    case 'unknown_record_kind':
      return {
        path: '',
        value: problem.text,
        message: `Line ${problem.line} is of no known kind. Known markers: ${markerMessage(problem.known)}.`,
        fix: `Correct the marker in this line, or leave the line out. ${ELSE_CONTACT}`,
      };
    case 'line_too_long':
    case 'line_too_short':
    case 'last_line_cut':
    case 'line_too_large':
      return lengthMessage(problem);
    case 'bad_encoding':
      return {
        path: problem.field?.name ?? '',
        value: problem.text,
        message: `Line ${problem.line} holds bytes that are not ${problem.encoding}: ${problem.hex} at byte ${problem.byte} of the file. What stands behind them may have shifted.`,
        fix: `Export the file as ${problem.encoding}. ${ELSE_CONTACT}`,
      };
    case 'nul_character':
    case 'tab_character':
      return characterMessage(problem);
    case 'number_malformed':
      return {
        path: problem.field.name,
        value: problem.text,
        message: `${fieldMessage(problem.field)} in line ${problem.line} is no number as declared: wanted are ${numberMessage(problem.form)}.`,
        fix: 'Correct the digits; if they are right, look for characters in this line that were put in or lost and moved the rest.',
      };
    case 'field_cut':
      return {
        path: problem.field.name,
        value: problem.text,
        message: `Line ${problem.line} ends after ${problem.characters} characters, inside ${fieldMessage(problem.field)}, so that digits may be missing.`,
        fix: 'Write the line to its full length and send it again.',
      };
    case 'carried_line_unusable':
      return {
        path: '',
        value: `line ${problem.line}`,
        message:
          problem.kind === null
            ? `Line ${problem.line} is of no known kind and may be a header: whose record this is cannot be told.`
            : `Line ${problem.line}, the ${JSON.stringify(problem.kind)} line to which this record belongs, cannot be read.`,
        fix: `Correct line ${problem.line} and send it again together with the lines that belong to it.`,
      };
  }
}

function lengthMessage(
  problem: FixedRecordProblem & { code: 'line_too_long' | 'line_too_short' | 'last_line_cut' | 'line_too_large' },
): MessageTable {
  switch (problem.code) {
    case 'line_too_long':
      return {
        path: `position ${problem.wanted + 1}`,
        value: problem.surplus,
        message: `Line ${problem.line} (${problem.kind}) has ${problem.characters} characters where ${problem.wanted} are wanted; the first ones too many are ${JSON.stringify(quoteValue(problem.surplus))}.`,
        fix: `Look for characters that were put in and moved the rest. ${ELSE_CONTACT}`,
      };
    case 'line_too_short':
      return {
        path: `position ${problem.characters + 1}`,
        value: `${problem.characters} characters`,
        message: `Line ${problem.line} (${problem.kind}) has ${problem.characters} characters where ${problem.wanted} are wanted.`,
        fix: `Write the line to its full length. ${ELSE_CONTACT}`,
      };
    case 'last_line_cut':
      return {
        path: `position ${problem.characters + 1}`,
        value: `${problem.characters} characters`,
        message: `Line ${problem.line} (${problem.kind}), the last one, ends after ${problem.characters} of ${problem.wanted} characters and without a line end, where no other line is short: the file was cut off here.`,
        fix: 'Compare the file with its original, and send this line and what is missing behind it.',
      };
    case 'line_too_large':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: `Line ${problem.line} has ${problem.bytes} bytes; at most ${problem.bytesMax} are read.`,
        fix: `Check the line ends of the file: each line needs one. ${ELSE_CONTACT}`,
      };
  }
}

function characterMessage(problem: FixedRecordProblem & { code: 'nul_character' | 'tab_character' }): MessageTable {
  const place = `at position ${problem.at}${problem.field === null ? '' : `, in ${fieldMessage(problem.field)}`}`;
  const isTab = problem.code === 'tab_character';
  return {
    path: problem.field?.name ?? '',
    value: problem.text.replaceAll('\0', '\\0'),
    message: isTab
      ? `Line ${problem.line} holds a tab ${place}: how many positions it stands for is not known.`
      : `Line ${problem.line} holds a NUL character ${place}.`,
    fix: isTab
      ? `Export the file with blanks instead of tabs. ${ELSE_CONTACT}`
      : 'Write blanks where a field is empty, not NUL characters (code 0).',
  };
}

function trailerMessage(problem: TrailerFault): MessageTable {
  switch (problem.code) {
    case 'trailer_count_differs':
      return {
        path: problem.kind,
        value: String(problem.said),
        message: `Line ${problem.line} (${problem.kind}) says that there are ${problem.said} ${countedText(problem.of)}; ${problem.counted} were found.`,
        fix: 'Compare the file with its original: lines were lost or added. Send what is missing in a file of its own.',
      };
    case 'trailer_count_unreadable':
      return {
        path: problem.kind,
        value: problem.text,
        message: `The count in line ${problem.line} (${problem.kind}) is no number, so that nothing proves that the file is whole.`,
        fix: 'Correct the count; if it is right, look for characters in this line that were put in or lost and moved the rest.',
      };
    case 'trailer_missing':
      return {
        path: problem.kinds.join(', '),
        value: `${problem.records} records`,
        message: `The file ends without its trailer (${problem.kinds.join(' or ')}), behind ${problem.records} records: it may have been cut off.`,
        fix: 'Compare the file with its original. Send what is missing in a file of its own.',
      };
  }
}

const countedText = (of: 'records' | 'lines' | readonly string[]): string =>
  typeof of === 'string' ? of : `lines of ${of.length === 1 ? 'the kind' : 'the kinds'} ${of.join(', ')}`;

const fieldMessage = ({ name, at, length }: FieldRef): string =>
  `${JSON.stringify(name)} (${at} to ${at + length - 1})`;

/** A file of another kind has a problem in every line: the messages stay short. */
function markerMessage(known: readonly (readonly Marker[])[]): string {
  const shown = known
    .slice(0, MARKERS_LISTED_MAX)
    .map((markers) =>
      markers.map(({ at, text }) => JSON.stringify(text) + (at === 1 ? '' : ` at ${at}`)).join(' with '),
    );
  const more = known.length > shown.length ? ` and ${known.length - shown.length} more` : '';
  return shown.join(', ') + more;
}
