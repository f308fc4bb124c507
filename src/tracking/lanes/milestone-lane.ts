/** The milestones of a load, in both of their forms: one at a time, in hand-over order, at least once; what was delivered once is not sent again. */
import type { Clock } from '../../kernel/clock.ts';
import type { Observation } from '../../upstream/answer.ts';
import type { UpstreamPort } from '../../upstream/call.ts';
import type { Channel } from '../../upstream/channels.ts';
import { postLoadMilestoneEvent, postMilestone } from '../../upstream/endpoints.ts';
import type { EqualStore } from '../store/equal-store.ts';
import type { LoadJourney } from '../store/load-journey.ts';
import type { SubjectStore } from '../store/subject-store.ts';
import type { StoredRequest } from '../store/subject-tables.ts';
import { DECIDED, headMove, type Sending, SubjectLane, type Turn } from './subject-lane.ts';

export class MilestoneLane extends SubjectLane {
  readonly name = 'milestones';
  readonly #equals: EqualStore;
  readonly #journey: LoadJourney;

  constructor(store: SubjectStore, equals: EqualStore, journey: LoadJourney) {
    super(store);
    this.#equals = equals;
    this.#journey = journey;
  }

  next(clock: Clock): Turn {
    const move = headMove((limit) => this.store.open(this.name, limit), clock);
    switch (move.move) {
      case 'send':
        return this.#turnOf(this.store.bySeq(Number(move.key)), clock);
      case 'expire':
        this.expire(this.store.bySeq(Number(move.key)), clock);
        return DECIDED;
      case 'wait':
        return { turn: 'wait', untilMs: move.untilMs };
      case 'busy':
      case 'idle':
        return { turn: 'wait', untilMs: null };
    }
  }

  /** What was sent before goes on as it began. */
  #turnOf(request: StoredRequest, clock: Clock): Turn {
    const isNew = request.first_tried_at_ms === null;
    if (isNew && this.beside(this.#equals, request.seq, clock).turn !== 'send') return DECIDED;
    if (isNew && this.refuseOdd(this.#journey, request.seq, clock)) return DECIDED;
    return { turn: 'send', sending: sendingOf(request) };
  }

  protected override write(...[request, taken, seen, clock]: Parameters<SubjectLane['write']>): void {
    super.write(request, taken, seen, clock);
    this.#journey.ended(request.seq, taken.step);
  }
}

const sendingOf = (request: StoredRequest): Sending => ({
  purpose: 'send',
  request,
  body: request.body,
  carries: null,
  post: (port, channel) => postEvent(port, channel, request),
});

/** Any other kind is a mistake of ours, and nothing leaves. */
async function postEvent(
  port: UpstreamPort,
  channel: Channel,
  { kind, scac, body }: StoredRequest,
): Promise<Observation> {
  if (kind === 'milestone') return postMilestone(port, channel, { scac, body });
  if (kind === 'loadMilestoneEvent') return postLoadMilestoneEvent(port, channel, { body });
  return { outcome: 'not_sent', code: 'not_composed', detail: `${kind} is no event of a load` };
}
