/**
 * One call with the credentials its channel wants. A 401 to a bearer call renews the token once and sends once more.
 *
 * Every sending is announced before it leaves and closed after it, so that a caller can commit its intent first. It begins
 * when it has a slot: what waits for one is not announced.
 */
import type { Clock } from '../kernel/clock.ts';
import { type Failpoint, failpoint } from '../kernel/failpoint.ts';
import type { Observation } from './answer.ts';
import type { Channel } from './channels.ts';
import { type CallParameters, composeCall, needsBearer } from './compose.ts';
import type { Endpoint } from './contracts/endpoints.ts';
import { maskObservation } from './mask.ts';
import { send } from './send.ts';
import { takeSlot } from './slots.ts';
import type { TokenSource } from './tokens.ts';

/** Told of every sending. `begin` runs before the request can leave; what it throws keeps the request here. */
export interface SendingLog {
  /** Asked last of all, behind every wait, also before a second sending: false keeps the request here. */
  mayBegin?(): boolean;
  begin(tokenFingerprint: string | null): void;
  end(observation: Observation): void;
}

export interface UpstreamPort {
  tokens: TokenSource;
  clock: Clock;
  log?: SendingLog;
  /** How much of the answer is read, in bytes; absent: as much as is kept with an attempt. */
  answerBytesMax?: number;
  /** What the two moments of a sending are called; absent: as usual. */
  moments?: { begun: Failpoint; answered: Failpoint };
}

/** @returns the last observation; `not_sent` when no token could be had or the call could not be composed. Never throws. */
export async function call(
  port: UpstreamPort,
  channel: Channel,
  endpoint: Endpoint,
  parameters: CallParameters,
): Promise<Observation> {
  if (!needsBearer(channel, endpoint)) return attempt(port, channel, endpoint, parameters, null);
  const first = await port.tokens.current(channel);
  if (!first.ok) return { outcome: 'not_sent', code: 'no_token', detail: `${first.error.code}: ${first.error.detail}` };
  const { token, fingerprint } = first.value;
  const observed = await attempt(port, channel, endpoint, { ...parameters, token }, fingerprint);
  if (observed.outcome !== 'answered' || observed.status !== 401) return observed;
  const renewed = await port.tokens.replace(channel, fingerprint);
  if (!renewed.ok) return observed;
  return attempt(port, channel, endpoint, { ...parameters, token: renewed.value.token }, renewed.value.fingerprint);
}

async function attempt(
  port: UpstreamPort,
  channel: Channel,
  endpoint: Endpoint,
  parameters: CallParameters,
  tokenFingerprint: string | null,
): Promise<Observation> {
  const composed = composeCall(channel, endpoint, parameters);
  if (!composed.ok) return { outcome: 'not_sent', code: 'not_composed', detail: JSON.stringify(composed.error) };
  const giveBack = await takeSlot(channel, port.clock);
  try {
    if (port.log?.mayBegin?.() === false)
      return { outcome: 'not_sent', code: 'withdrawn', detail: 'withdrawn in time' };
    port.log?.begin(tokenFingerprint);
    await failpoint(port.moments?.begun ?? 'intent_stored');
    const observed = maskObservation(await send(composed.value, port.clock, port.answerBytesMax), composed.value);
    await failpoint(port.moments?.answered ?? 'answered');
    port.log?.end(observed);
    return observed;
  } finally {
    giveBack();
  }
}
