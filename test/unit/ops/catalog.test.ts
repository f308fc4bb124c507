import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readVersion } from '../../../src/mapping/versions.ts';
import { bundledCatalog } from '../../../src/ops/catalog.ts';

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

const catalogOf = (documents: Record<string, string>, codeLists: Record<string, string> = { words: WORDS }) =>
  bundledCatalog({ documents: new Map(Object.entries(documents)), codeLists: new Map(Object.entries(codeLists)) });

describe('bundledCatalog', () => {
  it('lists its names in order', () => {
    expect(catalogOf({ stops: document('stops'), events: document('events') }).names).toEqual(['events', 'stops']);
  });

  it('knows which mapping reads the SCAC from each record', () => {
    const catalog = catalogOf({ stops: document('stops'), 'by-row': document('by-row', 'scac: Scac') });
    expect([catalog.namesScac('stops'), catalog.namesScac('by-row')]).toEqual([false, true]);
  });

  it('has nothing under a name it does not list', async () => {
    const catalog = catalogOf({ stops: document('stops') });
    expect(await catalog.version('stops')).toBeDefined();
    for (const name of ['gone', 'constructor', '__proto__', '']) {
      expect(catalog.namesScac(name)).toBe(false);
      expect(await catalog.version(name)).toBeUndefined();
    }
  });

  it('gives a version whose text is named by its SHA-256 and can be read back', async () => {
    const version = await catalogOf({ stops: document('stops') }).version('stops');
    expect(version?.name).toBe('stops');
    expect(version?.sha256).toBe(
      createHash('sha256')
        .update(version?.text ?? '')
        .digest('hex'),
    );
    expect(readVersion(version?.text ?? '')).toMatchObject({ ok: true, value: { name: 'stops' } });
  });

  it('gives the same version each time, and another one when a code list it uses changes', async () => {
    const catalog = catalogOf({ stops: document('stops') });
    const first = await catalog.version('stops');
    expect(await catalog.version('stops')).toBe(first);
    const changed = await catalogOf({ stops: document('stops') }, { words: WORDS.replace('X3', 'X1') }).version(
      'stops',
    );
    expect(changed?.sha256).not.toBe(first?.sha256);
  });

  it('gives the same version whatever else is bundled with it', async () => {
    const alone = await catalogOf({ stops: document('stops') }).version('stops');
    const among = await catalogOf({ stops: document('stops'), events: document('events') }).version('stops');
    expect(among).toEqual(alone);
  });

  it('refuses a wrong document with all that is wrong in it, when it is first used', async () => {
    const wrong = document('other', 'colour: red', '{ from: Code, lookup: nowhere }');
    const catalog = catalogOf({ stops: wrong });
    expect(catalog.names).toEqual(['stops']);
    const refusal = await catalog.version('stops').then(String, String);
    expect(refusal).toContain('bundled mapping stops refused');
    for (const part of ['colour', 'nowhere', 'mapping']) expect(refusal).toContain(part);
  });

  it('does not let one wrong document take the others with it', async () => {
    const catalog = catalogOf({ stops: document('stops'), broken: 'mapping: [' });
    expect(await catalog.version('stops')).toMatchObject({ name: 'stops' });
    await expect(catalog.version('broken')).rejects.toThrow('bundled mapping broken refused');
  });

  it('refuses wrong code lists by name', async () => {
    await expect(catalogOf({ stops: document('stops') }, { words: 'codes: 5' }).version('stops')).rejects.toThrow(
      'bundled code lists refused',
    );
  });
});
