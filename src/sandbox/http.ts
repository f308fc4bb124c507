/**
 * One HTTP request as plain values, so that all validation is pure and the object can be called by RPC.
 *
 * It still contains secrets; they are redacted before anything is stored.
 */

import { createHash } from 'node:crypto';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';

/** Longest request body that is read: 4 MiB. Our choice; upstream states no limit (seed 8). */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

export interface Received {
  method: string;
  /** Without origin and query, as sent. */
  path: string;
  /** In the order sent, repeats kept. */
  query: [name: string, value: string][];
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Empty when the body was longer than BODY_BYTES_MAX; `bodyBytes` then says how much was read. */
  body: string;
  bodyBytes: number;
}

/** Reads a request to its end or to the cap, whichever comes first. */
export async function receive(request: Request): Promise<Received> {
  const url = new URL(request.url);
  const { text, bytes } = await readCapped(request.body);
  return {
    method: request.method,
    path: url.pathname,
    query: [...url.searchParams],
    headers: Object.fromEntries(request.headers),
    body: text,
    bodyBytes: bytes,
  };
}

async function readCapped(body: ReadableStream<Uint8Array> | null): Promise<{ text: string; bytes: number }> {
  if (body === null) return { text: '', bytes: 0 };
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) return { text: '', bytes }; // leaving the loop cancels the stream
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return { text: parts.join(''), bytes };
}

/** The value of a query parameter that may occur once; the last one wins. */
export function queryValue(received: Received, name: string): string | undefined {
  return received.query.findLast(([key]) => key === name)?.[1];
}

/*
 * The sandbox's answers: JSON answers and refusals, in the classes of seed 7.1.
 *
 * The error body's shape is "not shown" (seed 7.2); ours is `{error: {code, message, fields}}`.
 */

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One field at fault, `path` as in `time.dateTime` or `traces[2].coordinate`. */
export interface FieldProblem {
  path: string;
  problem: string;
}

const STATUS = NOT_SHOWN.refusalStatus;

/** Every code the sandbox refuses with, and its HTTP status. */
const REFUSALS = {
  subscription_key_missing: NOT_SHOWN.missingCredentialsStatus,
  subscription_key_unknown: NOT_SHOWN.missingCredentialsStatus,
  client_unknown: NOT_SHOWN.missingCredentialsStatus,
  token_missing: NOT_SHOWN.missingCredentialsStatus,
  token_unknown: NOT_SHOWN.missingCredentialsStatus,
  token_expired: NOT_SHOWN.missingCredentialsStatus,
  scac_not_onboarded: NOT_SHOWN.scacNotOnboardedStatus,
  scac_malformed: STATUS.scacMalformed,
  token_request_malformed: STATUS.malformed,
  query_malformed: STATUS.malformed,
  body_not_json: STATUS.malformed,
  body_not_allowed: STATUS.malformed,
  body_invalid: STATUS.malformed,
  order_id_malformed: STATUS.malformed,
  order_id_disagrees: STATUS.malformed,
  path_unknown: STATUS.unknownResource,
  vehicle_unknown: STATUS.unknownResource,
  location_unknown: STATUS.unknownResource,
  order_unknown: STATUS.unknownResource,
  load_unknown: NOT_SHOWN.loadUnknown.status,
  method_not_allowed: STATUS.wrongMethod,
  accept_not_json: STATUS.acceptNotJson,
  order_closed: STATUS.orderClosed,
  order_member_fixed: STATUS.memberFixed,
  body_too_large: STATUS.tooLarge,
  media_type_unsupported: STATUS.mediaType,
} as const satisfies Record<string, number>;

type RefusalCode = keyof typeof REFUSALS;

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** @param message One sentence for a carrier's IT person: what is wrong and what is expected. */
export function refuse(code: RefusalCode, message: string, fields: FieldProblem[] = []): Answer {
  return json(REFUSALS[code], errorBody(code, message, fields));
}

export function errorBody(code: string, message: string, fields: FieldProblem[] = []): unknown {
  return { [NOT_SHOWN.errorKey]: { code, message, fields } };
}

/*
 * Redacts what is stored of a request: keys, tokens and client secrets become short fingerprints.
 *
 * Two requests with the same key have the same fingerprint, so a journal still shows which credential was used.
 */

/** Hex digits of the SHA-256 that are kept: enough to tell credentials apart, useless to anyone who finds them. */
const FINGERPRINT_DIGITS = 16;

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `sha256:` and the first 16 hex digits. */
export function fingerprint(secret: string): string {
  return `sha256:${sha256Hex(secret).slice(0, FINGERPRINT_DIGITS)}`;
}

/** `Bearer` and `Basic` stay readable, the rest does not. */
export function maskHeaders(headers: Received['headers']): Record<string, string> {
  const masked = { ...headers };
  const key = masked['ocp-apim-subscription-key'];
  if (key !== undefined) masked['ocp-apim-subscription-key'] = fingerprint(key);
  const authorization = masked.authorization;
  if (authorization !== undefined) {
    const [, scheme = '', secret = ''] = /^(\S*)\s*(.*)$/s.exec(authorization) ?? [];
    masked.authorization = secret === '' ? fingerprint(scheme) : `${scheme} ${fingerprint(secret)}`;
  }
  return masked;
}

/** A form body of the second token endpoint carries its secret in the clear (seed 4.1 row 2). */
export function maskBody(body: string): string {
  return body.replace(/(^|&)(client_secret=)([^&]*)/g, (_, before: string, name: string, secret: string) => {
    return `${before}${name}${fingerprint(secret)}`;
  });
}
