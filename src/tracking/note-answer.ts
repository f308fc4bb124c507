/** What an answer does to its attempt and its request: one commit, in which its lane decides what follows. */
import { classify } from '../delivery/classify.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Answer, Observation } from '../upstream/answer.ts';
import type { Sending, SubjectLane } from './lanes/subject-lane.ts';
import { attemptRow, type Seen, seenIn } from './store/subject-rows.ts';
import type { SubjectStore } from './store/subject-store.ts';
import { attemptKey } from './store/subject-tables.ts';

/** @param isProbe its permit was a probe of the gate. */
export function noteAnswer(
  store: SubjectStore,
  lane: SubjectLane,
  sending: Sending,
  observed: Observation,
  clock: Clock,
  isProbe = false,
): void {
  const { seq } = sending.request;
  const seen = { ...seenIn(observed, classify(observed, clock.nowMs())), isProbe };
  const effect = sending.shows?.(observed) ?? seen.class.effect;
  note(store, lane, sending, () => {
    if (observed.outcome !== 'not_sent') store.endAttempt(attemptRow(seq, observed, effect));
    follow(store, lane, sending, seen, clock);
  });
}

/**
 * A 401 is stored before its token is renewed. That it could not be is known only now: it says why the request waits, and
 * for how long, unless it was withdrawn or ended meanwhile.
 */
export function noteNotRenewed(
  store: SubjectStore,
  lane: SubjectLane,
  sending: Sending,
  observed: Answer & { notRenewed: string },
  clock: Clock,
): void {
  const { purpose, request } = sending;
  const seen = seenIn(observed, classify(observed, clock.nowMs()));
  note(store, lane, sending, () => {
    const last = store.attemptsOf(request.seq).at(-1);
    if (last !== undefined)
      store.tables.attempt.patch(attemptKey(request.seq, last.attempt), { detail: observed.notRenewed });
    const { state } = store.bySeq(request.seq);
    if (purpose !== 'send' || state === 'waiting' || state === 'unknown') follow(store, lane, sending, seen, clock);
  });
}

function follow(
  store: SubjectStore,
  lane: SubjectLane,
  { purpose, request: { seq } }: Sending,
  seen: Seen,
  clock: Clock,
): void {
  if (purpose === 'send') lane.classify(store.bySeq(seq), seen, clock);
  else lane.classifyLookup(store.bySeq(seq), purpose, seen, clock);
}

/** What may be sent again is stored with the next intent: if the process dies between them, it is. */
function note(store: SubjectStore, lane: SubjectLane, { purpose, request }: Sending, work: () => void): void {
  const isRepeatable = purpose === 'send' && lane.isRepeatable(store.bySeq(request.seq));
  if (isRepeatable) store.commitSoon(work);
  else store.commit(work);
}
