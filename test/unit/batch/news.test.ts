/** What is news of a batch, and when. */
import { describe, expect, it } from 'vitest';
import { dueNotifications, noteNotifications, notificationOf } from '../../../src/batch/core/batch-events.ts';
import type { BatchProgress, NotificationCheckpoints } from '../../../src/batch/core/progress.ts';
import type { Tally } from '../../../src/batch/core/row.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { aSummary, BATCH_ID } from './samples.ts';

const NOW_MS = Date.UTC(2026, 2, 3);
const TICKET = { batchId: 'b_1', format: 'csv' } as BatchTicket;
const PROGRESS: BatchProgress = {
  state: 'delivering',
  checkpoint: null,
  readingFinished: true,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
};

interface Facts {
  marks?: NotificationCheckpoints;
  progress?: Partial<BatchProgress>;
  requests?: Tally['requests'];
  format?: BatchTicket['format'];
  ticket?: Pick<BatchTicket, 'again'>;
}

function noted({ marks = {}, progress, requests = {}, format = 'csv', ticket }: Facts) {
  const now = { ...PROGRESS, ...progress };
  const news = noteNotifications(
    { ticket: { ...TICKET, format, ...ticket }, progress: now, tally: { records: {}, requests } },
    marks,
    NOW_MS,
  );
  return { news, due: dueNotifications(news, now) };
}
const told = (marks: NotificationCheckpoints): NotificationCheckpoints =>
  JSON.parse(JSON.stringify(marks).replaceAll('"isTold":false', '"isTold":true')) as NotificationCheckpoints;

describe('the end of a batch', () => {
  const END = { state: 'settled', settledAtMs: NOW_MS, opening: 2 } as const;
  it('is news under the number of the opening that ended, and stays so while only its register is told anew', () => {
    const { news, due } = noted({ progress: END });
    expect([news.settled, due]).toEqual([{ number: 2, atMs: NOW_MS, isTold: false }, ['settled']]);
    const again = noted({ marks: news, progress: { ...END, opening: 3 } });
    expect(again.news).toBe(news);
    expect(noted({ marks: told(news), progress: { ...END, opening: 3 } }).due).toEqual([]);
  });

  it('is news again after the next opening, and none any more once that began', () => {
    const { news } = noted({ progress: END });
    expect(noted({ marks: news, requests: { queued: 1 } }).due).toEqual([]);
    const next = noted({ marks: told(news), progress: { ...END, opening: 4, settledAtMs: NOW_MS + 1 } });
    expect(next.news.settled).toEqual({ number: 4, atMs: NOW_MS + 1, isTold: false });
  });

  it('that was told stays told while it is open again: it is no news of the next opening', () => {
    const marks = told(noted({ progress: END }).news);
    const open = noted({ marks, requests: { held: 1 } });
    expect(open.news.settled).toEqual(marks.settled);
    expect(noted({ marks: open.news, progress: END }).due).not.toContain('settled');
  });

  it('is news of what could not be read', () => {
    expect(noted({ progress: { state: 'unreadable', settledAtMs: NOW_MS } }).due).toEqual(['settled']);
  });
});

describe('held requests', () => {
  it('are news when nothing else is open', () => {
    expect(noted({ requests: { held: 1, delivered: 5 } }).due).toEqual(['held']);
    for (const state of ['queued', 'sending', 'waiting', 'unknown'] as const) {
      expect(noted({ requests: { held: 1, [state]: 1 } }).due).toEqual([]);
    }
    expect(noted({ requests: { delivered: 5 } }).due).toEqual([]);
  });

  it.each<[string, Partial<BatchProgress>]>([
    ['it is read', { state: 'reading' }],
    ['it is withdrawn', { withdrawal: {} as NonNullable<BatchProgress['withdrawal']> }],
    ['it is retried', { retrying: true }],
  ])('are none while %s', (_, progress) => {
    expect(noted({ progress, requests: { held: 1 } }).due).toEqual([]);
  });

  it('are news once, however often others come and go, and again when there are more', () => {
    const one = told(noted({ requests: { held: 1 } }).news);
    const moving = noted({ marks: one, requests: { held: 1, queued: 1 } });
    const still = noted({ marks: moving.news, requests: { held: 1 } });
    expect([moving.due, still.due]).toEqual([[], []]);
    const two = noted({ marks: still.news, requests: { held: 2 } });
    expect(two.due).toEqual(['held']);
    expect(two.news.held?.number).toBe(2);
    const fewer = noted({ marks: told(two.news), requests: { held: 1 } });
    expect(fewer.due).toEqual([]);
    expect(noted({ marks: fewer.news, requests: { held: 2 } }).due).toEqual(['held']);
  });

  it('that were not told of before one was released are told of as those that are left', () => {
    const { news } = noted({ requests: { held: 2 } });
    const left = noted({ marks: news, requests: { held: 1 } });
    expect(left.news.held).toMatchObject({ number: 2, requests: 1, isTold: false });
    const none = noted({ marks: news, requests: {} });
    expect(none.due).toEqual([]);
  });
});

describe('an acknowledgment', () => {
  it('is news once all is judged, of a file whose format has one', () => {
    expect(noted({ format: 'x12' }).due).toEqual(['acknowledged']);
    expect(noted({ format: 'edifact' }).due).toEqual(['acknowledged']);
    expect(noted({ format: 'xml' }).due).toEqual([]);
    expect(noted({ format: 'x12', progress: { state: 'reading' } }).due).toEqual([]);
    expect(noted({ format: 'x12', progress: { state: 'unreadable', settledAtMs: 1 } }).due).toEqual(['settled']);
    expect(noted({ format: 'x12', progress: { message: 1 } }).due).toEqual([]);
  });

  it('is none of sets that come once more: they were acknowledged as they came first', () => {
    const again = { batchId: 'b_0', records: [2] };
    for (const more of [again, { ...again, corrected: true as const }])
      expect(noted({ format: 'x12', ticket: { again: more } }).due).toEqual([]);
  });

  it('is news once, also where the batch is opened again', () => {
    const { news } = noted({ format: 'x12', progress: { state: 'settled', settledAtMs: NOW_MS } });
    const again = { state: 'settled', settledAtMs: NOW_MS + 1, opening: 1 } as const;
    const next = noted({ marks: told(news), format: 'x12', progress: again });
    expect([next.due, next.news.acknowledged]).toEqual([['settled'], told(news).acknowledged]);
  });

  it('is linked in the notification of it, and in no other', () => {
    const linkOf = (kind: 'acknowledged' | 'held' | 'settled') =>
      notificationOf(kind, { number: 0, atMs: NOW_MS, isTold: false }, aSummary()).data.links;
    expect(linkOf('acknowledged')).toHaveProperty('acknowledgment', `/v1/batches/${BATCH_ID}/acknowledgment`);
    for (const kind of ['held', 'settled'] as const) expect(linkOf(kind)).not.toHaveProperty('acknowledgment');
  });
});
