/** The checks of a feed's polls: what one poller does in a day passes, what two would do is found. */

import { describe, expect, it } from 'vitest';
import type { StoredPoll } from '../../../scripts/invariants/evidence.ts';
import { askedOf, pollsInDay, pollViolations, receivedOnce } from '../../../scripts/invariants/polls.ts';
import { said } from '../kill/stored-samples.ts';

const INTERVAL_MS = 2_500;
const DAY_MS = 120_000;

const pollsEvery = (ms: number): StoredPoll[] =>
  Array.from({ length: Math.ceil(DAY_MS / ms) }, (_, index) => ({
    pollNo: index + 1,
    state: 'read',
    startedAtMs: 1_000 + index * ms,
    endedAtMs: 1_010 + index * ms,
  }));
const evidence = (polls: StoredPoll[]) => ({
  beganAtMs: 1_000,
  polls,
  receivedAtMs: polls.map(({ startedAtMs }) => startedAtMs + 5),
  intervalMs: INTERVAL_MS,
  wasKilled: false,
});
const at = (polls: readonly StoredPoll[], index: number): StoredPoll => polls[index] as StoredPoll;

describe('the polls of a day', () => {
  it.each([0, INTERVAL_MS * 0.05, INTERVAL_MS * 0.4])('are found well kept, every other one %d ms late', (lateMs) => {
    const polls = pollsEvery(INTERVAL_MS);
    for (let index = 1; index < polls.length; index += 2) at(polls, index).startedAtMs += lateMs;
    const found = evidence(polls.map((poll) => ({ ...poll, endedAtMs: poll.startedAtMs + 10 })));
    expect(said(pollViolations(found))).toEqual([]);
    expect(pollsInDay(found)).toBe(48);
  });

  it.each([
    [
      'a poll before its time',
      (polls: StoredPoll[]) => {
        at(polls, 3).startedAtMs -= INTERVAL_MS * 0.6;
      },
      /poll 4 began 1000 ms after the one before; 2500 ms lie between two/,
    ],
    [
      'a poll while another was under way',
      (polls: StoredPoll[]) => {
        at(polls, 3).endedAtMs = at(polls, 4).startedAtMs + 1;
      },
      /poll 5 began while poll 4 was under way/,
    ],
    [
      'a poll whose end nobody noted, and another behind it',
      (polls: StoredPoll[]) => {
        at(polls, 3).endedAtMs = null;
      },
      /poll 5 began while poll 4/,
    ],
  ])('are seen to have %s', (_, plant, sentence) => {
    const polls = pollsEvery(INTERVAL_MS);
    plant(polls);
    expect(said(pollViolations(evidence(polls))).join('\n')).toMatch(sentence);
  });

  it('are seen to have one that nobody had begun', () => {
    const found = evidence(pollsEvery(INTERVAL_MS));
    const [first = 0] = found.receivedAtMs;
    expect(said(pollViolations({ ...found, receivedAtMs: [first, ...found.receivedAtMs] }))).toEqual([
      '49 polls were received, 48 were begun',
      'poll 1 was received 2 times, 5 and 5 ms after its beginning',
    ]);
  });

  it('are seen to have one that was received twice, also where another was begun and never sent', () => {
    const found = evidence(pollsEvery(INTERVAL_MS));
    const [first = 0, , ...rest] = found.receivedAtMs;
    expect(said(pollViolations({ ...found, receivedAtMs: [first, first + 400, ...rest], wasKilled: true }))).toEqual([
      'poll 1 was received 2 times, 5 and 405 ms after its beginning',
    ]);
    expect(said(receivedOnce(found.polls, [500]))).toEqual(['1 polls were received before one was begun']);
  });

  it('may be begun and never received where the bridge was killed, and only there', () => {
    const found = evidence(pollsEvery(INTERVAL_MS));
    const receivedAtMs = found.receivedAtMs.slice(1);
    expect(said(pollViolations({ ...found, receivedAtMs }))).toEqual(['47 polls were received, 48 were begun']);
    expect(said(pollViolations({ ...found, receivedAtMs, wasKilled: true }))).toEqual([]);
  });

  it('are seen to be too few and too many', () => {
    expect(said(pollViolations(evidence(pollsEvery(3_000))))).toEqual(['40 polls in a day, not 48']);
    expect(said(pollViolations({ ...evidence(pollsEvery(3_000)), wasKilled: true }))).toEqual([]);
    const many = said(pollViolations(evidence(pollsEvery(2_250))));
    expect(many.at(-1)).toBe('53 polls in a day, not 48');
    expect(many.length).toBeGreaterThan(1);
  });
});

it('tells polls, calls of single orders and questions about operations apart', () => {
  const entry = (method: string, path: string, query = '') => ({ method, path, query });
  const journal = [
    entry('GET', '/test/rcsc/order-status/v1/orders', 'partnerId=P&clientId=C'),
    entry('GET', '/test/rcsc/order-status/v1/orders', 'orderRef=SO-1'),
    entry('GET', '/test/rcsc/order-requests/v1/1f/statuses'),
    entry('PUT', '/test/rcsc/order-requests/v1/1f'),
  ];
  expect(askedOf(journal)).toEqual({ polls: [journal[0]], repairs: [journal[1]], questions: [journal[2]] });
});
