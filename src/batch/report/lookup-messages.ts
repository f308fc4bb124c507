/** Lookups of a row, and what a batch waits for, as shown to people. Pure. */
import { iso } from '../../kernel/clock.ts';
import type { LookedUp } from '../../mapping/lookups/lookup.ts';
import type { AwaitedLookup } from '../core/progress.ts';

export interface ShownLookup {
  of: LookedUp['of'];
  by: LookedUp['by'];
  key: string;
  outcome: LookedUp['outcome'];
  /** What the lookup gave or was to give, by field. */
  fields: LookedUp['fields'];
  /** When the answer was fetched. */
  at: string;
  words: string;
}

export const shownLookups = (json: string | null): ShownLookup[] =>
  json === null ? [] : (JSON.parse(json) as LookedUp[]).map(shownLookup);

function shownLookup({ of, by, key, outcome, fields, atMs }: LookedUp): ShownLookup {
  const at = iso(atMs);
  return {
    of,
    by,
    key,
    outcome,
    fields,
    at,
    words: messagesOf({ of, by, key, outcome, fields, atMs } as LookedUp, at),
  };
}

const BY_MESSAGES: Record<LookedUp['by'], string> = {
  vehicleNumber: '',
  locationNumber: '',
  licensePlate: 'with the plate ',
  vin: 'with the VIN ',
};

function messagesOf({ of, by, key, outcome, fields }: LookedUp, at: string): string {
  const wanted = [...new Set(Object.values(fields))].join(', ');
  const item = `${of} ${BY_MESSAGES[by]}${key}`;
  switch (outcome) {
    case 'found':
      return `${wanted} from ${item}, fetched ${at}`;
    case 'none':
      return `no ${item}, asked ${at}`;
    case 'several':
      return `several answer to ${item}, asked ${at}`;
    case 'silent':
      return `${item} says no ${wanted}, asked ${at}`;
    case 'unavailable':
      return `${item} could not be looked up, asked ${at}`;
  }
}

export interface ShownAwaited {
  api: AwaitedLookup['api'];
  since: string;
  tries: number;
  nextAt: string;
  status: number | null;
  detail: string;
}

export const shownAwaited = (awaited: AwaitedLookup | undefined): ShownAwaited | null =>
  awaited === undefined
    ? null
    : {
        api: awaited.api,
        since: iso(awaited.sinceMs),
        tries: awaited.tries,
        nextAt: iso(awaited.nextMs),
        status: awaited.status,
        detail: awaited.detail,
      };

const API_MESSAGES: Record<AwaitedLookup['api'], string> = { fleet: 'Vehicles', locations: 'Locations' };

export const awaitedNote = ({ api, status, detail, sinceMs, nextMs }: AwaitedLookup): string => {
  const answer = status === null ? detail : `status ${status}`;
  const [since, next] = [sinceMs, nextMs].map(
    (ms) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  );
  return `${API_MESSAGES[api]} cannot be looked up since ${since} (${answer}), so the file waits; they are asked for again at ${next}. Nothing is lost.`;
};
