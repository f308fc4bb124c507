import { describe, expect, it } from 'vitest';
import {
  answerMessage,
  BATCH_MESSAGES,
  SHOWN_ORDER,
  WAITING_FOR_DECISION,
  withoutRoutes,
} from '../../../src/console/messages.ts';
import { lookOf } from '../../../src/console/parts/basics.tsx';
import { CONSOLE_CSS } from '../../../src/console/parts/stylesheet.ts';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import { isFinal, REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';
import { ROW_STATES } from '../../../src/http/edge/query.ts';

const all = [
  ...Object.entries(ROW_MESSAGES),
  ...Object.entries(BATCH_MESSAGES),
  ['waiting for a decision', WAITING_FOR_DECISION],
] as const;

describe('words', () => {
  it('there are for every state of a row, and for no other', () => {
    expect(Object.keys(ROW_MESSAGES).sort()).toEqual([...ROW_STATES].sort());
  });

  it('there are for every state of a batch', () => {
    expect(Object.keys(BATCH_MESSAGES).sort()).toEqual(['delivering', 'reading', 'settled', 'unreadable']);
  });

  it.each(all)('for %s are a short label and a sentence', (_state, { label, meaning }) => {
    expect(label.length).toBeLessThan(25);
    expect(label).toMatch(/^[A-Z][^.]*$/);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it.each(all)('for %s have a colour of their own, or are quiet', (_state, { tone }) => {
    if (tone !== 'quiet') expect(CONSOLE_CSS).toContain(`.${lookOf(tone)}{color:`);
  });

  it('give no two states of a row the same label', () => {
    const labels = Object.values(ROW_MESSAGES).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it.each(Object.entries(REASON_MESSAGES))('for the reason %s are a sentence', (_reason, words) => {
    expect(words).toMatch(/^[A-Z].*\.$/);
  });

  it('say of what was given up no cause: the reason beside it says that', () => {
    expect(ROW_MESSAGES.dead.meaning).not.toMatch(/time|72/);
    expect(ROW_MESSAGES.dead.meaning).toContain('the reason stands beside it');
  });

  it('say of what the channel is to blame for that the row is not', () => {
    for (const reason of ['credentials_refused', 'scac_refused', 'no_token'] as const) {
      expect(REASON_MESSAGES[reason]).toContain('the row is not at fault');
    }
  });

  it('are never those of code: no state, status or abbreviation', () => {
    for (const [, { meaning }] of all) expect(meaning).not.toMatch(/_|\bHTTP\b|\b[45]\d\d\b|upstream|payload/i);
  });
});

describe('tones', () => {
  it('are bad for what a person must mend, and only for that', () => {
    const bad = Object.entries(ROW_MESSAGES).filter(([, { tone }]) => tone === 'bad');
    expect(bad.map(([state]) => state).sort()).toEqual(['dead', 'held', 'invalid', 'rejected']);
  });

  it('are never good for what is still open', () => {
    for (const state of REQUEST_STATES.filter((each: RequestState) => !isFinal(each)))
      expect(ROW_MESSAGES[state].tone).not.toBe('good');
  });
});

describe('the order shown', () => {
  it('holds every state of a row once', () => {
    expect([...SHOWN_ORDER].sort()).toEqual([...ROW_STATES].sort());
  });

  it('puts what needs eyes before what is done', () => {
    const place = (state: (typeof SHOWN_ORDER)[number]) => SHOWN_ORDER.indexOf(state);
    for (const first of ['invalid', 'rejected', 'dead', 'held'] as const)
      expect(place(first)).toBeLessThan(place('delivered'));
  });
});

describe('what people read of the API', () => {
  it('is an answer in words, and none that is data', () => {
    expect(answerMessage('{"message":"The load is closed."}')).toBe('The load is closed.');
    expect(answerMessage('Service Unavailable')).toBe('Service Unavailable');
    for (const data of ['{"id":"x-1"}', '[1]', '<html>…', '', null]) expect(answerMessage(data)).toBe('');
  });

  it('is advice without the routes of programs', () => {
    expect(withoutRoutes('Check the id; GET /v1/batches lists your batches.')).toBe('Check the id.');
    expect(withoutRoutes('They never come: GET /v1/batches lists what was sent. It is kept.')).toBe(
      'They never come. It is kept.',
    );
    expect(withoutRoutes('Name a file; or none.')).toBe('Name a file; or none.');
  });
});
