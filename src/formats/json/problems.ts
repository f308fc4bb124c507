/**
 * What can be wrong with a JSON file or one of its records: facts first, then the messages for people.
 *
 * Lines count from 1, bytes from 0; both point at the fault itself. `path` leads to it inside the record ('' for the
 * record itself). `text` is the text there, up to the end of its line.
 */
import { ELSE_CONTACT, type Position, type Problem, quotePath, quoteValue } from '../../kernel/problem.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';

/* What the JSON readers return: records as trees in which every value is text, and the outcome of reading one slice. */

/**
 * A value as it is written. `text` of a string is its content; of a number the exact digits of the file (`1.10`,
 * `1e400`), so that nothing is rounded; else `true`, `false` or `null`. Members are a Map: `__proto__` is a name like
 * any other.
 */
export type JsonValue =
  | { kind: 'object'; members: ReadonlyMap<string, JsonValue> }
  | { kind: 'array'; items: readonly JsonValue[] }
  | { kind: 'string' | 'number' | 'boolean' | 'null'; text: string };

export type JsonKind = JsonValue['kind'];

/** One record. `value` is null exactly when `problem` is set. Its bytes run from its first to its last character. */
export interface JsonRecord {
  position: Position;
  value: JsonValue | null;
  problem?: JsonRecordProblem;
}

/**
 * The outcome of reading one slice.
 *
 * - `records`: `records` are whole, `checkpoint` names the first unread byte, which can be far from the slice's end
 *   when the records hold many values. With `finished`, nothing more follows; if the document is not well-formed up to
 *   its end, `endProblem` says why. It belongs to the file, not to a record, and the records returned before stay valid.
 *   It is null until then.
 * - `more`: no whole record fits in the bytes given; call again with a longer slice from the same checkpoint.
 * - `unreadable`: the file as a whole cannot be read. Any slice can return it, but never after a record was returned.
 */
export type JsonSliceRead<Checkpoint> =
  | {
      outcome: 'records';
      records: JsonRecord[];
      checkpoint: Checkpoint;
      finished: boolean;
      endProblem: JsonProblem | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: JsonProblem[] };

/* The messages for problems of JSON files; one function for each family of problems. Pure. */

type MessageTable = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

type FileMessageProblem = Exclude<JsonFileProblem, BreakCause>;

function fileMessage(problem: FileMessageProblem): MessageTable {
  switch (problem.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: 'The file is empty: it holds no JSON.',
        fix: 'Check the export and send the file again. An array without records, written [], is accepted.',
      };
    case 'not_json':
      return {
        path: '',
        value: problem.looksLike,
        message: `The file is not JSON. It looks like ${MAGIC_MESSAGES[problem.looksLike]}.`,
        fix: 'Send the records as JSON, or choose a mapping made for this kind of file.',
      };
    case 'encoding_disagrees':
      return {
        path: '',
        value: problem.found,
        message: `JSON is read as utf-8, but the file is ${problem.found}: it begins with ${problem.hex} at byte ${problem.byte}.`,
        fix: 'Export the file as UTF-8.',
      };
    case 'records_not_found':
      return notFoundMessage(problem);
    case 'not_ndjson':
      return {
        path: '',
        value: problem.text,
        message: `Line ${problem.line} opens a JSON document that runs over several lines; in NDJSON every line is one whole record.`,
        fix: `Write each record as an object on one line. ${ELSE_CONTACT}`,
      };
  }
}

const KIND_MESSAGES: Record<JsonKind, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function notFoundMessage(problem: FileMessageProblem & { code: 'records_not_found' }): MessageTable {
  const { path, reached, missing, found, members, line } = problem;
  const place = reached === '' ? 'The document' : `What stands at ${reached} (line ${line})`;
  const fix = `${path === '' ? 'Let the document itself be the array of records' : `Put the array of records at ${path}`}. ${ELSE_CONTACT}`;
  if (found !== 'object' || missing === null) {
    const wanted = missing === null ? 'the array of records' : `an object with the member ${JSON.stringify(missing)}`;
    return {
      path: reached,
      value: KIND_MESSAGES[found],
      message: `${place} is ${KIND_MESSAGES[found]}; wanted is ${wanted}.`,
      fix,
    };
  }
  const similar = members.find((name) => plain(name) === plain(missing));
  const hint = similar === undefined ? '' : ` Did you mean ${JSON.stringify(similar)}?`;
  const names = members.map((name) => JSON.stringify(name)).join(', ');
  return {
    path,
    value: names,
    message: `${place} has no member ${JSON.stringify(missing)}, on the path ${path} to the records. ${
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

function faultText(problem: InvalidJson): MessageTable {
  return { path: problem.path, value: problem.text, message: faultMessage(problem), fix: faultFix(problem) };
}

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

function characterMessage(problem: JsonRecordProblem & { code: 'bad_encoding' | 'lone_surrogate' }): MessageTable {
  const { path, byte, line, text } = problem;
  const place = `at byte ${byte} of the file, in line ${line},`;
  if (problem.code === 'bad_encoding') {
    return {
      path,
      value: text,
      message: `The text ${place} holds bytes that are not utf-8: ${problem.hex}.`,
      fix: 'Export the file as UTF-8.',
    };
  }
  return {
    path,
    value: text,
    message: `The text ${place} holds half a character: a \\ud800 to \\udfff that is not one of a pair.`,
    fix: 'Write characters beyond U+FFFF as two escapes, \\ud83d\\ude9a, or as they are.',
  };
}

function shapeMessage(
  problem: JsonProblem & { code: 'duplicate_key' | 'not_an_object' | 'array_unexpected' },
): MessageTable {
  const { byte, line } = problem;
  const place = `at byte ${byte} of the file, in line ${line}`;
  if (problem.code === 'duplicate_key') {
    return {
      path: problem.path,
      value: problem.name,
      message: `The member ${JSON.stringify(quoteValue(problem.name))} stands twice in the same object, the second time ${place}; which one counts cannot be told.`,
      fix: 'Give every member of an object a name of its own.',
    };
  }
  if (problem.code === 'array_unexpected') {
    return {
      path: problem.path,
      value: `an array of ${problem.items}`,
      message: `The record ${place}, has an array at ${problem.path}, where one object was agreed; what is in its elements (${problem.list}) would be passed over.`,
      fix: `Send one object there, or tell whoever set up your mapping that ${problem.path} is an array.`,
    };
  }
  return {
    path: '',
    value: problem.text,
    message: `The record ${place}, is ${KIND_MESSAGES[problem.found]}; wanted is an object.`,
    fix: 'Write every record as an object with named members.',
  };
}

type SizeCode = 'value_too_large' | 'record_too_large' | 'too_deep' | 'nested_too_deep' | 'too_many_members';

function sizeMessage(problem: JsonProblem & { code: SizeCode }): MessageTable {
  switch (problem.code) {
    case 'value_too_large':
      return {
        path: problem.path,
        value: problem.text,
        message: `The value at byte ${problem.byte} of the file, in line ${problem.line}, has more than the ${problem.bytesMax} bytes that are read.`,
        fix: 'Shorten the value, or leave it out if no one reads it.',
      };
    case 'record_too_large':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: `The record has ${problem.bytes} bytes; at most ${problem.bytesMax} are read.`,
        fix: 'Leave out what the mapping does not read. If the record holds those that follow it, a bracket is missing.',
      };
    case 'too_deep':
    case 'nested_too_deep':
      return {
        path: problem.code === 'too_deep' ? problem.path : '',
        value: `more than ${problem.depthMax} levels`,
        message: `Objects and arrays stand one in the other more than ${problem.depthMax} levels deep at byte ${problem.byte} of the file, in line ${problem.line}.`,
        fix: 'Send the records in a flatter shape.',
      };
    case 'too_many_members':
      return {
        path: problem.path,
        value: `more than ${problem.countMax} ${problem.counted}`,
        message: `The record has more than ${problem.countMax} ${problem.counted}; at byte ${problem.byte} of the file, in line ${problem.line}, the limit is passed.`,
        fix: 'Leave out what the mapping does not read, or divide the record.',
      };
  }
}

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
  | { code: 'empty_file'; bytes: number }
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

/** The problem as a message: location, received value, what was expected and how to fix it. */
export function describeJsonProblem(problem: JsonProblem): Problem {
  const words = messageFor(problem);
  return { code: problem.code, ...words, path: quotePath(words.path), value: quoteValue(words.value) };
}

function messageFor(problem: JsonProblem): MessageTable {
  switch (problem.code) {
    case 'empty_file':
    case 'not_json':
    case 'encoding_disagrees':
    case 'records_not_found':
    case 'not_ndjson':
      return fileMessage(problem);
    case 'json_broken_from_here': {
      const words = messageFor(problem.cause);
      const read = problem.recordsBefore === 1 ? '1 record was' : `${problem.recordsBefore} records were`;
      return {
        ...words,
        message: `${words.message} Nothing after that can be read; before it ${read} read.`,
        fix: `${words.fix} Then send the file again.`,
      };
    }
    case 'invalid_json':
      return faultText(problem);
    case 'bad_encoding':
    case 'lone_surrogate':
      return characterMessage(problem);
    case 'duplicate_key':
    case 'not_an_object':
    case 'array_unexpected':
      return shapeMessage(problem);
    case 'value_too_large':
    case 'record_too_large':
    case 'too_deep':
    case 'nested_too_deep':
    case 'too_many_members':
      return sizeMessage(problem);
  }
}
