/** What a load tells of itself, page by page. */
import { describe, expect, it } from 'vitest';
import { ANSWER_HEAD_CHARACTERS_MAX, LOAD_ATTEMPTS_SHOWN_MAX } from '../../../src/kernel/limits.ts';
import { type LoadCursor, type LoadOrder, LoadPages } from '../../../src/tracking/load-page.ts';
import type { StoredRequest } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, loadStored } from './samples.ts';

const IDENTITY = { environment: 'test', partner: 'acme' } as const;

it('a load that was never named has no page', () => {
  const { store } = loadStored();
  const pages = new LoadPages(store);
  const asked = { order: 'event', after: null, limit: 10 } as const;
  expect(pages.page(asked)).toBeNull();
  store.commit(() => store.identify(IDENTITY));
  expect(pages.page(asked)).toMatchObject({
    ...{ events: [], next: null },
    counts: { events: 0, states: {}, firstEventMs: null, lastEventMs: null },
  });
});

/** @param requests what each of them is stored with, by the minute of its event; the second one before the first. */
function aLoad(...requests: Partial<StoredRequest>[]) {
  const { store, tables } = loadStored();
  const minutes = [20, 10, 30, 40, 50, 60];
  const time = (index: number) => new Date(NOW_MS + (minutes[index] ?? index) * 60_000).toISOString();
  store.commit(() => {
    store.identify(IDENTITY);
    store.add(
      requests.map(({ lane = 'milestones' }, index) => {
        const point = { time: { dateTime: time(index) }, coordinate: { latitude: 40 + index, longitude: -90 } };
        const position = { traces: [point] };
        const milestone = { eventCode: 'X3', loadNumber: 'L1', time: { dateTime: time(index) }, stopsequenceNumber: 2 };
        const body = lane === 'traces' ? position : milestone;
        const kind = lane === 'traces' ? 'trace' : 'milestone';
        return aTaken(index + 1, { lane, kind, body: JSON.stringify(body), acceptedAtMs: NOW_MS + index });
      }),
    );
    for (const [index, request] of requests.entries()) tables.request.patch(index + 1, request);
  });
  const pages = new LoadPages(store);
  const page = (order: LoadOrder = 'event', after: LoadCursor | null = null, limit = 10) => {
    const found = pages.page({ order, after, limit });
    if (found === null) throw new Error('the load has no name');
    return { ...found, records: found.events.map(({ outcome }) => outcome.record) };
  };
  return { store, tables, page, eventMs: (index: number) => Date.parse(time(index)) };
}

describe('events of a load', () => {
  it('come by the time of the event, or of their sending; what was never sent comes last, as it was taken', () => {
    const { page } = aLoad({ first_tried_at_ms: 9 }, { first_tried_at_ms: 8 }, {}, { first_tried_at_ms: 9 }, {});
    expect([page().records, page('sent').records]).toEqual([
      [2, 1, 3, 4, 5],
      [2, 1, 4, 3, 5],
    ]);
  });

  it('come page by page, and only the first page has counts', () => {
    const { page } = aLoad({ first_tried_at_ms: 9 }, { first_tried_at_ms: 8 }, {}, { first_tried_at_ms: 9 }, {});
    for (const order of ['event', 'sent'] as const)
      for (const limit of [1, 2, 3, 5]) {
        const records: number[] = [];
        let [after, pages]: [LoadCursor | null, number] = [null, 0];
        do {
          const found = page(order, after, limit);
          expect([found.counts === null, found.records.length <= limit]).toEqual([after !== null, true]);
          records.push(...found.records);
          after = found.next;
          pages += 1;
        } while (after !== null);
        expect([records, pages]).toEqual([page(order).records, Math.floor(5 / limit) + 1]);
      }
    expect(page('event', null, 6).next).toBeNull();
  });

  it('are told with what they say, and what became of them', () => {
    const { store, page, eventMs } = aLoad({ state: 'waiting', reason: 'load_unknown', load_wait_until_ms: 77 });
    const intent = { seq: 1, startedAtMs: NOW_MS, requestSha256: 'h', tokenFingerprint: null, carries: null };
    const body = 'x'.repeat(ANSWER_HEAD_CHARACTERS_MAX + 1);
    store.commit(() => {
      for (let attempt = 0; attempt <= LOAD_ATTEMPTS_SHOWN_MAX; attempt += 1) {
        store.beginAttempt({ ...intent, purpose: 'check', possibleDuplicate: false, late: false });
        const answer = attempt === LOAD_ATTEMPTS_SHOWN_MAX ? body : null;
        store.endAttempt({
          ...{ seq: 1, effect: 'not_applied', status: 404, headers: '{}', body: answer, body_end: 'whole' },
          ...{ body_encoding: 'utf-8', detail: null, latency_ms: 5 },
        });
      }
    });
    const [event] = page().events;
    expect(event).toMatchObject({
      ...{ batchId: 'b_1', kind: 'milestone', what: 'X3', stop: 2, position: null, surprises: [], sentAtMs: null },
      ...{ time: new Date(eventMs(0)).toISOString(), acceptedAtMs: NOW_MS, deadlineMs: NOW_MS + 3_600_000 },
      ...{ waitsForLoadUntilMs: 77, outcome: { record: 1, state: 'waiting', reason: 'load_unknown' } },
    });
    expect(event?.tries.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: LOAD_ATTEMPTS_SHOWN_MAX }, (_, index) => index + 2),
    );
    const { answer, ...last } = event?.tries.at(-1) ?? { answer: null };
    expect([event?.tries[0]?.answer, answer?.length]).toEqual([null, expect.any(Number)]);
    expect([answer?.startsWith('xxx'), (answer?.length ?? 0) < body.length + 2]).toEqual([true, true]);
    expect(last).toEqual({
      ...{ attempt: LOAD_ATTEMPTS_SHOWN_MAX + 1, purpose: 'check', started_at_ms: NOW_MS, effect: 'not_applied' },
      ...{ status: 404, detail: null, latency_ms: 5 },
    });
  });

  it.each<[Partial<StoredRequest>, number | null]>([
    [{ state: 'waiting', reason: 'load_unknown' }, 77],
    [{ state: 'unknown', reason: 'load_unknown' }, 77],
    [{ state: 'queued', reason: 'load_unknown' }, null],
    [{ state: 'rejected', reason: 'load_unknown' }, null],
    [{ state: 'waiting', reason: null }, null],
  ])('wait for their load only while they are tried again for that: %j', (request, untilMs) => {
    expect(aLoad({ ...request, load_wait_until_ms: 77 }).page().events[0]?.waitsForLoadUntilMs).toBe(untilMs);
  });

  it('that cannot be read are told without what they say, at the time they were taken', () => {
    const { page } = aLoad({}, { body: 'nonsense' });
    expect(page().records).toEqual([2, 1]);
    expect(page().events[0]).toMatchObject({
      what: null,
      time: null,
      stop: null,
      place: null,
      position: null,
      body: 'nonsense',
    });
    expect(page().counts?.firstEventMs).toBe(NOW_MS + 1);
  });

  it('that are positions have what became of the request they travel in', () => {
    const { page } = aLoad(
      { lane: 'traces', into_seq: 1, state: 'waiting', first_tried_at_ms: 5, late: 1, deadline_ms: 9 },
      { lane: 'traces', into_seq: 1, state: 'coalesced' },
      { lane: 'traces', into_seq: 1, state: 'duplicate' },
    );
    expect(page('sent').records).toEqual([1, 2, 3]);
    expect(page().events.map(({ sentAtMs, deadlineMs }) => [sentAtMs, deadlineMs === 9])).toEqual([
      ...[
        [5, true],
        [5, true],
        [null, false],
      ],
    ]);
    expect(page().counts).toMatchObject({ late: 2, positions: 3, milestones: 0, states: { waiting: 2, duplicate: 1 } });
    expect(page().events[0]).toMatchObject({ what: 'position', position: { latitude: expect.any(Number) } });
  });
});

it('a load is counted by what its events are', () => {
  const { page, eventMs } = aLoad(
    { state: 'delivered', possible_duplicate: 1, surprises: '[]' },
    { state: 'delivered', late: 1, lane: 'traces' },
    { state: 'waiting', reason: 'load_unknown' },
    { state: 'rejected', reason: 'load_unknown' },
    { state: 'held', possible_duplicate: 1 },
  );
  const { counts } = page();
  expect(counts).toEqual({
    ...{ events: 5, milestones: 4, positions: 1, late: 1, possibleDuplicates: 2, warned: 1, waitingForLoad: 1 },
    ...{ firstEventMs: eventMs(1), lastEventMs: eventMs(4) },
    states: { delivered: 2, held: 1, rejected: 1, waiting: 1 },
  });
  expect(Object.keys(counts?.states ?? {})).toEqual(['delivered', 'held', 'rejected', 'waiting']);
});

it('a load of one event begins and ends with it', () => {
  const { page, eventMs } = aLoad({});
  expect(page().counts).toMatchObject({ events: 1, firstEventMs: eventMs(0), lastEventMs: eventMs(0) });
});
