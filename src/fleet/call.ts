/**
 * One call to the fleet or locations API, with a permit of the channel's gate: its rate includes these calls.
 *
 * A failure here says nothing about the other APIs, so it opens no breaker: the gate only stores which API fails.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { log, messageOf } from '../kernel/log.ts';
import { gateName } from '../kernel/names.ts';
import type { Channel } from '../upstream/channels.ts';
import { callOnce, type SingleCall, type UpstreamBindings } from '../upstream/permitted-call.ts';
import { classifyAnswer, type FleetAnswer, type FleetTrouble } from './answer.ts';
import { FLEET_ANSWER_BYTES_MAX, PERMIT_WAIT_MS, READ_NOTED_AGAIN_MS } from './limits.ts';
import { apiOf, type FleetApi, type FleetQuestion, post } from './question.ts';

/** No carrier is involved, so no SCAC's breaker applies. */
const NO_SCAC = '';

export interface Resolver {
  env: UpstreamBindings;
  channel: Channel;
  clock: Clock;
  /** The partner, as the gate tells subjects apart. */
  partner: string;
  subject: string;
}

/** @returns a function that makes calls; each has its own permits. Never throws. */
export function requestWith({
  env,
  channel,
  clock,
  partner,
  subject,
}: Resolver): (question: FleetQuestion) => Promise<FleetAnswer> {
  const { environment } = channel;
  return async (question) => {
    let classified: FleetAnswer | undefined; // an answer of some MB is parsed once
    const wanted: SingleCall = {
      channel,
      clock,
      scac: NO_SCAC,
      isRepeatable: true,
      answerBytesMax: FLEET_ANSWER_BYTES_MAX,
      post: (port) => post(port, channel, question),
      signal: (observed, nowMs) => {
        classified = classifyAnswer(question, observed, nowMs);
        return classified.outcome === 'read' ? 'passed' : 'busy';
      },
    };
    const called = await callOnce(env, { environment, partner, subject }, wanted, PERMIT_WAIT_MS);
    if (called.outcome === 'parked')
      return deferredBy(question, called.why, Math.max(0, called.untilMs - clock.nowMs()));
    classified ??= classifyAnswer(question, called.observed, clock.nowMs());
    await noted(
      env.UPSTREAM_GATE.getByName(gateName(environment, channel.name)),
      { channel, clock },
      question,
      classified,
    );
    return classified;
  };
}

const deferredBy = (question: FleetQuestion, why: string, retryAfterMs: number): FleetAnswer => {
  const detail = why === 'rate' ? 'the rate of the channel is used up' : `sending is stopped: ${why}`;
  const trouble: FleetTrouble = { code: 'fleet_down', api: apiOf(question), status: null, detail, retryAfterMs };
  return { outcome: 'trouble', trouble };
};

/**
 * By channel and API, when this isolate last reported to the gate that it works: successes are reported now and then,
 * failures every time.
 */
const reportingMs = new Map<string, number>();

interface ReportingGate {
  noteRead(channel: string, api: FleetApi, failure: { status: number | null; detail: string } | null): Promise<void>;
}

async function noted(
  gate: ReportingGate,
  { channel, clock }: Pick<Resolver, 'channel' | 'clock'>,
  question: FleetQuestion,
  classified: FleetAnswer,
): Promise<void> {
  const api = apiOf(question);
  const key = gateName(channel.environment, JSON.stringify([channel.name, api]));
  const works = classified.outcome === 'read';
  const againMs = (reportingMs.get(key) ?? Number.NEGATIVE_INFINITY) + scaledMs(READ_NOTED_AGAIN_MS, clock);
  if (works && clock.nowMs() < againMs) return;
  try {
    await gate.noteRead(
      channel.name,
      api,
      works ? null : { status: classified.trouble.status, detail: classified.trouble.detail },
    );
    if (works) reportingMs.set(key, clock.nowMs());
    else reportingMs.delete(key);
  } catch (thrown) {
    log('warn', 'gate_unreachable', { channel: channel.name, detail: messageOf(thrown) });
  }
}
