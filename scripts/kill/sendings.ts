/**
 * What subjects stored → what may have left them: the exact body, the requests it carries, its attempts. Pure.
 *
 * Nothing is refused in the harnesses, so no set is ever halved: a set has one body for life.
 */
import { createHash } from 'node:crypto';
import { requestKey } from '../../src/kernel/names.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { JournalEntry } from '../local/stack.ts';
import type { StoredAttempt, StoredRequest, StoredSubject } from './stored.ts';

/** A request as the receiving system logged it. */
export type SeenRequest = Pick<JournalEntry, 'seq' | 'receivedAtMs' | 'path' | 'body' | 'applied' | 'status'>;

export interface Sending {
  lane: string;
  body: string;
  /** In the order of the set; a request that travels by itself carries itself. */
  carries: StoredRequest[];
  /** Those that sent it. */
  attempts: StoredAttempt[];
  /** Those that only asked what became of it. */
  lookUps: StoredAttempt[];
}

/** In the order in which they must be applied, lane by lane. Points that are in no set yet are left out. */
export function sendingsOf({ requests, sets }: StoredSubject): Sending[] {
  const alone = requests
    .filter(({ lane }) => lane !== 'traces')
    .map((request) => ({ lane: request.lane, body: request.body, carries: [request], ...byPurpose(request.attempts) }));
  const points = Map.groupBy(
    requests.filter(({ lane }) => lane === 'traces'),
    ({ intoSeq }) => intoSeq,
  );
  const packed = sets.map(({ lead, body }) => {
    const carries = points.get(lead) ?? [];
    const attempts = carries.find(({ seq }) => seq === lead)?.attempts ?? [];
    return { lane: 'traces', body, carries, ...byPurpose(attempts) };
  });
  return [...alone, ...packed];
}

const byPurpose = (attempts: readonly StoredAttempt[]): Pick<Sending, 'attempts' | 'lookUps'> => ({
  attempts: attempts.filter(({ purpose }) => purpose === 'send'),
  lookUps: attempts.filter(({ purpose }) => purpose !== 'send'),
});

export const keyOf = ({ batchId, record, request }: Pick<StoredRequest, 'batchId' | 'record' | 'request'>): string =>
  requestKey(batchId, record, request);

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Of a journal, what went to one endpoint. */
export const seenAt = <Entry extends SeenRequest>(
  journal: readonly Entry[],
  endpoint: 'milestone' | 'trace' | 'orderCreate' | 'oauthToken',
): Entry[] => journal.filter(({ path }) => path.endsWith(ENDPOINTS[endpoint].path));

/** I5: every request the receiving system saw has an attempt that was committed before it, with the same bytes. */
export function noOrphans(seen: readonly SeenRequest[], sendings: readonly Sending[]): string[] {
  const known = new Map(sendings.map((sending) => [sending.body, sending]));
  return [...Map.groupBy(seen, ({ body }) => body)].flatMap(([body, entries]) => {
    const attempts = known.get(body)?.attempts ?? [];
    if (attempts.length < entries.length) {
      return [`${entries.length} requests, ${attempts.length} intents: ${body.slice(0, 300)}`];
    }
    const late = entries.filter((entry, at) => (attempts[at]?.startedAtMs ?? Infinity) > entry.receivedAtMs);
    return late.map(({ seq }) => `journal ${seq} was received before its intent was stored: ${body.slice(0, 300)}`);
  });
}

/** Every attempt carried the same bytes, and the intent of a set names every point that travels in it. */
export function intentsNameWhatTheyCarry(sendings: readonly Sending[]): string[] {
  return sendings.flatMap(({ body, carries, attempts }) => {
    const [lead] = carries;
    if (lead === undefined) return [`a set carries nothing: ${body.slice(0, 300)}`];
    const expected = sha256(body);
    const seqs = carries.map(({ seq }) => seq).sort((a, b) => a - b);
    return attempts.flatMap((attempt) => {
      const named = [...(attempt.carries ?? [lead.seq])].sort((a, b) => a - b);
      const found: string[] = [];
      if (attempt.requestSha256 !== expected) found.push(`${keyOf(lead)} was attempted with other bytes`);
      if (JSON.stringify(named) !== JSON.stringify(seqs)) {
        found.push(`an intent of ${keyOf(lead)} names ${named.length} requests, ${seqs.length} travel in it`);
      }
      return found;
    });
  });
}
