/** Guesses from its first bytes what a file is when it is not the plain text that was declared. Pure; never a proof. */
import { Buffer } from 'node:buffer';

export type FileLook =
  | 'zip'
  | 'gzip'
  | 'seven_zip'
  | 'rar'
  | 'pdf'
  | 'old_excel'
  | 'html'
  | 'xml'
  | 'json'
  | 'x12'
  | 'edifact'
  | 'utf_32'
  | 'binary';

const SIGNATURES: readonly [FileLook, string][] = [
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'], // an empty one
  ['zip', 'PK\x07\x08'], // the first of several volumes
  ['gzip', '\x1f\x8b'],
  ['seven_zip', '7z\xbc\xaf\x27\x1c'],
  ['rar', 'Rar!\x1a\x07'],
  ['pdf', '%PDF-'],
  ['old_excel', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['utf_32', '\xff\xfe\x00\x00'],
  ['utf_32', '\x00\x00\xfe\xff'],
];

const OPENINGS: readonly [FileLook, RegExp][] = [
  ['html', /^<(?:!doctype\s+html|html|head|body|table)\b/i],
  ['xml', /^<(?:\?xml\b|!doctype\b|!--|[a-z_][\w:.-]*[\s/>])/i],
  ['json', /^[{[]\s*(?:["{[]|[}\]]\s*$)/],
  ['x12', /^ISA([^A-Za-z0-9])\d\d\1/],
  // The syntax identifier is UNOA to UNOY in either case, or one of a community: IATB.
  ['edifact', /^(?:UNA[\s\S]{6}\s*)?UNB([^A-Za-z0-9\s])[A-Za-z]{4}(?!\1)[^A-Za-z0-9\s]\d/],
];

/** Bytes searched for the opening of a text format: a declaration and some blanks before it fit. */
const OPENING_BYTES = 200;

/** @returns null when nothing rules out plain text. NUL bytes are checked by the reader, who knows the encoding. */
export function looksLike(bytes: Uint8Array): FileLook | null {
  const start = Buffer.from(bytes.subarray(0, OPENING_BYTES)).toString('latin1');
  const signature = SIGNATURES.find(([, mark]) => start.startsWith(mark));
  if (signature !== undefined) return signature[0];
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart();
  return OPENINGS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

const ARCHIVES: ReadonlySet<FileLook | null> = new Set<FileLook>(['zip', 'gzip', 'seven_zip', 'rar']);

/** Whether it is packed, and holds other files. */
export const isArchive = (look: FileLook | null): look is FileLook => ARCHIVES.has(look);

/** The name shown to a person, after "It looks like". */
export const MAGIC_MESSAGES: Record<FileLook, string> = {
  zip: 'a ZIP archive or an Excel workbook (.xlsx)',
  gzip: 'a gzip-compressed file',
  seven_zip: 'a 7z archive',
  rar: 'a RAR archive',
  pdf: 'a PDF document',
  old_excel: 'an old Excel workbook (.xls)',
  html: 'an HTML page',
  xml: 'an XML document',
  json: 'a JSON document',
  x12: 'an X12 interchange',
  edifact: 'an EDIFACT interchange',
  utf_32: 'text in UTF-32, which is not supported: export it as UTF-8',
  binary: 'binary content: it holds bytes that no text has',
};
