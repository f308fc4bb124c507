/**
 * Both token endpoints (seed 4.1): a form and its headers in, a token answer out, in each endpoint's own spelling.
 *
 * Pure. Endpoint 1 recognises the caller by Basic and subscription key, endpoint 2 by the form alone.
 */
import { answerOnly, type Checked, type Decision, type Look, passed, refused } from './decision.ts';
import { type Answer, json, type Received, refuse, sha256Hex } from './http.ts';
import { callerByKey, checkAccept, checkMediaType } from './request.ts';
import { ACCOUNTS, type Account, type Environment } from './settings.ts';

/** Value of `scope` (seed 2.1). */
const SCOPE = 'APIM';

interface TokenRequest {
  received: Received;
  environment: Environment;
  nowMs: number;
  look: Look;
  newId: () => string;
}

export function decideToken(endpoint: 1 | 2, query: TokenRequest): Decision {
  const wrongType = checkMediaType(query.received, 'application/x-www-form-urlencoded');
  if (wrongType !== null) return answerOnly(wrongType);
  const form = new URLSearchParams(query.received.body);
  const client = endpoint === 1 ? clientOfBasic(query) : clientOfForm(query, form);
  if (!client.ok) return answerOnly(client.answer);
  const malformed = checkForm(endpoint, form);
  return malformed === null ? mint(endpoint, client.value, query) : answerOnly(malformed);
}

function clientOfBasic({ received, environment }: TokenRequest): Checked<Account> {
  const caller = callerByKey(received, environment);
  if (!caller.ok) return caller;
  if (basicOf(received) !== `${caller.value.apiKey}:${caller.value.clientSecret}`) {
    return refused('client_unknown', 'The header Authorization must be Basic Base64(api_key:client_secret).');
  }
  const answer = checkAccept(received);
  return answer === null ? caller : { ok: false, answer };
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

function clientOfForm({ environment }: TokenRequest, form: URLSearchParams): Checked<Account> {
  const id = form.get('client_id');
  const account = ACCOUNTS.find((one) => one.environment === environment && one.oauthClientId === id);
  if (account !== undefined && form.get('client_secret') === account.clientSecret) return passed(account);
  return refused('client_unknown', `client_id and client_secret are not known in the ${environment} environment.`);
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
