import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { checkCodeLists } from '../../../src/mapping/check/code-list.ts';
import { canonicalJson } from '../../../src/mapping/document/canonical.ts';
import type { CodeLists } from '../../../src/mapping/document/code-list.ts';
import { mappingVersion, openVersion, readVersion, versionText } from '../../../src/mapping/document/versions.ts';
import { milestoneOf } from '../../milestone-of.ts';
import { LIST_TEXTS, LISTS, type Loose, textOf, withFields } from './documents.ts';
import { SHIPPED, SHIPPED_LISTS } from './shipped.ts';

const USING = withFields({ reasonCode: { from: 'Code', lookup: 'words', onMiss: 'keep' } });

function documentIn(text: string, lists: CodeLists = LISTS) {
  const checked = checkMapping(text, lists);
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return checked.value;
}
const shaOf = async (text: string, lists: CodeLists = LISTS) =>
  (await mappingVersion(documentIn(text, lists), lists)).sha256;

function listsWith(name: string, changes: Loose): CodeLists {
  const text = stringify({ ...(parse(LIST_TEXTS.get(name) ?? '') as Loose), ...changes });
  const checked = checkCodeLists(new Map([...LIST_TEXTS, [name, text]]));
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return checked.value;
}

it('names a version by the SHA-256 of its text', async () => {
  const version = await mappingVersion(documentIn(textOf()), LISTS);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(version.text));
  expect(version.sha256).toBe(Buffer.from(digest).toString('hex'));
});

it('gives equal content one name, whatever the order of keys, comments and ways of writing', async () => {
  const text = textOf(USING);
  const turned = stringify(Object.fromEntries(Object.entries(parse(text) as Loose).reverse()));
  expect(await shaOf(`# a remark\n${turned}`)).toBe(await shaOf(text));
  expect(await shaOf(JSON.stringify(parse(text)))).toBe(await shaOf(text));
});

it('gives a document that spells out a default of its source the same name', async () =>
  expect(await shaOf(textOf({ source: { format: 'csv', delimiter: ',', header: true } }))).toBe(await shaOf(textOf())));

it('gives other content another name', async () =>
  expect(await shaOf(textOf({ description: 'Another.' }))).not.toBe(await shaOf(textOf())));

it('changes with a code list the document uses, and with no other', async () => {
  const text = textOf(USING);
  expect(await shaOf(text, listsWith('words', { codes: { Departed: 'CD' }, unverified: [] }))).not.toBe(
    await shaOf(text),
  );
  expect(await shaOf(text, listsWith('exact', { description: 'Other words.' }))).toBe(await shaOf(text));
});

describe('what a file is claimed under', () => {
  const claimedAs = async (text: string, lists: CodeLists = LISTS) =>
    (await mappingVersion(documentIn(text, lists), lists)).claimedAs;
  const work = async (text: string, lists?: CodeLists) => (await claimedAs(text, lists))[0];

  it('is what is done with it, whatever is said for people and as examples', async () => {
    const text = textOf(USING);
    const { examples } = parse(text) as { examples: Loose[] };
    for (const same of [
      textOf({ ...USING, description: 'Another.' }),
      textOf({ ...USING, examples: [...examples, { ...examples[0], about: 'Once more.' }] }),
    ]) {
      expect(await shaOf(same)).not.toBe(await shaOf(text));
      expect(await work(same)).toBe(await work(text));
    }
    for (const same of [{ description: 'Other words.' }, { meanings: { AF: 'Left.' } }, { unverified: [] }]) {
      const lists = listsWith('words', same);
      expect(await shaOf(text, lists)).not.toBe(await shaOf(text));
      expect(await work(text, lists)).toBe(await work(text));
    }
  });

  it('is another with every other change', async () => {
    const text = textOf(USING);
    const others = [
      await work(textOf()),
      await work(textOf({ ...USING, skip: { when: { field: 'Load', empty: true } } })),
      await work(text, listsWith('words', { codes: { Departed: 'CD' }, unverified: [] })),
      await work(text, listsWith('words', { caseSensitive: true })),
    ];
    expect(new Set([...others, await work(text)]).size).toBe(others.length + 1);
  });

  it('is also what release 0.1 claimed it under: its version in form 1', async () => {
    const document = documentIn(textOf(USING));
    const digest = await crypto.subtle.digest(
      'SHA-256',
      new TextEncoder().encode(versionText(document, LISTS).replace('"form":2', '"form":1')),
    );
    expect((await claimedAs(textOf(USING))).slice(1)).toEqual([Buffer.from(digest).toString('hex')]);
  });
});

describe('form 1, of release 0.1', () => {
  const TWO = textOf({
    requests: [
      { fields: { reasonCode: { const: 'NS' } } },
      { fields: { reasonCode: { from: 'Code', lookup: 'words', onMiss: 'reject' } } },
    ],
  });
  /** How many requests come of a record in which one event of two is in error. */
  const sentOf = (text: string, more: Loose = {}): number => {
    const document = { ...documentIn(TWO), ...more } as never;
    const mapping = readVersion(versionText(document, LISTS, text === 'form 1' ? 1 : 2));
    if (!mapping.ok) throw new Error(JSON.stringify(mapping.error));
    const bound = mapping.value.bind(['Load', 'Code', 'When']);
    if (!bound.ok) throw new Error('not bound');
    const { requests, errors } = bound.value.map(['L1', 'no such word', '2026-03-02 08:00']);
    expect(errors).not.toEqual([]);
    return requests.length;
  };

  it('withholds a record with an event in error, as that release did; later forms withhold the event', () => {
    expect([sentOf('form 1'), sentOf('form 2')]).toEqual([0, 1]);
  });

  it('means what it says where it says so', () =>
    expect(['event', 'record'].map((isolate) => sentOf('form 1', { isolate }))).toEqual([1, 0]));

  it.each([...SHIPPED.keys()])('is read where %s was stored in it', (name) => {
    const { document } = SHIPPED.get(name) ?? {};
    if (document === undefined) throw new Error('no document');
    const read = readVersion(versionText(document, SHIPPED_LISTS, 1));
    expect(read.ok ? read.value.source : read.error).toEqual(document.source);
  });
});

it('carries the lists of zone, SCAC, references, requests and numbers', () => {
  const using = (lookup: string) => ({ from: 'Code', lookup });
  const { document, codeLists } = JSON.parse(
    versionText(
      documentIn(
        textOf({
          ...withFields({
            stopsequenceNumber: { ...using('exact'), as: 'integer' },
            time: { from: 'When', parse: 'iso', zone: using('zones') },
          }),
          requests: [{ fields: { references: [{ name: 'R', value: using('words') }] } }],
        }),
      ),
      LISTS,
    ),
  );
  expect(document.mapping).toBe('trial-csv');
  expect(codeLists.map(({ list }: { list: string }) => list)).toEqual(['exact', 'words', 'zones']);
});

it('maps as its text says, and not as lists say that were edited later', async () => {
  const { text } = await mappingVersion(documentIn(textOf(USING)), LISTS);
  const mapping = readVersion(text);
  const bound = mapping.ok ? mapping.value.bind(['Load', 'Code', 'When']) : undefined;
  if (!bound?.ok) throw new Error('not read');
  expect(milestoneOf(bound.value.map(['L1', 'departed', '2026-03-02 08:00']).requests[0]).reasonCode).toBe('AF');
});

it.each([...SHIPPED.keys()])('reads the version of %s back and writes it unchanged', async (name) => {
  const { document } = SHIPPED.get(name) ?? {};
  if (document === undefined) throw new Error('no document');
  const text = versionText(document, SHIPPED_LISTS);
  const stored = JSON.parse(text);
  const read = readVersion(text);
  expect(read.ok && read.value.source).toEqual(document.source);
  expect(canonicalJson(stored)).toBe(text);
});

it.each([
  '',
  'null',
  '[]',
  '{"form":1}',
  '{"form":3,"document":{},"codeLists":[]}',
  '{"form":2,"document":{},"codeLists":[{}]}',
  '{"form":1,"document":{},"codeLists":[{}]}',
])('refuses %j as a version instead of throwing', (text) => {
  const read = readVersion(text);
  expect(read.ok ? [] : read.error).not.toEqual([]);
});

it('writes canonical JSON: keys in order, no blanks, undefined left out', () => {
  expect(canonicalJson({ b: [1, { d: 'ü', c: null }], a: undefined, A: true })).toBe(
    '{"A":true,"b":[1,{"c":null,"d":"ü"}]}',
  );
  expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
});

describe('lines of fixed width that are carried', () => {
  const field = (at: number) => ({ at, length: 2 });
  const TRIP = { use: 'carried', fields: { trip: field(5) } };
  const STOP = { use: 'carried', fields: { stop: field(5) } };
  const STAT = { fields: { status: field(5) } };
  const written = (records: Loose) =>
    textOf({
      source: { format: 'fixed', records },
      fields: {
        ...{ loadNumber: 'trip', eventCode: 'status', eventCity: 'stop' },
        time: { const: '2026-03-02T08:00:00Z', parse: 'iso' },
      },
    });
  const nestedIn = (records: Loose) => Object.keys((readable(written(records)).source as { records: Loose }).records);
  function readable(text: string) {
    const version = mappingVersion(documentIn(text), LISTS);
    const opened = openVersion(version.text);
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    return opened.value.document;
  }

  it('keep the order in which they are written, outermost first, when they are stored', () => {
    expect(nestedIn({ TRIP, STOP, STAT })).toEqual(['TRIP', 'STOP', 'STAT']);
    expect(nestedIn({ STAT, TRIP, STOP })).toEqual(['STAT', 'TRIP', 'STOP']);
  });

  it('are nested so in every file that a stored version reads', () => {
    const mapping = readVersion(mappingVersion(documentIn(written({ TRIP, STOP, STAT })), LISTS).text);
    if (!mapping.ok) throw new Error(JSON.stringify(mapping.error));
    const { reader } = mapping.value;
    const file = ['TRIPT1', 'STOPS1', 'STATX3', 'TRIPT2', 'STATAF', ''].join('\n');
    const slice = reader.read(reader.start, new TextEncoder().encode(file), true);
    if (slice.outcome !== 'records') throw new Error(JSON.stringify(slice));
    const { columns, records } = slice;
    const cell = (fields: readonly string[], name: string) => fields[columns?.indexOf(name) ?? -1];
    expect(records.map(({ fields }) => ['trip', 'stop', 'status'].map((name) => cell(fields, name)))).toEqual([
      ['T1', 'S1', 'X3'],
      ['T2', '', 'AF'],
    ]);
  });

  it('make another version in another order, and none where the order says nothing', async () => {
    expect(await shaOf(written({ TRIP, STOP, STAT }))).not.toBe(await shaOf(written({ STOP, TRIP, STAT })));
    expect(await shaOf(written({ STOP, TRIP, STAT }))).toBe(await shaOf(written({ STAT, STOP, TRIP })));
    const single = (records: Loose) => written(records).replace('eventCity: stop', 'eventCity: trip');
    expect(await shaOf(single({ TRIP, STAT }))).toBe(await shaOf(single({ STAT, TRIP })));
  });

  it('are claimed anew in another order, and as release 0.1 claimed them', () => {
    const claimed = (records: Loose) => mappingVersion(documentIn(written(records)), LISTS).claimedAs;
    const [one, other] = [claimed({ TRIP, STOP, STAT }), claimed({ STOP, TRIP, STAT })];
    expect([one[0] === other[0], one[1] === other[1]]).toEqual([false, true]);
  });
});
