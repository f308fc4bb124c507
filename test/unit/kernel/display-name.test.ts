import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayName } from '../../../src/kernel/text.ts';
import { draws } from '../../draws.ts';

describe('displayName', () => {
  it('keeps a name as it is', () => {
    expect(displayName('Events März 2026 (final).csv')).toBe('Events März 2026 (final).csv');
  });

  it.each([
    ['/etc/passwd', 'passwd'],
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\win.ini', 'win.ini'],
    ['C:\\Users\\me\\events.csv', 'events.csv'],
    ['\\\\server\\share\\events.csv', 'events.csv'],
    ['a/b\\c/events.csv', 'events.csv'],
  ])('drops the folders of %s', (fileName, shown) => {
    expect(displayName(fileName)).toBe(shown);
  });

  it.each([null, '', '   ', '\0', '\r\n', '/', '\\', 'folder/', '\u202e', '\t\u200f\n'])(
    'is nothing for %j',
    (fileName) => {
      expect(displayName(fileName)).toBeNull();
    },
  );

  it.each([
    ['a line end that would add a header', 'a\r\nSet-Cookie: x=1', 'aSet-Cookie: x=1'],
    ['NUL', 'a\0.csv', 'a.csv'],
    ['a terminal escape', '\u001b[31mred.csv', '[31mred.csv'],
    ['DEL and C1 controls', 'a\u007f\u0085b.csv', 'ab.csv'],
    ['a right-to-left override', 'report\u202egnp.csv', 'reportgnp.csv'],
    ['an Arabic letter mark', 'a\u061cb.csv', 'ab.csv'],
    ['bidirectional marks and isolates', '\u200ea\u200f\u2066b\u2069.csv', 'ab.csv'],
  ])('takes out %s', (_what, fileName, shown) => {
    expect(displayName(fileName)).toBe(shown);
  });

  it.each([
    '<img src=x onerror=alert(1)>.csv',
    '"; DROP TABLE batch;--',
    '$' + '{7*7}',
    "O'Hare.csv",
    '%2e%2e%2fetc%2fpasswd',
    '=cmd().csv',
    '田中さん.csv',
    '😀.csv',
    'ﬃ ﷽.csv',
    '..',
    'CON',
    'undefined',
  ])('shows the naughty name %j, which is only ever shown', (fileName) => {
    expect(displayName(fileName)).toBe(fileName);
  });

  it('keeps 255 characters', () => {
    expect(displayName('x'.repeat(255))).toHaveLength(255);
    expect(displayName('x'.repeat(9_000))).toHaveLength(255);
  });

  it.each([253, 254, 255])('never ends inside a character, where one follows %d others', (before) => {
    const shown = displayName(`${'x'.repeat(before)}😀😀😀.csv`) ?? '';
    expect([...shown]).toHaveLength(255);
    expect(shown).toBe('x'.repeat(before) + '😀'.repeat(255 - before));
  });

  it.each(['a\ud83d.csv', '\ude00b.csv', '\ude00\ud83d'])('makes %j a text that a header can hold', (fileName) => {
    const shown = displayName(fileName) ?? '';
    expect(shown.isWellFormed()).toBe(true);
    expect(decodeURIComponent(encodeURIComponent(shown))).toBe(shown);
  });

  it('never yields a separator, a control, a bidirectional mark or half a character, whatever comes in', () => {
    const codeUnits = fc.array(fc.nat(0xffff), { maxLength: 400 }).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), codeUnits), (fileName) => {
        const shown = displayName(fileName);
        if (shown === null) return true;
        const unsafe = /[\\/\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(shown);
        return shown !== '' && [...shown].length <= 255 && shown.isWellFormed() && !unsafe;
      }),
      { numRuns: draws(200) },
    );
  });
});
