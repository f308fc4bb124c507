import { describe, expect, it } from 'vitest';
import { quoteValue } from '../../../src/kernel/problem.ts';
import { headOf, trimmed, unseenAt } from '../../../src/kernel/text.ts';

it('cuts no character in two', () => {
  expect(headOf('ab😀', 3)).toBe('ab');
  expect(headOf('ab😀', 4)).toBe('ab😀');
  expect(quoteValue(`${'x'.repeat(119)}😀😀`).isWellFormed()).toBe(true);
});

it('leaves a text alone that was broken before', () => {
  expect(headOf('a\ud800bc', 3)).toBe('a\ud800b');
});

describe('a cell is read without what does not belong to it:', () => {
  it.each([
    ['blanks around it', ' \u00a0LD1\u3000\t', 'LD1'],
    ['a zero width space, wherever it stands', '\u200bLD\u200b1\u200b', 'LD1'],
    ['a byte order mark and a word joiner', '\ufeffLD\u20601', 'LD1'],
    ['marks of direction, as dates have them that were copied', '\u200e3/2/2026\u200f', '3/2/2026'],
    ['blanks that such characters hid', '\u200b LD1 \u200b', 'LD1'],
    ['soft hyphens at its ends', '\u00ad \u00adLD1\u00ad', 'LD1'],
    ['joiners beside letters that are not joined', '\u200dLD\u200c1\u200d\u200d', 'LD1'],
    ['the apostrophe that makes digits a text', "'00123", '00123'],
    ['the same behind a blank or a character nobody sees', " \u200b'LD-1 ", 'LD-1'],
    ['the formula that makes digits a text', '="00123"', '00123'],
    ['all there is', '\u200b\u00ad ', ''],
  ])('%s', (_what, written, read) => expect(trimmed(written)).toBe(read));
});

describe('a cell keeps', () => {
  it.each([
    ['a soft hyphen inside, which some programs show', 'LD\u00ad1'],
    ['a joiner between letters that it joins', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['the joiner of an emoji', '👨‍👩‍👧'],
    ['the apostrophe of a name', "'s-Hertogenbosch"],
    ['the apostrophes of a quotation', "'LD1'"],
    ['an apostrophe before several words', "'90s chair"],
    ['an apostrophe alone', "'"],
    ['any other formula', '=A1+1'],
    ['blanks inside', 'New  York'],
  ])('%s', (_what, text) => expect(trimmed(text)).toBe(text));
});

it('finds a character nobody may see, and none that only looks like one', () => {
  expect(unseenAt('LD\u00ad1')).toBe(2);
  expect(unseenAt('LD1\u200b')).toBe(3);
  expect(unseenAt('\u0645\u06cc\u200c\u062e')).toBe(-1);
  expect(unseenAt('LD–1')).toBe(-1);
});

it.each(['\u200d', '\u00ad', '\u200b ', "'1", '\u0645\u200c', ' '])('takes a long run of %j in its stride', (run) => {
  const text = `a${run.repeat(100_000)}b`;
  const beganMs = performance.now();
  trimmed(text);
  trimmed(run.repeat(100_000));
  unseenAt(text);
  expect(performance.now() - beganMs).toBeLessThan(500);
});
