/** The platform's own decoder knows every character set that UNB may declare and that we say we read. */
import { describe, expect, it } from 'vitest';
import { charsetOf } from '../../../src/formats/edifact/text.ts';

describe('the letters of a character set that UNB declares', () => {
  it.each([
    ['UNOC', '\xfc', 'ü'],
    ['UNOD', '\xb3', 'ł'],
    ['UNOE', '\xb6', 'Ж'],
    ['UNOF', '\xd9', 'Ω'],
    ['UNOG', '\xa1', 'Ħ'],
    ['UNOH', '\xa1', 'Ą'],
    ['UNOI', '\xc8', 'ب'],
    ['UNOJ', '\xe0', 'א'],
    ['UNOK', '\xfd', 'ı'],
    ['UNOW', '\xc5\x82', 'ł'],
    ['UNOY', '\xc5\x82', 'ł'],
  ])('%s are read in the worker', (syntax, units, wanted) => {
    const charset = charsetOf(syntax, 'windows-1252', units);
    expect([charset.choice, charset.decode(units)]).toEqual(['declared', wanted]);
  });
});
