/**
 * What can be wrong with a fixed-width file or one of its lines: facts first, then the messages for people.
 *
 * Lines and positions in a line count from 1, bytes from 0.
 */
import { ELSE_CONTACT, quoteValue } from '../../kernel/problem.ts';
import type { Encoding } from '../encoding.ts';
import type { FileLook } from '../magic.ts';
import {
  describedBy,
  type EmptyFile,
  type EncodingDisagrees,
  emptyFile,
  encodingDisagrees,
  exportAs,
  type MessagesOf,
  otherFormat,
  withVisibleNul,
} from '../problems.ts';
import { type Marker, type NumberForm, numberMessage } from './declaration.ts';
import { MARKERS_LISTED_MAX } from './limits.ts';

export interface FieldRef {
  name: string;
  /** Position of its first character in the line, from 1. */
  at: number;
  length: number;
}

/** The file as a whole cannot be read. */
export type FixedFileProblem = EmptyFile | { code: 'not_fixed_width'; looksLike: FileLook } | EncodingDisagrees;

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
      /** The line is whole text in this one. */
      found: 'utf-8' | null;
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

const MESSAGES: MessagesOf<FixedProblem> = {
  empty_file: emptyFile('it has no line with anything in it', ' A file with a header and no records is accepted.'),
  not_fixed_width: otherFormat('fixed-width text', 'the lines as plain text'),
  encoding_disagrees: (fact) => encodingDisagrees(fact),
  unknown_record_kind: ({ line, text, known }) => ({
    value: text,
    message: `Line ${line} is of no known kind. Known markers: ${markerMessage(known)}.`,
    fix: `Correct the marker in this line, or leave the line out. ${ELSE_CONTACT}`,
  }),
  line_too_long: ({ line, kind, characters, wanted, surplus }) => ({
    path: `position ${wanted + 1}`,
    value: surplus,
    message: `Line ${line} (${kind}) has ${characters} characters where ${wanted} are wanted; the first ones too many are ${JSON.stringify(quoteValue(surplus))}.`,
    fix: `Look for characters that were put in and moved the rest. ${ELSE_CONTACT}`,
  }),
  line_too_short: ({ line, kind, characters, wanted }) => ({
    path: `position ${characters + 1}`,
    value: `${characters} characters`,
    message: `Line ${line} (${kind}) has ${characters} characters where ${wanted} are wanted.`,
    fix: `Write the line to its full length. ${ELSE_CONTACT}`,
  }),
  last_line_cut: ({ line, kind, characters, wanted }) => ({
    path: `position ${characters + 1}`,
    value: `${characters} characters`,
    message: `Line ${line} (${kind}), the last one, ends after ${characters} of ${wanted} characters and without a line end, where no other line is short: the file was cut off here.`,
    fix: 'Compare the file with its original, and send this line and what is missing behind it.',
  }),
  line_too_large: ({ line, bytes, bytesMax }) => ({
    value: `${bytes} bytes`,
    message: `Line ${line} has ${bytes} bytes; at most ${bytesMax} are read.`,
    fix: `Check the line ends of the file: each line needs one. ${ELSE_CONTACT}`,
  }),
  bad_encoding: ({ line, encoding, found, field, byte, hex, text }) => ({
    path: field?.name ?? '',
    value: text,
    message:
      found === null
        ? `Line ${line} holds bytes that are not ${encoding}: ${hex} at byte ${byte} of the file. What stands behind them may have shifted.`
        : `Line ${line} has letters beyond ASCII as utf-8 writes them (${hex} at byte ${byte} of the file), but agreed is ${encoding}. What stands behind them has shifted.`,
    fix: exportAs(encoding),
  }),
  nul_character: ({ line, text, ...at }) => ({
    path: at.field?.name ?? '',
    value: withVisibleNul(text),
    message: `Line ${line} holds a NUL character ${positionMessage(at)}.`,
    fix: 'Write blanks where a field is empty, not NUL characters (code 0).',
  }),
  tab_character: ({ line, text, ...at }) => ({
    path: at.field?.name ?? '',
    value: withVisibleNul(text),
    message: `Line ${line} holds a tab ${positionMessage(at)}: how many positions it stands for is not known.`,
    fix: `Export the file with blanks instead of tabs. ${ELSE_CONTACT}`,
  }),
  number_malformed: ({ line, field, form, text }) => ({
    path: field.name,
    value: text,
    message: `${fieldMessage(field)} in line ${line} is no number as declared: wanted are ${numberMessage(form)}.`,
    fix: 'Correct the digits; if they are right, look for characters in this line that were put in or lost and moved the rest.',
  }),
  field_cut: ({ line, field, characters, text }) => ({
    path: field.name,
    value: text,
    message: `Line ${line} ends after ${characters} characters, inside ${fieldMessage(field)}, so that digits may be missing.`,
    fix: 'Write the line to its full length and send it again.',
  }),
  carried_line_unusable: ({ line, kind }) => ({
    value: `line ${line}`,
    message:
      kind === null
        ? `Line ${line} is of no known kind and may be a header: whose record this is cannot be told.`
        : `Line ${line}, the ${JSON.stringify(kind)} line to which this record belongs, cannot be read.`,
    fix: `Correct line ${line} and send it again together with the lines that belong to it.`,
  }),
  trailer_count_differs: ({ line, kind, counted, said, of }) => ({
    path: kind,
    value: String(said),
    message: `Line ${line} (${kind}) says that there are ${said} ${countedText(of)}; ${counted} were found.`,
    fix: 'Compare the file with its original: lines were lost or added. Send what is missing in a file of its own.',
  }),
  trailer_count_unreadable: ({ line, kind, text }) => ({
    path: kind,
    value: text,
    message: `The count in line ${line} (${kind}) is no number, so that nothing proves that the file is whole.`,
    fix: 'Correct the count; if it is right, look for characters in this line that were put in or lost and moved the rest.',
  }),
  trailer_missing: ({ kinds, records }) => ({
    path: kinds.join(', '),
    value: `${records} records`,
    message: `The file ends without its trailer (${kinds.join(' or ')}), behind ${records} records: it may have been cut off.`,
    fix: 'Compare the file with its original. Send what is missing in a file of its own.',
  }),
};

export const describeFixedProblem = describedBy(MESSAGES);

const positionMessage = ({ at, field }: { at: number; field: FieldRef | null }): string =>
  `at position ${at}${field === null ? '' : `, in ${fieldMessage(field)}`}`;

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
