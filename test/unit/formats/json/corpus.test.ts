import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { asParsed, cutOut, plain, problemsOf, readJson, readNdjson, type WholeRead } from './reading.ts';

const SUITE = join(CORPUS, 'json', 'nst__JSONTestSuite');
const files = isInCorpus(SUITE) ? readdirSync(SUITE).filter((name) => name.endsWith('.json')) : [];
const bytes = (name: string): Uint8Array => new Uint8Array(readFileSync(join(SUITE, name)));

/** What is wrong with the JSON itself, not with its being an array of objects at the top. */
const faults = (read: WholeRead): string[] =>
  problemsOf(read)
    .map(({ code }) => code)
    .filter((code) => code !== 'not_an_object' && code !== 'records_not_found');

/** Valid JSON that is refused: which member counts cannot be told. */
const DUPLICATES = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json'];

describe('JSONTestSuite', () => {
  const valid = files.filter((name) => name.startsWith('y_') && !DUPLICATES.includes(name));
  itReads.each(valid)('accepts %s', (name) => {
    const read = readJson(bytes(name));
    expect(faults(read)).toEqual([]);
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes(name)));
    const isArray = Array.isArray(parsed);
    const records: unknown[] = isArray ? parsed : typeof parsed === 'object' && parsed !== null ? [parsed] : [];
    expect(read.records).toHaveLength(records.length);
    read.records.forEach((record, at) => {
      expect(JSON.parse(cutOut(bytes(name), record))).toEqual(records[at]);
      if (record.value !== null) expect(asParsed(record.value)).toEqual(records[at]);
    });
  });

  itReads.each(files.filter((name) => DUPLICATES.includes(name)))('refuses the one record of %s', (name) => {
    expect(readJson(bytes(name)).records).toMatchObject([{ value: null, problem: { code: 'duplicate_key' } }]);
  });

  itReads.each(files.filter((name) => name.startsWith('n_')))('refuses %s', (name) => {
    const read = readJson(bytes(name));
    const scalar = read.problems.some(({ code }) => code === 'records_not_found');
    // A number or string where records are wanted ends the reading, whatever follows it.
    expect(scalar || faults(read).length > 0).toBe(true);
    // Nothing is sent of what is no JSON but the records before the place where an array breaks.
    if (read.endProblem === null) expect(read.records.every(({ value }) => value === null)).toBe(true);
  });

  /** What the grammar leaves open, and what becomes of it here. */
  const DECIDED: Record<string, string[]> = {
    // Numbers are text: none is too large or too precise.
    'i_number_double_huge_neg_exp.json': [],
    'i_number_huge_exp.json': [],
    'i_number_neg_int_huge_exp.json': [],
    'i_number_pos_double_huge_exp.json': [],
    'i_number_real_neg_overflow.json': [],
    'i_number_real_pos_overflow.json': [],
    'i_number_real_underflow.json': [],
    'i_number_too_big_neg_int.json': [],
    'i_number_too_big_pos_int.json': [],
    'i_number_very_big_negative_int.json': [],
    // Half a character cannot be written as UTF-8, so it could not be sent on.
    'i_object_key_lone_2nd_surrogate.json': ['lone_surrogate'],
    'i_string_1st_surrogate_but_2nd_missing.json': ['lone_surrogate'],
    'i_string_1st_valid_surrogate_2nd_invalid.json': ['lone_surrogate'],
    'i_string_incomplete_surrogate_and_escape_valid.json': ['lone_surrogate'],
    'i_string_incomplete_surrogate_pair.json': ['lone_surrogate'],
    'i_string_incomplete_surrogates_escape_valid.json': ['lone_surrogate'],
    'i_string_invalid_lonely_surrogate.json': ['lone_surrogate'],
    'i_string_invalid_surrogate.json': ['lone_surrogate'],
    'i_string_inverted_surrogates_U+1D11E.json': ['lone_surrogate'],
    'i_string_lone_second_surrogate.json': ['lone_surrogate'],
    // JSON is UTF-8 (RFC 8259, 8.1); bytes that are not cost the record they stand in.
    'i_string_UTF-8_invalid_sequence.json': ['bad_encoding'],
    'i_string_UTF8_surrogate_U+D800.json': ['bad_encoding'],
    'i_string_invalid_utf-8.json': ['bad_encoding'],
    'i_string_iso_latin_1.json': ['bad_encoding'],
    'i_string_lone_utf8_continuation_byte.json': ['bad_encoding'],
    'i_string_not_in_unicode_range.json': ['bad_encoding'],
    'i_string_overlong_sequence_2_bytes.json': ['bad_encoding'],
    'i_string_overlong_sequence_6_bytes.json': ['bad_encoding'],
    'i_string_overlong_sequence_6_bytes_null.json': ['bad_encoding'],
    'i_string_truncated-utf-8.json': ['bad_encoding'],
    'i_string_UTF-16LE_with_BOM.json': ['encoding_disagrees'],
    'i_string_utf16BE_no_BOM.json': ['encoding_disagrees'],
    'i_string_utf16LE_no_BOM.json': ['encoding_disagrees'],
    // A limit of ours: 64 levels.
    'i_structure_500_nested_arrays.json': ['too_deep'],
    // A byte-order mark is passed over.
    'i_structure_UTF-8_BOM_empty_object.json': [],
  };

  itReads.each(files.filter((name) => name.startsWith('i_')))('decides %s', (name) => {
    expect({ [name]: faults(readJson(bytes(name))) }).toEqual({ [name]: DECIDED[name] });
  });

  itReads.each(['i_number_huge_exp.json', 'i_number_too_big_pos_int.json'].filter((name) => files.includes(name)))(
    'keeps the number of %s as it is written',
    (name) => {
      const text = new TextDecoder().decode(bytes(name));
      const read = readJson(`[{"n":${text.slice(1, -1)}}]`);
      expect(plain(read.records[0]!.value)).toEqual({ members: [['n', { number: text.slice(1, -1) }]] });
    },
  );

  itReads('reads every file the same in slices, as a document and as lines', () => {
    for (const name of files) {
      const file = bytes(name);
      const sliceBytes = file.byteLength > 1_000 ? 997 : 1;
      expect(readJson(file, '', { sliceBytes }), name).toEqual(readJson(file));
      expect(readNdjson(file, { sliceBytes }), name).toEqual(readNdjson(file));
    }
  });
});

const SPECTRUM = join(CORPUS, 'csv', 'npm__csv-spectrum-2.0.0');
const tables = isInCorpus(SPECTRUM) ? readdirSync(SPECTRUM).filter((name) => name.startsWith('json__')) : [];

describe('csv-spectrum', () => {
  itReads('gives the objects that JSON.parse gives', () => {
    for (const name of tables) {
      const text = readFileSync(join(SPECTRUM, name), 'utf8');
      const read = readJson(text);
      expect(problemsOf(read), name).toEqual([]);
      const values = read.records.map(({ value }) => asParsed(value));
      expect(values, name).toEqual([JSON.parse(text)].flat());
    }
  });
});
