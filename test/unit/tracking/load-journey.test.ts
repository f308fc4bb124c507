/** What a load stores of its journey answers as a list of the same events does, whatever was refused, withdrawn or came before. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JourneyEvent, journeyEvent, type KnownEvent } from '../../../src/delivery/events/anomalies.ts';
import { JOURNAL } from '../../../src/kernel/journal-table.ts';
import type { EnqueuedRequest } from '../../../src/tracking/request.ts';
import { knowing } from '../delivery/journeys.ts';
import { committing, loadStored } from './samples.ts';

interface TargetQuery {
  code: string;
  stop: number | null;
  minute: number;
  latitude: number | null;
  fate: 'sent' | 'rejected' | 'cancelled' | 'waits';
}

const asked = fc.record<TargetQuery>({
  code: fc.constantFrom('X3', 'X8', 'CP', 'AF', 'X1', 'D1', 'CD', 'X4', 'X6', 'X2', 'ZZ'),
  stop: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  minute: fc.integer({ min: 0, max: 30 }),
  latitude: fc.option(fc.integer({ min: -80, max: 80 }), { nil: null, freq: 3 }),
  fate: fc.constantFrom('sent', 'sent', 'sent', 'rejected', 'cancelled', 'waits'),
});

const time = (minute: number) => ({
  dateTime: `2026-03-02T08:${String(minute).padStart(2, '0')}:00.0000000+00:00`,
  timeZoneCode: 'UTC',
  timeZoneOffset: 'UTC+0',
});

const bodyOf = ({ code, stop, minute, latitude }: TargetQuery): string =>
  JSON.stringify(
    latitude !== null
      ? { loadNumber: 'L1', traces: [{ time: time(minute), coordinate: { latitude, longitude: 8 } }] }
      : {
          loadNumber: 'L1',
          eventCode: code,
          time: time(minute),
          ...(stop === null ? {} : { stopsequenceNumber: stop }),
        },
  );
const kindOf = ({ latitude }: TargetQuery) => (latitude === null ? 'milestone' : 'trace');

const taken = (each: TargetQuery, index: number): EnqueuedRequest => ({
  key: `b_1/${index + 1}/1`,
  batchId: 'b_1',
  record: index + 1,
  request: 1,
  generation: 1,
  mayHaveArrived: false,
  kind: kindOf(each),
  scac: 'ABCD',
  channel: 'main',
  body: bodyOf(each),
  acceptedAtMs: Date.UTC(2026, 2, 3),
  live: false,
  forced: false,
  rules: null,
  lane: 'milestones',
  takenAtMs: 0,
  deadlineMs: 0,
  loadWaitUntilMs: null,
  eventAtMs: null,
  businessKey: null,
});

const timesOf = (known: readonly (KnownEvent | null)[]): (number | undefined)[] => known.map((each) => each?.atMs);

it('is the same', () => {
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 20 }), fc.nat({ max: 20 }), (all, restartAt) => {
      const { sql, ...first } = loadStored();
      let { tables, store, journey } = first;
      store.commit(() => store.add(all.map(taken)));
      const known: JourneyEvent[] = [];
      const met = new Set<number>();
      for (const [index, each] of all.entries()) {
        if (index === restartAt) ({ tables, store, journey } = loadStored(sql));
        const request = store.bySeq(index + 1);
        if (each.fate === 'waits') continue;
        store.commit(() => journey.classify(request));
        const said = journeyEvent(kindOf(each), bodyOf(each));
        if (said !== null && said.stop !== null && said.stopKey !== null) met.add(said.stop);
        if (each.fate === 'rejected') store.commit(() => journey.ended(request.seq, { state: 'rejected' }));
        if (each.fate === 'cancelled') {
          store.commit(() => tables.request.patch(request.seq, { state: 'cancelled' }));
        }
        const event = journeyEvent(kindOf(each), bodyOf(each));
        if (event !== null && each.fate === 'sent') known.push(event);
      }
      const list = knowing(known);
      for (const stopKey of ['#1', '#2', '#3']) {
        for (const phase of ['arrival', 'after', 'other'] as const) {
          expect(timesOf([journey.first(stopKey, phase)])).toEqual(timesOf([list.first(stopKey, phase)]));
        }
        expect(timesOf([journey.latest(stopKey)])).toEqual(timesOf([list.latest(stopKey)]));
      }
      for (const role of ['pickup', 'delivery', 'terminal'] as const) {
        expect(timesOf([journey.firstOf(role)])).toEqual(timesOf([list.firstOf(role)]));
      }
      expect(journey.stops()).toEqual([...met].sort((one, other) => one - other)); // how stops are numbered, a refused event says too
      for (const minute of [0, 7, 15, 30]) {
        const at = { resource: '', atMs: Date.UTC(2026, 2, 2, 8, minute) };
        expect(timesOf(journey.around(at))).toEqual(timesOf(list.around(at)));
      }
    }),
  );
});

it('forgets what was not applied, and keeps what may have been', () => {
  const { tables, store, journey: bare } = loadStored();
  const journey = committing(tables.journal, bare);
  const arrivals = [1, 2, 3, 4].map(
    (minute): TargetQuery => ({ code: 'X3', stop: 1, minute, latitude: null, fate: 'sent' }),
  );
  store.commit(() => store.add(arrivals.map(taken)));
  for (const seq of [1, 2, 3, 4]) journey.classify(store.bySeq(seq));
  const first = () => journey.first('#1', 'arrival')?.time.slice(14, 16);
  expect(first()).toBe('01');
  journey.ended(1, { state: 'dead', outcome: 'unknown', reason: 'deadline' });
  expect(first()).toBe('01');
  journey.ended(1, { state: 'dead', outcome: 'not_applied', reason: 'deadline' });
  expect(first()).toBe('02');
  journey.ended(2, { state: 'rejected' });
  journey.ended(3, { state: 'delivered' });
  expect(first()).toBe('03');
});

it('makes a row for every request once, however often and late it is asked', () => {
  const one: TargetQuery = { code: 'X3', stop: 1, minute: 1, latitude: null, fate: 'sent' };
  const load = loadStored();
  const requests = Array.from({ length: 1_201 }, (_, index) => taken({ ...one, stop: index }, index));
  load.store.commit(() => load.store.add(requests));
  const checkAll = ({ store, journey }: typeof load) =>
    store.commit(() => {
      for (const request of store.all()) journey.classify(request);
    });
  const entries = () => load.sql.exec(`SELECT count(*) AS entries FROM ${JOURNAL}`).one().entries;
  expect(load.tables.audited.size).toBe(0);
  checkAll(load);
  const before = entries();
  checkAll(load);
  const again = loadStored(load.sql);
  checkAll(again);
  expect([again.tables.audited.size, entries()]).toEqual([1_201, before]);
});
