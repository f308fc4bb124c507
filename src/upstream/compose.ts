/**
 * Composes one upstream call as plain values: URL, headers, body. Pure: sends nothing.
 *
 * Headers follow the seed's tables: the subscription key on every call (5.4), the SCAC on events and orders (4.3, 4.4),
 * the bearer token if the channel's API wants it.
 */
import { err, ok, type Result } from '../kernel/result.ts';
import { headOf } from '../kernel/text.ts';
import type { Observation } from './answer.ts';
import type { Channel } from './channels.ts';
import { ORDER_ID_FORM, SCAC_FORM } from './contracts/bodies.ts';
import { type Endpoint, HEADERS } from './contracts/endpoints.ts';
import { NOT_SHOWN } from './contracts/not-shown.ts';

export interface CallParameters {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** The carrier's SCAC; required on events and orders. */
  scac?: string;
  /** JSON text, sent byte for byte. */
  body?: string;
  /** The bearer token; required if the channel's API uses `key+bearer`. */
  token?: string;
}

export interface ComposedCall {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** Our own mistakes, found before anything is sent. */
type ComposeProblem =
  | { code: 'scac_invalid'; value: string }
  | { code: 'path_value_invalid'; name: string; value: string }
  | { code: 'token_missing' };

const USER_AGENT = 'transload/1';
const SCAC_APIS = new Set<string>(['events', 'orders']);

export function composeCall(
  channel: Channel,
  endpoint: Endpoint,
  parameters: CallParameters,
): Result<ComposedCall, ComposeProblem> {
  const headers: Record<string, string> = {
    [HEADERS.subscriptionKey]: channel.apiKey.reveal(),
    [HEADERS.accept]: 'application/json',
    'User-Agent': USER_AGENT,
  };
  if (SCAC_APIS.has(endpoint.api)) {
    const scac = parameters.scac ?? '';
    if (!SCAC_FORM.test(scac)) return err({ code: 'scac_invalid', value: scac });
    headers[endpoint.api === 'orders' ? NOT_SHOWN.orderScacHeader : HEADERS.carrierScac] = scac;
  }
  if (needsBearer(channel, endpoint)) {
    if (!parameters.token) return err({ code: 'token_missing' });
    headers[HEADERS.authorization] = `Bearer ${parameters.token}`;
  }
  if (parameters.body !== undefined) headers['Content-Type'] = 'application/json';

  const path = fillPath(endpoint.path, parameters.path ?? {});
  if (!path.ok) return path;
  const query = parameters.query === undefined ? '' : new URLSearchParams(parameters.query).toString();
  return ok({
    url: `${channel.baseUrl}${path.value}${query === '' ? '' : `?${query}`}`,
    method: endpoint.method,
    headers,
    ...(parameters.body === undefined ? {} : { body: parameters.body }),
  });
}

export const needsBearer = (channel: Channel, endpoint: Endpoint): boolean =>
  endpoint.api !== 'token' && channel.auth[endpoint.api] === 'key+bearer';

/**
 * `encodeURIComponent` keeps dots, so `..` as a number would address the parent path. After a gateway that decodes a
 * path before routing, so would `../..`, and after two of them `%2e%2e`. Everything else stays one segment.
 */
export function isPathValue(value: string): boolean {
  const decoded = value.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
  return (
    value.trim() !== '' && value.isWellFormed() && !decoded.split(/[/\\]/).some((segment) => /^\.+$/.test(segment))
  );
}

/** `{id}` is always an order's id (seed 2.8). */
function fillPath(path: string, values: Readonly<Record<string, string>>): Result<string, ComposeProblem> {
  let problem: ComposeProblem | undefined;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    if (!isPathValue(value) || (name === 'id' && !ORDER_ID_FORM.test(value))) {
      problem = { code: 'path_value_invalid', name, value };
      return '';
    }
    return encodeURIComponent(value);
  });
  return problem ? err(problem) : ok(filled);
}

/*
 * Masks a call's secrets in what is stored of it: an upstream that echoes the request, or a runtime that quotes a
 * header it refuses, must not bring them into records, reports or logs.
 */

const MASK = '[secret]';
/** Longest stored description of a failed call. Ours. */
const DETAIL_CHARACTERS_MAX = 500;
/** A cut echo shorter than this reveals nothing about the secret. Ours. */
const CUT_ECHO_CHARACTERS_MIN = 4;

export function maskObservation<Seen extends Observation>(observed: Seen, call: ComposedCall): Seen {
  const secrets = secretsOf(call);
  if (observed.outcome !== 'answered') return { ...observed, detail: cutDetail(mask(observed.detail, secrets)) };
  if (observed.bodyEnd === 'whole' && !isAnyIn([...Object.values(observed.headers), observed.body], secrets))
    return observed;
  const headers = Object.fromEntries(
    Object.entries(observed.headers).map(([name, value]) => [name, mask(value, secrets)]),
  );
  const body = mask(observed.body, secrets);
  return { ...observed, headers, body: observed.bodyEnd === 'whole' ? body : withoutCutEcho(body, secrets) };
}

/** For a description that is stored on its own. */
export const maskDetail = (text: string, call: ComposedCall): string => cutDetail(mask(text, secretsOf(call)));

/** Cut after masking: a secret cut in two would not be found. */
const cutDetail = (text: string): string => headOf(text, DETAIL_CHARACTERS_MAX);

/** Those of the last call: the next one of a channel has the same. */
let lastSecrets = {
  authorization: undefined as string | undefined,
  key: undefined as string | undefined,
  forms: [] as string[],
};

function secretsOf({ headers }: ComposedCall): readonly string[] {
  const authorization = headers[HEADERS.authorization];
  const key = headers[HEADERS.subscriptionKey];
  if (authorization !== lastSecrets.authorization || key !== lastSecrets.key)
    lastSecrets = { authorization, key, forms: formsOf([authorization, authorization?.replace(/^\S+ /, ''), key]) };
  return lastSecrets.forms;
}

/** Shorter ones, encoded, would be found in texts that have nothing to do with them. Ours. */
const ENCODED_SECRET_CHARACTERS_MIN = 8;

/** As they are, and as an answer may write them; longest first: a token is part of its header's value. */
function formsOf(plain: readonly (string | undefined)[]): string[] {
  const known = plain.filter((value): value is string => Boolean(value));
  const escaped = known.map((value) => JSON.stringify(value).slice(1, -1));
  const long = known.filter(({ length }) => length >= ENCODED_SECRET_CHARACTERS_MIN);
  const forms = [...known, ...escaped, ...long.flatMap(encodedForms)];
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** Percent-encoded, as HTML, in hexadecimal, and in Base64 and its form for addresses, wherever in a text it begins. */
function encodedForms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const percent = encodeURIComponent(secret);
  const plus = new URLSearchParams([['', secret]]).toString().slice(1);
  const html = secret.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const named = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const hexadecimal = Buffer.from(bytes).toString('hex');
  return [percent, plus, html, named, hexadecimal, hexadecimal.toUpperCase(), ...base64Forms(bytes)];
}

/** What is the same whatever stands before and after it: groups of three bytes that are all its own. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = padded.toString('base64');
    const own = whole.slice(before === 0 ? 0 : 4, Math.floor(padded.length / 3) * 4);
    const end = padded.length % 3 === 0 ? [] : [whole.slice(before === 0 ? 0 : 4)];
    return [own, ...end, ...[own, ...end].map(forAddresses)];
  });
}

const forAddresses = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Whether there is anything to mask: nearly always not, and one look over all of it is enough to know. */
function isAnyIn(texts: readonly string[], secrets: readonly string[]): boolean {
  const all = texts.join('\n');
  return secrets.some((secret) => all.includes(secret));
}

const mask = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => (clean.includes(secret) ? clean.replaceAll(secret, MASK) : clean), text);

/** Removes the beginning of a secret at the end of a body that was not read whole. */
function withoutCutEcho(body: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= CUT_ECHO_CHARACTERS_MIN; length -= 1) {
      if (body.endsWith(secret.slice(0, length))) return body.slice(0, -length) + MASK;
    }
  }
  return body;
}
