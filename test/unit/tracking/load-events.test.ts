/** Which events of a load count, and which earlier requests say what a request says. */
import { describe, expect, it } from 'vitest';
import { STOPS_KNOWN_MAX } from '../../../src/delivery/events/anomalies.ts';
import type { EnqueuedRequest, StoredRequest } from '../../../src/tracking/request.ts';
import { equalsBefore } from '../../../src/tracking/store/load-events.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, loadStored } from './samples.ts';

const time = (minute: number) => ({
  dateTime: `2026-03-02T07:${String(minute).padStart(2, '0')}:00.0000000+00:00`,
  timeZoneCode: 'UTC',
  timeZoneOffset: 'UTC+0',
});
/** One arrives at a stop with X3, and leaves it with AF. */
const anEvent = (minute: number, stop: number | null = 1, eventCode = 'X3', more: Partial<EnqueuedRequest> = {}) => ({
  body: JSON.stringify({
    ...{ loadNumber: 'L1', eventCode, time: time(minute) },
    ...(stop === null ? {} : { stopsequenceNumber: stop }),
  }),
  ...more,
});

function aLoad(...requests: Partial<EnqueuedRequest>[]) {
  const { tables, store, journey } = loadStored();
  store.commit(() => store.add(requests.map((more, index) => aTaken(index + 1, more))));
  return {
    tables,
    store,
    journey: committing(tables.journal, journey),
    check: (seq: number) => store.commit(() => journey.classify(store.bySeq(seq))),
    becomes: (seq: number, to: Partial<StoredRequest>) => store.commit(() => void tables.request.patch(seq, to)),
    known: () => [...tables.audited.values()].map(({ seq, known }) => [seq, known]),
  };
}

const rules = { unclear: 'resend', loadWaitMs: null, laterEvents: 'pass', namesKey: false } as const;
const REFUSES = { rules: { ...rules, surprises: { inFuture: 'reject' } as const } };
const FUTURE = anEvent(0).body.replace('2026', '2030');

describe('an event that is checked', () => {
  it('counts, unless its mapping refuses it as it is; then it says nothing of the journey', () => {
    const { check, known, journey } = aLoad(anEvent(1, 7), { body: FUTURE, ...REFUSES }, { body: 'nonsense' });
    expect([1, 2, 3].map((seq) => check(seq).refusal)).toEqual([null, 'time_in_future', null]);
    expect(known()).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
    ]);
    expect([journey.stops(), journey.first('#1', 'arrival')]).toEqual([[7], null]);
    expect(check(2)).toEqual({ surprises: [], refusal: null }); // it was checked before
  });

  it('is not refused where it is sent whatever it is', () => {
    const { check, known } = aLoad({ body: FUTURE, ...REFUSES, forced: true });
    const { refusal, surprises } = check(1);
    expect([refusal, surprises.map(({ kind }) => kind), known()]).toEqual([null, ['inFuture'], [[1, 1]]]);
  });

  it('came late where a later one of its stop is known, unless it is sent again', () => {
    const again = { record: 3, generation: 2, key: 'b_1/3/1~2' };
    const { check } = aLoad(anEvent(9), anEvent(3), anEvent(3, 1, 'X3', again));
    const kinds = (seq: number) => check(seq).surprises.map(({ kind }) => kind);
    expect([kinds(1), kinds(2), kinds(3)]).toEqual([[], ['cameLate'], []]);
  });
});

describe('the stops of a load', () => {
  it('are those that its events name, once each', () => {
    const { check, journey, tables } = aLoad(anEvent(1, 3), anEvent(2, 1), anEvent(3, 3), anEvent(4, null));
    for (const seq of [1, 2, 3, 4]) check(seq);
    expect([journey.stops(), tables.stop_met.size]).toEqual([[1, 3], 2]);
  });

  it('are as many as a load remembers at most', () => {
    const { check, journey } = aLoad(...Array.from({ length: STOPS_KNOWN_MAX + 1 }, (_, stop) => anEvent(1, stop + 1)));
    for (let seq = 1; seq <= STOPS_KNOWN_MAX + 1; seq += 1) check(seq);
    expect([journey.stops().length, journey.stops().at(-1)]).toEqual([STOPS_KNOWN_MAX, STOPS_KNOWN_MAX]);
  });

  it('have a latest event: at one time the arrival', () => {
    const { check, journey } = aLoad(anEvent(5, 1, 'AF'), anEvent(5));
    for (const seq of [1, 2]) check(seq);
    expect(journey.latest('#1')).toMatchObject({ what: 'X3' });
  });
});

describe('an event that counts', () => {
  it('does no longer where it, or the set it travels in, was refused or withdrawn', () => {
    const { check, journey, becomes, known } = aLoad(anEvent(1), anEvent(2), anEvent(3), anEvent(4), anEvent(5));
    for (const seq of [1, 2, 3, 4, 5]) check(seq);
    for (const seq of [1, 2]) becomes(seq, { into_seq: 1 });
    journey.ended(1, { state: 'rejected' });
    expect(known().slice(0, 3)).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
    ]);
    const first = () => journey.first('#1', 'arrival')?.atMs;
    const at = (minute: number) => NOW_MS + (minute - 60) * 60_000;
    expect(first()).toBe(at(3));
    becomes(3, { state: 'cancelled' });
    expect(first()).toBe(at(4));
    becomes(4, { state: 'coalesced', into_seq: 3 });
    expect([first(), journey.latest('#1')?.atMs]).toEqual([at(5), at(5)]);
    becomes(5, { state: 'cancelled' });
    expect([first(), journey.latest('#1')]).toEqual([undefined, null]);
  });

  it('does not where its commit failed', () => {
    const { store, journey, check, tables } = aLoad(anEvent(2), anEvent(1));
    check(1);
    expect(journey.first('#1', 'arrival')?.time).toContain(':02:');
    expect(() =>
      store.commit(() => {
        tables.audited.put({ seq: 2, known: 1 });
        throw new Error('planned');
      }),
    ).toThrow('planned');
    expect(journey.first('#1', 'arrival')?.time).toContain(':02:');
  });
});

describe('the earlier requests that say the same', () => {
  const EQUAL = { businessKey: 'the same' };
  const ended = { outcome: null, into: null };

  it('are those before it, as they are, or as the set is that they travel in', () => {
    const { store, becomes } = aLoad(EQUAL, EQUAL, {}, EQUAL, EQUAL);
    becomes(1, { state: 'dead', outcome: 'unknown' });
    becomes(2, { state: 'coalesced', into_seq: 3 });
    becomes(3, { state: 'dead', outcome: 'not_applied' });
    expect([...equalsBefore(store, 4)]).toEqual([
      { ...ended, seq: 1, state: 'dead', outcome: 'unknown' },
      { ...ended, seq: 2, state: 'coalesced', into: { state: 'dead', outcome: 'not_applied' } },
    ]);
    expect([...equalsBefore(store, 3)]).toEqual([]);
  });

  it.each(['duplicate', 'rejected', 'cancelled'] as const)('are none that never block one: %s', (state) => {
    const { store, becomes } = aLoad(EQUAL, EQUAL, EQUAL);
    becomes(1, { state });
    expect([...equalsBefore(store, 3)].map(({ seq }) => seq)).toEqual([2]);
  });

  it('are none for one that is sent whatever was sent before', () => {
    const { store } = aLoad(EQUAL, { ...EQUAL, forced: true }, EQUAL);
    expect([2, 3].map((seq) => [...equalsBefore(store, seq)].length)).toEqual([0, 2]);
  });
});
