/** Why a workbook can be refused: facts first, then the messages for people. A refusal is of the whole file. */
import { ELSE_CONTACT, quoteValue } from '../../kernel/problem.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';
import { describedBy, type Message, type MessagesOf } from '../problems.ts';
import type { ZipEntryProblem } from '../zip.ts';

/** What a file without a readable sheet is instead, beyond what its first bytes show. */
export type OtherDocument = 'open_document' | 'binary_workbook' | 'other_office_document';

/** `part` is a file inside the workbook. */
export type WorkbookProblem =
  | { code: 'not_a_workbook'; looksLike: FileLook | OtherDocument }
  | { code: 'workbook_too_large'; of: 'file'; bytes: number; bytesMax: number }
  | { code: 'workbook_too_large'; of: 'part'; part: string; bytesMax: number }
  /** One text, tag or comment of the XML. */
  | { code: 'workbook_too_large'; of: 'token'; part: string; unitsMax: number }
  | { code: 'workbook_too_large'; of: 'text'; sheet: string; bytesMax: number }
  | { code: 'workbook_too_large'; of: 'row'; sheet: string; row: number; unitsMax: number }
  | { code: 'workbook_too_large'; of: 'count'; part: string; things: string; countMax: number }
  | { code: 'workbook_encrypted'; part: string | null }
  /** The ZIP container of every workbook. */
  | { code: 'workbook_broken'; fault: 'directory' }
  | { code: 'workbook_broken'; fault: 'packed' | 'missing' | 'xml' | 'encoding'; part: string }
  | { code: 'workbook_broken'; fault: 'cell'; sheet: string; cell: string; text: string }
  | { code: 'workbook_broken'; fault: 'row'; sheet: string; row: string }
  | { code: 'workbook_doctype'; part: string }
  | { code: 'sheet_missing'; wanted: string | number; sheets: readonly string[]; listedMax: number }
  | { code: 'sheet_empty'; sheet: string; fromRow: number };

/**
 * Stops reading a workbook from inside its streams; caught where the workbook is opened and where its rows are read.
 */
export class WorkbookRefusal extends Error {
  readonly problem: WorkbookProblem;

  constructor(problem: WorkbookProblem) {
    super(problem.code);
    this.problem = problem;
  }
}

/** A part that cannot be extracted from the ZIP. */
export function partProblem(problem: ZipEntryProblem, part: string): WorkbookProblem {
  if (problem.code === 'zip_encrypted') return { code: 'workbook_encrypted', part };
  return { code: 'workbook_broken', fault: 'packed', part };
}

const AS_CSV = 'Export the sheet as CSV (UTF-8) and send that';
const SAVE_AGAIN = `Open the workbook, save it again as .xlsx and send it, or export the sheet as CSV.`;

const MESSAGES: MessagesOf<WorkbookProblem> = {
  not_a_workbook: ({ looksLike }) => notWorkbookMessage(looksLike),
  workbook_too_large: (fact) => tooLargeMessage(fact),
  workbook_encrypted: () => ({
    message: 'The workbook has a password.',
    fix: 'Save it without a password; the connection is encrypted already.',
  }),
  workbook_broken: (fact) => ({
    value: 'text' in fact ? fact.text : '',
    message: brokenMessage(fact),
    fix: SAVE_AGAIN,
  }),
  workbook_doctype: ({ part }) => ({
    value: part,
    message: `The workbook is not read: "${part}" in it has a DOCTYPE, which no program that makes workbooks writes.`,
    fix: `${AS_CSV}.`,
  }),
  sheet_missing: (fact) => sheetMissingMessage(fact),
  sheet_empty: ({ sheet, fromRow }) => ({
    value: sheet,
    message: `The sheet "${sheet}" holds nothing${fromRow > 1 ? ` from row ${fromRow} on` : ''}.`,
    fix: 'Check that the rows stand on this sheet, and send the workbook again. A header without rows is accepted.',
  }),
};

export const describeWorkbookProblem = describedBy(MESSAGES);

const OTHER_MESSAGES: Record<OtherDocument, string> = {
  open_document: 'an OpenDocument file (such as .ods)',
  binary_workbook: 'a binary workbook (.xlsb)',
  other_office_document: 'an office document of another kind (such as .docx)',
};

const isOther = (look: FileLook | OtherDocument): look is OtherDocument => Object.hasOwn(OTHER_MESSAGES, look);

function notWorkbookMessage(look: FileLook | OtherDocument): Message {
  const words = isOther(look) ? OTHER_MESSAGES[look] : MAGIC_MESSAGES[look];
  if (look === 'zip') {
    return {
      value: look,
      message: 'The file is packed: it is an archive of files, or a workbook that was packed once more.',
      fix: 'Send the workbook itself, without packing it before.',
    };
  }
  return {
    value: look,
    message: `The file is neither an Excel workbook (.xlsx) nor its sheet as CSV. It looks like ${look === 'old_excel' ? `${words}, or a workbook with a password` : words}.`,
    fix:
      look === 'old_excel'
        ? 'Save it as .xlsx without a password, or export the sheet as CSV.'
        : 'Send the workbook as .xlsx, or export the sheet as CSV, or choose the kind that this file is of.',
  };
}

function tooLargeMessage(problem: WorkbookProblem & { code: 'workbook_too_large' }): Message {
  switch (problem.of) {
    case 'file':
      return {
        value: `${problem.bytes} bytes`,
        message: `The workbook has ${problem.bytes} bytes; at most ${problem.bytesMax} are read of a workbook.`,
        fix: `${AS_CSV}: CSV may be far larger.`,
      };
    case 'part':
      return {
        value: problem.part,
        message: `"${problem.part}" in the workbook unpacks to more than the ${problem.bytesMax} bytes that are accepted of it.`,
        fix: `${AS_CSV}: CSV may be far larger.`,
      };
    case 'token':
      return {
        value: problem.part,
        message: `"${problem.part}" in the workbook has a text or tag of more than ${problem.unitsMax} characters.`,
        fix: SAVE_AGAIN,
      };
    case 'text':
      return {
        value: problem.sheet,
        message: `The sheet "${problem.sheet}" holds more than ${problem.bytesMax} bytes of text.`,
        fix: 'Split the sheet and send the parts one after the other, or export it as CSV.',
      };
    case 'row':
      return {
        message: `Row ${problem.row} of the sheet "${problem.sheet}" holds more than ${problem.unitsMax} characters.`,
        fix: 'Shorten the cells of this row.',
      };
    case 'count':
      return {
        value: problem.part,
        message: `"${problem.part}" in the workbook has more than ${problem.countMax} ${problem.things}.`,
        fix: SAVE_AGAIN,
      };
  }
}

function brokenMessage(problem: WorkbookProblem & { code: 'workbook_broken' }): string {
  switch (problem.fault) {
    case 'directory':
      return 'The workbook is damaged or cut off: the list of its parts cannot be read.';
    case 'packed':
      return `The workbook is damaged: "${problem.part}" in it cannot be unpacked.`;
    case 'missing':
      return `The workbook is damaged: it has no "${problem.part}".`;
    case 'xml':
      return `The workbook is damaged: "${problem.part}" in it is no well-formed XML.`;
    case 'encoding':
      return `The workbook is damaged: "${problem.part}" in it is not the UTF-8 or UTF-16 that it should be.`;
    case 'cell':
      return `The workbook is damaged: cell ${problem.cell} of the sheet "${problem.sheet}" cannot be read.`;
    case 'row':
      return `The workbook is damaged: the sheet "${problem.sheet}" says that its row ${quoteValue(problem.row)} comes next, which cannot be.`;
  }
}

function sheetMissingMessage({ wanted, sheets, listedMax }: WorkbookProblem & { code: 'sheet_missing' }): Message {
  const listed = sheets.slice(0, listedMax).map((name) => `"${name}"`);
  const more = sheets.length > listed.length ? `, and ${sheets.length - listed.length} more` : '';
  const has = sheets.length === 0 ? 'It has no sheet with rows.' : `It has: ${listed.join(', ')}${more}.`;
  const named = typeof wanted === 'number' ? `sheet number ${wanted}` : `sheet "${wanted}"`;
  return {
    value: String(wanted),
    message: `The workbook has no ${named}. ${has}`,
    fix:
      typeof wanted === 'number'
        ? `Let the rows stand on ${named}. ${ELSE_CONTACT}`
        : `Name the sheet with the rows "${wanted}". ${ELSE_CONTACT}`,
  };
}
