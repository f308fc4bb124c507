/** The sentences a person reads when something in a JSON file is wrong; one function for each family of problems. Pure. */
import { ELSE_ASK, type Problem, quoteValue } from '../../kernel/problem.ts';
import { LOOK_WORDS } from '../magic.ts';
import type { BreakCause, InvalidJson, JsonFileProblem, JsonProblem, JsonRecordProblem, Wanted } from './problems.ts';
import type { JsonKind } from './record.ts';

export type Words = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

type FileWordsProblem = Exclude<JsonFileProblem, BreakCause>;

export function fileWords(problem: FileWordsProblem): Words {
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
        message: `The file is not JSON. It looks like ${LOOK_WORDS[problem.looksLike]}.`,
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
      return notFoundWords(problem);
    case 'not_ndjson':
      return {
        path: '',
        value: problem.text,
        message: `Line ${problem.line} opens a JSON document that runs over several lines; in NDJSON every line is one whole record.`,
        fix: `Write each record as an object on one line. ${ELSE_ASK}`,
      };
  }
}

const KIND_WORDS: Record<JsonKind, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function notFoundWords(problem: FileWordsProblem & { code: 'records_not_found' }): Words {
  const { path, reached, missing, found, members, line } = problem;
  const place = reached === '' ? 'The document' : `What stands at ${reached} (line ${line})`;
  const fix = `${path === '' ? 'Let the document itself be the array of records' : `Put the array of records at ${path}`}. ${ELSE_ASK}`;
  if (found !== 'object' || missing === null) {
    const wanted = missing === null ? 'the array of records' : `an object with the member ${JSON.stringify(missing)}`;
    return {
      path: reached,
      value: KIND_WORDS[found],
      message: `${place} is ${KIND_WORDS[found]}; wanted is ${wanted}.`,
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

const WANTED_WORDS: Record<Wanted, string> = {
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

export function faultWords(problem: InvalidJson): Words {
  return { path: problem.path, value: problem.text, message: faultMessage(problem), fix: faultFix(problem) };
}

function faultMessage({ wanted, found, text, line, byte }: InvalidJson): string {
  const seen = {
    text: `${JSON.stringify(quoteValue(firstOf(text)))} stands there`,
    end_of_file: 'the file ends there',
    end_of_line: 'the line ends there',
  }[found];
  return `Not valid JSON: at byte ${byte} of the file, in line ${line}, ${WANTED_WORDS[wanted]} is wanted, but ${seen}.`;
}

/** A word or a single character: what a reader of the message looks for. */
const firstOf = (text: string): string => /^(?:\\u.{0,4}|\\.|[\w.+-]+|.)/su.exec(text)?.[0] ?? '';

function faultFix({ wanted, found, text }: InvalidJson): string {
  if (found === 'end_of_file') return 'The file is cut off: export and transfer it again.';
  if (found === 'end_of_line') return 'Write each record whole on one line.';
  if (wanted === 'end_of_file' && text.startsWith('{')) {
    return `Enclose the records in [ ], with commas between them. ${ELSE_ASK}`;
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

export function characterWords(problem: JsonRecordProblem & { code: 'bad_encoding' | 'lone_surrogate' }): Words {
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

export function shapeWords(
  problem: JsonProblem & { code: 'duplicate_key' | 'not_an_object' | 'array_unexpected' },
): Words {
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
    message: `The record ${place}, is ${KIND_WORDS[problem.found]}; wanted is an object.`,
    fix: 'Write every record as an object with named members.',
  };
}

type SizeCode = 'value_too_large' | 'record_too_large' | 'too_deep' | 'nested_too_deep' | 'too_many_members';

export function sizeWords(problem: JsonProblem & { code: SizeCode }): Words {
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
