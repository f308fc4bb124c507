import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readVersion } from '../../../src/mapping/document/versions.ts';
import { bundleOf } from '../../../src/ops/publishing/bundle.ts';

const document = (name: string, more = '', code = '{ from: Code, lookup: words }'): string => `
mapping: ${name}
description: A small mapping for tests.
source: { format: csv }
target: milestone
zone: { const: America/Chicago }
${more}
fields:
  loadNumber: Load
  eventCode: ${code}
  time: { from: At, parse: "yyyy-MM-dd HH:mm" }
examples:
  - { input: "Load,Code,At\\n", records: [] }
`;
const WORDS = `
list: words
description: A small list for tests.
codes: { Arrived: X3 }
`;

const bundled = (documents: Record<string, string>, codeLists: Record<string, string> = { words: WORDS }) =>
  bundleOf({ documents: new Map(Object.entries(documents)), codeLists: new Map(Object.entries(codeLists)) });

describe('bundleOf', () => {
  it('lists its names in order', () => {
    expect(bundled({ stops: document('stops'), events: document('events') }).names).toEqual(['events', 'stops']);
  });

  it('knows of a mapping what lists and admission ask', async () => {
    const bundle = bundled({ stops: document('stops'), 'by-row': document('by-row', 'scac: Scac', '{ const: X1 }') });
    expect((await bundle.mapping('stops'))?.summary).toEqual({
      description: 'A small mapping for tests.',
      format: 'csv',
      kinds: ['milestone'],
      namesScac: false,
      codeLists: ['words'],
      claimedAs: [expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    expect((await bundle.mapping('by-row'))?.summary).toMatchObject({ namesScac: true, codeLists: [] });
  });

  it('names a code list by its meaning: comments and the order of words make no other', async () => {
    const two = WORDS.replace('Arrived: X3', 'Arrived: X3, Left: AF');
    const one = await bundled({}, { words: two }).codeList('words');
    expect(one).toMatchObject({ name: 'words', summary: { description: 'A small list for tests.', codes: 2 } });
    const same = two.replace('Arrived: X3, Left: AF', 'Left: AF, Arrived: X3').replace('list:', '# a remark\nlist:');
    expect((await bundled({}, { words: same }).codeList('words'))?.sha256).toBe(one?.sha256);
    expect((await bundled({}, { words: WORDS }).codeList('words'))?.sha256).not.toBe(one?.sha256);
    expect(await bundled({}).codeList('gone')).toBeUndefined();
  });

  it('has nothing under a name it does not list', async () => {
    const bundle = bundled({ stops: document('stops') });
    expect(await bundle.mapping('stops')).toBeDefined();
    for (const name of ['gone', 'constructor', '__proto__', '']) {
      expect(await bundle.mapping(name)).toBeUndefined();
    }
  });

  it('gives a version whose text is named by its SHA-256 and can be read back', async () => {
    const version = await bundled({ stops: document('stops') }).mapping('stops');
    expect(version?.name).toBe('stops');
    expect(version?.sha256).toBe(
      createHash('sha256')
        .update(version?.text ?? '')
        .digest('hex'),
    );
    expect(readVersion(version?.text ?? '')).toMatchObject({ ok: true, value: { name: 'stops' } });
  });

  it('gives the same version each time, and another one when a code list it uses changes', async () => {
    const bundle = bundled({ stops: document('stops') });
    const first = await bundle.mapping('stops');
    expect(await bundle.mapping('stops')).toBe(first);
    const changed = await bundled({ stops: document('stops') }, { words: WORDS.replace('X3', 'X1') }).mapping('stops');
    expect(changed?.sha256).not.toBe(first?.sha256);
  });

  it('gives the same version whatever else is bundled with it', async () => {
    const alone = await bundled({ stops: document('stops') }).mapping('stops');
    const among = await bundled({ stops: document('stops'), events: document('events') }).mapping('stops');
    expect(among).toEqual(alone);
  });

  it('refuses a wrong document with all that is wrong in it, when it is first used', async () => {
    const wrong = document('other', 'colour: red', '{ from: Code, lookup: nowhere }');
    const bundle = bundled({ stops: wrong });
    expect(bundle.names).toEqual(['stops']);
    const refusal = await bundle.mapping('stops').then(String, String);
    expect(refusal).toContain('bundled mapping stops refused');
    for (const part of ['colour', 'nowhere', 'mapping']) expect(refusal).toContain(part);
  });

  it('does not let one wrong document take the others with it', async () => {
    const bundle = bundled({ stops: document('stops'), broken: 'mapping: [' });
    expect(await bundle.mapping('stops')).toMatchObject({ name: 'stops' });
    await expect(bundle.mapping('broken')).rejects.toThrow('bundled mapping broken refused');
  });

  it('refuses wrong code lists by name', async () => {
    await expect(bundled({ stops: document('stops') }, { words: 'codes: 5' }).mapping('stops')).rejects.toThrow(
      'bundled code lists refused',
    );
  });
});
