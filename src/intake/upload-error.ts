/** All reasons for refusing an upload, as facts; `describeUploadError` adds messages and HTTP status. */

import { refusalMessage, type TooManyInterchanges } from '../batch/envelopes/messages.ts';
import type { RefusedInterchange } from '../batch/envelopes/validate.ts';
import { type FileLook, MAGIC_MESSAGES } from '../formats/magic.ts';
import { listed, messagesFor, type RefusalMessages, type RefusalTable } from '../kernel/refusals.ts';
import { didYouMean } from '../mapping/document/nearest.ts';
import type { FormFault } from './form-parts.ts';

export type UploadError =
  | { code: 'mapping_missing'; known: readonly string[] }
  | { code: 'unknown_mapping'; mapping: string; known: readonly string[] }
  | { code: 'mapping_not_allowed'; mapping: string; allowed: readonly string[] }
  | { code: 'scac_required'; allowed: readonly string[] }
  | { code: 'scac_not_allowed'; scac: string; allowed: readonly string[] }
  | { code: 'no_scac_usable'; channel: string }
  | { code: 'channel_missing'; channel: string }
  | { code: 'parameter_invalid'; name: string; value: string; wanted: string }
  | { code: 'parameter_unknown'; name: string; known: readonly string[] }
  | { code: 'length_invalid'; value: string }
  | { code: 'too_large'; bytes: number; bytesMax: number }
  | { code: 'empty' }
  | { code: 'body_cut'; declaredBytes: number | null; receivedBytes: number }
  | { code: 'type_disagrees'; contentType: string; wanted: readonly string[] }
  /** The sender may not send this interchange here, or it was received before. */
  | RefusedInterchange
  | TooManyInterchanges
  /** Of a document that comes as a message. */
  | { code: 'message_too_large'; bytesMax: number }
  | { code: 'content_disagrees'; mapping: string; format: string; looksLike: FileLook }
  | { code: 'form_file_missing' }
  | { code: 'form_two_files' }
  | { code: 'form_field_unknown'; name: string }
  /** A known one after the file, which is being stored by then. */
  | { code: 'form_field_late'; name: string }
  /** Two of the name, or another value than the address has. */
  | { code: 'form_field_twice'; name: string }
  | { code: 'form_broken'; fault: BrokenForm }
  | { code: 'idempotency_key_invalid' }
  /** `sha256`: of the key's file, `sentSha256`: of the one received. */
  | { code: 'key_reused'; batchId: string; sha256: string; sentSha256: string }
  | { code: 'key_in_flight'; retryAfterSeconds: number }
  /** `batchId`: the batch the key already has; null: none. */
  | { code: 'force_needs_key'; batchId: string | null }
  /** Of the partner's own files; no more are taken until some have settled. */
  | { code: 'too_much_under_way'; files: number; bytes: number; rows: number }
  | { code: 'being_erased' }
  /** Of dry runs under one key. */
  | { code: 'too_many_requests' }
  | { code: 'storage_unavailable' }
  | { code: 'catalog_unavailable' };

type BrokenForm = Exclude<FormFault, 'cut'> | 'boundary_missing' | 'transfer_encoding' | 'field_too_long';

/** Whether an interchange is refused as a whole, and not the request that brings it. */
export const isEnvelopeRefusal = (error: UploadError): error is RefusedInterchange =>
  error.code === 'identity_mismatch' ||
  error.code === 'environment_mismatch' ||
  error.code === 'test_indicator_invalid' ||
  error.code === 'control_duplicate' ||
  error.code === 'control_conflict';

/** What an address may say of an upload, and a form in fields before its file. */
export const UPLOAD_PARAMETERS = ['mapping', 'scac', 'dryRun', 'force', 'fileName'] as const;
/** The field of a form that holds the file. */
export const FILE_FIELD = 'file';

const MESSAGES: RefusalTable<UploadError> = {
  mapping_missing: ({ known }) => ({
    status: 400,
    title: 'No mapping named',
    detail: 'The request does not say how to read the file.',
    fix: `Add ?mapping=NAME, or a field "mapping" before the file of a form; your key may use ${listed(known)}.`,
  }),
  unknown_mapping: ({ mapping, known }) => ({
    status: 404,
    title: 'Unknown mapping',
    detail: `There is no mapping "${mapping}".`,
    fix: `Use one of ${listed(known)}.${didYouMean(mapping, known)}`,
  }),
  mapping_not_allowed: ({ mapping, allowed }) => ({
    status: 403,
    title: 'Mapping not allowed',
    detail: `Your key may not use mapping "${mapping}".`,
    fix: `Use one of ${listed(allowed)}, or ask the operator to add it to your key.`,
  }),
  scac_required: ({ allowed }) => ({
    status: 400,
    title: 'No SCAC named',
    detail: 'Your key may send for several SCACs, and neither the address nor the mapping names one.',
    fix: `Add &scac=… with one of ${listed(allowed)}.`,
  }),
  scac_not_allowed: ({ scac, allowed }) => ({
    status: 403,
    title: 'SCAC not allowed',
    detail: `Your key may not send for SCAC "${scac}".`,
    fix: `Use one of ${listed(allowed)}, or ask the operator to add it to your key.`,
  }),
  no_scac_usable: ({ channel }) => ({
    status: 403,
    title: 'No SCAC usable',
    detail: `The channel "${channel}" of your key can send for none of the key's SCACs. Nothing was stored.`,
    fix: 'The operator must correct the key or the channel; send the file again afterwards.',
  }),
  channel_missing: ({ channel }) => ({
    status: 503,
    title: 'Channel not configured',
    detail: `The channel "${channel}" of your key is not configured for this environment. Nothing was stored.`,
    fix: 'The operator must configure the channel; send the file again afterwards.',
  }),
  parameter_invalid: ({ name, value, wanted }) => ({
    status: 400,
    title: 'Parameter not readable',
    detail: `The parameter ${name} is "${value}". Nothing was stored or sent.`,
    fix: `Write ${name}=${wanted}.`,
  }),
  parameter_unknown: ({ name, known }) => ({
    status: 400,
    title: 'Unknown parameter',
    detail: `An upload has no parameter "${name}". Nothing was stored or sent.`,
    fix: `Use ${listed(known)}, spelled like this.${didYouMean(name, known)}`,
  }),
  length_invalid: ({ value }) => ({
    status: 400,
    title: 'Length not readable',
    detail: `Content-Length is "${value}".`,
    fix: 'Send the number of bytes of the file as Content-Length.',
  }),
  too_large: ({ bytes, bytesMax }) => ({
    status: 413,
    title: 'File too large',
    detail: `The file has ${bytes} bytes; the most accepted is ${bytesMax}.`,
    fix: 'Split the file and send the parts one after the other.',
  }),
  empty: {
    status: 422,
    title: 'Empty file',
    detail: 'The file has no bytes. Nothing was stored.',
    fix: 'Check the export and send the file again.',
  },
  body_cut: ({ receivedBytes, declaredBytes }) => ({
    status: 400,
    title: 'Upload incomplete',
    detail: `The connection ended, or stood still, after ${receivedBytes}${declaredBytes === null ? '' : ` of ${declaredBytes}`} bytes. Nothing was stored.`,
    fix: 'Send the file again; a repeat is safe.',
  }),
  type_disagrees: ({ contentType, wanted }) => ({
    status: 415,
    title: 'Content type disagrees',
    detail: `The request declares ${contentType}, but the mapping reads ${listed(wanted)}.`,
    fix: 'Send the right file, name another mapping, or leave the content type out.',
  }),
  identity_mismatch: (error) => ({ status: 403, ...refusalMessage(error) }),
  environment_mismatch: (error) => ({ status: 422, ...refusalMessage(error) }),
  test_indicator_invalid: (error) => ({ status: 422, ...refusalMessage(error) }),
  too_many_interchanges: (error) => ({ status: 413, ...refusalMessage(error) }),
  control_duplicate: (error) => ({ status: 409, ...refusalMessage(error) }),
  control_conflict: (error) => ({ status: 409, ...refusalMessage(error) }),
  message_too_large: ({ bytesMax }) => ({
    status: 413,
    title: 'Too large for a message',
    detail: `A message may have ${bytesMax} bytes: its sender waits for the answer.`,
    fix: 'Send it as a file: POST /v1/batches takes up to 100 MiB and answers at once.',
  }),
  content_disagrees: ({ looksLike, mapping, format }) => ({
    status: 422,
    title: 'Content disagrees with the mapping',
    detail: `The document looks like ${MAGIC_MESSAGES[looksLike]}, but the mapping "${mapping}" reads ${format}.`,
    fix: `Send it under a mapping for what it is; GET /v1/mappings lists them with their formats.`,
  }),
  form_file_missing: {
    status: 400,
    title: 'No file in the form',
    detail: 'The form ends without a field "file". Nothing was stored.',
    fix: 'Put the file into the field "file", as curl -F file=@events.csv does.',
  },
  form_two_files: {
    status: 400,
    title: 'More than one file in the form',
    detail: 'The form holds more than one file. Nothing was stored.',
    fix: 'Send one file in each form, or put the files into a ZIP archive and send that.',
  },
  form_field_unknown: ({ name }) => ({
    status: 400,
    title: 'Unknown field in the form',
    detail: `The form has a field "${name}". Nothing was stored.`,
    fix: `Send the file in "file", after mapping, scac, dryRun, force or fileName where you need them.${didYouMean(name, [...UPLOAD_PARAMETERS, FILE_FIELD])}`,
  }),
  form_field_late: ({ name }) => ({
    status: 400,
    title: 'Field after the file',
    detail: `The field "${name}" comes after the file. Nothing was stored.`,
    fix: `Put it before the file, as curl -F ${name}=… -F file=@events.csv does, or write it into the address.`,
  }),
  form_field_twice: ({ name }) => ({
    status: 400,
    title: 'Said twice',
    detail: `The form has "${name}" twice, or the address says something else. Nothing was stored.`,
    fix: 'Say it once: in the form or in the address.',
  }),
  form_broken: ({ fault }) => ({
    status: 400,
    title: 'Form not readable',
    detail: `The body is no complete multipart/form-data: ${FORM_MESSAGES[fault]}. Nothing was stored.`,
    fix: 'Let your HTTP library write the form, as curl -F file=@events.csv does, or send the file as the body itself.',
  }),
  idempotency_key_invalid: {
    status: 400,
    title: 'Idempotency-Key not usable',
    detail: 'Idempotency-Key must have 1 to 255 visible ASCII characters.',
    fix: 'Send a UUID or the name of the file with its date.',
  },
  key_reused: ({ batchId, sha256, sentSha256 }) => ({
    status: 422,
    title: 'Idempotency-Key reused',
    detail: `This Idempotency-Key already stands for batch ${batchId}${keyReusedFor(sha256, sentSha256)}.`,
    fix: 'Send a new Idempotency-Key for a new file.',
  }),
  key_in_flight: ({ retryAfterSeconds }) => ({
    status: 409,
    title: 'Upload under way',
    detail: 'An upload with this Idempotency-Key has begun and is not taken yet. Nothing of this one was stored.',
    fix: "Send it again: the answer will be the first one's.",
    retryAfterSeconds,
  }),
  force_needs_key: ({ batchId }) => ({
    status: 400,
    title: 'Force needs a new Idempotency-Key',
    detail:
      batchId === null
        ? 'The parameter force=true makes new work of a file that may have been sent before, and the request has no Idempotency-Key.'
        : `The parameter force=true needs an Idempotency-Key that was never used; this one stands for batch ${batchId}.`,
    fix: 'Send a new Idempotency-Key, such as a UUID, with force=true: a repeat of that request is then safe.',
  }),
  too_much_under_way: ({ files, bytes, rows }) => ({
    status: 429,
    title: 'Too much under way',
    detail: `Still being worked on are ${files} of your files, with ${bytes} bytes and, as far as counted, ${rows} rows. No more are taken until some have ended; nothing of this one was kept.`,
    fix: 'Send the file again when some have ended. GET /v1/batches shows what the earlier ones wait for; cancel what you do not need.',
  }),
  being_erased: {
    status: 409,
    title: 'Being erased',
    detail:
      'An operator has everything of this sender erased here: nothing more is taken, and nothing of this was kept.',
    fix: 'Ask the operator. Sending again needs a new key.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    detail:
      'This key has asked for as many dry runs, previews and suggestions as it may in a minute. Nothing was stored.',
    fix: 'Try fewer files, or send what you have tried already. Then send it again.',
  },
  storage_unavailable: {
    status: 503,
    title: 'Storage unavailable',
    detail: 'The file could not be stored and noted just now. Nothing was lost: whatever was taken before is kept.',
    fix: 'Send the file again, with the same Idempotency-Key if it has one: a repeat is safe, and the same file is recognised.',
  },
  catalog_unavailable: {
    status: 503,
    title: 'Mappings unavailable',
    detail: 'What mappings there are cannot be read at the moment. The one you name may well be there.',
    fix: 'Send the request again: a repeat is safe.',
  },
};

export const describeUploadError = (error: UploadError): RefusalMessages => messagesFor(MESSAGES, error);

const keyReusedFor = (sha256: string, sentSha256: string): string =>
  sha256 === sentSha256
    ? `, which has the same file (SHA-256 ${sha256}) with another mapping, SCAC, dryRun or force`
    : `, whose file has the SHA-256 ${sha256}; the file that came now has ${sentSha256}`;

/** What is wrong with the form, written after a colon. */
const FORM_MESSAGES: Record<BrokenForm, string> = {
  boundary_missing: 'its content type names no boundary of 1 to 70 characters',
  boundary_not_found: 'it does not begin with the boundary that its content type names',
  boundary_line_unreadable: 'something other than a line end follows a boundary',
  headers_too_long: 'the headers of a part are longer than 16 KiB',
  headers_unreadable: 'a part does not say which field it is (Content-Disposition: form-data; name="file")',
  end_missing: 'it ends without its closing boundary',
  field_too_long: 'a field before the file is longer than 1 KiB',
  transfer_encoding: 'the file is written in a Content-Transfer-Encoding; send its bytes as they are',
};
