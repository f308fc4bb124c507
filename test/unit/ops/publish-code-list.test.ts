/** An edited code list and the mappings it takes along. */
import { describe, expect, it } from 'vitest';
import { mappingKey } from '../../../src/kernel/names.ts';
import { aPublisher, mappingText, WORDS } from './published.ts';

const NO_LOOKUP = mappingText('plain').replace('eventCode: { from: Code, lookup: words }', 'eventCode: { const: X3 }');

/** @param letter before the numbers of two kinds that are carried. */
const carrying = (letter: string): string =>
  mappingText('lines')
    .replace(
      'source: { format: csv }',
      `source:
  format: fixed
  records:
    "${letter}0": { marker: "0", use: carried, fields: { Load: { at: 2, length: 2 } } }
    "${letter}1": { marker: "1", use: carried, fields: { At: { at: 2, length: 16 } } }
    S: { fields: { Code: { at: 2, length: 8 } } }`,
    )
    .replace('"Load,Code,At\\nL1,Arrived,2026-03-02 08:00\\n"', '"0L1\\n12026-03-02 08:00\\nSArrived\\n"');

describe('an edited code list', () => {
  it('republishes every mapping that uses it, bundled or published, in one edition', async () => {
    const { publish, editList, store, current, kept } = aPublisher({
      documents: { stops: mappingText('stops'), plain: NO_LOOKUP },
    });
    await publish('events', mappingText('events'));
    const before = { stops: await current('stops'), events: await current('events'), plain: await current('plain') };
    const changed = await editList({ Parked: 'X4' }, [], { note: 'new word' });
    expect(changed).toMatchObject({
      ok: true,
      value: {
        changed: true,
        mappings: [
          { name: 'events', beforeSha256: before.events },
          { name: 'stops', beforeSha256: before.stops },
        ],
      },
    });
    expect(await current('plain')).toBe(before.plain);
    for (const name of ['stops', 'events'] as const) {
      const sha256 = (await current(name)) ?? '';
      expect(sha256).not.toBe(before[name]);
      expect(kept.get(mappingKey(sha256))).toContain('"Parked":"X4"');
    }
    const rows = store.rows.filter(({ publication }) => publication.edition === 2);
    expect(
      rows.map(({ artifact, publication: { name, action, becauseOf, note } }) => [
        artifact,
        name,
        action,
        becauseOf,
        note,
      ]),
    ).toEqual([
      ['code_list', 'words', 'publish', null, 'new word'],
      ['mapping', 'events', 'code_list', 'words', 'new word'],
      ['mapping', 'stops', 'code_list', 'words', 'new word'],
    ]);
  });

  it('takes along a published mapping that nobody could write so any more', async () => {
    const { publish, editList, store, current, kept } = aPublisher();
    const sound = carrying('H');
    const unsound = carrying('');
    expect(await publish('lines', sound)).toMatchObject({ ok: true });
    expect(await publish('others', unsound.replace('mapping: lines', 'mapping: others'))).toMatchObject({
      error: { code: 'mapping_invalid', problems: [{ path: 'source.records.0' }, { path: 'source.records.1' }] },
    });
    for (const row of store.rows) row.written = unsound;
    const edited = await editList({ Parked: 'X4' });
    expect(edited).toMatchObject({ ok: true, value: { mappings: [{ name: 'lines' }, { name: 'stops' }] } });
    expect(kept.get(mappingKey((await current('lines')) ?? ''))).toContain('"Parked":"X4"');
  });

  it('changes nothing at all when one mapping would no longer hold: which, which example, wanted and received', async () => {
    const { editList, publish, store, current, kept } = aPublisher();
    await publish('leaving', mappingText('leaving', { word: 'Left', code: 'AF' }));
    const [before, files] = [store.rows.length, kept.size];
    const sha256 = await current('leaving');
    const refused = await editList({ Arrived: 'X1' });
    expect(refused).toEqual({
      ok: false,
      error: {
        code: 'examples_failed',
        name: 'words',
        examples: [
          {
            mapping: 'stops',
            path: 'examples[0].records[0].requests[0].body.eventCode',
            wanted: '"X3"',
            received: '"X1"',
          },
        ],
      },
    });
    expect([store.rows.length, kept.size, await current('leaving')]).toEqual([before, files, sha256]);
  });

  it('names what fails in every mapping at once', async () => {
    const { editList, publish } = aPublisher();
    await publish('more', mappingText('more'));
    expect(await editList({ Arrived: 'X1' })).toMatchObject({
      error: { code: 'examples_failed', examples: [{ mapping: 'more' }, { mapping: 'stops' }] },
    });
  });

  it('that is wrong in itself is refused with every problem', async () => {
    const { publishList } = aPublisher();
    expect(
      await publishList('list: wrods\ndescription: Words.\ncodes: { a: X1, A: X3 }\nunverified: [b]\n'),
    ).toMatchObject({
      error: {
        code: 'code_list_invalid',
        problems: [
          { path: 'list', code: 'name_differs', line: 1 },
          { path: 'codes.A', code: 'code_twice', line: 3 },
          { path: 'unverified[0]', code: 'code_unknown', line: 4 },
        ],
      },
    });
  });

  it('with other remarks only takes no mapping along', async () => {
    const { publishList, current } = aPublisher();
    const before = await current('stops');
    expect(await publishList(`# remark\n${WORDS}`)).toMatchObject({ value: { changed: true, mappings: [] } });
    expect(await current('stops')).toBe(before);
  });

  it('as it stands changes nothing', async () => {
    const { publishList, editList, store } = aPublisher();
    expect(await publishList(WORDS)).toMatchObject({ value: { changed: false } });
    expect(await editList({ Arrived: 'X3' })).toMatchObject({ value: { changed: false } });
    expect(store.rows).toEqual([]);
  });

  it('as it stands catches up a mapping that was rolled back behind it', async () => {
    const { publishList, editList, rollBack, current } = aPublisher();
    await editList({ Parked: 'X4' });
    const wanted = await current('stops');
    await rollBack('stops', 'bundled');
    expect(await current('stops')).not.toBe(wanted);
    const again = WORDS.replace('Left: AF', 'Left: AF\n  Parked: X4');
    expect(await publishList(again)).toMatchObject({ value: { changed: true, mappings: [{ name: 'stops' }] } });
    expect(await current('stops')).toBe(wanted);
  });

  it('goes back with its mappings', async () => {
    const { editList, change, current, bundle } = aPublisher();
    const before = await current('stops');
    await editList({ Parked: 'X4' });
    expect(await change('words', { artifact: 'code_list', to: 'bundled' })).toMatchObject({
      value: { changed: true, sha256: (await bundle.codeList('words'))?.sha256, mappings: [{ name: 'stops' }] },
    });
    expect(await current('stops')).toBe(before);
  });

  it('goes back to the bundle with the mappings that it took out of it, and no others', async () => {
    const { editList, publish, change, store } = aPublisher({
      documents: { stops: mappingText('stops'), own: mappingText('own') },
    });
    await publish('own', mappingText('own').replace('A small mapping', 'Our mapping'));
    await editList({ Parked: 'X4' });
    await change('words', { artifact: 'code_list', to: 'bundled' });
    const pointers = await store.pointers('test');
    const names = pointers.ok ? [...pointers.value.mappings.keys(), ...pointers.value.codeLists.keys()] : [];
    expect(names).toEqual(['own']);
    const last = store.rows.filter(({ publication }) => publication.edition === 3);
    expect(last.map(({ publication: { name, isBundled } }) => [name, isBundled])).toEqual([
      ['words', true],
      ['own', false],
      ['stops', true],
    ]);
  });

  it('in a dry run shows what it would take along', async () => {
    const { editList, store } = aPublisher();
    const dry = await editList({ Parked: 'X4' }, [], { dryRun: true });
    const differences = [{ path: 'codes.Parked', to: 'X4' }];
    expect(dry).toMatchObject({ value: { changed: true, differences, mappings: [{ name: 'stops' }] } });
    expect(store.rows).toEqual([]);
  });

  it('may be new, and then be used', async () => {
    const { publish, change, catalog } = aPublisher();
    const written = WORDS.replace('list: words', 'list: other');
    await change('other', { artifact: 'code_list', written });
    expect(await publish('events', mappingText('events', { lookup: 'other' }))).toMatchObject({ ok: true });
    expect(await catalog.codeLists('test')).toMatchObject({
      value: [
        { name: 'other', summary: { codes: 2 }, bundledSha256: null, publication: { by: { name: 'Analyst' } } },
        { name: 'words', publication: null },
      ],
    });
  });

  it('that is not there cannot be edited', async () => {
    const { change } = aPublisher();
    const edit = { set: new Map([['a', 'b']]), remove: [] };
    expect(await change('gone', { artifact: 'code_list', edit })).toEqual({
      ok: false,
      error: { code: 'unknown_code_list', name: 'gone', known: ['words'] },
    });
  });
});
