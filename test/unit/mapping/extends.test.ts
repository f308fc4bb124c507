/** A partner's dialect: a document that says only what differs from a shipped one. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { mappingVersion, openVersion } from '../../../src/mapping/document/versions.ts';
import { type Loose, namesOf } from './documents.ts';
import { SHIPPED, SHIPPED_LISTS, SHIPPED_TEXTS } from './shipped.ts';

const OWN = {
  mapping: 'acme-214',
  extends: 'x12-214',
  description: 'Status of Acme.',
  examples: [{ input: 'x', records: [] }],
};
const check = (changes: Loose = {}) =>
  checkMapping(stringify({ ...OWN, ...changes }), SHIPPED_LISTS, { bases: SHIPPED_TEXTS });
const problemsOf = (changes: Loose) => {
  const checked = check(changes);
  return checked.ok ? [] : namesOf(checked.error);
};
function documentOf(changes: Loose = {}) {
  const checked = check(changes);
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return checked.value;
}
const base = SHIPPED.get('x12-214')?.document;

describe('a document that extends another', () => {
  it('is the base in all that it does not say', () => {
    const { mapping, description, examples, ...others } = documentOf();
    const { mapping: _m, description: _d, examples: _e, ...whole } = base ?? {};
    expect(others).toEqual(whole);
    expect([mapping, description, examples]).toEqual([OWN.mapping, OWN.description, OWN.examples]);
  });

  it('lays members of source and fields over the base by name, and replaces anything else as a whole', () => {
    const { source, fields, zone } = documentOf({
      source: { encoding: 'windows-1252' },
      fields: { loadNumber: 'B10-01' },
      zone: { const: 'America/Chicago' },
    });
    expect(source).toMatchObject({ format: 'x12', encoding: 'windows-1252', record: 'AT7' });
    expect(fields).toEqual({ ...base?.fields, loadNumber: 'B10-01' });
    expect(zone).toEqual({ const: 'America/Chicago' });
  });

  it('asks one value of no path that it does not read, unless it says so itself', () => {
    const read = documentOf({ fields: { loadNumber: 'B10-02' } });
    expect(read.source).toMatchObject({ single: expect.not.arrayContaining(['L11[02=LO]-01']) });
    expect(read.source).toMatchObject({ single: expect.arrayContaining(['MS1-01']) });
    expect(problemsOf({ fields: { loadNumber: 'B10-02' }, source: { single: ['L11[02=LO]-01'] } })).toEqual([
      'no_effect source.single[0]',
    ]);
  });

  it('has one loop for each tag in a place, also where it leaves a path of its base unread', () => {
    const loops = { ...(base?.source as { loops?: Loose } | undefined)?.loops, billTo: { opens: 'N1' } };
    expect(problemsOf({ fields: { loadNumber: 'B10-02' }, source: { loops } })).toEqual([
      'path_invalid source.loops.billTo',
    ]);
  });

  it('is stored whole: what stands in a version needs no base', async () => {
    const document = documentOf({ zone: { const: 'America/Chicago' }, fields: { loadNumber: 'B10-02' } });
    const opened = openVersion((await mappingVersion(document, SHIPPED_LISTS)).text);
    expect(opened.ok && opened.value.document).toEqual(document);
  });

  it.each([
    ['names no shipped mapping', { extends: 'x12-241' }, ['base_unknown extends']],
    ['names nothing', { extends: null }, ['base_unknown extends']],
    ['has no examples of its own', { examples: undefined }, ['key_missing examples']],
    ['has a key of its own that is wrong', { zones: 'B10-01' }, ['unknown_key zones']],
    ['reads a list that there is not', { zone: { from: 'AT7-07', lookup: 'none' } }, ['code_list_unknown zone.lookup']],
  ])('that %s is refused', (_, changes, wanted) => expect(problemsOf(changes)).toEqual(wanted));

  it('that extends another dialect is refused', () => {
    const bases = new Map([...SHIPPED_TEXTS, ['acme-214', stringify(OWN)]]);
    const checked = checkMapping(stringify({ ...OWN, mapping: 'acme-two', extends: 'acme-214' }), SHIPPED_LISTS, {
      bases,
    });
    expect(checked.ok ? [] : namesOf(checked.error)).toEqual(['base_unknown extends']);
  });
});
