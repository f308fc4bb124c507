/** Answers of the order-status endpoints under mappings of many shapes: read, counted, never lost and never thrown at. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SKIPPED_SAMPLES_MAX } from '../../../../src/kernel/limits.ts';
import { orderEvents, stepOffsetsMs, writeEvent } from '../../../../src/sandbox/orders.ts';
import {
  type AnswerMapping,
  answerMapping,
  DEFAULT_ANSWER_MAPPING,
} from '../../../../src/upstream/statuses/answer-mapping.ts';
import { readAnswer } from '../../../../src/upstream/statuses/read-answer.ts';

const mapping = (more: Record<string, unknown>): AnswerMapping =>
  answerMapping.parse({ ...JSON.parse(JSON.stringify(DEFAULT_ANSWER_MAPPING)), ...more });

const TIME = '2026-03-01T08:00:00.0000000+00:00';
const AT_MS = Date.UTC(2026, 2, 1, 8);
const HOUR_MS = 3_600_000;
const entry = (more: Record<string, unknown> = {}) => ({ orderRef: 'R1', code: 'received', eventTime: TIME, ...more });

const statusesIn = (answer: unknown, under: AnswerMapping = DEFAULT_ANSWER_MAPPING) => {
  const read = readAnswer(JSON.stringify(answer), under);
  if (!read.ok) throw new Error(read.error);
  return read.value.statuses;
};
const unfitIn = (answer: unknown, under: AnswerMapping = DEFAULT_ANSWER_MAPPING) => {
  const read = readAnswer(JSON.stringify(answer), under);
  if (!read.ok) throw new Error(read.error);
  return read.value.unfit.samples.map(({ index, code }) => [index, code]);
};

describe('the usual mapping', () => {
  it('reads what the sandbox writes, whole', () => {
    const order = {
      id: 'a0',
      environment: 'test',
      account: 'demo',
      partnerId: 'P',
      clientId: 'C',
      scac: 'DEMO',
      orderRef: 'R1',
      createdAtMs: AT_MS,
      cancelledAtMs: null,
      stepOffsetsMs: stepOffsetsMs(60, 1),
      actions: [],
    } as const;
    const events = orderEvents({ ...order, actions: [] }, AT_MS + 3_600_000);
    const statuses = statusesIn({ events: events.map(writeEvent) });
    expect(
      statuses.map(({ orderRef, orderId, code, atMs, level }) => ({ orderRef, orderId, code, atMs, level })),
    ).toEqual(events.map(({ orderRef, orderId, code, atMs, level }) => ({ orderRef, orderId, code, atMs, level })));
    expect(statuses.map(({ isFinal }) => isFinal)).toEqual([false, false, false, false, false, true]);
  });

  it('reads of a place its city, its state, its postal code and its country', () => {
    const place = { city: 'Joliet', state: 'IL', postalCode: '60431', country: 'US' };
    expect(statusesIn({ events: [entry(place)] })).toMatchObject([{ place }]);
  });

  it.each([
    ['no JSON', '<html>', 'not_json'],
    ['nothing', '', 'not_json'],
    ['half a JSON', '{"events":[', 'not_json'],
    ['no list', '{}', 'list_missing'],
    ['null', 'null', 'list_missing'],
    ['a list that is null', '{"events":null}', 'list_missing'],
    ['a list that is a text', '{"events":"none"}', 'list_missing'],
    ['an empty list where an object should be', '[]', 'list_missing'],
    ['a list of statuses where an object should be', '[{"events":[]}]', 'list_missing'],
  ])('takes %s for an answer of which nothing is known', (_, text, why) => {
    expect(readAnswer(text, DEFAULT_ANSWER_MAPPING)).toEqual({ ok: false, error: why });
  });

  it.each<[Record<string, unknown> | unknown[] | string | null, string]>([
    ['a text', 'no_object'],
    [null, 'no_object'],
    [[entry()], 'no_object'],
    [{ code: 'x', eventTime: TIME }, 'order_ref_missing'],
    [entry({ orderRef: ' ' }), 'order_ref_missing'],
    [entry({ orderRef: { a: 1 } }), 'order_ref_missing'],
    [entry({ orderRef: 'x'.repeat(201) }), 'order_ref_missing'],
    [entry({ orderRef: '\ud800' }), 'order_ref_missing'],
    [entry({ code: '' }), 'code_missing'],
    [entry({ eventTime: null }), 'time_missing'],
    [entry({ eventTime: 'soon' }), 'time_unreadable'],
    [entry({ eventTime: '2026-02-30T08:00:00Z' }), 'time_unreadable'],
    [entry({ eventTime: '2026-03-01T08:00:00' }), 'time_unreadable'],
    [entry({ eventTime: '9999-01-01T00:00:00Z' }), 'time_unreadable'],
  ])('counts %j as an entry that does not fit, and reads its neighbours', (odd, code) => {
    const answer = { events: [entry(), odd, entry({ code: 'delivered' })] };
    expect(unfitIn(answer)).toEqual([[1, code]]);
    expect(statusesIn(answer).map((status) => status.code)).toEqual(['received', 'delivered']);
  });

  it('counts all entries that do not fit, and keeps the first of them', () => {
    const read = readAnswer(
      JSON.stringify({ events: Array.from({ length: 100 }, () => ({})) }),
      DEFAULT_ANSWER_MAPPING,
    );
    expect(read).toMatchObject({ ok: true, value: { entries: 100, unfit: { count: 100 } } });
    expect(read.ok && read.value.unfit.samples).toHaveLength(SKIPPED_SAMPLES_MAX);
  });

  it('gives one change one hash, however its time is written and its members are ordered', () => {
    const [one, two, three] = statusesIn({
      events: [
        entry(),
        { eventTime: '2026-03-01T02:00:00-06:00', code: 'received', orderRef: 'R1' },
        entry({ code: 'delivered' }),
      ],
    });
    expect(one?.hash).toBe(two?.hash);
    expect(one?.rawHash).not.toBe(two?.rawHash);
    expect(one?.hash).not.toBe(three?.hash);
  });

  it('knows an entry again by itself and what is read around it, whatever the mapping makes of it', () => {
    const lists = { list: ['$.events'], time: { from: ['eventTime'] }, place: { city: ['stop.city'] } };
    const answer = [
      { eventTime: TIME, stop: { city: 'Joliet' }, events: [{ orderRef: 'R1', code: 'scan' }] },
      { eventTime: '2026-03-02T08:00:00Z', stop: { city: 'Joliet' }, events: [{ orderRef: 'R1', code: 'scan' }] },
      { eventTime: TIME, stop: { city: 'Gary' }, events: [{ orderRef: 'R1', code: 'scan' }] },
    ];
    const read = statusesIn(answer, mapping(lists));
    expect(new Set(read.map(({ rawHash }) => rawHash)).size).toBe(3);
    const renamed = statusesIn(answer, mapping({ ...lists, code: { from: ['code'], codes: { scan: 'scanned' } } }));
    expect(renamed.map(({ rawHash }) => rawHash)).toEqual(read.map(({ rawHash }) => rawHash));
    expect(renamed.map(({ hash }) => hash)).not.toEqual(read.map(({ hash }) => hash));
    const [bare, more] = [{}, { orderId: ['id'], place: { city: ['city'] } }].map((place) =>
      statusesIn({ events: [entry({ id: 'a', city: 'Joliet' })] }, mapping(place)),
    );
    expect(bare?.[0]?.rawHash).toBe(more?.[0]?.rawHash);
    expect(bare?.[0]?.hash).not.toBe(more?.[0]?.hash);
  });

  it('knows it again from release to release: what is read around it goes into its hash under these names', () => {
    const around = {
      ref: 'R1',
      scan: 'scan',
      of: 'milestone',
      id: 'O1',
      day: '2026-03-01',
      hour: '08:00Z',
      city: 'Joliet',
    };
    const fitted = mapping({
      list: ['$.events'],
      orderRef: ['ref'],
      orderId: ['id'],
      code: { from: ['scan'], codes: {} },
      time: { from: ['day'], form: 'iso', clock: ['hour'] },
      level: { ...DEFAULT_ANSWER_MAPPING.level, from: ['of'] },
      place: { city: ['city'] },
    });
    const [status] = statusesIn([{ ...around, events: [{ seq: 1 }] }], fitted);
    const outside = [
      ['orderRef', 'R1'],
      ['code', 'scan'],
      ['time', '2026-03-01'],
      ['clock', '08:00Z'],
      ['level', 'milestone'],
      ['city', 'Joliet'],
      ['orderId', 'O1'],
    ];
    const text = `{"seq":1}${JSON.stringify(outside)}`;
    expect(status?.rawHash).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('neither throws nor loses count, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (events) => {
        const read = readAnswer(JSON.stringify({ events }), DEFAULT_ANSWER_MAPPING);
        if (!read.ok) throw new Error(read.error);
        const { statuses, entries, unfit } = read.value;
        expect(entries).toBe(events.length);
        expect(statuses.length + unfit.count).toBe(entries);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void readAnswer(text, DEFAULT_ANSWER_MAPPING)));
    expect(readAnswer('['.repeat(200_000), DEFAULT_ANSWER_MAPPING).ok).toBe(false);
    const deep = `{"events":[{"orderRef":"R","code":"c","eventTime":"${TIME}","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`;
    const read = readAnswer(deep, DEFAULT_ANSWER_MAPPING);
    expect(!read.ok || read.value.entries === 1).toBe(true);
  });
});

describe('a mapping', () => {
  it('finds the list at the root, inside of objects, and inside of other lists with the order around it', () => {
    expect(statusesIn([entry()], mapping({ list: ['$'] }))).toHaveLength(1);
    expect(statusesIn({ data: { changes: [entry()] } }, mapping({ list: ['events', 'data.changes'] }))).toHaveLength(1);
    const answer = {
      orders: [
        {
          number: 'R1',
          events: [
            { code: 'a', eventTime: TIME },
            { code: 'b', eventTime: TIME, number: 'OWN' },
          ],
        },
        { number: 'R2', events: null },
        { number: 'R3', events: [] },
        { number: 'R4', events: { code: 'single', eventTime: TIME } },
      ],
    };
    const nested = mapping({ list: ['orders.events'], orderRef: ['number'] });
    expect(statusesIn(answer, nested).map(({ orderRef, code }) => [orderRef, code])).toEqual([
      ['R1', 'a'],
      ['OWN', 'b'],
      ['R4', 'single'],
    ]);
    expect(unfitIn({ orders: ['R5', { number: 'R6', events: 'none' }, { number: 'R7' }] }, nested)).toEqual([
      [0, 'no_object'],
      [1, 'no_object'],
      [2, 'no_object'],
    ]);
    expect(statusesIn(answer.orders, mapping({ list: ['$.events'], orderRef: ['number'] }))).toHaveLength(3);
  });

  it('takes the first path that holds a value, numbers as text, and renames codes', () => {
    const under = mapping({
      orderRef: ['ref.client', 'ref.shipper'],
      code: { from: ['status.code'], codes: { '14': 'delivered', constructor: 'x' } },
      time: { from: ['at'], form: 'epochMs' },
      finalCodes: ['DELIVERED'],
    });
    const [status] = statusesIn({ events: [{ ref: { shipper: 4711 }, status: { code: 14 }, at: AT_MS }] }, under);
    expect(status).toMatchObject({ orderRef: '4711', code: 'delivered', atMs: AT_MS, isFinal: true });
    const [own] = statusesIn({ events: [{ ref: { client: 'R' }, status: { code: 'toString' }, at: AT_MS }] }, under);
    expect(own?.code).toBe('toString');
  });

  it.each<[string, Record<string, unknown>, unknown, number | null]>([
    ['an offset without a colon', {}, '2026-03-01T02:00:00-0600', AT_MS],
    ['Z and a fraction', {}, '2026-03-01T08:00:00.1239Z', AT_MS + 123],
    ['no seconds', {}, '2026-03-01T08:00Z', AT_MS],
    ['local time in a zone', { zone: 'America/Chicago' }, '2026-03-01T02:00:00', AT_MS],
    ['local time that exists twice', { zone: 'America/Chicago' }, '2026-11-01T01:30:00', null],
    ['local time that does not exist', { zone: 'America/Chicago' }, '2026-03-08T02:30:00', null],
    ['an offset beside a zone', { zone: 'America/Chicago' }, TIME, AT_MS],
    ['seconds', { form: 'epochSeconds' }, AT_MS / 1_000, AT_MS],
    ['seconds as a text', { form: 'epochSeconds' }, String(AT_MS / 1_000), AT_MS],
    ['milliseconds', { form: 'epochMs' }, AT_MS, AT_MS],
    ['a fraction of a second', { form: 'epochSeconds' }, AT_MS / 1_000 + 0.5, AT_MS + 500],
    ['a number beyond all years', { form: 'epochSeconds' }, 1e15, null],
    ['the first moment of 1990', {}, '1990-01-01T00:00:00Z', Date.UTC(1990, 0, 1)],
    ['a moment before 1990', {}, '1989-12-31T23:59:59.999Z', null],
    ['the last moment of 2099', {}, '2099-12-31T23:59:59.999Z', Date.UTC(2100, 0, 1) - 1],
    ['the first moment of 2100', {}, '2100-01-01T00:00:00Z', null],
    ['a negative number', { form: 'epochMs' }, -5, null],
    ['hour 24', {}, '2026-03-01T24:00:00Z', null],
    ['the last second of a day', {}, '2026-03-01T23:59:59Z', AT_MS + 15 * HOUR_MS + 3_599_000],
    ['minute 60', {}, '2026-03-01T08:60:00Z', null],
    ['second 60', {}, '2026-03-01T08:00:60Z', null],
    ['the last day of a month', {}, '2026-02-28T08:00:00Z', AT_MS - 24 * HOUR_MS],
    ['a day behind the last one', {}, '2026-02-29T08:00:00Z', null],
    ['day 0', {}, '2026-03-00T08:00:00Z', null],
    ['month 0', {}, '2026-00-01T08:00:00Z', null],
    ['month 13', {}, '2026-13-01T08:00:00Z', null],
    ['the last month', {}, '2025-12-31T08:00:00Z', AT_MS - 60 * 24 * HOUR_MS],
    ['an offset of hours alone', {}, '2026-03-01T09:00:00+01', AT_MS],
    ['an offset of minutes too', {}, '2026-03-01T13:30:00+05:30', AT_MS],
    ['neither an offset nor a zone', {}, '2026-03-01T08:00:00', null],
  ])('reads a time with %s', (_, form, eventTime, atMs) => {
    const under = mapping({ time: { from: ['eventTime'], ...form } });
    const [status] = statusesIn({ events: [entry({ eventTime })] }, under);
    expect(status?.atMs ?? null).toBe(atMs);
  });

  const CHICAGO = { zone: 'America/Chicago' };
  it.each<[string, Record<string, unknown>, Record<string, unknown>, number | null]>([
    ['a pattern and a zone', { parse: 'MM/dd/yyyy HH:mm', ...CHICAGO }, { day: '03/01/2026 02:00' }, AT_MS],
    ['a pattern with an offset', { parse: 'd.M.yyyy H:mm XXX' }, { day: '1.3.2026 9:00 +01:00' }, AT_MS],
    ['the first pattern that fits', { parse: ['iso', 'yyyyMMddHHmm'], zone: 'UTC' }, { day: 202603010800 }, AT_MS],
    ['one of its patterns for moments', { parse: ['iso', 'epochSeconds'] }, { day: AT_MS / 1_000 }, AT_MS],
    ['AM and PM', { parse: 'M/d/yyyy h:mm a', ...CHICAGO }, { day: '3/1/2026 2:00 AM' }, AT_MS],
    [
      'day and clock apart',
      { parse: 'MM/dd/yyyy HH:mm', ...CHICAGO, clock: ['hour'] },
      { day: '03/01/2026', hour: '02:00' },
      AT_MS,
    ],
    ['day and clock apart in ISO', { clock: ['hour'] }, { day: '2026-03-01', hour: '08:00Z' }, AT_MS],
    [
      'a clock that may be missing',
      { parse: 'yyyy-MM-dd[ HH:mm]', zone: 'UTC', clock: ['hour'] },
      { day: '2026-03-01' },
      AT_MS - 8 * 3_600_000,
    ],
    [
      'a clock that is missing',
      { parse: 'yyyy-MM-dd HH:mm', zone: 'UTC', clock: ['hour'] },
      { day: '2026-03-01' },
      null,
    ],
    ['a day that is missing', { parse: 'yyyy-MM-dd HH:mm', zone: 'UTC', clock: ['hour'] }, { hour: '08:00' }, null],
    ['more than the pattern', { parse: 'MM/dd/yyyy', zone: 'UTC' }, { day: '03/01/2026 08:00' }, null],
    ['a day that does not exist', { parse: 'MM/dd/yyyy', zone: 'UTC' }, { day: '02/30/2026' }, null],
    ['a pattern, twice by its clock', { parse: 'yyyy-MM-dd HH:mm', ...CHICAGO }, { day: '2026-11-01 01:30' }, null],
  ])('reads a time with %s as an operator fits it', (_, fitted, written, atMs) => {
    const under = mapping({ time: { from: ['day'], ...fitted } });
    const [status] = statusesIn({ events: [{ orderRef: 'R1', code: 'x', ...written }] }, under);
    expect(status?.atMs ?? null).toBe(atMs);
  });

  it.each([
    [{ parse: 'MM/dd/yyyy QQ', zone: 'UTC' }, 'parse'],
    [{ parse: [] }, 'parse'],
    [{ parse: 'MM/dd/yyyy HH:mm' }, 'needs a zone'],
    [{ parse: ['iso', 'MM/dd/yyyy HH:mm'] }, 'needs a zone'],
    [{ clock: 'hour' }, 'clock'],
  ])('refuses a time read with %j', (fitted, said) => {
    const found = answerMapping.safeParse({ ...DEFAULT_ANSWER_MAPPING, time: { from: ['day'], ...fitted } });
    expect(found.success ? '' : JSON.stringify(found.error.issues)).toContain(said);
  });

  it('says which statuses are for an end consumer', () => {
    const levels = (level: Record<string, unknown>) =>
      statusesIn({ events: [entry({ kind: 'PUBLIC' }), entry({ kind: 'x' }), entry()] }, mapping({ level })).map(
        (status) => status.level,
      );
    expect(levels({ from: ['kind'], milestones: ['PUBLIC'] })).toEqual(['milestone', 'detail', 'detail']);
    expect(levels({ from: ['kind'], milestones: ['PUBLIC'], otherwise: 'milestone' })).toEqual([
      'milestone',
      'detail',
      'milestone',
    ]);
  });

  it.each([
    { list: [] },
    { list: ['a..b'] },
    { list: [''] },
    { list: ['a.b.c.d.e.f.g.h.i'] },
    { orderRef: [] },
    { time: { from: ['t'], zone: 'Mars/Base' } },
    { time: { from: ['t'], form: 'roman' } },
    { unknown: true },
    { finalCodes: [''] },
  ])('is refused: %j', (more) => {
    expect(answerMapping.safeParse({ ...DEFAULT_ANSWER_MAPPING, ...more }).success).toBe(false);
  });
});
