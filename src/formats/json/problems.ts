/**
 * What can be wrong with a JSON file or one of its records: facts first, then the messages for people.
 *
 * Lines count from 1, bytes from 0; both point at the fault itself. `path` leads to it inside the record ('' for the
 * record itself). `text` is the text there, up to the end of its line.
 */
import { ELSE_CONTACT, quoteValue } from '../../kernel/problem.ts';
import type { FileLook } from '../magic.ts';
import {
  describedBy,
  type EmptyFile,
  emptyFile,
  type Message,
  type MessagesOf,
  messageOf,
  otherFormat,
} from '../problems.ts';
import type { JsonKind } from './path.ts';

/** What the grammar expects at the fault. `item`: a value after a comma; `end_of_text`: a string's quote. */
export type Wanted =
  | 'value'
  | 'item'
  | 'item_or_end_of_array'
  | 'name'
  | 'name_or_end_of_object'
  | 'colon'
  | 'comma_or_end_of_array'
  | 'comma_or_end_of_object'
  | 'number'
  | 'escape'
  | 'printable'
  | 'end_of_text'
  | 'end_of_file'
  | 'end_of_line';

/** What was found instead. */
export type Found = 'text' | 'end_of_file' | 'end_of_line';

interface Place {
  byte: number;
  line: number;
}
interface Fault extends Place {
  path: string;
  text: string;
}

/** Not JSON by RFC 8259: as a record's problem it costs the record, else it is where the document breaks. */
export type InvalidJson = Fault & { code: 'invalid_json'; wanted: Wanted; found: Found };

/** Why nothing after a location can be read. `duplicate_key`: a second member on the path to the records. */
export type BreakCause =
  | InvalidJson
  | (Place & { code: 'nested_too_deep'; depthMax: number })
  | (Place & { code: 'duplicate_key'; path: string; name: string });

/** The file as a whole cannot be read: nothing of it is sent. */
export type JsonFileProblem =
  | BreakCause
  | EmptyFile
  | { code: 'not_json'; looksLike: FileLook }
  | { code: 'encoding_disagrees'; found: 'utf-16le' | 'utf-16be'; byte: number; hex: string }
  /**
   * `found` is at `reached`, the part of `path` that exists; an object without the member `missing`, but with
   * `members`.
   */
  | (Place & {
      code: 'records_not_found';
      path: string;
      reached: string;
      missing: string | null;
      found: JsonKind;
      members: string[];
    })
  | (Place & { code: 'not_ndjson'; text: string });

/** Reading ended before the end of the file; the records before that location were read and stay valid. */
export type JsonEndProblem = Place & { code: 'json_broken_from_here'; recordsBefore: number; cause: BreakCause };

/** One record cannot be used: its neighbours are not affected. */
export type JsonRecordProblem =
  | InvalidJson
  | (Place & { code: 'duplicate_key'; path: string; name: string })
  | (Place & { code: 'not_an_object'; found: JsonKind; text: string })
  | (Fault & { code: 'value_too_large'; bytesMax: number })
  | { code: 'record_too_large'; bytes: number; bytesMax: number }
  | (Place & { code: 'too_deep'; path: string; depthMax: number })
  | (Place & { code: 'too_many_members'; path: string; counted: 'members' | 'items'; countMax: number })
  | (Fault & { code: 'bad_encoding'; hex: string })
  | (Fault & { code: 'lone_surrogate' })
  /** At `path` is an array that the mapping does not declare, on the way to `list`. */
  | (Place & { code: 'array_unexpected'; path: string; items: number; list: string });

export type JsonProblem = JsonFileProblem | JsonRecordProblem | JsonEndProblem;

const pointOf = ({ byte, line }: Place): string => `at byte ${byte} of the file, in line ${line}`;

const LEAVE_OUT = 'Leave out what is not needed';

const MESSAGES: MessagesOf<JsonProblem> = {
  empty_file: emptyFile('it holds no JSON', ' An array without records, written [], is accepted.'),
  not_json: otherFormat('JSON', 'the records as JSON'),
  encoding_disagrees: ({ found, byte, hex }) => ({
    value: found,
    message: `JSON is read as utf-8, but the file is ${found}: it begins with ${hex} at byte ${byte}.`,
    fix: 'Export the file as UTF-8.',
  }),
  records_not_found: (fact) => notFoundMessage(fact),
  not_ndjson: ({ text, line }) => ({
    value: text,
    message: `Line ${line} opens a JSON document that runs over several lines; in NDJSON every line is one whole record.`,
    fix: `Write each record as an object on one line. ${ELSE_CONTACT}`,
  }),
  json_broken_from_here: ({ cause, recordsBefore }) => {
    const message = messageOf(MESSAGES, cause);
    const read = recordsBefore === 1 ? '1 record was' : `${recordsBefore} records were`;
    return {
      ...message,
      message: `${message.message} Nothing after that can be read; before it ${read} read.`,
      fix: `${message.fix} Then send the file again.`,
    };
  },
  invalid_json: (fact) => ({ path: fact.path, value: fact.text, message: faultMessage(fact), fix: faultFix(fact) }),
  bad_encoding: (fact) => ({
    path: fact.path,
    value: fact.text,
    message: `The text ${pointOf(fact)}, holds bytes that are not utf-8: ${fact.hex}.`,
    fix: 'Export the file as UTF-8.',
  }),
  lone_surrogate: (fact) => ({
    path: fact.path,
    value: fact.text,
    message: `The text ${pointOf(fact)}, holds half a character: a \\ud800 to \\udfff that is not one of a pair.`,
    fix: 'Write characters beyond U+FFFF as two escapes, \\ud83d\\ude9a, or as they are.',
  }),
  duplicate_key: (fact) => ({
    path: fact.path,
    value: fact.name,
    message: `The member ${JSON.stringify(quoteValue(fact.name))} stands twice in the same object, the second time ${pointOf(fact)}; which one counts cannot be told.`,
    fix: 'Give every member of an object a name of its own.',
  }),
  not_an_object: (fact) => ({
    value: fact.text,
    message: `The record ${pointOf(fact)}, is ${KIND_MESSAGES[fact.found]}; wanted is an object.`,
    fix: 'Write every record as an object with named members.',
  }),
  array_unexpected: (fact) => ({
    path: fact.path,
    value: `an array of ${fact.items}`,
    message: `The record ${pointOf(fact)}, has an array at ${fact.path}, where one object was agreed; what is in its elements (${fact.list}) would be passed over.`,
    fix: `Send one object there, or tell the operator that ${fact.path} is an array.`,
  }),
  value_too_large: (fact) => ({
    path: fact.path,
    value: fact.text,
    message: `The value ${pointOf(fact)}, has more than the ${fact.bytesMax} bytes that are read.`,
    fix: 'Shorten the value, or leave it out if no one reads it.',
  }),
  record_too_large: ({ bytes, bytesMax }) => ({
    value: `${bytes} bytes`,
    message: `The record has ${bytes} bytes; at most ${bytesMax} are read.`,
    fix: `${LEAVE_OUT}. If the record holds those that follow it, a bracket is missing.`,
  }),
  too_deep: (fact) => tooDeepMessage(fact),
  nested_too_deep: (fact) => tooDeepMessage(fact),
  too_many_members: (fact) => ({
    path: fact.path,
    value: `more than ${fact.countMax} ${fact.counted}`,
    message: `The record has more than ${fact.countMax} ${fact.counted}; ${pointOf(fact)}, the limit is passed.`,
    fix: `${LEAVE_OUT}, or divide the record.`,
  }),
};

export const describeJsonProblem = describedBy(MESSAGES);

const tooDeepMessage = ({ path = '', depthMax, ...point }: Place & { path?: string; depthMax: number }): Message => ({
  path,
  value: `more than ${depthMax} levels`,
  message: `Objects and arrays stand one in the other more than ${depthMax} levels deep ${pointOf(point)}.`,
  fix: 'Send the records in a flatter shape.',
});

const KIND_MESSAGES: Record<JsonKind, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function notFoundMessage(fact: JsonFileProblem & { code: 'records_not_found' }): Message {
  const { path, reached, missing, found, members, line } = fact;
  const start = reached === '' ? 'The document' : `What stands at ${reached} (line ${line})`;
  const fix = `${path === '' ? 'Let the document itself be the array of records' : `Put the array of records at ${path}`}. ${ELSE_CONTACT}`;
  if (found !== 'object' || missing === null) {
    const wanted = missing === null ? 'the array of records' : `an object with the member ${JSON.stringify(missing)}`;
    return {
      path: reached,
      value: KIND_MESSAGES[found],
      message: `${start} is ${KIND_MESSAGES[found]}; wanted is ${wanted}.`,
      fix,
    };
  }
  const similar = members.find((name) => plain(name) === plain(missing));
  const hint = similar === undefined ? '' : ` Did you mean ${JSON.stringify(similar)}?`;
  const names = members.map((name) => JSON.stringify(name)).join(', ');
  return {
    path,
    value: names,
    message: `${start} has no member ${JSON.stringify(missing)}, on the path ${path} to the records. ${
      members.length === 0 ? 'It has no members.' : `Its members: ${names}.`
    }${hint}`,
    fix,
  };
}

/** What remains of a name when case, hyphens, underscores and a plural s do not count. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/s$/, '');

const WANTED_MESSAGES: Record<Wanted, string> = {
  value: 'a value',
  item: 'a value',
  item_or_end_of_array: 'a value or ]',
  name: 'a member name in double quotes',
  name_or_end_of_object: 'a member name in double quotes or }',
  colon: 'a colon',
  comma_or_end_of_array: 'a comma or ]',
  comma_or_end_of_object: 'a comma or }',
  number: 'a number such as 0, -12 or 1.5e3',
  escape: 'an escape such as \\n, \\" or \\u00e9',
  printable: 'a character from U+0020 on, or an escape,',
  end_of_text: 'a closing quote',
  end_of_file: 'the end of the file',
  end_of_line: 'the end of the line',
};

function faultMessage({ wanted, found, text, line, byte }: InvalidJson): string {
  const seen = {
    text: `${JSON.stringify(quoteValue(firstOf(text)))} stands there`,
    end_of_file: 'the file ends there',
    end_of_line: 'the line ends there',
  }[found];
  return `Not valid JSON: at byte ${byte} of the file, in line ${line}, ${WANTED_MESSAGES[wanted]} is wanted, but ${seen}.`;
}

/** A word or a single character: what a reader of the message looks for. */
const firstOf = (text: string): string => /^(?:\\u.{0,4}|\\.|[\w.+-]+|.)/su.exec(text)?.[0] ?? '';

function faultFix({ wanted, found, text }: InvalidJson): string {
  if (found === 'end_of_file') return 'The file is cut off: export and transfer it again.';
  if (found === 'end_of_line') return 'Write each record whole on one line.';
  if (wanted === 'end_of_file' && text.startsWith('{')) {
    return `Enclose the records in [ ], with commas between them. ${ELSE_CONTACT}`;
  }
  if (wanted === 'escape') return 'Write a backslash inside a string as \\\\.';
  if (wanted === 'printable') return 'Write line breaks and tabs inside a string as \\n and \\t.';
  if (text.startsWith("'")) return 'Enclose names and texts in double quotes.';
  if (/^\/[/*]|^#/.test(text)) return 'Remove the comment: JSON has none.';
  if (/^[}\]]/.test(text) && (wanted === 'item' || wanted === 'name')) return 'Remove the comma before it.';
  if (wanted === 'value' || wanted === 'item' || wanted === 'item_or_end_of_array')
    return 'Write null, true, false, a number or a quoted text.';
  return 'Let a JSON library write the file.';
}
