/** Decides, before a byte is read, whether an upload is accepted and as what. Pure. */

import type { RowsReplaced } from '../batch/core/ticket.ts';
import { type FileLook, isArchive, looksLike } from '../formats/magic.ts';
import type { RecordSource } from '../formats/reader.ts';
import {
  FORM_BOUNDARY_CHARACTERS_MAX,
  FORM_OVERHEAD_BYTES_MAX,
  IDEMPOTENCY_KEY_CHARACTERS_MAX,
  UPLOAD_BYTES_MAX,
} from '../kernel/limits.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { displayName } from '../kernel/text.ts';
import { SCAC_FORM } from '../upstream/contracts/bodies.ts';
import { readHeaderValue } from './form-parts.ts';
import type { Offer, OfferedMapping, Principal } from './ports.ts';
import { UPLOAD_PARAMETERS, type UploadError } from './upload-error.ts';

/*
 * The mapping a caller names → the mapping itself, or why it cannot be used. The same answer wherever a mapping is
 * named.
 */

/** Longest name repeated in an answer, in characters. */
const QUOTED_NAME_CHARACTERS_MAX = 80;

/** @returns the mapping; a refusal lists the names the key may use, and no others. */
export function chooseMapping(
  asked: string | null,
  { mappings }: Pick<Principal, 'mappings'>,
  { names, mapping }: Offer,
): Result<OfferedMapping, UploadError> {
  const allowed = names.filter((name) => mappings === null || mappings.includes(name));
  if (!asked) return err({ code: 'mapping_missing', known: allowed });
  if (mapping?.name !== asked) {
    return err({ code: 'unknown_mapping', mapping: asked.slice(0, QUOTED_NAME_CHARACTERS_MAX), known: allowed });
  }
  if (!allowed.includes(asked)) return err({ code: 'mapping_not_allowed', mapping: asked, allowed });
  return ok(mapping);
}

/** What the caller sent, as texts from address and headers. */
export interface UploadRequest {
  mapping: string | null;
  scac: string | null;
  dryRun: string | null;
  force: string | null;
  /** Names of all parameters in the address. */
  parameters: readonly string[];
  contentLength: string | null;
  contentType: string | null;
  idempotencyKey: string | null;
  fileName: string | null;
  /** Rows that an operator sends again in a format with no room to say which they replace. */
  again?: RowsReplaced;
}

export interface Admission {
  mapping: OfferedMapping;
  scac: string | null;
  dryRun: boolean;
  /** The file is new work even if it was already claimed. */
  force: boolean;
  /** Of the file; null: unknown until all bytes have arrived. */
  bytes: number | null;
  /** Set when the file is inside a form, whose part has its own content type. */
  form: AdmittedForm | null;
  idempotencyKey: string | null;
  fileName: string | null;
}

export interface AdmittedForm {
  typeProblem(contentType: string | null): UploadError | undefined;
}

/** @returns the admission, or the first reason against it: nothing has been read or stored yet. */
export function admit(asked: UploadRequest, principal: Principal, offer: Offer): Result<Admission, UploadError> {
  const parameterProblem = checkParameters(asked);
  if (parameterProblem) return err(parameterProblem);
  const chosen = chooseMapping(asked.mapping, principal, offer);
  if (!chosen.ok) return chosen;
  const mapping = chosen.value;
  const scac = chooseScac(asked.scac, principal, mapping.namesScac);
  if (!scac.ok) return scac;
  const form = readForm(asked.contentType, mapping.format);
  if (!form.ok) return form;
  const bytes = declaredBytes(asked.contentLength, form.value !== null);
  if (!bytes.ok) return bytes;
  const { idempotencyKey } = asked;
  if (idempotencyKey !== null && !isUsableKey(idempotencyKey)) return err({ code: 'idempotency_key_invalid' });
  const force = asked.force === 'true';
  if (force && idempotencyKey === null) return err({ code: 'force_needs_key', batchId: null });
  return ok({
    mapping,
    scac: scac.value,
    dryRun: asked.dryRun === 'true',
    force,
    bytes: form.value === null ? bytes.value : null,
    form: form.value,
    idempotencyKey,
    fileName: displayName(asked.fileName),
  });
}

const PARAMETERS: readonly string[] = UPLOAD_PARAMETERS;

/** A misspelt `dryRun` or `force` must never send for real. */
function checkParameters({ parameters, dryRun, force }: UploadRequest): UploadError | undefined {
  const unknown = parameters.find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return { code: 'parameter_unknown', name: unknown.slice(0, 40), known: PARAMETERS };
  return notTrueOrFalse('dryRun', dryRun) ?? notTrueOrFalse('force', force);
}

function notTrueOrFalse(name: string, value: string | null): UploadError | undefined {
  if (value === null || value === 'true' || value === 'false') return undefined;
  return { code: 'parameter_invalid', name, value: value.slice(0, 40), wanted: `true or ${name}=false` };
}

function chooseScac(
  asked: string | null,
  principal: Principal,
  perRecord: boolean,
): Result<string | null, UploadError> {
  const allowed = principal.scacs;
  if (asked !== null) {
    if (SCAC_FORM.test(asked) && allowed.includes(asked)) return ok(asked);
    return err({ code: 'scac_not_allowed', scac: asked.slice(0, 20), allowed });
  }
  const [only, ...others] = allowed;
  if (only !== undefined && others.length === 0) return ok(only);
  return perRecord ? ok(null) : err({ code: 'scac_required', allowed });
}

/** Sent by curl and old systems by default: says nothing about the file. */
const UNDECLARED_TYPES = new Set([
  'application/gzip',
  'application/octet-stream',
  'application/x-gzip',
  'application/x-www-form-urlencoded',
  'application/x-zip-compressed',
  'application/zip',
  'binary/octet-stream',
  'text/plain',
]);
const JSON_TYPES = ['application/json', 'text/json'];
const CSV_TYPES = ['text/csv', 'application/csv', 'text/comma-separated-values', 'text/tab-separated-values'];
const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** A table may come as CSV or as a workbook, whichever of them its mapping declares. */
const TABLE_TYPES = [...CSV_TYPES, WORKBOOK_TYPE];
const TYPES: Record<RecordSource['format'], readonly string[]> = {
  csv: TABLE_TYPES,
  json: JSON_TYPES,
  x12: ['application/edi-x12', 'application/x12', 'application/edi-consent', 'text/x12'],
  edifact: ['application/edifact', 'application/edi-consent', 'text/edifact'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines', ...JSON_TYPES],
  fixed: ['text/plain'],
  xlsx: TABLE_TYPES,
  xml: ['application/xml', 'text/xml'],
};

/** Sent by Windows for .csv files, and by some programs for every workbook. */
const EXCEL_TYPE = 'application/vnd.ms-excel';

/** @returns null when the body is the file itself. */
function readForm(
  contentType: string | null,
  format: RecordSource['format'],
): Result<AdmittedForm | null, UploadError> {
  const { value, parameters } = readHeaderValue(contentType ?? '');
  const typeProblem = (declared: string | null) => contentTypeProblem(declared, format);
  if (value !== 'multipart/form-data') {
    const problem = typeProblem(contentType);
    return problem ? err(problem) : ok(null);
  }
  const boundary = parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > FORM_BOUNDARY_CHARACTERS_MAX) {
    return err({ code: 'form_broken', fault: 'boundary_missing' });
  }
  return ok({ typeProblem });
}

export function contentTypeProblem(
  contentType: string | null,
  format: RecordSource['format'],
): UploadError | undefined {
  const type = readHeaderValue(contentType ?? '').value;
  if (type === '' || UNDECLARED_TYPES.has(type) || TYPES[format].includes(type)) return undefined;
  if ((format === 'csv' || format === 'xlsx') && type === EXCEL_TYPE) return undefined;
  return { code: 'type_disagrees', contentType: type.slice(0, 80), wanted: TYPES[format] };
}

/** @returns null when the body is chunked. A form may be longer than its file. */
function declaredBytes(contentLength: string | null, isForm: boolean): Result<number | null, UploadError> {
  if (contentLength === null) return ok(null);
  if (!/^\d{1,15}$/.test(contentLength)) return err({ code: 'length_invalid', value: contentLength.slice(0, 20) });
  const bytes = Number(contentLength);
  if (bytes === 0) return err({ code: 'empty' });
  if (bytes > UPLOAD_BYTES_MAX + (isForm ? FORM_OVERHEAD_BYTES_MAX : 0)) {
    return err({ code: 'too_large', bytes, bytesMax: UPLOAD_BYTES_MAX });
  }
  return ok(bytes);
}

export const isUsableKey = (key: string): boolean =>
  key.length <= IDEMPOTENCY_KEY_CHARACTERS_MAX && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(key);

/*
 * Whether a document looks like what its mapping reads. A guess from its first bytes: where it is not conclusive, the
 * reader decides.
 */

/** What files of a format can look like; text without a signature looks like nothing. */
const LOOKS: Record<RecordSource['format'], readonly FileLook[]> = {
  csv: [],
  json: ['json'],
  ndjson: ['json'],
  x12: ['x12'],
  xml: ['xml', 'html'],
  edifact: ['edifact'],
  fixed: [],
  xlsx: [],
};

/** @returns undefined where the look does not contradict the mapping. */
export function lookProblem(
  head: Uint8Array,
  { name, format }: Pick<OfferedMapping, 'name' | 'format'>,
): UploadError | undefined {
  const look = looksLike(head);
  if (look === null || isArchive(look) || LOOKS[format].includes(look)) return undefined;
  return { code: 'content_disagrees', mapping: name, format, looksLike: look };
}
