/** The milestones of a load, in both of their forms: one at a time, in hand-over order, at least once. */
import type { Clock } from '../kernel/clock.ts';
import type { Observation } from '../upstream/answer.ts';
import type { UpstreamPort } from '../upstream/call.ts';
import type { Channel } from '../upstream/channels.ts';
import { postLoadMilestoneEvent, postMilestone } from '../upstream/endpoints.ts';
import { DECIDED, headMove, type Sending, SubjectLane, type Turn } from './subject-lane.ts';
import type { StoredRequest } from './subject-tables.ts';

export class MilestoneLane extends SubjectLane {
  readonly name = 'milestones';

  next(clock: Clock): Turn {
    const move = headMove((limit) => this.store.open(this.name, limit), clock);
    switch (move.move) {
      case 'send':
        return { turn: 'send', sending: sendingOf(this.store.bySeq(Number(move.key))) };
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
