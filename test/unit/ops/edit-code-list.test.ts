import { describe, expect, it } from 'vitest';
import { checkCodeList } from '../../../src/mapping/check/code-list.ts';
import { editCodeList } from '../../../src/ops/publishing/edit-code-list.ts';
import { MAPPINGS, yamlTexts } from '../mapping/shipped.ts';

const BUNDLED = yamlTexts(`${MAPPINGS}/code-lists`);

const LIST = `# Words of one carrier.
list: words
description: Status words.
codes:
  Arrived pickup: X3 # at the dock
  # what drivers write
  Departed: AF
  Gone: AF
  "03": P1
meanings:
  X3: Arrived
  AF: Departed
  P1: Terminal
unverified: [Gone, "03"] # ask
`;

function edit(set: Record<string, string>, remove: string[] = [], written = LIST) {
  const list = checkCodeList(written);
  if (!list.ok) throw new Error(JSON.stringify(list.error));
  return editCodeList(written, list.value, { set: new Map(Object.entries(set)), remove });
}

const edited = (...asked: Parameters<typeof edit>): string => {
  const outcome = edit(...asked);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  expect(checkCodeList(outcome.value)).toMatchObject({ ok: true });
  return outcome.value;
};
const lines = (text: string): string[] => text.split('\n').map((line) => line.trim());

describe('editCodeList', () => {
  it('changes the one line and leaves remarks and order alone', () => {
    expect(edited({ Departed: 'CD' })).toBe(LIST.replace('Departed: AF\n', 'Departed: CD\n'));
  });

  it('puts a new word at the end of the words', () => {
    expect(edited({ Loading: 'L1' })).toBe(LIST.replace('"03": P1\n', '"03": P1\n  Loading: L1\n'));
  });

  it.each([...BUNDLED])('adds one line to the shipped list %s and touches no other', (_, written) => {
    const added = edited({ 'A new word': 'X1' }, [], written).split('\n');
    const before = written.split('\n');
    expect(added).toHaveLength(before.length + 1);
    expect(added.filter((line) => line !== '  A new word: X1')).toEqual(before);
  });

  it('finds a word as the list compares it, and keeps its spelling', () => {
    expect(lines(edited({ 'ARRIVED  pickup': 'X8' }))).toContain('Arrived pickup: X8 # at the dock');
  });

  it('keeps codes and words made of digits as text', () => {
    expect(lines(edited({ '007': '08' }))).toContain('"007": "08"');
  });

  it.each(['Load #', 'a: b', '- x', 'yes', '*', '{', '"', "it's", 'ünï', '  padded  '])(
    'takes the word %j as text',
    (word) => {
      const list = checkCodeList(edited({ [word]: 'X9' }));
      expect(list.ok && list.value.find(word)).toBe('X9');
    },
  );

  it('removes a word and what was remarked about it', () => {
    const text = edited({}, ['gone', 'arrived pickup']);
    expect(lines(text)).not.toContain('Gone: AF');
    expect(text).not.toMatch(/X3|Gone/);
    expect(text).toContain('AF: Departed');
    expect(text).toContain('# what drivers write');
  });

  it('drops the meaning of a code that no word leads to any more', () => {
    expect(edited({ '03': 'X4' })).not.toContain('Terminal');
  });

  it('drops meanings whole when none is left', () => {
    const small = 'list: w\ndescription: W.\ncodes: { a: X1, b: X3 }\nmeanings: { X1: One }\n';
    expect(edited({}, ['a'], small)).toBe('list: w\ndescription: W.\ncodes: { b: X3 }\n');
  });

  it('names every word it cannot remove, and what it may have meant', () => {
    expect(edit({}, ['Depart', 'Nothing like it'])).toMatchObject({
      ok: false,
      error: [
        { path: 'codes.Depart', code: 'code_unknown', message: expect.stringContaining('Did you mean "Departed"?') },
        { path: 'codes["Nothing like it"]', code: 'code_unknown', value: 'Nothing like it' },
      ],
    });
  });

  it('refuses a word that is set and removed, or set twice', () => {
    expect(edit({ DEPARTED: 'X1' }, ['Departed'])).toMatchObject({
      error: [{ code: 'code_twice', value: 'DEPARTED' }],
    });
    expect(edit({ New: 'X1', new: 'X3' })).toMatchObject({ error: [{ code: 'code_twice', value: 'new' }] });
  });
});
