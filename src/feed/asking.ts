/** One call of a feed to the upstream: a permit of its channel's gate first, as for every other call. */
import { classify } from '../delivery/classify.ts';
import { verdictOf } from '../delivery/verdict.ts';
import type { Clock } from '../kernel/clock.ts';
import { gateName, type PartnerScope } from '../kernel/names.ts';
import { Permits } from '../tracking/permits.ts';
import type { Observation } from '../upstream/answer.ts';
import type { UpstreamPort } from '../upstream/call.ts';
import type { Channel } from '../upstream/channels.ts';
import { tokenSource } from '../upstream/tokens.ts';
import { POLL_ANSWER_BYTES_MAX } from './limits.ts';

export type Asked =
  | { outcome: 'parked'; untilMs: number; why: string }
  | { outcome: 'observed'; observed: Observation };

export interface Question {
  channel: Channel;
  clock: Clock;
  /** Whether asking twice does no harm: anything else is no probe of an upstream that was down. */
  isRepeatable: boolean;
  moments?: UpstreamPort['moments'];
  post(port: UpstreamPort): Promise<Observation>;
  /** Asked last of all: false keeps it here. */
  mayBegin(): boolean;
  /** Before each sending, and behind it. */
  begin(): void;
  end(observed: Observation): void;
}

const LANE = 'feed';

export class Asking {
  readonly #env: Pick<Env, 'UPSTREAM_GATE' | 'TOKENS'>;
  readonly #permits: Permits;

  /** @param of as whom the gate knows it. */
  constructor(
    env: Pick<Env, 'UPSTREAM_GATE' | 'TOKENS'>,
    { environment, partner, subject }: PartnerScope & { subject: string },
  ) {
    this.#env = env;
    const gate = (channel: string) => env.UPSTREAM_GATE.getByName(gateName(environment, channel));
    this.#permits = new Permits(gate, { partner, subject });
  }

  /** Never throws but for what `begin` and `end` throw. */
  async ask(
    scac: string,
    { channel, clock, isRepeatable, moments, mayBegin, post, begin, end }: Question,
  ): Promise<Asked> {
    const of = { channel: channel.name, scac };
    let permit = this.#permits.take(LANE, of, clock);
    if (permit === null) {
      const parked = await this.#permits.ask(LANE, { ...of, repeatable: isRepeatable, backlog: 1 }, clock);
      if (parked !== null) return { outcome: 'parked', untilMs: parked.untilMs, why: parked.why };
      permit = this.#permits.take(LANE, of, clock);
      if (permit === null) return { outcome: 'parked', untilMs: clock.nowMs(), why: 'rate' };
    }
    const { untilMs } = permit;
    const startedAtMs = clock.nowMs();
    let sendings = 0;
    let observed: Observation | null = null;
    try {
      observed = await post({
        tokens: tokenSource(
          { cache: this.#env.TOKENS, gate: (name) => this.#env.UPSTREAM_GATE.getByName(name) },
          clock,
        ),
        clock,
        answerBytesMax: POLL_ANSWER_BYTES_MAX,
        ...(moments === undefined ? {} : { moments }),
        log: {
          mayBegin: () => clock.nowMs() < untilMs && mayBegin(),
          begin: () => {
            sendings += 1;
            begin();
          },
          end,
        },
      });
      return { outcome: 'observed', observed };
    } finally {
      const verdict = observed === null ? 'busy' : verdictOf(observed, classify(observed, clock.nowMs()));
      const status = observed?.outcome === 'answered' ? observed.status : null;
      const detail = observed === null || observed.outcome === 'answered' ? '' : `${observed.code}: ${observed.detail}`;
      this.#permits.note(LANE, permit, { verdict, status, detail, startedAtMs, endedAtMs: clock.nowMs(), sendings });
    }
  }

  /** The wake-up is over: what is left of the permits goes back. Never throws. */
  settle = (): Promise<void> => this.#permits.settle(LANE);
}
