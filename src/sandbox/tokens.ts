/**
 * Both token endpoints (seed 4.1): a form and its headers in, a token answer out, in each endpoint's own spelling.
 *
 * Pure. Endpoint 1 recognises the caller by Basic and subscription key, endpoint 2 by the form alone.
 */
import { HEADERS } from '../upstream/contracts/endpoints.ts';
import { answerOnly, type Decision, type Look } from './decision.ts';
import { type Answer, json, type Received, refuse, sha256Hex } from './http.ts';
import { checkAccept, checkMediaType, header } from './request.ts';
import { type Account, accountByKey, accountByOauthClient, type Environment } from './settings.ts';

/** Value of `scope` (seed 2.1). */
const SCOPE = 'APIM';

interface TokenRequest {
  received: Received;
  environment: Environment;
  nowMs: number;
  look: Look;
  newId: () => string;
}

type Client = { ok: true; account: Account } | { ok: false; answer: Answer };

export function decideToken(endpoint: 1 | 2, query: TokenRequest): Decision {
  const refusal = checkMediaType(query.received, 'application/x-www-form-urlencoded');
  if (refusal !== null) return answerOnly(refusal);
  const form = new URLSearchParams(query.received.body);
  const client = endpoint === 1 ? clientOfBasic(query) : clientOfForm(query, form);
  if (!client.ok) return answerOnly(client.answer);
  const malformed = checkForm(endpoint, form);
  return malformed === null ? mint(endpoint, client.account, query) : answerOnly(malformed);
}

function clientOfBasic({ received, environment }: TokenRequest): Client {
  const key = header(received, HEADERS.subscriptionKey);
  if (key === undefined) {
    return unknown(refuse('subscription_key_missing', `The header ${HEADERS.subscriptionKey} is missing.`));
  }
  const account = accountByKey(environment, key);
  if (account === undefined) {
    const message = `The subscription key is not known in the ${environment} environment. Test and production keys differ.`;
    return unknown(refuse('subscription_key_unknown', message));
  }
  if (basicOf(received) !== `${account.apiKey}:${account.clientSecret}`) {
    return unknown(refuse('client_unknown', 'The header Authorization must be Basic Base64(api_key:client_secret).'));
  }
  const accept = checkAccept(received);
  return accept === null ? { ok: true, account } : unknown(accept);
}

function basicOf(received: Received): string | null {
  const encoded = /^Basic +(\S+)$/i.exec(received.headers.authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  try {
    return atob(encoded);
  } catch {
    return null;
  }
}

function clientOfForm({ environment }: TokenRequest, form: URLSearchParams): Client {
  const account = accountByOauthClient(environment, form.get('client_id') ?? '');
  if (account === undefined || form.get('client_secret') !== account.clientSecret) {
    return unknown(
      refuse('client_unknown', `client_id and client_secret are not known in the ${environment} environment.`),
    );
  }
  return { ok: true, account };
}

function checkForm(endpoint: 1 | 2, form: URLSearchParams): Answer | null {
  const fields = [];
  if (form.get('grant_type') !== 'client_credentials') {
    fields.push({ path: 'grant_type', problem: 'must be client_credentials' });
  }
  if (endpoint === 1 && form.get('scope') !== SCOPE) fields.push({ path: 'scope', problem: `must be ${SCOPE}` });
  if (fields.length === 0) return null;
  return refuse('token_request_malformed', 'The form of the token request is not as wanted.', fields);
}

function mint(endpoint: 1 | 2, account: Account, { environment, nowMs, look, newId }: TokenRequest): Decision {
  const lifeSeconds = look.settings.tokenLifeSeconds;
  const accessToken = `sbx-${environment}-${newId().replaceAll('-', '')}`;
  const body =
    endpoint === 1
      ? { token_type: 'Bearer', expires_in: lifeSeconds, access_token: accessToken, scope: SCOPE }
      : { access_token: accessToken, token_type: 'Bearer', expired_in: lifeSeconds };
  const token = { environment, account: account.name, expiresAtMs: nowMs + lifeSeconds * 1_000 };
  return {
    answer: json(200, body),
    effects: [{ kind: 'token_minted', hash: sha256Hex(accessToken), token, endpoint }],
  };
}

function unknown(answer: Answer): Client {
  return { ok: false, answer };
}
