/**
 * All reasons for refusing a ZIP archive: facts first, then the messages a person reads. The whole archive is refused.
 */
import { type FileLook, MAGIC_MESSAGES } from '../../formats/magic.ts';
import type { Problem } from '../../kernel/problem.ts';

/** `entry` is the name as shown. */
export type ZipProblem =
  /** The directory cannot be read: the archive is cut off or damaged. */
  | { code: 'zip_broken'; fault: 'directory' }
  /** `header`: the entry's own header and the directory differ, or point outside the archive. */
  | { code: 'zip_broken'; fault: 'header' | 'content' | 'checksum'; entry: string }
  | { code: 'zip_broken'; fault: 'length'; entry: string; declaredBytes: number; bytes: number }
  | { code: 'zip_empty' }
  | { code: 'zip_too_many_files'; filesMax: number }
  | { code: 'zip_too_large'; entry: string; bytesMax: number }
  | { code: 'zip_encrypted'; entry: string | null }
  | { code: 'zip_nested'; entry: string; looksLike: FileLook }
  | { code: 'zip_overlapping'; entry: string }
  | { code: 'zip_link'; entry: string }
  | { code: 'zip_method'; entry: string; method: number }
  | { code: 'zip_split' }
  | { code: 'zip_office_file'; entry: string };

type MessageTable = Pick<Problem, 'value' | 'message' | 'fix'>;

export function describeZipProblem(problem: ZipProblem): Problem {
  const entry = 'entry' in problem ? problem.entry : null;
  return { code: problem.code, path: '', ...messageFor(problem), ...(entry === null ? {} : { file: entry }) };
}

const MAKE_AGAIN = 'Make the archive again and send it again; nothing of it was used.';

/** Exhaustive: a new code does not compile without a message. */
function messageFor(problem: ZipProblem): MessageTable {
  switch (problem.code) {
    case 'zip_broken':
      return { value: '', message: brokenMessage(problem), fix: MAKE_AGAIN };
    case 'zip_empty':
      return {
        value: '',
        message: 'The ZIP archive holds no file with anything in it.',
        fix: 'Check the export and send the archive again.',
      };
    case 'zip_too_many_files':
      return {
        value: '',
        message: `The ZIP archive holds more than ${problem.filesMax} files.`,
        fix: 'Send several smaller archives one after the other, or the files one by one.',
      };
    case 'zip_too_large':
      return {
        value: '',
        message: `"${problem.entry}" unpacks to more than the ${problem.bytesMax} bytes that are accepted of it.`,
        fix: 'Split the file and send the parts one after the other.',
      };
    case 'zip_encrypted':
      return {
        value: '',
        message: `${problem.entry === null ? 'The directory of the ZIP archive' : `"${problem.entry}"`} is encrypted.`,
        fix: 'Make the archive without a password; the connection is encrypted already.',
      };
    case 'zip_nested':
      return {
        value: problem.looksLike,
        message: `"${problem.entry}" is itself ${MAGIC_MESSAGES[problem.looksLike]}.`,
        fix: 'Put the files themselves into the archive, without packing them before; export a workbook as CSV.',
      };
    case 'zip_overlapping':
      return {
        value: '',
        message: `"${problem.entry}" shares its bytes with another file of the archive.`,
        fix: MAKE_AGAIN,
      };
    case 'zip_link':
      return {
        value: '',
        message: `"${problem.entry}" is a link to a file and not the file itself.`,
        fix: 'Put the file itself into the archive.',
      };
    case 'zip_method':
      return {
        value: String(problem.method),
        message: `"${problem.entry}" is compressed by a method that is not read (number ${problem.method}).`,
        fix: 'Make the archive with the usual method, called "Deflate" or "normal".',
      };
    case 'zip_split':
      return {
        value: '',
        message: 'The ZIP archive is one of several volumes.',
        fix: 'Make one archive that is not divided into volumes, or send the files one by one.',
      };
    case 'zip_office_file':
      return {
        value: problem.entry,
        message: 'The file is an Excel workbook or another office document, not an archive of files.',
        fix: 'Export the sheet as CSV and send that, or choose a mapping that reads workbooks.',
      };
  }
}

function brokenMessage(problem: Extract<ZipProblem, { code: 'zip_broken' }>): string {
  switch (problem.fault) {
    case 'directory':
      return 'The ZIP archive is damaged or cut off: the list of its files cannot be read.';
    case 'header':
      return `The ZIP archive is damaged: what it says of "${problem.entry}" in two places does not agree, or points outside of it.`;
    case 'content':
      return `"${problem.entry}" is damaged and cannot be unpacked.`;
    case 'checksum':
      return `"${problem.entry}" is damaged: its checksum is not the one that the archive states.`;
    case 'length':
      return `"${problem.entry}" is damaged: it unpacks to ${problem.bytes} bytes where the archive states ${problem.declaredBytes}.`;
  }
}
