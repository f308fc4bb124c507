/** The list of orders under a reference is read whole or not at all. */
import { describe, expect, it } from 'vitest';
import { readListing } from '../../../src/delivery/order-listing.ts';
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
const reading = (...events: unknown[]) => readListing(answered(200, { body: JSON.stringify({ events }) }));

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
  ])('is not read from %s', (_what, observed) => expect(readListing(observed)).toBeNull());

  it.each([
    ['no id', { orderId: undefined }],
    ['an id of another form', { orderId: 'ORDER-1' }],
    ['no reference', { orderRef: null }],
    ['no code', { code: 7 }],
    ['no time', { eventTime: '' }],
    ['a time that is none', { eventTime: 'yesterday' }],
  ])('is not read at all when one event has %s', (_what, more) => {
    expect(reading(event(), event(more))).toBeNull();
  });

  it('is nothing where nobody saw an answer', () => expect(readListing(null)).toBeNull());
});
