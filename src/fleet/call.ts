/**
 * One call to the fleet or locations API, with a permit of the channel's gate: its rate includes these calls.
 *
 * A failure here says nothing about the other APIs, so it opens no breaker: the gate only stores which API fails.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { log, messageOf } from '../kernel/log.ts';
import { gateName } from '../kernel/names.ts';
import { Permits } from '../tracking/permits.ts';
import type { Observation } from '../upstream/answer.ts';
import type { Channel } from '../upstream/channels.ts';
import { tokenSource } from '../upstream/tokens.ts';
import { type Audited, classifyAnswer, type FleetTrouble } from './answer.ts';
import { FLEET_ANSWER_BYTES_MAX, PERMIT_WAIT_MS, READ_NOTED_AGAIN_MS } from './limits.ts';
import { apiOf, type FleetApi, type FleetQuestion, post } from './question.ts';

/** No carrier is involved, so no SCAC's breaker applies. */
const NO_SCAC = '';

export interface Resolver {
  env: Pick<Env, 'UPSTREAM_GATE' | 'TOKENS'>;
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
}: Resolver): (question: FleetQuestion) => Promise<Audited> {
  const gate = (name: string) => env.UPSTREAM_GATE.getByName(gateName(channel.environment, name));
  const tokens = tokenSource({ cache: env.TOKENS, gate: (name) => env.UPSTREAM_GATE.getByName(name) }, clock);
  return async (question) => {
    const permits = new Permits(gate, { partner, subject });
    const lane = subject;
    const of = { channel: channel.name, scac: NO_SCAC };
    const untilMs = clock.nowMs() + PERMIT_WAIT_MS;
    try {
      for (;;) {
        const parked = await permits.request(lane, { ...of, repeatable: true, backlog: 1 }, clock);
        const permit = parked === null ? permits.take(lane, of, clock) : null;
        if (permit === null) {
          const againMs = parked?.untilMs ?? clock.nowMs();
          if (againMs > untilMs || clock.nowMs() >= untilMs)
            return deferredBy(question, parked?.why ?? 'rate', againMs - clock.nowMs());
          await scheduler.wait(Math.max(1, againMs - clock.nowMs()));
          continue;
        }
        const startedAtMs = clock.nowMs();
        const observed = await post({ tokens, clock, answerBytesMax: FLEET_ANSWER_BYTES_MAX }, channel, question);
        const classified = classifyAnswer(question, observed, clock.nowMs());
        permits.note(lane, permit, {
          verdict: classified.outcome === 'read' ? 'passed' : 'busy',
          status: statusOf(observed),
          detail: '',
          startedAtMs,
          endedAtMs: clock.nowMs(),
          sendings: observed.outcome === 'not_sent' ? 0 : 1,
        });
        await noted(gate(channel.name), { channel, clock }, question, classified);
        return classified;
      }
    } finally {
      await permits.settle(lane);
    }
  };
}

const statusOf = (observed: Observation): number | null => (observed.outcome === 'answered' ? observed.status : null);

const deferredBy = (question: FleetQuestion, why: string, retryAfterMs: number): Audited => {
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
  classified: Audited,
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
