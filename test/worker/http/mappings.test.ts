/** `/v1/mappings` as a partner: what the key may use, the documents, and previews that leave no trace. */
import { listDurableObjectIds, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { Preview } from '../../../src/ops/publishing/preview.ts';
import type { Tried } from '../../../src/ops/publishing/try-mapping.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { anOperator } from '../operators.ts';
import { aPartner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const NAME = 'carrier-status-csv';
const SELF = `/v1/mappings/${NAME}`;
interface Listed {
  name: string;
  links: Record<'self' | 'sample' | 'preview' | 'upload', string>;
}

describe('the list', () => {
  it('shows every mapping with what it reads, what it sends, and where to go on', async () => {
    const partner = await aPartner();
    const { mappings } = await partner.getJson<{ mappings: Listed[] }>('/v1/mappings');
    expect(mappings.map(({ name }) => name)).toEqual([...BUNDLED_DOCUMENTS.keys()].sort());
    expect(mappings.find(({ name }) => name === NAME)).toEqual({
      name: NAME,
      description: expect.stringContaining('Carrier status export'),
      format: 'csv',
      kinds: ['milestone'],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      links: {
        self: SELF,
        sample: `${SELF}/sample`,
        preview: `${SELF}/preview`,
        upload: `/v1/batches?mapping=${NAME}`,
      },
    });
  });

  it('shows a key the mappings it may use, and no others', async () => {
    const partner = await aPartner({ mappings: [NAME, 'gone'] });
    const { mappings } = await partner.getJson<{ mappings: Listed[] }>('/v1/mappings');
    expect(mappings.map(({ name }) => name)).toEqual([NAME]);
  });
});

describe('a document', () => {
  it('comes as JSON with the code lists it uses', async () => {
    const partner = await aPartner();
    const whole = await partner.getJson<{ sha256: string; document: object; codeLists: { list: string }[] }>(SELF);
    expect(whole).toMatchObject({ name: NAME, document: { mapping: NAME, target: 'milestone' } });
    expect(whole.codeLists.map(({ list }) => list)).toEqual(['us-time-zones', 'x12-reason-codes', 'x12-status-codes']);
    const { mappings } = await partner.getJson<{ mappings: { name: string; sha256: string }[] }>('/v1/mappings');
    expect(mappings.find(({ name }) => name === NAME)?.sha256).toBe(whole.sha256);
  });

  it.each(['application/yaml', 'text/yaml'])('comes as its author wrote it, for %s', async (accept) => {
    const partner = await aPartner();
    const answer = await partner.fetch(SELF, { headers: { Accept: accept } });
    expect(answer.headers.get('Content-Type')).toBe(`${accept}; charset=utf-8`);
    expect(answer.headers.get('ETag')).toMatch(/^"[0-9a-f]{64}"$/);
    const text = new TextDecoder().decode(await answer.arrayBuffer());
    expect(text).toBe(BUNDLED_DOCUMENTS.get(NAME));
  });

  it('in one form is not taken for the other by who polls it', async () => {
    const partner = await aPartner();
    const forms = ['application/json', 'application/yaml'];
    const read = (Accept = '', tag = '') => partner.fetch(SELF, { headers: { Accept, 'If-None-Match': tag } });
    const [json = '', yaml = ''] = await Promise.all(
      forms.map(async (form) => (await read(form)).headers.get('ETag') ?? ''),
    );
    const statuses = [json, yaml].map((tag) => Promise.all(forms.map(async (form) => (await read(form, tag)).status)));
    expect(await Promise.all(statuses)).toEqual([
      [304, 200],
      [200, 304],
    ]);
  });
});

describe('a preview', () => {
  const preview = async (body: BodyInit, init: RequestInit = {}) => {
    const partner = await aPartner();
    return partner.fetch(`${SELF}/preview`, { method: 'POST', body, ...init });
  };

  it('shows requests and errors side by side, and leaves nothing behind', async () => {
    const objects = async () => [await listDurableObjectIds(env.BATCH), await listDurableObjectIds(env.LOAD)];
    const before = await objects();
    const { left } = upstreamAnswers();
    const answer = await preview(statusFile(statusRow('LD1'), statusRow('LD2', { Status: 'Q9' })));
    expect(answer.status).toBe(200);
    const { sha256, ...shown } = await answer.json<Preview & { mapping: string; sha256: string }>();
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(shown).toMatchObject({
      mapping: NAME,
      counts: { records: 2, mapped: 1, requests: 1, skipped: 0, invalid: 1 },
      fileProblems: [],
      records: [
        { record: 1, requests: [{ kind: 'milestone', body: { loadNumber: 'LD1' } }], errors: [] },
        { record: 2, requests: [], errors: [{ code: 'code_unknown', path: 'Status', value: 'Q9' }] },
      ],
    });
    expect(shown.records[0]?.columns?.[0]).toEqual(['Load #', 'LD1']);
    expect((await env.FILES.list()).objects).toEqual([]);
    expect(await objects()).toEqual(before);
    expect(left).toEqual([]);
  });

  it('says what is wrong with the file as a whole', async () => {
    const answer = await preview('a,b\n1,2\n');
    expect(answer.status).toBe(200);
    const { fileProblems, records } = await answer.json<Preview>();
    expect(records).toEqual([]);
    expect(fileProblems.map(({ code }) => code)).toContain('missing_column');
  });

  it.each([
    ['as a form', { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }, 415, 'type_disagrees'],
    ['as JSON', { headers: { 'Content-Type': 'application/json' } }, 415, 'type_disagrees'],
  ])('of a file sent %s is refused', async (_, init, status, code) => {
    const answer = await preview(statusFile(), init);
    expect(answer.status).toBe(status);
    expect((await problemOf(answer)).code).toBe(code);
  });

  it('of nothing is refused', async () => {
    expect((await problemOf(await preview(''))).code).toBe('empty');
  });

  it('takes a file of a mebibyte, and not a byte more', async () => {
    const rows = statusFile(...statusRows(10, 2));
    const most = `${rows}${' '.repeat(1024 * 1024 - rows.length)}`;
    expect((await preview(most)).status).toBe(200);
    const answer = await preview(`${most} `);
    expect(answer.status).toBe(413);
    expect(await problemOf(answer)).toMatchObject({ code: 'too_large', fix: expect.stringContaining('dryRun=true') });
  });
});

describe('a document that is being written', () => {
  const draft = BUNDLED_DOCUMENTS.get(NAME) ?? '';
  const form = (fields: Record<string, string | Blob>): RequestInit => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return { method: 'POST', body };
  };

  it('is tried on a sample, for partners and operators alike, and leaves nothing behind', async () => {
    const fields = {
      mapping: draft,
      file: new Blob([statusFile(statusRow('LD1'), statusRow('LD2', { Status: 'Q9' }))]),
    };
    const partner = await aPartner();
    const operator = await anOperator();
    const tried = await (await partner.fetch('/v1/mappings/preview', form(fields))).json<Tried>();
    expect(tried).toMatchObject({
      mapping: { name: NAME, uses: ['us-time-zones', 'x12-reason-codes', 'x12-status-codes'] },
      problems: [],
      examples: { failed: [] },
      preview: { counts: { records: 2, mapped: 1, invalid: 1 } },
    });
    expect(await (await operator.fetch('/v1/ops/mappings/preview', form(fields))).json()).toEqual(tried);
    const compare = async (mapping: string) =>
      (await partner.fetch('/v1/mappings/compare', form({ ...fields, mapping }))).json<object>();
    expect(await compare(draft)).toMatchObject({ differences: [], sample: { counts: { rows: 2, same: 2 } } });
    expect(await compare(draft.replace('eventCity: City', 'eventCity: { const: Boise }'))).toMatchObject({
      name: NAME,
      differences: [{ path: 'fields.eventCity', from: 'City', to: { const: 'Boise' } }],
      sample: {
        counts: { rows: 2, same: 1, different: 1 },
        different: [{ record: 1, differences: [{ path: 'requests[0].body.eventCity', after: '"Boise"' }] }],
      },
    });
    expect(await compare(draft.replace(`mapping: ${NAME}`, 'mapping: nobody-has-it'))).toEqual({
      name: 'nobody-has-it',
      sha256: null,
    });
    const narrow = await aPartner({ partner: partner.name, mappings: ['orders-csv'] });
    const hidden = await narrow.fetch('/v1/mappings/compare', form({ ...fields, mapping: draft }));
    expect(await hidden.json(), 'of what the key is not for').toEqual({ name: NAME, sha256: null });
    const saved = await partner.fetch('/v1/mappings/example', form({ ...fields, record: '2' }));
    const { mapping } = await saved.json<{ mapping: string }>();
    expect(mapping.startsWith(draft)).toBe(true);
    expect((await env.FILES.list()).objects).toEqual([]);
  });

  it('has its problems line by line, also those of code lists sent along', async () => {
    const partner = await aPartner();
    const broken = { mapping: draft.replace('eventCity: City', 'eventCitty: City'), codeList: 'list: mine' };
    expect(await (await partner.fetch('/v1/mappings/preview', form(broken))).json()).toMatchObject({
      mapping: null,
      problems: [{ code: 'unknown_field', path: 'fields.eventCitty', line: expect.any(Number) }],
      codeLists: [{ list: null, problems: [{ code: 'key_missing' }, { code: 'key_missing' }] }],
      preview: null,
    });
  });

  it.each([
    ['no form', { method: 'POST', body: draft }, 400, 'form_invalid'],
    ['a form without a document', form({ file: 'a,b' }), 400, 'form_invalid'],
    ['a sample too large', form({ mapping: draft, file: new Blob(['x'.repeat(1024 * 1024 + 1)]) }), 413, 'too_large'],
  ])('is refused as %s', async (_, init, status, code) => {
    const answer = await (await aPartner()).fetch('/v1/mappings/preview', init);
    expect(answer.status).toBe(status);
    expect((await problemOf(answer)).code).toBe(code);
  });

  it('knows no code list of another partner', async () => {
    const operator = await anOperator();
    const list = 'list: their-words\ndescription: Theirs.\ncodes: { Gone: AF }\n';
    const put = await operator.fetch('/v1/ops/code-lists/their-words?note=x', { method: 'PUT', body: list });
    expect(put.status).toBe(200);
    const using = draft.replace('lookup: x12-status-codes', 'lookup: their-words');
    expect(using).not.toBe(draft);
    const partner = await aPartner();
    const answer = await (await partner.fetch('/v1/mappings/preview', form({ mapping: using }))).json<Tried>();
    expect(answer.problems).toMatchObject([{ code: 'code_list_unknown' }]);
    const theirs = await (await operator.fetch('/v1/ops/mappings/preview', form({ mapping: using }))).json<Tried>();
    expect(theirs.problems).toEqual([]);
  });
});

describe('a mapping the key may not use', () => {
  it.each([
    ['GET', SELF],
    ['GET', `${SELF}/sample`],
    ['POST', `${SELF}/preview`],
  ])('is refused as an upload would be: %s %s', async (method, path) => {
    const partner = await aPartner({ mappings: ['carrier-events-json'] });
    const init = method === 'POST' ? { method, body: statusFile() } : { method };
    const answer = await partner.fetch(path, init);
    expect(answer.status).toBe(403);
    expect(await problemOf(answer)).toMatchObject({ code: 'mapping_not_allowed' });
    const unknown = await partner.fetch(path.replace(NAME, 'carrier-status-cvs'), init);
    expect(unknown.status).toBe(404);
    const words = await problemOf(unknown);
    expect(words.code).toBe('unknown_mapping');
    expect(JSON.stringify(words), 'names no mapping of others').not.toContain(NAME);
  });
});

describe('while names cannot be read', () => {
  it.each(['/v1/mappings', SELF, `${SELF}/sample`, '/v1/mappings/no-such'])(
    'says so, never that there is none: %s',
    async (path) => {
      const partner = await aPartner();
      vi.spyOn(console, 'error').mockImplementation(() => undefined);
      await env.DIRECTORY.prepare('DROP TABLE publication_current').run();
      const answer = await partner.fetch(path);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect((await problemOf(answer)).code).toBe('catalog_unavailable');
    },
  );
});
