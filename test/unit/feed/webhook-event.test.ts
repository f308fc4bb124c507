/** The name of an event, by which its receiver knows a repeat. */
import { expect, it } from 'vitest';
import { EVENT_ID_FORM, sentEvent, type WebhookEvent } from '../../../src/webhooks/target.ts';

const SCOPE = { environment: 'test', partner: 'acme' } as const;
const EVENT: WebhookEvent = { type: 'batch.settled', key: ['b_1', 1], atMs: 0, data: { batchId: 'b_1' } };

it('is the same however often and whenever the event is told, and has the form under which it can be asked for', () => {
  const { eventId } = sentEvent(SCOPE, EVENT);
  expect(eventId).toMatch(EVENT_ID_FORM);
  expect(sentEvent(SCOPE, { ...EVENT, atMs: 1_000, data: {} }).eventId).toBe(eventId);
});

it('is another for another partner, environment, kind or subject', () => {
  const others = [
    sentEvent({ ...SCOPE, partner: 'beta' }, EVENT),
    sentEvent({ ...SCOPE, environment: 'production' }, EVENT),
    sentEvent(SCOPE, { ...EVENT, type: 'batch.held' }),
    sentEvent(SCOPE, { ...EVENT, key: ['b_1', 2] }),
    sentEvent(SCOPE, EVENT),
  ];
  expect(new Set(others.map(({ eventId }) => eventId)).size).toBe(others.length);
});
