/** What the first bytes of a file say it is. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { looksLike } from '../../../src/formats/magic.ts';

const lookOf = (text: string) => looksLike(Buffer.from(text, 'latin1'));

describe('a file that looks like an EDIFACT interchange', () => {
  it.each([
    ["UNB+UNOC:3+S+R+260302:1500+1'"],
    ["UNB+unoc:3+S+R+260302:1500+1'"],
    ["UNB+IATB:1+S+R+260302:1500+1'"],
    ["UNA:+.? '\r\nUNB+UNOA:2+S+R"],
    ['UNA:+.? \nUNB+UNOA:2+S+R'],
    ['UNA^|,\\*$UNB|UNOC^3|S|R'],
  ])('begins so: %j', (text) => {
    expect(lookOf(text)).toBe('edifact');
  });

  it.each([['UNB,name,1\n'], ['UNB;Test;1\n'], ['UNBOXED items\n'], ["UNH+1+IFTSTA:D:96A:UN'"], ['UNB CODE:1\n']])(
    'does not begin so: %j',
    (text) => {
      expect(lookOf(text)).toBe(null);
    },
  );
});
