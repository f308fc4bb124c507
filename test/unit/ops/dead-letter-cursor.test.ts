import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BATCH_END, readCursor, writeCursor } from '../../../src/ops/dead-letters/dead-letters.ts';

describe('the cursor of a list of letters', () => {
  it('reads back as it was written, whatever the partner is called, and can stand in an address', () => {
    const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), count, count, count, (partner, seq, record, request) => {
        const cursor = { partner, seq, after: { record, request } };
        const text = writeCursor(cursor);
        expect(text).toMatch(/^[\w-]+$/);
        expect(readCursor(text)).toEqual({ ok: true, value: cursor });
      }),
    );
    expect(readCursor(writeCursor({ partner: 'acme', seq: 3, after: BATCH_END })).ok).toBe(true);
  });

  it.each([
    '',
    'zzz',
    '!',
    btoa('null'),
    btoa('["acme",1,2]'),
    btoa('["acme",1,2,-1]'),
    btoa('["acme",1,2,0.5]'),
    btoa('[1,1,2,0]'),
    btoa('{}'),
  ])('that is none is refused: %s', (text) => {
    expect(readCursor(text)).toEqual({ ok: false, error: 'unreadable' });
  });

  it('is never what makes reading fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof readCursor(text).ok).toBe('boolean');
      }),
    );
  });
});
