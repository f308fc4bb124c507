import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClutter, shownNames } from '../../../src/batch/files/unzip.ts';

describe('shownNames', () => {
  it.each([
    [['events.csv'], ['events.csv']],
    [
      ['a/north.csv', 'b/south.csv'],
      ['north.csv', 'south.csv'],
    ],
    [
      ['a/events.csv', 'b\\events.csv', 'other.csv'],
      ['a/events.csv', 'b/events.csv', 'other.csv'],
    ],
    [
      ['events.csv', 'events.csv', 'events.csv'],
      ['events.csv', 'events.csv (2)', 'events.csv (3)'],
    ],
    [
      ['../x/events.csv', '/./y/../events.csv'],
      ['x/events.csv', 'y/events.csv'],
    ],
    [
      ['\u202e', '\0'],
      ['unnamed', 'unnamed (2)'],
    ],
  ])('of %j are %j', (paths, shown) => {
    expect(shownNames(paths)).toEqual(shown);
  });

  it('are one for each file, all different, and none leads out of a folder', () => {
    const path = fc.array(fc.constantFrom('a', 'b.csv', '..', '.', '/', '\\', 'C:', '\u202e', '\n', ' '), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.array(
          path.map((texts) => texts.join('')),
          { maxLength: 20 },
        ),
        (paths) => {
          const shown = shownNames(paths);
          expect(shown).toHaveLength(paths.length);
          expect(new Set(shown).size).toBe(shown.length);
          for (const name of shown) expect(name).toMatch(/^(?!\/)(?!(?:.*\/)?\.\.\/)[^\\\p{Cc}\u202e]+$/u);
        },
      ),
    );
  });

  it('are cut to a length that can be shown', () => {
    const folder = 'f'.repeat(300);
    const [long = ''] = shownNames([`${folder}/a.csv`, `${folder}x/a.csv`]);
    expect(long).toHaveLength(255);
    expect(long).toMatch(/f\/a\.csv$/);
  });
});

it.each([
  ['__MACOSX/._a.csv', true],
  ['x/__MACOSX/a.csv', true],
  ['.DS_Store', true],
  ['x/.DS_Store', true],
  ['x\\.DS_Store', true],
  ['MACOSX/a.csv', false],
  ['my.DS_Store', false],
  ['.DS_Store.csv', false],
])('what systems add by themselves is known by its name: %s', (path, expected) => {
  expect(isClutter(path)).toBe(expected);
});
