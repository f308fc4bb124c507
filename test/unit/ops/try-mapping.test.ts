/** A document and a sample as the workbench tries them: the same as `map` and as an upload, for every fixture. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { nobodyAnswers } from '../../../src/http/views/mapping-draft.ts';
import { type MayGoOn, previewFile } from '../../../src/ops/publishing/preview.ts';
import { tryMapping } from '../../../src/ops/publishing/try-mapping.ts';
import { RIGHT } from '../mapping/documents.ts';
import { FIXTURES, SHIPPED, SHIPPED_LISTS, SHIPPED_TEXTS } from '../mapping/shipped.ts';

const FACTS = { lists: SHIPPED_LISTS, bases: SHIPPED_TEXTS };
const PORTS = { requestAnswer: nobodyAnswers, mayGoOn: async () => true };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const tried = (written: string, sample: Uint8Array | null = null, codeLists: string[] = [], mayGoOn?: MayGoOn) =>
  tryMapping({ written, sample, codeLists }, FACTS, { ...PORTS, ...(mayGoOn ? { mayGoOn } : {}) });
const SAMPLE = bytes('Load,Code,When\nL1,X1,2026-03-02 08:00\nL2,X1,never\n');

const nameOf = ({ code, path, value }: { code: string; path: string; value: string }) => `${code} at ${path}: ${value}`;

const CASES = [...SHIPPED.keys()].flatMap((name) => {
  const folders = readdirSync(FIXTURES).includes(name) ? readdirSync(join(FIXTURES, name)) : [];
  return folders.map((folder) => [name, folder] as const);
});

it.each(CASES)('%s/%s: the same as its preview and as `map`', async (name, folder) => {
  const at = join(FIXTURES, name, folder);
  const input = readdirSync(at).find((file) => file.startsWith('input.')) ?? '';
  const sample = readFileSync(join(at, input));
  const { preview, problems, examples } = await tried(SHIPPED_TEXTS.get(name) ?? '', sample);
  expect(problems).toEqual([]);
  expect(examples).toMatchObject({ failed: [] });
  const { mapping } = SHIPPED.get(name)!;
  if (mapping.enrichment === null) expect(preview).toEqual(await previewFile(mapping, sample));
  const lines = readFileSync(join(at, 'expected.jsonl'), 'utf8').split('\n').filter(Boolean);
  expect(preview?.counts.records).toBe(lines.length);
  if (mapping.enrichment !== null) return;
  const shown = preview?.records.map(({ record, position, requests, errors }) => ({
    ...{ record, position, requests },
    errors: errors.map(nameOf).sort(),
  }));
  const wanted = lines
    .map((line) => JSON.parse(line))
    .map(({ record, position, requests, errors }) => ({
      ...{ record, position, requests },
      errors: errors.map(nameOf).sort(),
    }));
  expect(shown).toEqual(wanted.slice(0, shown?.length));
});

describe('a document that is being written', () => {
  it('is tried although it has no example yet, and says so', async () => {
    const { examples: _, ...without } = RIGHT;
    const { problems, preview, examples } = await tried(stringify(without), SAMPLE);
    expect(problems).toMatchObject([{ code: 'key_missing', path: 'examples' }]);
    expect(preview?.counts).toMatchObject({ mapped: 1, invalid: 1 });
    expect(examples).toEqual({ count: 0, failed: [] });
  });

  it('is not tried where anything else is wrong', async () => {
    const { problems, preview, mapping } = await tried(stringify({ ...RIGHT, target: 'milestoone' }), SAMPLE);
    expect(problems).toMatchObject([{ path: 'target', line: 5, column: 1 }]);
    expect([preview, mapping]).toEqual([null, null]);
  });

  it('uses a code list that is being written beside it', async () => {
    const fields = { ...(RIGHT.fields as object), eventCode: { from: 'Code', lookup: 'mine' } };
    const list = 'list: mine\ndescription: Mine.\ncodes: { X1: AF }\n';
    const { preview, mapping } = await tried(stringify({ ...RIGHT, fields }), SAMPLE, [list]);
    expect(mapping?.uses).toEqual(['mine']);
    expect(preview?.records[0]?.requests[0]?.body).toMatchObject({ eventCode: 'AF' });
  });

  it('stops where time runs out, and says so', async () => {
    const rows = 'L1,X1,2026-03-02 08:00\n'.repeat(2_000);
    const { preview } = await tried(stringify(RIGHT), bytes(`Load,Code,When\n${rows}`), [], async () => false);
    expect(preview).toMatchObject({ stopped: true, counts: { records: 500 } });
  });
});

describe('where a value comes from', () => {
  const originsOf = async (name: string) => (await tried(SHIPPED_TEXTS.get(name) ?? '')).origins;

  it('is a line of the document and the columns that it reads', async () => {
    const { origins } = await tried(stringify(RIGHT));
    expect(origins).toContainEqual({
      ...{ kinds: ['milestone'], member: ['time'], at: 'fields.time', columns: ['When'] },
      ...{ line: 11, column: 3 },
    });
  });

  it('is the request’s own line before the shared one', async () => {
    const origins = await originsOf('x12-214');
    const codes = origins.filter(({ member: [name] }) => name === 'eventCode');
    expect(codes.map(({ at }) => at)).toEqual(['requests[0].fields.eventCode', 'requests[1].fields.eventCode']);
    expect(origins.find(({ member }) => member.join() === 'coordinate,latitude')).toMatchObject({
      kinds: ['trace'],
      columns: ['MS1-05', 'MS1-07'],
    });
    expect(origins.find(({ at }) => at === 'fields.time')?.columns).toEqual(['AT7-07', 'AT7-05', 'AT7-06']);
  });

  it('reaches into the lines of an order', async () => {
    const origins = await originsOf('x12-850');
    const inner = origins.filter(({ member }) => member.length > 1);
    expect(inner.length).toBeGreaterThan(3);
    for (const { at, line } of inner) expect(line, at).toBeGreaterThan(1);
  });
});
