/** How old an answer about vehicles and locations is, as headers; and why there is none, in words. Pure. */
import type { FleetTrouble } from '../../fleet/judge.ts';
import type { FleetReading } from '../../fleet/read.ts';
import type { ProblemWords } from '../edge/problem.ts';

/**
 * RFC 9111 counts `max-age` from the answer at its source, as `Age` does, so it stays the same while `Age` grows.
 * `Cache-Status` (RFC 9211) tells an answer that is shown because nobody gave a newer one: its `detail` is the code that would
 * have been answered.
 */
export const ageHeaders = (reading: FleetReading): Record<string, string> => ({
  Age: seconds(reading.ageMs),
  'Cache-Control': `private, max-age=${seconds(reading.freshMs)}, stale-while-revalidate=${seconds(reading.staleMs)}`,
  'Cache-Status': `transload; ${cacheStatus(reading)}`,
  Vary: 'Authorization, Accept',
});

function cacheStatus({ ageMs, freshMs, wasAsked, trouble }: FleetReading): string {
  const kept = `hit; ttl=${seconds(freshMs - ageMs)}`;
  if (trouble === null) return wasAsked ? 'fwd=miss' : kept;
  const asked = trouble.status === null ? 'fwd=stale' : `fwd=stale; fwd-status=${trouble.status}`;
  return `${wasAsked ? asked : kept}; detail=${troubleWords(trouble).code}`;
}

const seconds = (durationMs: number): string => String(Math.floor(durationMs / 1_000));

/** @param trouble why nobody can say, where nothing is kept that could be shown. */
export function troubleWords({ code, api, status, detail }: FleetTrouble): ProblemWords {
  const said = status === null ? `could not be read: ${detail}` : `answered ${status}: ${detail}`;
  const what = `The ${api} API of the receiving system ${said}`;
  switch (code) {
    case 'fleet_down':
      return {
        status: 503,
        code: 'upstream_down',
        title: 'Receiving system not answering',
        detail: `Nothing is kept here that could be shown. ${what}`,
        fix: 'Ask again after Retry-After, or in a minute: what was read within a day is shown meanwhile.',
      };
    case 'fleet_refused':
      return {
        status: 502,
        code: 'upstream_refused',
        title: 'Refused by the receiving system',
        detail: what,
        fix: 'Check the filters. If they are right, tell the operator: the channel of your key may not ask this.',
      };
    case 'fleet_unreadable':
      return {
        status: 502,
        code: 'upstream_unreadable',
        title: 'Answer not readable',
        detail: what,
        fix: 'Tell the operator: the receiving system answers otherwise than was agreed.',
      };
  }
}

/** Somebody else's is told like one that does not exist. */
export const UNKNOWN_VEHICLE: ProblemWords = {
  status: 404,
  code: 'vehicle_unknown',
  title: 'Unknown vehicle',
  detail: 'The receiving system shows no vehicle of this number to the channel of your key.',
  fix: 'Check the number, with its leading zeros; GET /v1/vehicles lists those there are.',
};

export const UNKNOWN_LOCATION: ProblemWords = {
  status: 404,
  code: 'location_unknown',
  title: 'Unknown location',
  detail: 'The receiving system knows no location of this number.',
  fix: 'Check the number, with its leading zeros; GET /v1/locations lists those there are.',
};

export const notShown = (channel: string): ProblemWords => ({
  status: 403,
  code: 'fleet_not_shown',
  title: 'Vehicles and locations not shown',
  detail: `The channel "${channel}" of your key shows no vehicles, service history or locations.`,
  fix: 'Ask the operator, who sets what a channel shows.',
});

export const channelMissing = (channel: string): ProblemWords => ({
  status: 503,
  code: 'channel_missing',
  title: 'Channel not configured',
  detail: `The channel "${channel}" of your key is not configured for this environment.`,
  fix: 'The operator must configure the channel; ask again afterwards.',
});
