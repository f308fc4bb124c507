/** The channel's own probe: one GET of the locations, with the channel's credentials and without a row's (seed 4.2). */
import type { Observation } from '../answer.ts';
import type { UpstreamPort } from '../call.ts';
import type { Channel } from '../channels.ts';
import { listLocations } from '../endpoints.ts';
import type { BreakerSignal, Failure } from './breaker.ts';

export interface OwnProbe {
  verdict: BreakerSignal;
  failure: Failure;
  sendings: number;
}

/** Never throws. */
export async function probeLocations(port: UpstreamPort, channel: Channel): Promise<OwnProbe> {
  let sendings = 0;
  const log = {
    begin: () => {
      sendings += 1;
    },
    end: () => undefined,
  };
  const observed = await listLocations({ ...port, log }, channel, {});
  const status = observed.outcome === 'answered' ? observed.status : null;
  const detail = observed.outcome === 'answered' ? (observed.notRenewed ?? '') : `${observed.code}: ${observed.detail}`;
  const failure: Failure = { atMs: port.clock.nowMs(), subject: 'GET locations', status, detail };
  return { verdict: classificationOf(observed), failure, sendings };
}

function classificationOf(observed: Observation): BreakerSignal {
  if (observed.outcome === 'not_sent') return 'busy';
  if (observed.outcome === 'no_answer' || observed.status >= 500 || observed.notRenewed !== undefined) return 'failed';
  if (observed.status === 401 || observed.status === 407) return 'credentials_refused';
  if (observed.status === 403) return 'scac_refused';
  if (observed.status >= 300 && observed.status < 400) return 'redirected';
  return 'passed';
}
