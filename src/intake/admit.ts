/** Decides, before a byte is read, whether an upload may come in and as what. Pure. */
import type { RecordSource } from '../formats/reader.ts';
import { FILE_NAME_CHARACTERS_MAX, IDEMPOTENCY_KEY_CHARACTERS_MAX, UPLOAD_BYTES_MAX } from '../kernel/limits.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { SCAC_FORM } from '../upstream/contracts/bodies.ts';
import { chooseMapping } from './choose-mapping.ts';
import type { Offer, OfferedMapping, Principal } from './ports.ts';
import type { UploadError } from './upload-error.ts';

/** What the caller asked for, as texts from address and headers. */
export interface UploadRequest {
  mapping: string | null;
  scac: string | null;
  dryRun: string | null;
  /** Names of all parameters in the address. */
  parameters: readonly string[];
  contentLength: string | null;
  contentType: string | null;
  idempotencyKey: string | null;
  fileName: string | null;
}

export interface Admission {
  mapping: OfferedMapping;
  scac: string | null;
  dryRun: boolean;
  /** null: unknown until all have come. */
  bytes: number | null;
  idempotencyKey: string | null;
  fileName: string | null;
}

/** @returns what is admitted, or the first reason why not: nothing has been read or stored yet. */
export function admit(asked: UploadRequest, principal: Principal, offer: Offer): Result<Admission, UploadError> {
  const parameterProblem = checkParameters(asked);
  if (parameterProblem) return err(parameterProblem);
  const chosen = chooseMapping(asked.mapping, principal, offer);
  if (!chosen.ok) return chosen;
  const mapping = chosen.value;
  const scac = chooseScac(asked.scac, principal, mapping.namesScac);
  if (!scac.ok) return scac;
  const typeProblem = contentTypeProblem(asked.contentType, mapping.format);
  if (typeProblem) return err(typeProblem);
  const bytes = declaredBytes(asked.contentLength);
  if (!bytes.ok) return bytes;
  const { idempotencyKey } = asked;
  if (idempotencyKey !== null && !isUsableKey(idempotencyKey)) return err({ code: 'idempotency_key_invalid' });
  return ok({
    mapping,
    scac: scac.value,
    dryRun: asked.dryRun === 'true',
    bytes: bytes.value,
    idempotencyKey,
    fileName: displayName(asked.fileName),
  });
}

const PARAMETERS: readonly string[] = ['mapping', 'scac', 'dryRun', 'fileName'];

/** A misspelt `dryRun` must never send for real. */
function checkParameters({ parameters, dryRun }: UploadRequest): UploadError | undefined {
  const unknown = parameters.find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return { code: 'parameter_unknown', name: unknown.slice(0, 40), known: PARAMETERS };
  if (dryRun === null || dryRun === 'true' || dryRun === 'false') return undefined;
  return { code: 'parameter_invalid', name: 'dryRun', value: dryRun.slice(0, 40), wanted: 'true or dryRun=false' };
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

/** What curl and old systems send without meaning it: such a type says nothing about the file. */
const UNDECLARED_TYPES = new Set([
  'application/gzip',
  'application/octet-stream',
  'application/x-gzip',
  'application/x-www-form-urlencoded',
  'binary/octet-stream',
  'text/plain',
]);
const JSON_TYPES = ['application/json', 'text/json'];
const TYPES: Record<RecordSource['format'], readonly string[]> = {
  csv: ['text/csv', 'application/csv', 'text/comma-separated-values', 'text/tab-separated-values'],
  json: JSON_TYPES,
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines', ...JSON_TYPES],
};

/** What Windows sends for .csv files. */
const CSV_ALIAS = 'application/vnd.ms-excel';

export function contentTypeProblem(
  contentType: string | null,
  format: RecordSource['format'],
): UploadError | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || UNDECLARED_TYPES.has(type) || TYPES[format].includes(type)) return undefined;
  if (format === 'csv' && type === CSV_ALIAS) return undefined;
  return { code: 'type_disagrees', contentType: type.slice(0, 80), wanted: TYPES[format] };
}

function declaredBytes(contentLength: string | null): Result<number | null, UploadError> {
  if (contentLength === null) return ok(null); // chunked: counted as it comes
  if (!/^\d{1,15}$/.test(contentLength)) return err({ code: 'length_invalid', value: contentLength.slice(0, 20) });
  const bytes = Number(contentLength);
  if (bytes === 0) return err({ code: 'empty' });
  if (bytes > UPLOAD_BYTES_MAX) return err({ code: 'too_large', bytes, bytesMax: UPLOAD_BYTES_MAX });
  return ok(bytes);
}

const isUsableKey = (key: string): boolean =>
  key.length <= IDEMPOTENCY_KEY_CHARACTERS_MAX && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(key);

/** For display only, never a path: controls and bidirectional marks out, folders dropped. */
export function displayName(fileName: string | null): string | null {
  if (fileName === null) return null;
  const last = fileName.split(/[\\/]/).at(-1) ?? '';
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  // By characters, not by code units: half a character could not be written into a header later.
  const kept = [...clean].slice(0, FILE_NAME_CHARACTERS_MAX).join('');
  return kept === '' ? null : kept;
}
