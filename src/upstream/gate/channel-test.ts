/**
 * What an operator's test of a channel tells: whether a token was obtained, and whether the upstream answers and accepts
 * the credentials. Pure; the gate makes the calls.
 */
import type { Result } from '../../kernel/result.ts';
import type { TokenProblem } from './mint.ts';
import type { OwnProbe } from './own-probe.ts';

/** In the order in which they matter. */
export type ChannelTestState =
  | 'ok'
  | 'unreachable'
  | 'credentials_refused'
  | 'token_failed'
  | 'not_allowed'
  | 'failing';

/** @property call null: the channel may not read locations, so that only its token endpoint was called. */
export interface ChannelTest {
  state: ChannelTestState;
  token: { obtained: boolean; code: TokenProblem['code'] | null; detail: string };
  call: { asked: string; status: number | null; detail: string } | null;
}

export function channelTest(token: Result<unknown, TokenProblem>, probe: OwnProbe | null): ChannelTest {
  return {
    state: stateOf(token, probe),
    token: token.ok
      ? { obtained: true, code: null, detail: '' }
      : { obtained: false, code: token.error.code, detail: token.error.detail },
    call: probe && { asked: probe.failure.subject, status: probe.failure.status, detail: probe.failure.detail },
  };
}

function stateOf(token: Result<unknown, TokenProblem>, probe: OwnProbe | null): ChannelTestState {
  const isUnreachable = !token.ok && token.error.code === 'token_unreachable';
  switch (probe?.verdict) {
    case 'credentials_refused':
      return 'credentials_refused';
    case 'scac_refused':
      return 'not_allowed';
    case 'failed':
    case 'busy':
    case 'redirected':
      return isUnreachable || probe.failure.status === null ? 'unreachable' : 'failing';
    default:
      if (isUnreachable) return 'unreachable';
      return token.ok ? 'ok' : 'token_failed';
  }
}
