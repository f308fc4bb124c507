/** One token request at either endpoint of seed 4.1. Only the gate calls this. */
import type { Clock } from '../../kernel/clock.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { fingerprint } from '../../kernel/secret.ts';
import type { Channel } from '../channels.ts';
import { type ComposedCall, maskDetail } from '../compose.ts';
import { HEADER_TEXT_FORM, tokenAnswer } from '../contracts/bodies.ts';
import { ENDPOINTS, HEADERS } from '../contracts/endpoints.ts';
import { parseJson } from '../contracts/json.ts';
import { send } from '../send.ts';
import { type CachedToken, holdToken } from './token-lifetime.ts';

/** Why there is no token; `detail` never quotes the answer, which might contain one. */
export interface TokenProblem {
  code: 'token_refused' | 'token_unreachable' | 'token_unreadable';
  detail: string;
  /** The endpoint refused the credentials, and did not merely fail or put off. */
  credentialsRefused?: true;
}

/**
 * Whether the endpoint refused the credentials. For release 0.1, whose gate may answer while a deploy is under way: it never
 * sets `credentialsRefused` and names only the status, of which 400, 401 and 403 say the same.
 */
export const refusesCredentials = ({ code, detail, credentialsRefused }: TokenProblem): boolean =>
  credentialsRefused === true || (code === 'token_refused' && /^status 40[013]$/.test(detail));

/** Of these the same request may succeed in a moment. */
const PUT_OFF_STATUSES = new Set([408, 421, 425, 429]);

export async function mintToken(channel: Channel, clock: Clock): Promise<Result<CachedToken, TokenProblem>> {
  const call = tokenCall(channel);
  const observed = await send(call, clock);
  if (observed.outcome !== 'answered') {
    return err({ code: 'token_unreachable', detail: maskDetail(observed.detail, call) });
  }
  const { status } = observed;
  if (status < 200 || status > 299) {
    const refused: TokenProblem = { code: 'token_refused', detail: `status ${status}` };
    const isFinal = status >= 400 && status <= 499 && !PUT_OFF_STATUSES.has(status);
    return err(isFinal ? { ...refused, credentialsRefused: true } : refused);
  }
  const answer = tokenAnswer.safeParse(parseJson(observed.body));
  if (!answer.success) return err({ code: 'token_unreadable', detail: 'the answer holds no access_token' });
  const { accessToken, lifeSeconds } = answer.data;
  if (!HEADER_TEXT_FORM.test(accessToken))
    return err({ code: 'token_unreadable', detail: 'the access_token cannot be a header' });
  return ok(holdToken(accessToken, fingerprint(accessToken), lifeSeconds, clock.nowMs()));
}

export function tokenCall(channel: Channel): ComposedCall {
  const headers: Record<string, string> = { 'Content-Type': 'application/x-www-form-urlencoded' };
  if (channel.tokenEndpoint === 'plain') {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: channel.clientId?.reveal() ?? '', // always set here: configuration is refused without it
      client_secret: channel.clientSecret.reveal(),
    });
    return { url: channel.baseUrl + ENDPOINTS.plainToken.path, method: 'POST', headers, body: body.toString() };
  }
  const credentials = base64(`${channel.apiKey.reveal()}:${channel.clientSecret.reveal()}`);
  headers[HEADERS.accept] = 'application/json';
  headers[HEADERS.authorization] = `Basic ${credentials}`;
  headers[HEADERS.subscriptionKey] = channel.apiKey.reveal();
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'APIM' });
  return { url: channel.baseUrl + ENDPOINTS.oauthToken.path, method: 'POST', headers, body: body.toString() };
}

/** UTF-8 first: `btoa` alone throws beyond Latin-1. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
