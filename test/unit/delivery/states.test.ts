import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROW_MESSAGES, type Tone } from '../../../src/delivery/messages.ts';
import { isFinal, REQUEST_STATES } from '../../../src/delivery/states.ts';

describe('the vocabulary of request states', () => {
  it('is complete and holds no other word', () => {
    expect([...REQUEST_STATES].sort()).toEqual(
      [
        'queued',
        'sending',
        'waiting',
        'unknown',
        'held',
        'delivered',
        'rejected',
        'coalesced',
        'duplicate',
        'cancelled',
        'dead',
      ].sort(),
    );
  });

  it.each(['delivered', 'rejected', 'duplicate', 'cancelled', 'dead'] as const)('%s is final', (state) => {
    expect(isFinal(state)).toBe(true);
  });

  it.each(['queued', 'sending', 'waiting', 'unknown', 'held', 'coalesced'] as const)('%s is not final', (state) => {
    expect(isFinal(state)).toBe(false);
  });

  it('says of each state, in one comment, who moves it or that it is final', () => {
    const source = readFileSync('src/delivery/states.ts', 'utf8');
    for (const state of REQUEST_STATES) {
      const before = source.slice(0, source.indexOf(`\n  '${state}',`));
      const comment = before.slice(before.lastIndexOf('/**'));
      expect(comment.endsWith('*/'), state).toBe(true);
      expect(comment, state).toMatch(/Final|moves it|sends it|decides|Follows/);
    }
  });
});

it('looks good where all is done, bad where somebody must act, and neither where it goes on by itself', () => {
  const ofTone = (wanted: Tone): string[] =>
    Object.entries(ROW_MESSAGES).flatMap(([state, { tone }]) => (tone === wanted ? [state] : []));
  expect(ofTone('good').sort()).toEqual(['delivered', 'valid']);
  expect(ofTone('bad').sort()).toEqual(['dead', 'held', 'invalid', 'rejected']);
  expect(ofTone('attention').sort()).toEqual(['unknown', 'waiting']);
  expect(ofTone('busy').sort()).toEqual(['coalesced', 'queued', 'sending']);
  expect(ofTone('quiet').sort()).toEqual(['cancelled', 'duplicate', 'skipped']);
});
