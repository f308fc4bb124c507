/** What workbooks, XML, JSON and fixed-width files of real senders do to readers. */
import { testsOf, traps } from './trap.ts';

const sheet = testsOf('formats/xlsx/sheets');
const value = testsOf('formats/xlsx/texts');
const xml = testsOf('formats/xml/read');
const json = testsOf('formats/json/record-problems');
const jsonRead = testsOf('formats/json/read');
const lines = testsOf('formats/json/ndjson');
const fixed = testsOf('formats/fixed/read');
const time = testsOf('mapping/date-times');

const CELL = 'a cell > of %s is read as text';
const STORED = 'values > keep the number %s as it is written';

export const OTHERS = traps({
  'XLSX: numbers stored as text': sheet(CELL, "'a number stored as text'"),
  'XLSX: dates as numbers': [
    ...sheet(CELL, "'a date by a built-in style'", "'a date by a style of its own'", "'a date stored as a number'"),
    ...value('a number format > %s shows a %s'),
  ],
  'XLSX: date system 1904': [
    ...sheet('a cell > of a workbook of system 1904 counts days from there'),
    ...value('a day > lies 1,462 days apart in the two systems, from March 1900 on'),
  ],
  'XLSX: shared-string escape _x000D_': [
    ...sheet(CELL, "'a shared string with escapes'"),
    ...value('an escape > in %s reads %j', "['a_x000D_b'"),
  ],
  'XLSX: shared-string escape _x005F_': value('an escape > in %s reads %j', "['_x005F_x000D_'"),
  'XML: namespaces': [
    ...xml('namespaces > do not matter to names without a prefix'),
    ...xml('namespaces > must agree where the mapping gives a prefix, whatever prefix the document has'),
  ],
  'XML: CDATA': xml('records > join text, CDATA and references, and leave comments out'),
  'XML: mixed content': xml(
    'records > of mixed content have the texts around their elements as their own, and not those inside',
  ),
  'XML: DOCTYPE (refused)': [
    ...testsOf('formats/abuse')(
      'an XML document > of entities in entities (billion laughs) is refused for its DOCTYPE',
    ),
    ...testsOf('formats/abuse')(
      'an XML document > with an external entity is refused for its DOCTYPE, and nothing is fetched',
    ),
    ...xml('hostile documents > have no DOCTYPE later on either'),
  ],
  'JSON: duplicate keys': json('a record with > a name that stands twice in one object is refused: %s'),
  'JSON: 1e400': jsonRead(STORED, "'1e400'"),
  'JSON: big integers': jsonRead(STORED, "'12345678901234567890'"),
  'NDJSON with a bad line': lines('a bad line > costs its record only: %j'),
  'fixed width: tabs': fixed('lines > with a tab are errors, or have blanks up to the next tab stop'),
  'fixed width: short last line': fixed(
    'lines > of which the last alone is short and has no end show that the file was cut',
  ),
  'fixed width: multi-byte characters shift columns': fixed(
    'lines > count characters and not bytes, so that letters of several bytes shift no column: %s',
  ),
  'overlong cells': [
    ...sheet('the rows of a sheet > with a cell longer than cells may be cost themselves'),
    ...testsOf('formats/csv/record-problems')('sizes > refuses a row with a cell above 64 KiB, and no other'),
    ...json('limits > let a value of their size pass, and refuse one byte more'),
  ],
  'formulas with cached values': sheet(
    CELL,
    "'a number that a formula came to'",
    "'text that a formula came to'",
    "'an error'",
  ),
  'times past 24:00': [
    ...sheet(CELL, "'a length of time'"),
    ...time('an hour of a service day > %s is %s', "'2026-03-01 25:10:00'"),
    ...testsOf('mapping/date-time-pattern')('a pattern refuses > %s: %s', "'03/01/2026 24:00'"),
  ],
});
