import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badUtf8At, ENCODINGS, type Encoding, multibyteUtf8At, textCodec } from '../../../src/formats/encoding.ts';
import { draws } from '../../draws.ts';

describe('text codecs', () => {
  it.each(ENCODINGS.filter((encoding) => !encoding.startsWith('utf')))('decode %s as the platform does', (encoding) => {
    const codec = textCodec(encoding);
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    expect(codec.toText(codec.toUnits(bytes, true))).toBe(new TextDecoder(encoding).decode(bytes));
  });

  it.each(ENCODINGS)('write in %s what they read', (encoding) => {
    const codec = textCodec(encoding);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const units = codec.fromText(text);
        if (units === null) return;
        expect(codec.toText(units)).toBe(text);
        expect(codec.badAt(units)).toBe(-1);
      }),
    );
  });

  it.each(ENCODINGS.filter((encoding) => encoding.startsWith('utf')))(
    'find bad text in %s where the platform does',
    (encoding) => {
      const codec = textCodec(encoding);
      const strict = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
      const accepts = (bytes: Uint8Array): boolean => {
        try {
          return strict.decode(bytes) !== undefined;
        } catch {
          return false;
        }
      };
      fc.assert(
        fc.property(
          fc.string({ unit: 'binary', maxLength: 8 }),
          fc.uint8Array({ maxLength: 4 }),
          fc.nat(30),
          (text, noise, at) => {
            const good = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
            const bytes = Buffer.concat([good.subarray(0, at), noise, good.subarray(at)]);
            expect(codec.badAt(codec.toUnits(bytes, true)) === -1).toBe(accepts(bytes));
          },
        ),
        { numRuns: draws(2_000) },
      );
    },
  );

  it.each([
    ['a\xfcb', 1],
    ['\xc3\xa9\xc3', 2],
    ['\xed\xa0\x80', 0],
    ['\xe2\x82\xac\xf4\x90\x80\x80', 3],
    ['\xc0\xaf', 0],
    ['\xf0\x9f\x98\x80', -1],
  ])('name the first bad byte of %j', (units, at) => {
    expect(badUtf8At(units)).toBe(at);
  });

  it.each([
    ['S\xc3\xa3o', false, 1],
    ['S\xc3\xa3o M\xfc', false, -1],
    ['plain', false, -1],
    ['S\xc3\xa3o \xc3', true, 1],
    ['S\xc3\xa3o \xc3', false, -1],
    ['\xc3', true, -1],
    ['CAF\xc9\xae', false, -1],
    ['CAF\xc9\xae S\xc3\xa3o', false, 7],
  ])('know UTF-8 in %j, cut off: %j', (units, isCut, at) => {
    expect(multibyteUtf8At(units, textCodec('windows-1252'), isCut)).toBe(at);
  });

  it.each<[Encoding, string]>([
    ['windows-1250', 'ACME SPÓŁKA Z O.O.'],
    ['windows-1250', 'PODRÓŻ SPÓŁKI'],
    ['windows-1251', 'Ні'],
    ['windows-1251', 'НІ'],
    ['windows-1252', 'TUBO Ø½'],
    ['windows-1252', '2×½'],
    ['windows-1252', 'CAFÈ® MENÜ®'],
    ['iso-8859-15', 'CAFÉ®'],
  ])('do not take text in %s for UTF-8 whose letters form such sequences by accident: %s', (encoding, text) => {
    const codec = textCodec(encoding);
    const units = codec.fromText(text) ?? '';
    expect([badUtf8At(units), multibyteUtf8At(units, codec)]).toEqual([-1, -1]);
  });

  it.each<[Encoding, string]>([
    ['windows-1250', 'Spółka'],
    ['windows-1251', 'Київ'],
    ['windows-1252', 'São Paulo'],
    ['windows-1252', 'Москва'],
    ['windows-1252', 'A – B'],
    ['iso-8859-1', 'Łódź 東京'],
    ['windows-1250', 'Köln'],
  ])('know UTF-8 that is declared as %s by a letter of that, a long one, or another script: %s', (encoding, text) => {
    expect(multibyteUtf8At(textCodec('utf-8').fromText(text) ?? '', textCodec(encoding))).toBeGreaterThan(-1);
  });

  it('leave the byte order of the given bytes alone', () => {
    const bytes = Uint8Array.of(0, 65, 0, 66);
    expect(textCodec('utf-16be').toUnits(bytes, true)).toBe('AB');
    expect([...bytes]).toEqual([0, 65, 0, 66]);
  });

  it('keep half a UTF-16 unit back until the file ends with it', () => {
    const codec = textCodec('utf-16le');
    expect(codec.toUnits(Uint8Array.of(65, 0, 66), false)).toBe('A');
    expect(codec.badAt(codec.toUnits(Uint8Array.of(65, 0, 66), true))).toBe(1);
  });
});
