/** Workbooks of our own, broken in one of two ways: byte by byte, or in one part that is then packed as it should be. */
import { Buffer } from 'node:buffer';
import { workbookOf, workbookOfTexts, workbookParts } from '../../test/workbook-files.ts';
import { zipOf } from '../../test/zip-files.ts';
import { broken, type Dice, oneOf, type Tools, whole } from './mutate.ts';

const ROWS =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>When</t></is></c><c r="C1" t="str"><v>Note</v></c></row>' +
  '<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" s="1"><v>46083.34375</v></c><c r="C3" t="b"><v>1</v></c></row>' +
  '<row r="4"><c r="A4"><v>1.5E-3</v></c><c r="B4" s="2"><f>A1</f><v>0.5</v></c><c r="C4" t="e"><v>#N/A</v></c></row>';
const WHOLE = {
  sheets: [
    { name: 'Status', rows: ROWS },
    { name: 'Other', rows: '', state: 'hidden' as const },
  ],
  strings: [
    '<t>Load</t>',
    '<r><t xml:space="preserve">L1 </t></r><r><t>x_x000D_y</t></r><rPh sb="0" eb="1"><t>z</t></rPh>',
  ],
  formats: { 164: 'yyyy-mm-dd hh:mm', 165: '[h]:mm;@' },
  styles: [0, 164, 165, 14],
};
const PARTS = workbookParts(WHOLE);
const FILES: readonly Buffer[] = [
  Buffer.from(workbookOf(WHOLE)),
  Buffer.from(workbookOf({ ...WHOLE, date1904: true })),
  Buffer.from(
    workbookOfTexts([
      ['Load', 'City'],
      ['L1', 'Köln\n2'],
    ]),
  ),
];
const marksOf = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'));
const ZIP_MARKS = marksOf([
  'PK\x03\x04',
  'PK\x01\x02',
  'PK\x05\x06',
  'PK\x07\x08',
  '\x00\x00',
  '\xff\xff\xff\xff',
  'xl/',
]);
const XML_MARKS = marksOf([
  '<',
  '>',
  '/>',
  '</',
  '"',
  '&',
  '<c',
  '<v>',
  '</v>',
  '<row r="',
  '<t>',
  ' t="s"',
  ' s="1"',
  'A1',
]);
const ZIP_TOOLS: Tools = { sound: FILES, marks: ZIP_MARKS };
const XML_TOOLS: Tools = { sound: PARTS.map(({ content = '' }) => Buffer.from(content)), marks: XML_MARKS };

export function brokenWorkbook(random: Dice): Uint8Array {
  if (random() < 0.4) return broken(random, oneOf(random, FILES), ZIP_TOOLS);
  // What most of the reading is about are the sheet and its texts.
  const at = random() < 0.7 ? PARTS.length - 1 - whole(random, 2 + WHOLE.sheets.length) : whole(random, PARTS.length);
  const method = random() < 0.5 ? 0 : 8;
  return zipOf(
    PARTS.map(({ name, content = '' }, index) => ({
      name,
      method,
      content: index === at ? broken(random, Buffer.from(content), XML_TOOLS) : content,
    })),
  );
}
