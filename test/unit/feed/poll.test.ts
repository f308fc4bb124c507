/** What a poll's end means, when the next is due, and what a feed does next. */
import { describe, expect, it } from 'vitest';
import { POLL_MINUTES_DEFAULT, REPAIR_WAITS_MS } from '../../../src/feed/limits.ts';
import { classifyPoll, type FeedFacts, nextFeedStep, nextPollMs } from '../../../src/feed/poll.ts';
import { classifyRepair, isYoung, repairPaceMs, repairWaitMs } from '../../../src/feed/repair.ts';
import type { Answer, Observation } from '../../../src/upstream/answer.ts';

const NOW = 1_000_000;
const answered = (status: number, more: Partial<Answer> = {}): Answer => ({
  outcome: 'answered',
  status,
  headers: {},
  body: '{"events":[]}',
  bodyEncoding: 'utf-8',
  bodyEnd: 'whole',
  latencyMs: 1,
  ...more,
});
const NO_ANSWER: Observation = { outcome: 'no_answer', code: 'network', detail: 'lost', latencyMs: 1 };
const NOT_SENT: Observation = { outcome: 'not_sent', code: 'no_token', detail: 'none' };

describe('a poll', () => {
  it('is answered, refused, lost or not sent by its status alone, for every status', () => {
    for (let status = 100; status < 600; status += 1) {
      const { verdict } = classifyPoll(answered(status), NOW);
      const expected = status >= 200 && status < 300 ? 'answered' : status >= 400 && status < 500 ? 'refused' : 'lost';
      expect(verdict, String(status)).toBe(expected);
    }
  });

  it.each<[Observation, string]>([
    [NO_ANSWER, 'no_answer'],
    [answered(200, { bodyEnd: 'cut' }), 'cut'],
    [answered(200, { bodyEnd: 'capped' }), 'too_long'],
    [answered(200, { bodyEncoding: 'latin1' }), 'unreadable'],
    [answered(302), 'redirected'],
    [answered(500), 'server_error'],
    [answered(503), 'server_error'],
  ])('%j may have taken changes with it', (observed, why) => {
    expect(classifyPoll(observed, NOW)).toEqual({ verdict: 'lost', why });
  });

  it('that was refused is repeated when its answer says', () => {
    expect(classifyPoll(answered(429, { headers: { 'retry-after': '7' } }), NOW)).toMatchObject({ waitMs: 7_000 });
    expect(classifyPoll(answered(503, { headers: { 'retry-after': '7' } }), NOW)).toMatchObject({ verdict: 'refused' });
    expect(classifyPoll(answered(400), NOW)).toMatchObject({ waitMs: 300_000 });
    expect(classifyPoll(NOT_SENT, NOW)).toEqual({ verdict: 'not_sent', detail: 'no_token: none' });
  });

  describe('and its time', () => {
    const clock = { nowMs: () => NOW, timeScale: 1 };
    const half = { beganAtMs: NOW, settings: { pollMinutes: 30 } };
    const HALF_HOUR_MS = 30 * 60_000;

    it('are a day of 48 where nothing is set, whatever each one is late', () => {
      const usual = { beganAtMs: NOW, settings: { pollMinutes: POLL_MINUTES_DEFAULT } };
      const late = [0, 90_000, 13 * 60_000, 1];
      const startedAtMs: number[] = [];
      for (let dueMs = NOW; dueMs < NOW + 48 * HALF_HOUR_MS; ) {
        const atMs = dueMs + (late[startedAtMs.length % late.length] ?? 0);
        startedAtMs.push(atMs);
        dueMs = nextPollMs(usual, atMs, clock, () => (startedAtMs.length % 3) / 3);
      }
      expect(startedAtMs).toHaveLength(48);
    });

    it('are up to 5 % of half an hour behind the time, never before it', () => {
      expect(nextPollMs(half, NOW + 1_000, clock, () => 0)).toBe(NOW + HALF_HOUR_MS);
      expect(nextPollMs(half, NOW + 1_000, clock, () => 1)).toBe(NOW + HALF_HOUR_MS * 1.05);
      expect(nextPollMs(half, NOW, { ...clock, timeScale: 360 }, () => 0)).toBe(NOW + 5_000);
      expect(nextPollMs({ ...half, settings: { pollMinutes: 5 } }, NOW, clock, () => 0)).toBe(NOW + 5 * 60_000);
    });

    it('leave a time out that is less than half of it away: nobody asks twice in a row', () => {
      expect(nextPollMs(half, NOW + 16 * 60_000, clock, () => 0)).toBe(NOW + 2 * HALF_HOUR_MS);
      expect(nextPollMs(half, NOW + 14 * 60_000, clock, () => 0)).toBe(NOW + HALF_HOUR_MS);
    });
  });
});

describe('a feed', () => {
  const facts = (more: Partial<FeedFacts>): FeedFacts => ({
    open: null,
    nextPollMs: NOW + 1_000,
    notifyAtMs: null,
    publishAtMs: null,
    repairAtMs: null,
    ...more,
  });
  const asking = { pollNo: 7, state: 'asking', notBeforeMs: 0 } as const;
  const stored = { pollNo: 7, state: 'stored', notBeforeMs: 0 } as const;

  it.each<[string, Partial<FeedFacts>, unknown]>([
    [
      'gives up first what a dead process left',
      { open: asking, nextPollMs: 0, notifyAtMs: 0, repairAtMs: 0 },
      { turn: 'recover', pollNo: 7 },
    ],
    ['reads what came before it asks again', { open: stored, nextPollMs: 0 }, { turn: 'read', pollNo: 7 }],
    [
      'reads it from the very time on from which it can be read',
      { open: { ...stored, notBeforeMs: NOW }, nextPollMs: 0 },
      { turn: 'read', pollNo: 7 },
    ],
    [
      'asks for nothing while an answer cannot be read yet',
      { open: { ...stored, notBeforeMs: NOW + 5 }, nextPollMs: 0 },
      { turn: 'wait', untilMs: NOW + 5 },
    ],
    ['polls before it tells and repairs', { nextPollMs: NOW, notifyAtMs: 0, repairAtMs: 0 }, { turn: 'poll' }],
    ['tells before it repairs', { notifyAtMs: NOW, repairAtMs: 0 }, { turn: 'tell' }],
    ['tells orders before webhooks', { notifyAtMs: NOW, publishAtMs: 0 }, { turn: 'tell' }],
    [
      'tells webhooks while an order cannot be told, and before it repairs',
      { notifyAtMs: NOW + 5, publishAtMs: NOW, repairAtMs: 0 },
      { turn: 'announce' },
    ],
    [
      'waits for webhooks that cannot be told',
      { publishAtMs: NOW + 7, notifyAtMs: NOW + 30 },
      { turn: 'wait', untilMs: NOW + 7 },
    ],
    ['repairs when there is time', { repairAtMs: NOW }, { turn: 'repair' }],
    ['waits for the first of all', { notifyAtMs: NOW + 30, repairAtMs: NOW + 20 }, { turn: 'wait', untilMs: NOW + 20 }],
    ['waits for its next poll', {}, { turn: 'wait', untilMs: NOW + 1_000 }],
  ])('%s', (_, more, turn) => {
    expect(nextFeedStep(facts(more), NOW)).toEqual(turn);
  });
});

describe('a repair', () => {
  const clock = { nowMs: () => NOW, timeScale: 1 };

  it('is answered by a whole 2xx alone, and by 404 or 410 only that the order is not known', () => {
    expect(classifyRepair(answered(200))).toEqual({ verdict: 'answered', text: '{"events":[]}' });
    for (const status of [404, 410]) {
      expect(classifyRepair(answered(status))).toEqual({ verdict: 'unknown', detail: `status ${status}` });
    }
    expect(classifyRepair(answered(204))).toEqual({ verdict: 'nothing' });
    for (const status of [301, 400, 401, 403, 429, 500, 503]) {
      expect(classifyRepair(answered(status)), String(status)).toMatchObject({ verdict: 'failed' });
    }
    expect(classifyRepair(answered(200, { bodyEnd: 'cut' }))).toMatchObject({ verdict: 'failed' });
    expect(classifyRepair(NO_ANSWER)).toEqual({
      verdict: 'failed',
      detail: expect.stringMatching(/^(?:network|timeout): /),
    });
    expect(classifyRepair(answered(199))).toMatchObject({ verdict: 'failed' });
    expect(classifyRepair(answered(299))).toMatchObject({ verdict: 'answered' });
    expect(classifyRepair(answered(300))).toMatchObject({ verdict: 'failed' });
    expect(classifyRepair(NOT_SENT)).toMatchObject({ verdict: 'not_sent' });
  });

  it('waits longer each time, and keeps to its pace', () => {
    expect(REPAIR_WAITS_MS.map((_, index) => repairWaitMs(index + 1, clock))).toEqual([...REPAIR_WAITS_MS]);
    expect(repairWaitMs(99, clock)).toBe(REPAIR_WAITS_MS.at(-1));
    expect(repairPaceMs(60, clock)).toBe(1_000);
  });

  it('takes an order for young until it must be listed', () => {
    expect(isYoung(NOW, clock)).toBe(true);
    expect(isYoung(NOW - 2 * 3_600_000 + 1, clock)).toBe(true);
    expect(isYoung(NOW - 2 * 3_600_000, clock)).toBe(false);
  });
});
