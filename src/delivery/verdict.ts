/** What an attempt says to the gate of its channel. Pure. */
import type { Observation } from '../upstream/answer.ts';
import type { Verdict } from '../upstream/gate/verdict.ts';
import type { AttemptClass } from './classify.ts';

export function verdictOf(observed: Observation, seen: AttemptClass): Verdict {
  switch (seen.effect) {
    case 'applied':
    case 'refused':
      return 'passed';
    case 'redirected':
      return 'redirected';
    case 'unknown':
      return 'failed';
    case 'channel':
      return seen.reason;
    case 'not_applied': // a 503 that names a time is a 5xx nevertheless
      return observed.outcome === 'answered' && observed.status >= 500 ? 'failed' : 'busy';
    case 'not_sent':
      return 'busy';
  }
}
