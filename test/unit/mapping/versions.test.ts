import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { canonicalJson } from '../../../src/mapping/canonical.ts';
import { checkMapping } from '../../../src/mapping/check.ts';
import { checkCodeLists } from '../../../src/mapping/check-code-list.ts';
import type { CodeLists } from '../../../src/mapping/code-list.ts';
import { mappingVersion, readVersion, versionText } from '../../../src/mapping/versions.ts';
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
  '{"form":2,"document":{},"codeLists":[]}',
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
