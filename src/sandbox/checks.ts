/**
 * The headers every API of the seed asks for (4.2–4.4, 5), checked in one order: key, bearer, SCAC, Accept, body type.
 *
 * Pure. The token endpoints check their own headers in `tokens.ts`.
 */
import { SCAC_FORM } from '../upstream/contracts/bodies.ts';
import { HEADERS } from '../upstream/contracts/endpoints.ts';
import { NOT_SHOWN, type UpstreamApi } from '../upstream/contracts/not-shown.ts';
import { type Answer, refuse } from './answers.ts';
import type { Look } from './decision.ts';
import { type Account, accountByKey, type Environment } from './environments.ts';
import { sha256Hex } from './masking.ts';
import { BODY_BYTES_MAX, type Received } from './received.ts';

export type Checked = { ok: true; account: Account; scac: string } | { ok: false; answer: Answer };

const SCAC_HEADERS: Partial<Record<UpstreamApi, string>> = {
  events: HEADERS.carrierScac,
  orders: NOT_SHOWN.orderScacHeader,
};

export function checkCaller(
  received: Received,
  where: { environment: Environment; api: UpstreamApi },
  look: Look,
  nowMs: number,
): Checked {
  const key = header(received, HEADERS.subscriptionKey);
  if (key === undefined) {
    return refused(refuse('subscription_key_missing', `The header ${HEADERS.subscriptionKey} is missing.`));
  }
  const account = accountByKey(where.environment, key);
  if (account === undefined) {
    const message = `The subscription key is not known in the ${where.environment} environment. Test and production keys differ.`;
    return refused(refuse('subscription_key_unknown', message));
  }
  const needsBearer = look.settings.authByApi[where.api] === 'key+bearer';
  const tokenRefusal = needsBearer ? checkBearer(received, account, look, nowMs) : null;
  if (tokenRefusal !== null) return refused(tokenRefusal);

  const scacHeader = SCAC_HEADERS[where.api];
  const scac = scacHeader === undefined ? '' : (header(received, scacHeader) ?? '');
  if (scacHeader !== undefined) {
    const refusal = checkScac(scacHeader, scac, look.settings.onboardedScacs) ?? checkAccept(received);
    if (refusal !== null) return refused(refusal);
  }
  return { ok: true, account, scac };
}

function checkBearer(received: Received, account: Account, look: Look, nowMs: number): Answer | null {
  const token = bearerOf(received);
  if (token === null) {
    return refuse('token_missing', 'This API asks for the header Authorization: Bearer <access token>.');
  }
  const stored = look.token(sha256Hex(token));
  if (stored === undefined || stored.environment !== account.environment || stored.account !== account.name) {
    return refuse('token_unknown', 'The access token was not issued to this subscription key in this environment.');
  }
  if (stored.expiresAtMs <= nowMs) return refuse('token_expired', 'The access token has expired. Request a new one.');
  return null;
}

export function bearerOf(received: Received): string | null {
  return /^Bearer +(\S+)$/i.exec(received.headers.authorization ?? '')?.[1] ?? null;
}

function checkScac(headerName: string, scac: string, onboarded: readonly string[]): Answer | null {
  if (!SCAC_FORM.test(scac)) {
    const message = `The header ${headerName} must be a SCAC of two to four capital letters.`;
    return refuse('scac_malformed', message, [{ path: headerName, problem: scac === '' ? 'missing' : 'malformed' }]);
  }
  if (onboarded.includes(scac)) return null;
  return refuse('scac_not_onboarded', `The carrier ${scac} is not onboarded for this account.`);
}

/** seed 4.3, 4.4: `Accept: application/json` is required, so a wildcard is not enough. */
export function checkAccept(received: Received): Answer | null {
  const accepted = (received.headers.accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  if (accepted.includes('application/json')) return null;
  return refuse('accept_not_json', 'The header Accept must name application/json.');
}

/** @param wanted A media type without parameters. */
export function checkMediaType(received: Received, wanted: string): Answer | null {
  const sent = (received.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (received.bodyBytes > BODY_BYTES_MAX) {
    return refuse('body_too_large', `The body is longer than ${BODY_BYTES_MAX} bytes.`);
  }
  if (sent === wanted) return null;
  return refuse('media_type_unsupported', `The body must be sent as ${wanted}.`);
}

export function header(received: Received, name: string): string | undefined {
  return received.headers[name.toLowerCase()];
}

function refused(answer: Answer): Checked {
  return { ok: false, answer };
}
