import { describe, expect, it } from 'vitest';
import { type CsvProblem, describeCsvProblem } from '../../../../src/formats/csv/problems.ts';
import { ELSE_CONTACT } from '../../../../src/kernel/problem.ts';

const city = { number: 9, name: 'City' };
const nameless = { number: 9, name: '' };

const PROBLEMS: CsvProblem[] = [
  { code: 'empty_file', bytes: 3 },
  { code: 'not_csv', looksLike: 'zip' },
  {
    code: 'encoding_disagrees',
    declared: 'utf-8',
    found: 'utf-16le',
    evidence: 'nul_bytes',
    byte: 0,
    hex: 'ff fe',
  },
  { code: 'encoding_disagrees', declared: 'utf-8', found: 'utf-16be', evidence: 'nul_bytes', byte: 1, hex: '00 4c' },
  { code: 'encoding_disagrees', declared: 'utf-16le', found: 'utf-8', evidence: 'no_nul_bytes', byte: 0, hex: '4c 6f' },
  { code: 'encoding_disagrees', declared: 'utf-8', found: null, evidence: 'bad_sequence', byte: 9, hex: 'df' },
  { code: 'header_too_large', bytesMax: 2_097_152 },
  { code: 'wrong_delimiter', declared: ',', found: ';', columns: 4, line: 1, text: 'a;b;c;d' },
  { code: 'wrong_delimiter', declared: '~', found: '\t', columns: null, line: 1, text: 'sep=\t' },
  { code: 'duplicate_header', name: 'City', columns: [2, 5], line: 1 },
  { code: 'ragged_row', wanted: 12, found: 8, missing: city, surplus: '' },
  { code: 'ragged_row', wanted: 12, found: 14, missing: null, surplus: 'x' },
  { code: 'too_many_columns', found: 5_000, columnsMax: 1_000 },
  { code: 'cell_too_large', column: city, bytes: 70_000, bytesMax: 65_536, byte: 120, text: '"A long' },
  { code: 'record_too_large', column: nameless, bytes: 5_000_000, bytesMax: 2_097_152, byte: 120 },
  { code: 'unclosed_quote', column: city, line: 7, byte: 120, text: '"Joliet,IL' },
  { code: 'bad_quote', found: 'text_after_quote', column: city, line: 7, byte: 120, text: '"Joliet"x' },
  { code: 'bad_quote', found: 'quote_in_text', column: city, line: 7, byte: 120, text: '"' },
  { code: 'bad_encoding', encoding: 'utf-8', found: null, column: city, byte: 120, hex: 'fc', text: 'M\ufffdnchen' },
  { code: 'bad_encoding', encoding: 'windows-1252', found: 'utf-8', column: city, byte: 9, hex: 'c3 a3', text: 'SÃ£o' },
  { code: 'nul_character', column: city, byte: 120, text: 'Jo\0liet' },
];

describe('words for a format problem', () => {
  it.each(PROBLEMS.map((problem) => [problem.code, problem] as const))(
    'are whole sentences for %s',
    (code, problem) => {
      const described = describeCsvProblem(problem);
      expect(described.code).toBe(code);
      expect(described.message).toMatch(/^[A-Z].*\.$/);
      expect(described.fix).toMatch(/^[A-Z].*\.$/);
      expect(Object.values(described).join(' ')).not.toMatch(/undefined|null|NaN|\[object/);
    },
  );

  it.each([
    [10, 'City', '8 cells', 'The row has 8 cells where 12 cells are wanted; the first one missing is Column 9 (City).'],
    [
      11,
      'column 13',
      'x',
      'The row has 14 cells where 12 cells are wanted; the first cell too many with text in it is "x".',
    ],
    [
      14,
      'column 9',
      '5000000 bytes',
      'The row has 5000000 bytes, at most 2097152 are read; Column 9 begins at byte 120 of the file and does not end within them.',
    ],
    [15, 'City', '"Joliet,IL', 'A quote opens Column 9 (City) in line 7, at byte 120 of the file and is never closed.'],
    [18, 'City', 'M\ufffdnchen', 'Column 9 (City) holds bytes that are not utf-8: fc at byte 120 of the file.'],
  ])('name the place and the received value (%i)', (index, path, value, message) => {
    expect(describeCsvProblem(PROBLEMS[index]!)).toMatchObject({ path, value, message });
  });

  it.each([
    [2, `Export the file as utf-8. ${ELSE_CONTACT}`],
    [7, `Export the file with the comma (,). ${ELSE_CONTACT}`],
    [8, `Export the file with the delimiter "~". ${ELSE_CONTACT}`],
  ])('say what to send (%i)', (index, fix) => {
    expect(describeCsvProblem(PROBLEMS[index]!).fix).toBe(fix);
  });

  it('quote a long value in part', () => {
    const problem = describeCsvProblem({ code: 'nul_character', column: city, byte: 0, text: 'x'.repeat(5_000) });
    expect(problem.value.length).toBeLessThan(160);
  });

  it('show a NUL character as text', () => {
    expect(describeCsvProblem(PROBLEMS.at(-1)!).value).toBe('Jo\\0liet');
  });
});
