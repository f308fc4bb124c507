/**
 * What an author can change in a mapping so that a file is accepted as it is, by problem code.
 *
 * The `fix` of a problem says what to send, because a sender cannot change a mapping. Previews and the `map` command
 * show this beside it.
 */
import type { CsvProblem } from '../../formats/csv/problems.ts';
import type { Fault as EdifactFault, FileFault as EdifactFileFault } from '../../formats/edifact/problems.ts';
import type { FixedProblem } from '../../formats/fixed/problems.ts';
import type { JsonProblem } from '../../formats/json/problems.ts';
import type { RecordSource } from '../../formats/reader.ts';
import type { X12FileProblem, X12Problem } from '../../formats/x12/problems.ts';
import type { WorkbookProblem } from '../../formats/xlsx/problems.ts';
import type { XmlProblem } from '../../formats/xml/problems.ts';
import type { TimeProblem } from '../values/date-times.ts';
import type { FieldFault } from '../values/fault.ts';

type Format = RecordSource['format'];
type Fixes<Code extends string> = Readonly<Partial<Record<Code, string>>>;

/** Problems of segments for the mapping that reads them. */
type SetCode = 'set_not_taken' | 'version_not_taken' | 'loop_missing' | 'element_divided';

/** What is not where the mapping looks for it, where that is no missing column. */
type PathCode = 'value_missing';

interface AuthorFixes {
  records: Fixes<RecordCode>;
  csv: Fixes<CsvProblem['code']>;
  json: Fixes<JsonProblem['code'] | PathCode>;
  ndjson: Fixes<JsonProblem['code'] | PathCode>;
  xml: Fixes<XmlProblem['code'] | PathCode>;
  fixed: Fixes<FixedProblem['code'] | PathCode>;
  x12: Fixes<(X12Problem | X12FileProblem)['code'] | SetCode | PathCode>;
  edifact: Fixes<(EdifactFault | EdifactFileFault)['code'] | SetCode | PathCode>;
  xlsx: Fixes<WorkbookProblem['code']>;
}

type RecordCode =
  | FieldFault['code']
  | TimeProblem['code']
  | 'missing_column'
  | 'group_key_missing'
  | 'group_reopened'
  | 'group_disagrees';

const ENCODING = 'Declare under source the `encoding` that the file is written in.';
const RECORDS = 'Correct `records` under source: the path to what repeats in the file.';

const MAY_LACK =
  'give the field a `default`; leave such records out by `skip`; or take `required` away, where it stands beside the field.';
const PATH_EMPTY = `Check the path, for one that leads nowhere is read as empty. If records may lack it: ${MAY_LACK}`;

/** Problems of files by format; those of records are the same for all. */
export const AUTHOR_FIXES: AuthorFixes = {
  csv: {
    bad_encoding: ENCODING,
    encoding_disagrees: ENCODING,
    wrong_delimiter: 'Declare under source the `delimiter` that the file has.',
    header_too_large: 'Check `skipLines`, `quote` and `delimiter` under source.',
    bad_quote: 'If quotes mean nothing in this file, declare `quote: ""` under source.',
    unclosed_quote: 'If quotes mean nothing in this file, declare `quote: ""` under source.',
  },
  json: {
    value_missing: PATH_EMPTY,
    records_not_found: `${RECORDS} Leave it out where the document itself is the array.`,
    invalid_json: 'If each line of the file is a record, declare `format: ndjson` under source.',
    json_broken_from_here: 'If each line of the file is a record, declare `format: ndjson` under source.',
    array_unexpected: 'Go through that array by `each`.',
  },
  ndjson: {
    value_missing: PATH_EMPTY,
    not_ndjson: 'If the file is one document, declare `format: json` under source.',
    array_unexpected: 'Go through that array by `each`.',
  },
  xml: {
    value_missing: PATH_EMPTY,
    records_not_found: RECORDS,
    bad_encoding: `${ENCODING} What the document says of itself wins.`,
    encoding_disagrees: `${ENCODING} What the document says of itself wins.`,
  },
  fixed: {
    value_missing: `Check the field's \`at\` and \`length\`. If records may lack it: ${MAY_LACK}`,
    bad_encoding: ENCODING,
    encoding_disagrees: ENCODING,
    unknown_record_kind: 'Declare the kind under `records`; with `use: passed` its lines are left out.',
    number_malformed: "Check the field's `at` and `length`, and `decimals` and `sign` of its `number`.",
    line_too_long: 'Check `lineLength` under source.',
    line_too_short: 'Check `lineLength` under source; `shortLines: pad` takes short lines.',
    line_too_large: 'If lines follow each other without an end, declare `lineEnds: none` under source.',
    tab_character: 'If tabs stand for blanks, declare `tabStops` under source.',
    trailer_count_differs: "Check the trailer's `count`: where it stands, and what it counts (`of`).",
    trailer_count_unreadable: "Check where the trailer's `count` stands.",
  },
  x12: {
    value_missing: PATH_EMPTY,
    bad_encoding: ENCODING,
    element_divided: 'If components are meant, name the one that is wanted: REF-02.1.',
    set_not_taken: 'List the set under `sets`, or under `ignore` if it is to be passed over.',
    version_not_taken: 'Such versions stand under `notVersions`: they need a mapping of their own.',
    loop_missing: 'Check `record` and `loops` under source.',
  },
  edifact: {
    value_missing: PATH_EMPTY,
    bad_encoding: ENCODING,
    charset_not_read: ENCODING,
    interchange_header_missing: 'Declare `bare: accept` under source.',
    element_divided: 'If components are meant, name the one that is wanted: REF-02.1.',
    set_not_taken: 'List the message under `messages`, or under `ignore` if it is to be passed over.',
    loop_missing: 'Check `record` and `loops` under source.',
  },
  xlsx: {
    sheet_missing: 'Name under source the `sheet` that the workbook has.',
    sheet_empty: 'Check `sheet` and `headerRow` under source.',
  },
  records: {
    missing_column: 'Correct the name of the column; or say `optional: true` of a field that need not be there.',
    value_missing: `Check that it is the right column. If rows may lack it: ${MAY_LACK}`,
    code_unknown: 'Add the word to the code list; or say what becomes of unknown ones by `onMiss`.',
    not_a_whole_number: 'If it has decimals, say `round: 0`; take away what is no digit by `replace`.',
    not_a_number: 'Take away what is no digit by `replace`; declare `thousands`.',
    decimal_mark_wrong: 'Declare the `decimal` mark that the file has.',
    thousands_mark_wrong: 'Declare the `thousands` mark that the file has.',
    unit_unknown: 'Translate the unit by a code list.',
    coordinate_invalid: 'Declare the `form` of the coordinate and its `decimal` mark.',
    coordinates_swapped: 'Exchange the columns of `latitude` and `longitude`.',
    pattern_not_found: 'Correct the `pattern` of `capture`; or say `onMiss: empty`.',
    record_kind_unknown: 'Add the case to `switch`; or say `otherwise: skip`.',
    scac_invalid: 'Say `upper: true`.',
    state_invalid: 'Translate the state by a code list.',
    control_character: 'Take the character away by `replace`.',
    bad_date: 'Add the form that the file has to `parse`.',
    time_zone_missing: 'Name a `zone`, or its `default`.',
    time_zone_unknown: "Translate the zone's names by a `lookup`.",
    time_nonexistent: 'Say `gap: earlier` or `gap: later`.',
    time_ambiguous: 'Say `overlap: earlier` or `overlap: later`.',
    change_empty: 'Let the order read what is written.',
    delta_without_reference: 'Name by `changeRef` what tells one change from another.',
    action_unknown: 'Let a code list yield the actions.',
    look_up_missing: 'Say by `onMiss` what becomes of the record.',
    look_up_ambiguous: 'Say by `onMiss` what becomes of the record.',
    look_up_silent: 'Read the value from the file, or say by `onMiss` what becomes of the record.',
    group_key_missing: 'Leave such rows out by `skip`.',
    group_reopened: 'Say `order: anywhere` of the group.',
    group_disagrees: 'Say `whenDifferent: first` of the group.',
  },
};

/** @returns undefined if no change of the mapping solves the problem. */
export function authorFix(format: Format, code: string): string | undefined {
  const fixes: Readonly<Record<string, string>> = { ...AUTHOR_FIXES.records, ...AUTHOR_FIXES[format] };
  return Object.hasOwn(fixes, code) ? fixes[code] : undefined;
}
