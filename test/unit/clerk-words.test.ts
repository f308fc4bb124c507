/**
 * What partners are told to do: to change what they send, and never a mapping, which is not theirs.
 *
 * Each table has every code of its union, so that a new code does not compile until it stands here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeZipProblem, type ZipProblem } from '../../src/batch/core/zip-problems.ts';
import { refusalMessage, type TooManyInterchanges } from '../../src/batch/envelopes/messages.ts';
import type { RefusedInterchange } from '../../src/batch/envelopes/validate.ts';
import type { Anomaly } from '../../src/delivery/events/anomalies.ts';
import { anomalyMessage } from '../../src/delivery/messages.ts';
import {
  deltaConflict,
  entryAmbiguous,
  entryToDelete,
  entryUnknown,
  notUpdatable,
  quantityBelowZero,
  tooLarge,
  unitDiffers,
} from '../../src/delivery/orders/merge-messages.ts';
import { type CsvProblem, describeCsvProblem } from '../../src/formats/csv/problems.ts';
import {
  describeFault as describeEdifactFault,
  describeFileFault as describeEdifactFileFault,
  type Fault as EdifactFault,
  type FileFault as EdifactFileFault,
} from '../../src/formats/edifact/problems.ts';
import { describeFixedProblem, type FixedProblem } from '../../src/formats/fixed/problems.ts';
import { describeJsonProblem, type JsonProblem } from '../../src/formats/json/problems.ts';
import {
  noRecordProblem,
  notAcceptedProblem,
  repeatedProblem,
  versionProblem,
} from '../../src/formats/segments/problems.ts';
import { bytesInMemory } from '../../src/formats/slices.ts';
import { describeX12FileProblem, describeX12Problem } from '../../src/formats/x12/messages.ts';
import type { X12FileProblem, X12Problem } from '../../src/formats/x12/problems.ts';
import { describeWorkbookProblem, type WorkbookProblem } from '../../src/formats/xlsx/problems.ts';
import { describeXmlProblem, type XmlProblem } from '../../src/formats/xml/problems.ts';
import { describeUploadError, type UploadError } from '../../src/intake/upload-error.ts';
import { bindColumns } from '../../src/mapping/compile/columns.ts';
import { mapFile } from '../../src/mapping/compile/map-file.ts';
import { documentParts, leavesOf } from '../../src/mapping/document/document-parts.ts';
import { compileDateTimePattern, exampleOf } from '../../src/mapping/values/date-time-pattern.ts';
import { describeTimeProblem, type TimeProblem } from '../../src/mapping/values/date-times.ts';
import { describeFault, type FieldFault, type FieldLocation, shownPath } from '../../src/mapping/values/fault.ts';
import { FIXTURES, SHIPPED } from './mapping/shipped.ts';

/** The facts of each code: one for every way in which its words differ. */
type Facts<Union extends { code: string }> = {
  [Code in Union['code']]: readonly [Fact<Union, Code>, ...Fact<Union, Code>[]];
};
type Fact<Union extends { code: string }, Code> = Union extends unknown
  ? Code extends Union['code']
    ? Omit<Union, 'code'>
    : never
  : never;

const facts = <Union extends { code: string }>(table: Facts<Union>): Union[] =>
  Object.entries(table as Record<string, readonly object[]>).flatMap(([code, all]) =>
    all.map((fact) => ({ ...fact, code }) as unknown as Union),
  );

const column = { number: 9, name: 'City' };
const field = { name: 'city', at: 7, length: 10 };
const place = { byte: 7, line: 2 };
const fault = { ...place, path: 'stops[0].city', text: '{' };
const inside = { ...place, text: '<a>', inside: 'a' };

const csv = facts<CsvProblem>({
  empty_file: [{ bytes: 0 }],
  not_csv: [{ looksLike: 'zip' }],
  encoding_disagrees: [
    { declared: 'utf-8', found: 'utf-16le', evidence: 'nul_bytes', byte: 0, hex: 'ff fe' },
    { declared: 'utf-8', found: null, evidence: 'bad_sequence', byte: 9, hex: 'df' },
  ],
  header_too_large: [{ bytesMax: 9 }],
  wrong_delimiter: [
    { declared: ',', found: ';', columns: 4, line: 1, text: 'a;b' },
    { declared: '~', found: '\t', columns: null, line: 1, text: 'sep=\t' },
  ],
  duplicate_header: [{ name: 'City', columns: [2, 5], line: 1 }],
  ragged_row: [
    { wanted: 12, found: 8, missing: column, surplus: '' },
    { wanted: 12, found: 11, missing: null, surplus: '' },
    { wanted: 12, found: 13, missing: null, surplus: '' },
    { wanted: 12, found: 14, missing: null, surplus: 'x' },
  ],
  too_many_columns: [{ found: 5_000, columnsMax: 1_000 }],
  cell_too_large: [{ column, bytes: 7, bytesMax: 6, byte: 1, text: 'A' }],
  record_too_large: [{ column, bytes: 7, bytesMax: 6, byte: 1 }],
  unclosed_quote: [{ column, line: 7, byte: 1, text: '"J' }],
  bad_quote: [
    { found: 'text_after_quote', column, line: 7, byte: 1, text: '"J"x' },
    { found: 'quote_in_text', column, line: 7, byte: 1, text: '"' },
  ],
  bad_encoding: [
    { encoding: 'utf-8', found: null, column, byte: 1, hex: 'fc', text: 'M' },
    { encoding: 'windows-1252', found: 'utf-8', column, byte: 1, hex: 'c3 a3', text: 'M' },
  ],
  nul_character: [{ column, byte: 1, text: 'J\0' }],
});

const json = facts<JsonProblem>({
  empty_file: [{ bytes: 0 }],
  not_json: [{ looksLike: 'zip' }],
  encoding_disagrees: [{ found: 'utf-16le', byte: 0, hex: 'ff' }],
  records_not_found: [
    { ...place, path: 'data', reached: '', missing: 'data', found: 'object', members: ['Data'] },
    { ...place, path: 'data', reached: '', missing: 'data', found: 'array', members: [] },
    { ...place, path: '', reached: '', missing: null, found: 'object', members: [] },
  ],
  not_ndjson: [{ ...place, text: '{' }],
  json_broken_from_here: [
    { ...place, recordsBefore: 1, cause: { code: 'invalid_json', ...fault, wanted: 'end_of_file', found: 'text' } },
  ],
  invalid_json: [
    { ...fault, wanted: 'end_of_file', found: 'text' },
    { ...fault, wanted: 'item', found: 'end_of_file' },
    { ...fault, wanted: 'item', found: 'end_of_line' },
    { ...fault, wanted: 'escape', found: 'text' },
    { ...fault, wanted: 'printable', found: 'text' },
    { ...fault, wanted: 'name', found: 'text', text: "'a'" },
    { ...fault, wanted: 'name', found: 'text', text: '// a' },
    { ...fault, wanted: 'name', found: 'text', text: '}' },
    { ...fault, wanted: 'value', found: 'text', text: 'x' },
    { ...fault, wanted: 'colon', found: 'text', text: 'x' },
  ],
  nested_too_deep: [{ ...place, depthMax: 9 }],
  duplicate_key: [{ ...place, path: 'a', name: 'a' }],
  not_an_object: [{ ...place, found: 'array', text: '[' }],
  value_too_large: [{ ...fault, bytesMax: 9 }],
  record_too_large: [{ bytes: 10, bytesMax: 9 }],
  too_deep: [{ ...place, path: 'a', depthMax: 9 }],
  too_many_members: [{ ...place, path: 'a', counted: 'items', countMax: 9 }],
  bad_encoding: [{ ...fault, hex: 'fc' }],
  lone_surrogate: [fault],
  array_unexpected: [{ ...place, path: 'a', items: 2, list: 'a' }],
});

const xml = facts<XmlProblem>({
  xml_not_well_formed: [{ ...inside, detail: 'x' }],
  xml_cut_off: [inside],
  xml_doctype: [inside],
  xml_too_deep: [{ ...inside, depthMax: 9 }],
  xml_too_large: [{ ...inside, what: 'captured', max: 9 }],
  bad_encoding: [{ ...inside, encoding: 'utf-8', hex: 'fc' }],
  empty_file: [{ bytes: 0 }],
  not_xml: [
    { looksLike: 'zip', text: '' },
    { looksLike: null, text: 'a' },
  ],
  encoding_unsupported: [{ declared: 'x' }],
  encoding_disagrees: [
    { encoding: 'iso-8859-1', line: null, hex: 'c3 a3' },
    { encoding: 'iso-8859-1', line: 7, hex: 'c3 a3' },
  ],
  records_not_found: [{ path: 'a/b', reached: 'a', names: ['c'] }],
  too_many_nodes: [{ line: 1, nodesMax: 9 }],
  value_too_large: [{ line: 1, path: 'a', characters: 10, charactersMax: 9, text: 'a' }],
});

const fixed = facts<FixedProblem>({
  empty_file: [{ bytes: 0 }],
  not_fixed_width: [{ looksLike: 'zip' }],
  encoding_disagrees: [{ declared: 'utf-8', found: 'utf-16le', evidence: 'nul_bytes', byte: 0, hex: 'ff' }],
  unknown_record_kind: [{ line: 1, text: 'X', known: [[{ at: 1, text: 'STS' }]] }],
  line_too_long: [{ line: 1, kind: 'STS', characters: 10, wanted: 9, surplus: 'x' }],
  line_too_short: [{ line: 1, kind: 'STS', characters: 8, wanted: 9 }],
  last_line_cut: [{ line: 1, kind: 'STS', characters: 8, wanted: 9 }],
  line_too_large: [{ line: 1, bytes: 10, bytesMax: 9 }],
  bad_encoding: [
    { line: 1, encoding: 'utf-8', found: null, field, byte: 1, hex: 'fc', text: 'M' },
    { line: 1, encoding: 'windows-1252', found: 'utf-8', field, byte: 1, hex: 'c3 a3', text: 'M' },
  ],
  nul_character: [{ line: 1, field, at: 7, text: '\0' }],
  tab_character: [{ line: 1, field, at: 7, text: '\t' }],
  number_malformed: [{ line: 1, field, form: { decimals: 1, sign: 'none' }, text: 'x' }],
  field_cut: [{ line: 1, field, characters: 8, text: '1' }],
  carried_line_unusable: [{ line: 1, kind: 'LOAD' }],
  trailer_count_differs: [
    { line: 1, kind: 'TRL', counted: 1, said: 2, of: 'lines' },
    { line: 1, kind: 'TRL', counted: 1, said: 2, of: ['Q10'] },
  ],
  trailer_count_unreadable: [{ line: 1, kind: 'TRL', text: 'x' }],
  trailer_missing: [{ kinds: ['TRL'], records: 2 }],
});

const workbook = facts<WorkbookProblem>({
  not_a_workbook: [{ looksLike: 'zip' }, { looksLike: 'old_excel' }, { looksLike: 'open_document' }],
  workbook_too_large: [
    { of: 'file', bytes: 10, bytesMax: 9 },
    { of: 'part', part: 'a', bytesMax: 9 },
    { of: 'token', part: 'a', unitsMax: 9 },
    { of: 'text', sheet: 'a', bytesMax: 9 },
    { of: 'row', sheet: 'a', row: 1, unitsMax: 9 },
    { of: 'count', part: 'a', things: 'cells', countMax: 9 },
  ],
  workbook_encrypted: [{ part: null }],
  workbook_broken: [
    { fault: 'directory' },
    { fault: 'packed', part: 'a' },
    { fault: 'cell', sheet: 'a', cell: 'A1', text: 'x' },
    { fault: 'row', sheet: 'a', row: '1' },
  ],
  workbook_doctype: [{ part: 'a' }],
  sheet_missing: [
    { wanted: 'Status', sheets: ['Sheet1'], listedMax: 5 },
    { wanted: 2, sheets: ['Sheet1'], listedMax: 5 },
  ],
  sheet_empty: [{ sheet: 'a', fromRow: 1 }],
});

const segment = { tag: 'ST', number: 1, line: 1, byteFrom: 0, byteTo: 9 } as Parameters<typeof describeX12Problem>[1];
const set = { id: '214', segments: [] } as unknown as Parameters<typeof notAcceptedProblem>[0];
const envelopeProblem = notAcceptedProblem(set, ['204']);

const x12 = facts<X12Problem>({
  isa_incomplete: [{ found: 3 }],
  isa_end_unclear: [{ found: 'x' }],
  delimiter_alphanumeric: [{ role: 'component', found: 'A' }],
  delimiter_blank: [{ role: 'component', found: ' ' }],
  delimiters_equal: [{ role: 'component', other: 'element', found: '*' }],
  isa_width: [{ element: 6, wanted: 15, found: 9, text: 'x' }],
  text_outside_interchange: [{ text: 'x', bytes: 1 }],
  header_missing: [{ level: 'group', found: 'ST' }],
  trailer_missing: [{ level: 'set', reference: '1', found: '' }],
  count_differs: [{ level: 'set', counted: 'segments', stated: '3', found: 2 }],
  count_invalid: [{ level: 'set', counted: 'segments', stated: '' }],
  control_number_differs: [{ level: 'set', stated: '2', wanted: '1' }],
  control_number_invalid: [{ level: 'set', found: '' }],
  group_header_incomplete: [{ found: 3 }],
  set_id_invalid: [{ found: 'x' }],
  unexpected_segment: [{ tag: 'N1' }],
  terminator_missing: [{ tag: 'N1', merged: 'N3' }],
  segment_tag_invalid: [{ tag: 'x' }],
  bad_encoding: [{ tag: 'N1', element: 2, encoding: 'utf-8', hex: 'fc', text: 'M' }],
  nul_character: [{ tag: 'N1', element: 2, text: 'M' }],
  segment_too_large: [{ tag: 'N1', bytesMax: 9 }],
  set_too_large: [{ bytesMax: 9 }],
  set_segments_too_many: [{ segmentsMax: 9 }],
  more_problems: [{ count: 2 }],
  interchange_broken: [{ fault: envelopeProblem }],
});

const x12File = facts<X12FileProblem>({
  empty_file: [{ bytes: 0 }],
  not_x12: [{ looksLike: 'zip' }],
  encoding_disagrees: [{ byte: 0, hex: 'ff' }],
  no_interchange: [{ text: 'x', byte: 0, line: 1 }],
});

const edifact = facts<EdifactFault>({
  bad_delimiters: [{ role: 'element separator', fault: 'blank', character: ' ', at: 3 } as never],
  delimiters_unknown: [{ separator: '*' }],
  header_unterminated: [{ terminator: "'", hasLineBreaks: true, bytesMax: 9 }],
  header_missing: [{ level: 'set', found: '' }],
  trailer_missing: [{ level: 'set', reference: '1', found: '' }],
  count_differs: [{ level: 'set', counted: 'segments', stated: '3', found: 2 }],
  count_invalid: [{ level: 'set', counted: 'segments', stated: '' }],
  control_number_differs: [{ level: 'set', stated: '1', wanted: '2' }],
  element_missing: [{ name: 'reference' }],
  text_outside_interchange: [{ text: 'x', bytes: 1 }],
  interchange_broken: [{ fault: envelopeProblem }],
  unexpected_segment: [{ text: 'x' }],
  segment_tag_invalid: [{ text: 'x' }],
  terminator_missing: [{ followed: '' }],
  segment_too_large: [{ bytesMax: 9, text: 'x' }],
  set_too_large: [{ bytesMax: 9 }],
  set_segments_too_many: [{ segmentsMax: 9 }],
  bad_encoding: [{ charset: 'UNOC', hex: 'fc' }],
  charset_not_read: [{ charset: 'UNOX', hex: 'fc' }],
  nul_character: [{ text: 'x' }],
  more_problems: [{ count: 2 }],
});

const edifactFile = facts<EdifactFileFault>({
  empty_file: [{ bytes: 0 }],
  not_edifact: [{ looksLike: 'text', text: 'x' }],
  encoding_disagrees: [{ hex: 'ff' }],
  interchange_header_missing: [{ text: 'x' }],
});

const fields = facts<FieldFault>({
  value_missing: [{}],
  code_unknown: [{ value: 'x', lists: ['words'], nearest: ['y'] }],
  scac_invalid: [{ value: 'x' }],
  state_invalid: [
    { value: 'x', fact: { named: 'IL', isSwapped: false }, city: undefined },
    { value: 'x', fact: { named: undefined, isSwapped: true }, city: { columns: ['City'], target: 'eventCity' } },
    { value: 'x', fact: { named: undefined, isSwapped: false }, city: undefined },
  ],
  value_too_long: [{ value: 'x', charactersMax: 9 }],
  control_character: [{ value: 'x', character: 'the control character U+000A', at: 1 }],
  excel_damage: [{ value: '1.2E+11' }, { value: "'AF" }, { value: '#NOT_CALCULATED!' }],
  pattern_not_found: [{ value: 'x', pattern: '[0-9]' }],
  not_a_boolean: [{ value: 'x' }],
  record_kind_unknown: [{ value: 'x', known: ['S'] }],
  list_empty: [{}, { of: 'lines' }],
  elements_missing: [{}],
  array_too_long: [{ elements: 10, elementsMax: 9 }],
  order_too_large: [{ characters: 10, charactersMax: 9 }],
  cannot_be_cleared: [{ value: 'x' }],
  change_empty: [{}],
  delta_without_reference: [{}],
  quantity_twice: [{ value: 'x' }],
  quantity_missing: [{ value: 'x' }],
  action_unknown: [{ value: 'x', known: ['ADD'] }],
  look_up_missing: [{ value: 'x', of: 'vehicle', by: 'vin' }],
  look_up_ambiguous: [{ value: 'x', of: 'vehicle', by: 'vin', count: 2 }],
  look_up_silent: [{ value: 'x', of: 'vehicle', by: 'vin', fact: 'licensePlate' }],
  look_up_unavailable: [{ value: 'x', of: 'vehicle', why: 'nobody answers' }],
  look_up_unanswered: [{ value: 'x', of: 'vehicle' }],
  not_a_whole_number: [{ value: 'x' }],
  not_a_number: [{ value: 'x', decimal: ',' }],
  decimal_mark_wrong: [{ value: 'x', decimal: ',' }],
  thousands_mark_wrong: [
    { value: 'x', thousands: ',' },
    { value: 'x', thousands: undefined },
  ],
  number_too_long: [{ value: 'x', digitsMax: 15 }],
  number_too_small: [{ value: 'x', minimum: 0 }],
  unit_unknown: [{ value: 'x', to: 'mi', column: 'Unit' }],
  coordinate_invalid: [
    { value: 'x', form: 'decimal', decimal: '.', why: 'it has another form' },
    { value: 'x', form: 'DDDMMSS', decimal: '.', why: 'it has another form' },
    { value: 'x', form: 'byDigits', decimal: '.', why: 'it has another form' },
  ],
  coordinate_out_of_range: [{ value: 'x', degreesMax: 90 }],
  coordinates_swapped: [{ value: 'x' }],
  coordinate_no_fix: [{ value: 'x' }],
});

const change = {
  text: '2026-03-08 02:30',
  zone: 'America/Chicago',
  localMs: Date.UTC(2026, 2, 8, 2, 30),
  atMs: Date.UTC(2026, 2, 8, 8),
  before: { offsetMinutes: -360, abbreviation: 'CST' },
  after: { offsetMinutes: -300, abbreviation: 'CDT' },
};
const times = facts<TimeProblem>({
  bad_date: [{ text: 'noon', pattern: 'HH:mm', at: 0, wanted: '2 digits' }],
  time_zone_missing: [{ text: 'noon' }],
  time_zone_unknown: [{ text: 'noon', zone: 'IST' }],
  time_zone_minutes: [{ text: 'noon', offsetMinutes: 330, instantMs: 0 }],
  time_nonexistent: [change],
  time_ambiguous: [change],
  offset_out_of_range: [{ text: 'noon', offsetMinutes: 9_000 }],
  year_out_of_range: [{ text: 'noon', year: 1900 }],
});

const zip = facts<ZipProblem>({
  zip_broken: [{ fault: 'directory' }, { fault: 'content', entry: 'a' }],
  zip_empty: [{}],
  zip_too_many_files: [{ filesMax: 9 }],
  zip_too_large: [{ entry: 'a', bytesMax: 9 }],
  zip_encrypted: [{ entry: 'a' }],
  zip_nested: [{ entry: 'a', looksLike: 'zip' }],
  zip_overlapping: [{ entry: 'a' }],
  zip_link: [{ entry: 'a' }],
  zip_method: [{ entry: 'a', method: 9 }],
  zip_split: [{}],
  zip_office_file: [{ entry: 'a' }],
});

const other = { faults: [], sound: ['2'] };
const interchange = facts<RefusedInterchange | TooManyInterchanges>({
  identity_mismatch: [{ control: '1', what: 'sender', found: 'X', allowed: ['Y'], standard: 'ISA06' } as never],
  environment_mismatch: [{ control: '1', isTest: true, environment: 'production', standard: 'ISA15' } as never],
  test_indicator_invalid: [{ control: '1', found: 'x', standard: 'ISA15' } as never],
  control_duplicate: [
    { control: '1', batchId: null },
    { control: '1', batchId: 'b_1', upload: other },
  ],
  control_conflict: [
    { control: '1', batchId: null },
    { control: '1', batchId: 'b_1', upload: other },
  ],
  too_many_interchanges: [{ control: '1', interchangesMax: 9 }],
});

const upload = facts<Exclude<UploadError, RefusedInterchange | TooManyInterchanges>>({
  mapping_missing: [{ known: ['a'] }],
  unknown_mapping: [{ mapping: 'b', known: ['a'] }],
  mapping_not_allowed: [{ mapping: 'b', allowed: ['a'] }],
  scac_required: [{ allowed: ['ABCD'] }],
  scac_not_allowed: [{ scac: 'EFGH', allowed: ['ABCD'] }],
  no_scac_usable: [{ channel: 'main' }],
  channel_missing: [{ channel: 'main' }],
  parameter_invalid: [{ name: 'dryRun', value: 'x', wanted: 'true' }],
  parameter_unknown: [{ name: 'x', known: ['dryRun'] }],
  length_invalid: [{ value: 'x' }],
  too_large: [{ bytes: 10, bytesMax: 9 }],
  empty: [{}],
  body_cut: [{ declaredBytes: 10, receivedBytes: 9 }],
  type_disagrees: [{ contentType: 'text/csv', wanted: ['application/json'] }],
  message_too_large: [{ bytesMax: 9 }],
  content_disagrees: [{ mapping: 'a', format: 'csv', looksLike: 'zip' }],
  form_file_missing: [{}],
  form_two_files: [{}],
  form_field_unknown: [{ name: 'x' }],
  form_field_late: [{ name: 'mapping' }],
  form_field_twice: [{ name: 'mapping' }],
  form_broken: [{ fault: 'boundary_missing' }],
  idempotency_key_invalid: [{}],
  key_reused: [{ batchId: 'b_1', sha256: 'a', sentSha256: 'b' }],
  key_in_flight: [{ retryAfterSeconds: 1 }],
  force_needs_key: [{ batchId: null }, { batchId: 'b_1' }],
  too_much_under_way: [{ files: 1_000, bytes: 5_000_000, rows: 20_000 }],
  too_many_requests: [{}],
  being_erased: [{}],
  storage_unavailable: [{}],
  catalog_unavailable: [{}],
});

const event = { what: 'X3', time: '2026-03-02T08:15:00-06:00', stop: 1, place: null, position: null };
const SURPRISES: Record<Anomaly['kind'], Anomaly> = {
  outOfOrder: { kind: 'outOfOrder', rule: 'before_arrival', event, other: event },
  cameLate: { kind: 'cameLate', event, other: event },
  stops: { kind: 'stops', event, known: [1, 2] },
  speed: { kind: 'speed', event, other: event, km: 900, kmPerHour: 2_000 },
  inFuture: { kind: 'inFuture', event, acceptedAtMs: 0 },
  tooOld: { kind: 'tooOld', event, acceptedAtMs: 0 },
};

const merges = [
  notUpdatable([{ path: ['a'], before: 1, after: 2 } as never]),
  quantityBelowZero('a', 1, -1),
  unitDiffers('a', 'EA', 'CS'),
  entryUnknown('a'),
  entryToDelete('a'),
  entryAmbiguous('a'),
  deltaConflict('a', 'c', 1, 2),
  tooLarge(10, 9),
];

/** A value of one column, of several, of the first filled one, and of none: a fixed text. */
const PLACES: FieldLocation[] = [
  { columns: ['Load #'], target: 'loadNumber' },
  { columns: ['A', 'B'], target: 'loadNumber', filled: ['A', 'B'] },
  { columns: ['A', 'B'], target: 'loadNumber', isFirst: true },
  { columns: [], target: 'loadNumber' },
];

function unboundFixes(): NotifiedProgress[] {
  const use = { column: 'Load', optional: false, target: 'loadNumber', scope: [] };
  return [['Load Number'], ['x']].flatMap((columns) => {
    const bound = bindColumns([use] as never, columns);
    return bound.ok ? [] : bound.error;
  });
}

interface NotifiedProgress {
  code: string;
  message: string;
  fix: string;
}

const NOTIFIED: NotifiedProgress[] = [
  ...csv.map(describeCsvProblem),
  ...json.map(describeJsonProblem),
  ...xml.map(describeXmlProblem),
  ...fixed.map(describeFixedProblem),
  ...workbook.map(describeWorkbookProblem),
  ...x12.map((problem) => describeX12Problem(problem, segment)),
  ...x12File.map(describeX12FileProblem),
  ...edifact.map((problem) => describeEdifactFault(problem, segment)),
  ...edifactFile.map(describeEdifactFileFault),
  envelopeProblem,
  versionProblem(set, '003010'),
  noRecordProblem(set, 'AT7', {}),
  repeatedProblem(set),
  ...PLACES.flatMap((each) => fields.map((problem) => describeFault(problem, each))),
  ...times.map((problem) => describeTimeProblem(problem, 'Event Time')),
  describeTimeProblem(times[0]!, 'Event Time', { code: '203', path: 'DTM-03' }),
  ...unboundFixes(),
  ...zip.map(describeZipProblem),
  ...[...interchange].map((problem) => {
    const { detail, fix } = refusalMessage(problem);
    return { code: problem.code, message: detail, fix };
  }),
  ...upload.map((problem) => {
    const { detail, fix } = describeUploadError(problem);
    return { code: problem.code, message: detail, fix };
  }),
  ...Object.values(SURPRISES).map(anomalyMessage),
  ...merges,
];

/** A change of the mapping, or a key of its document. */
const EDITS_MAPPING =
  /\b(?:in|into|to|out of) the mapping\b|\b[Dd]eclare\b|\b(?:[Aa]llow|[Ss]et|[Ee]dit|[Cc]hange|[Cc]orrect|[Aa]dd|[Hh]ave|[Ll]et)\b[^.;]*\bthe mapping\b|`|\b[a-z]+[A-Z][a-z]+: |\b(?:encoding|delimiter|quote|format|bare|gap|overlap|use): /;

describe('what a partner is told to do', () => {
  it.each(NOTIFIED.map(({ code, fix }) => [code, fix] as const))('is no change of a mapping: %s', (_code, fix) => {
    expect(fix).not.toMatch(EDITS_MAPPING);
    expect(fix).toMatch(/^[A-Z]/);
  });

  it('is to ask, where a value at fault does not come from the file', () => {
    const place = { columns: [], target: 'scac' };
    expect(describeFault({ code: 'scac_invalid', value: 'ab1' }, place).fix).toBe(
      'Nothing in the file can correct this, for the value does not come from it: ask the operator. The row waits until then.',
    );
    expect(describeFault({ code: 'list_empty' }, place).fix).toBe('Add what is missing and send the record again.');
  });

  it('is no change of a mapping in any row of the fixtures', async () => {
    const told: NotifiedProgress[] = [];
    for (const [name, { mapping }] of SHIPPED) {
      const folder = join(FIXTURES, name);
      const inputs = sourcesIn(folder).filter((path) => /\/input\.\w+$/.test(path));
      for (const input of inputs) {
        for await (const step of mapFile(mapping, bytesInMemory(readFileSync(input)))) {
          if (step.outcome === 'unreadable') told.push(...step.problems);
          else if (step.outcome === 'ends_early') told.push(step.problem);
          else told.push(...step.records.flatMap(({ mapped }) => mapped.errors));
        }
      }
    }
    expect(told.length).toBeGreaterThan(100);
    expect(told.filter(({ fix }) => EDITS_MAPPING.test(fix))).toEqual([]);
  });

  it.each([
    'Send the time as HH:mm, or add the form you send to `parse`.',
    'Declare delimiter: ";", or export the file with the comma (,).',
    'Leave records out of the mapping.',
    'Ask the operator to complete it, or have the mapping read the value from the file.',
    'Send the offset, or set gap: earlier.',
    'Declare the delimiter, or export the file with the comma.',
    'Write the line to its full length, or allow short lines in the mapping.',
  ])('is held against words such as: %s', (fix) => expect(fix).toMatch(EDITS_MAPPING));
});

/** Where sentences for partners are written. */
const FOLDERS = ['formats', 'mapping', 'delivery', 'batch', 'intake', 'http'];
/** Read by authors alone (what is wrong with a document, what a key of one is for) or by operators. */
const FOR_OTHERS =
  /src\/mapping\/(?:check\/|examples\/|document\/(?:author-fixes|document|extends|schema-problems|yaml-traps))|src\/http\/ops\/|\.describe\(/;

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourcesIn(path) : [path];
  });
}

it('no text of the source for partners speaks of a change in the mapping, whichever facts lead to it', () => {
  const lines = FOLDERS.flatMap((name) => sourcesIn(join('src', name))).flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => /['`].*\b(?:in|into|out of|have|for) the mapping\b/.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(lines.filter((line) => !FOR_OTHERS.test(line))).toEqual([]);
});

/** Names as programs write them: `eventCode`, `load_id`. What stands in quotes is the sender's own, or an example. */
const PROGRAM_NAME = /\b[a-z]+(?:[A-Z][a-z]+)+\b|\b[a-z]+_[a-z_]+\b/g;
const unquoted = (text: string): string => text.replace(/"[^"]*"/g, '""');

/** Each field of the upstream that a mapping can fill. */
const FIELDS = [
  ...new Set(
    [...SHIPPED.values()].flatMap(({ document }) => leavesOf(documentParts(document)).map(({ target }) => target)),
  ),
];

describe('what a clerk is told about a row', () => {
  const told = [
    ...FIELDS.flatMap((target) =>
      [['Col A'], ['Col A', 'Col B'], []].flatMap((columns) =>
        fields.map((problem) => describeFault(problem, { columns, target })),
      ),
    ),
    ...times.map((problem) => describeTimeProblem(problem, 'Col A, Col B')),
    ...[csv.map(describeCsvProblem), json.map(describeJsonProblem), xml.map(describeXmlProblem)].flat(),
    ...[fixed.map(describeFixedProblem), workbook.map(describeWorkbookProblem), merges].flat(),
  ];
  const saying = (pattern: RegExp) =>
    told
      .filter(({ message, fix }) => pattern.test(unquoted(`${message} ${fix}`)))
      .map(({ message, fix }) => `${message} ${fix}`);

  it('has no name that only programs know', () => {
    expect(FIELDS.length).toBeGreaterThan(20);
    const names = told.flatMap(({ message, fix }) => unquoted(`${message} ${fix}`).match(PROGRAM_NAME) ?? []);
    expect([...new Set(names)].filter((name) => !/^(?:yyyy|dd|hh|epoch)/i.test(name))).toEqual([]);
  });

  it('speaks of no mapping, and sends nobody to a list that only authors see', () => {
    expect(saying(/\bmappings?\b/i)).toEqual([]);
    expect(told.filter(({ fix }) => /code list|pattern/i.test(fix))).toEqual([]);
  });

  it('shows the form that a time is wanted in by an example', () => {
    const { message, fix } = describeTimeProblem(times[0]!, 'Event Date');
    expect(`${message} ${fix}`).toContain('such as 14:05');
    expect(exampleOf('MM/dd/yyyy h:mm a')).toBe('03/25/2026 2:05 PM');
    expect(exampleOf("dd.MM.yyyy HH:mm[:ss] 'Uhr'")).toBe('25.03.2026 14:05:09 Uhr');
    for (const source of [
      'iso',
      'epochSeconds',
      'epochMillis',
      'MM/dd/yyyy h:mm a',
      'yyyyMMddHHmmssSSSXXX',
      'd-MMM-yy',
    ]) {
      const pattern = compileDateTimePattern(source);
      expect(pattern.ok && pattern.value.parse(exampleOf(source)).ok, source).toBe(true);
    }
  });

  it('names a place in their file, or says that it is none of it', () => {
    const fixedValue = describeFault({ code: 'scac_invalid', value: 'ab1' }, { columns: [], target: 'scac' });
    expect(shownPath(fixedValue)).toBe('carrier (SCAC) (not from the file)');
    expect(shownPath(describeFault({ code: 'list_empty' }, { columns: [], target: 'skus' }))).toBe('articles (SKUs)');
    expect(shownPath(describeFault({ code: 'value_missing' }, { columns: ['skus'], target: 'skus' }))).toBe('skus');
  });
});
