/** What CSV and other text of real senders does to readers. */
import { testsOf, traps } from './trap.ts';

const read = testsOf('formats/csv/read');
const opening = testsOf('formats/csv/opening');
const problem = testsOf('formats/csv/record-problems');
const spreadsheet = testsOf('mapping/spreadsheet-traps');
const number = testsOf('mapping/local-number');
const time = testsOf('mapping/date-times');
const exported = testsOf('batch/report-csv');

const DELIMITER = 'declared dialects > cuts at the delimiter %j';
const WRONG_DELIMITER = 'the delimiter > declared as %j is found to be %j';
const ENCODING = 'the encoding > reads %s with and without a byte-order mark';
const NUMBER = 'a number reads > %j with %j as %j';
const EXCEL = 'a long number that a spreadsheet has shortened > is never sent as a load number: %s';
const FORMULA = 'csvCell > keeps a spreadsheet from running %j';

export const TEXT = traps({
  'delimiter ;': [...read(DELIMITER, "[';'"), ...opening(WRONG_DELIMITER, "[',', ';'")],
  'delimiter tab': [...read(DELIMITER, "['\\t'"), ...opening(WRONG_DELIMITER, "[',', '\\t'")],
  'delimiter |': [...read(DELIMITER, "['|'"), ...opening(WRONG_DELIMITER, "[',', '|'")],
  'quoted delimiters': read('cells > reads a quoted delimiter as part of the cell'),
  'quoted quotes': read('cells > reads two quotes inside a quoted cell as one'),
  'quoted line breaks': read('cells > reads a quoted line break as part of the cell, as it is written'),
  'quote in mid-field': problem('quotes > refuses a quote in an unquoted cell'),
  'UTF-8 BOM': [
    ...opening(ENCODING, "['utf-8', bytesOf(`\\ufeff"),
    ...opening('the encoding > declared as %s gives way to a byte-order mark of %s, which is kept to be told'),
  ],
  'UTF-16 LE': opening(ENCODING, "['utf-16le', utf16("),
  'UTF-16 BE': opening(ENCODING, "['utf-16be', utf16("),
  'windows-1252': [
    ...opening('the encoding > reads %s', "['windows-1252'"),
    ...opening(
      'bytes that contradict the declaration though any byte is a letter in it > are told when the file is UTF-8 and %s is declared',
    ),
  ],
  'short rows': problem('rows of another width > names the first column that a short row misses'),
  'long rows': problem('rows of another width > names the first text that a long row has too much'),
  'trailing delimiter': problem(
    'rows of another width > accepts empty cells after the last column where every row has them',
  ),
  'empty lines': read('lines > counts blank lines and lines of blanks, but makes no records of them'),
  'header only': opening('a file without records > is read when it holds a header'),
  'empty file': opening('a file without records > is empty when it holds %s', "['no bytes', '']"),
  'duplicate headers': opening('the header > is refused when two columns have one name, and all such names are told'),
  'header __proto__': read('cells > reads cells that are numbers, formulas or property names as text', '__proto__'),
  '10⁶ columns': [
    ...opening('the header > is refused as %s', "','.repeat(999_999)"),
    ...problem('rows of another width > refuses a row of more than a thousand cells and keeps no more of them'),
  ],
  'one 25 MB row': problem('sizes > loses one row to a cell of megabytes: %s', "'unquoted, of 25 MB'"),
  'CR only': read('lines > ends records at %s', "['CR', "),
  'mixed line ends': read('lines > reads mixed line ends and a last line without one'),
  'no final line end': read('lines > reads mixed line ends and a last line without one'),
  'lone quote swallowing the rest': [
    ...problem('quotes > loses one row to a quote that is never closed, and says where it opened'),
    ...problem('quotes > loses one row to a stray quote that a later quoted cell seems to close'),
  ],
  '1.23E+11': spreadsheet(EXCEL, "'1.23E+11'"),
  'lost leading zeros': [
    ...spreadsheet(
      'leading zeros that a spreadsheet has taken away > come back where the mapping says how long the number is',
    ),
    ...spreadsheet(
      'leading zeros that a spreadsheet has taken away > are an error where the mapping says the form of the number',
    ),
  ],
  'Mar-26': [
    ...spreadsheet('a number that a spreadsheet has taken for a date (Mar-26) > is no time: %s', "'Mar-26'"),
    ...spreadsheet(
      'a number that a spreadsheet has taken for a date (Mar-26) > is an error where the mapping says the form of the number, and else stays as it is written',
    ),
  ],
  'decimal comma': [
    ...number(NUMBER, "['12,5', GERMAN, '12.5']"),
    ...number('a text that is no number says why > %j with %j: %s', "['12,5', POINT, 'decimal_mark']"),
  ],
  'thousands mark': [
    ...number(NUMBER, "['1,234,567.8', US, '1234567.8']"),
    ...number('a text that is no number says why > %j with %j: %s', "['1,234.5', POINT, 'thousands_mark']"),
  ],
  'trailing minus': number(NUMBER, "['12.5-', POINT, '-12.5']"),
  'local time in a DST gap': [
    ...time('a time clocks jumped over > is refused by default, with the facts'),
    ...time('a time clocks jumped over > follows the declared policy'),
  ],
  'local time in a DST overlap': [
    ...time('a time clocks show twice > is refused by default, with the facts'),
    ...time('a time clocks show twice > follows the declared policy'),
  ],
  'cells starting = + - @ (neutralised on export)': [
    ...exported(FORMULA, "'=1+1'", "'+1+1'", "'-1+1'", "'@SUM(A1)'"),
    ...exported('recordLine > neutralises a formula that a row or an answer brought in'),
  ],
});
