/**
 * What can be wrong with a JSON file or one of its records: facts first, then the sentences a person reads.
 *
 * Lines count from 1, bytes from 0; both point at the fault itself. `path` leads to it inside the record ('' for the
 * record itself). `text` is what stands there, up to the end of its line.
 */
import { type Problem, quotePath, quoteValue } from '../../kernel/problem.ts';
import type { FileLook } from '../magic.ts';
import type { JsonKind } from './record.ts';
import { characterWords, faultWords, fileWords, shapeWords, sizeWords, type Words } from './words.ts';

/** What the grammar asks for at the place of a fault. `item`: a value after a comma; `end_of_text`: a string's quote. */
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

/** What stands there instead. */
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

/** Why nothing after a place can be read. `duplicate_key`: a second member on the path to the records. */
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
  /** `found` stands at `reached`, the part of `path` that exists; an object without the member `missing`, but with `members`. */
  | (Place & {
      code: 'records_not_found';
      path: string;
      reached: string;
      missing: string | null;
      found: JsonKind;
      members: string[];
    })
  | (Place & { code: 'not_ndjson'; text: string });

/** Reading ended before the end of the file; the records before that place were read and stay. */
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
  /** At `path` stands an array that the mapping does not go through, on its way to `list`. */
  | (Place & { code: 'array_unexpected'; path: string; items: number; list: string });

export type JsonProblem = JsonFileProblem | JsonRecordProblem | JsonEndProblem;

/** The problem in words: place, received value, what was wanted and how to put it right. */
export function describeJsonProblem(problem: JsonProblem): Problem {
  const words = wordsFor(problem);
  return { code: problem.code, ...words, path: quotePath(words.path), value: quoteValue(words.value) };
}

function wordsFor(problem: JsonProblem): Words {
  switch (problem.code) {
    case 'empty_file':
    case 'not_json':
    case 'encoding_disagrees':
    case 'records_not_found':
    case 'not_ndjson':
      return fileWords(problem);
    case 'json_broken_from_here': {
      const words = wordsFor(problem.cause);
      const read = problem.recordsBefore === 1 ? '1 record was' : `${problem.recordsBefore} records were`;
      return {
        ...words,
        message: `${words.message} Nothing after that can be read; before it ${read} read.`,
        fix: `${words.fix} Then send the file again.`,
      };
    }
    case 'invalid_json':
      return faultWords(problem);
    case 'bad_encoding':
    case 'lone_surrogate':
      return characterWords(problem);
    case 'duplicate_key':
    case 'not_an_object':
    case 'array_unexpected':
      return shapeWords(problem);
    case 'value_too_large':
    case 'record_too_large':
    case 'too_deep':
    case 'nested_too_deep':
    case 'too_many_members':
      return sizeWords(problem);
  }
}
