/** The list of orders under a reference is read whole or not at all. */
import { describe, expect, it } from 'vitest';
import { readListing } from '../../../src/delivery/orders/reconcile.ts';
import { answerMapping, DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { answered, NOW_MS, noAnswer } from './samples.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const event = (more: Record<string, unknown> = {}) => ({
  orderId: ID,
  orderRef: 'R1',
  code: 'received',
  level: 'milestone',
  eventTime: '2026-03-02T08:00:00.0000000+00:00',
  ...more,
});
const reading = (...events: unknown[]) =>
  readListing(answered(200, { body: JSON.stringify({ events }) }), DEFAULT_ANSWER_MAPPING);

describe('a list of orders', () => {
  it('may be empty', () => expect(reading()).toEqual([]));

  it('shows each order once, created with its first event', () => {
    const later = event({ eventTime: '2026-03-02T04:00:01.0000000-05:00', code: 'scheduled' });
    expect(reading(later, event())).toEqual([{ orderId: ID, orderRef: 'R1', createdAtMs: NOW_MS, isCancelled: false }]);
  });

  it.each(['cancelled', 'Canceled', 'CANCELLED'])('shows an order as cancelled when any event says %s', (code) => {
    expect(reading(event({ code }), event())).toMatchObject([{ isCancelled: true }]);
  });

  it('takes an id in capital letters for the same', () => {
    expect(reading(event(), event({ orderId: ID.toUpperCase() }))).toHaveLength(1);
  });

  it.each<[string, ReturnType<typeof answered>]>([
    ['another status', answered(404, { body: '{"events":[]}' })],
    ['a redirect', answered(302, { body: '{"events":[]}' })],
    ['a server error', answered(500)],
    ['no body', answered(204)],
    ['a page', answered(200, { body: '<html></html>' })],
    ['no list', answered(200, { body: '{}' })],
    ['a bare list', answered(200, { body: '[]' })],
    ['null', answered(200, { body: 'null' })],
    ['a list of another name', answered(200, { body: '{"orders":[]}' })],
    ['a list that is inherited', answered(200, { body: '{"__proto__":{"events":[]}}' })],
    ['a cut body', answered(200, { body: '{"events":[]}', bodyEnd: 'cut' })],
    ['a body too long', answered(200, { body: '{"events":[]}', bodyEnd: 'capped' })],
    ['bytes that are no text', answered(200, { body: '{"events":[]}', bodyEncoding: 'latin1' })],
    ['no answer', noAnswer('timeout')],
  ])('is not read from %s', (_what, observed) => expect(readListing(observed, DEFAULT_ANSWER_MAPPING)).toBeNull());

  it.each([
    ['no id', { orderId: undefined }],
    ['an id of another form', { orderId: 'ORDER-1' }],
    ['no reference', { orderRef: null }],
    ['no code', { code: null }],
    ['no time', { eventTime: '' }],
    ['a time that is none', { eventTime: 'yesterday' }],
  ])('is not read at all when one event has %s', (_what, more) => {
    expect(reading(event(), event(more))).toBeNull();
  });

  it('is nothing where nobody saw an answer, or knows how it is read', () => {
    expect(readListing(null, DEFAULT_ANSWER_MAPPING)).toBeNull();
    expect(readListing(answered(200, { body: '{"events":[]}' }), null)).toBeNull();
  });

  describe('in other words than the usual ones', () => {
    const fitted = answerMapping.parse({
      list: ['orders.history'],
      orderRef: ['number'],
      orderId: ['id'],
      code: { from: ['what'], codes: { X9: 'cancelled' } },
      time: { from: ['day'], clock: ['hour'], parse: 'yyyyMMdd HHmm', zone: 'America/Chicago' },
    });
    const order = (...history: unknown[]) => ({ number: 'R1', id: ID, history });
    const fittedReading = (...orders: unknown[]) =>
      readListing(answered(200, { body: JSON.stringify({ orders }) }), fitted);

    it('is read as operators have fitted it, what stands around an event and renamed codes included', () => {
      const made = { what: 'A1', day: '20260302', hour: '0200' };
      expect(fittedReading(order(made))).toEqual([
        { orderId: ID, orderRef: 'R1', createdAtMs: NOW_MS, isCancelled: false },
      ]);
      expect(fittedReading(order(made, { what: 'X9', day: '20260303', hour: '0900' }))).toMatchObject([
        { createdAtMs: NOW_MS, isCancelled: true },
      ]);
    });

    it('is not read where the usual words stand', () => {
      expect(readListing(answered(200, { body: JSON.stringify({ events: [event()] }) }), fitted)).toBeNull();
    });
  });
});
