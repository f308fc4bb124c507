/**
 * One call of the upstream as plain values: URL, headers, body. Pure: nothing is sent here.
 *
 * Headers follow the seed's tables: the subscription key on every call (5.4), the SCAC on events and orders (4.3, 4.4),
 * the bearer token where the channel says the API wants it.
 */
import { err, ok, type Result } from '../kernel/result.ts';
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
  /** The bearer token; required where the channel's API takes `key+bearer`. */
  token?: string;
}

export interface ComposedCall {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** Mistakes of ours, found before anything leaves: none of them may reach a wire. */
export type ComposeProblem =
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
  const query = new URLSearchParams(parameters.query).toString();
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
 * Dots survive `encodeURIComponent`, and `..` as a number would address the parent path; behind a gateway that decodes a path
 * before it is looked at, so would `../..`, and `%2e%2e` behind two of them. Everything else stays one segment.
 */
export function isPathValue(value: string): boolean {
  const decoded = value.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
  return (
    value.trim() !== '' && value.isWellFormed() && !decoded.split(/[/\\]/).some((segment) => /^\.+$/.test(segment))
  );
}

/** `{id}` is an order's id and nothing else (seed 2.8). */
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
