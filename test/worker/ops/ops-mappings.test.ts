/** `/v1/ops/mappings` and `/v1/ops/code-lists` over HTTP: what changes, what is refused and how, and what history says. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { Difference } from '../../../src/ops/publishing/diff.ts';
import type { FailedExample, FoundProblem } from '../../../src/ops/publishing/refusal.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type ProblemDocument, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const NAME = 'carrier-status-csv';
const SELF = `/v1/ops/mappings/${NAME}`;
const LIST = '/v1/ops/code-lists/x12-status-codes';
const BUNDLED = BUNDLED_DOCUMENTS.get(NAME) ?? '';
const described = (description: string): string => BUNDLED.replace(/^description: .*$/m, `description: ${description}`);

interface Outcome {
  name: string;
  environment: string;
  dryRun: boolean;
  sha256: string;
  beforeSha256: string | null;
  changed: boolean;
  differences: Difference[];
  differencesOmitted: number;
  mappings: { name: string; beforeSha256: string; sha256: string }[];
}
interface Shown {
  sha256: string;
  origin: string;
  bundledSha256: string | null;
  publication: { by: { name: string }; action: string; note: string; at: string } | null;
}
type Refused = ProblemDocument & { problems?: FoundProblem[]; examples?: FailedExample[] };
const refusalOf = async (answer: Response): Promise<Refused> => (await problemOf(answer)) as Refused;

describe('publishing a mapping', () => {
  it('moves its name, says what differs, and the next upload is mapped by it', async () => {
    const [operator, partner] = [await anOperator(), await aPartner()];
    const before = await operator.getJson<Shown>(SELF);
    expect(before).toMatchObject({ origin: 'bundled', publication: null, bundledSha256: before.sha256 });
    const published = await operator.done<Outcome>('PUT', `${SELF}?note=as%20agreed`, described('Agreed on Monday.'));
    expect(published).toMatchObject({
      name: NAME,
      environment: 'test',
      dryRun: false,
      changed: true,
      beforeSha256: before.sha256,
      differences: [{ path: 'description', to: 'Agreed on Monday.' }],
      differencesOmitted: 0,
      mappings: [],
    });
    const after = await operator.getJson<Shown>(SELF);
    expect(after).toMatchObject({
      sha256: published.sha256,
      origin: 'published',
      bundledSha256: before.sha256,
      publication: { by: { keyId: operator.keyId, name: 'Analyst' }, action: 'publish', note: 'as agreed' },
    });
    expect(Date.parse(after.publication?.at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    const { batchId } = await partner.receipt(statusFile(statusRow('LD1')));
    expect((await partner.summary(batchId)).mappingSha256).toBe(published.sha256);
  });

  it('keeps the YAML as written, for operators and partners alike', async () => {
    const [operator, partner] = [await anOperator(), await aPartner()];
    const written = `# Agreed on Monday, ünïcode and all.\n${BUNDLED}`;
    await operator.done('PUT', SELF, written);
    for (const caller of [await operator.fetch(SELF, yaml), await partner.fetch(`/v1/mappings/${NAME}`, yaml)]) {
      expect(new TextDecoder().decode(await caller.arrayBuffer())).toBe(written);
    }
    const whole = await partner.getJson<{ document: object; codeLists: object[] }>(`/v1/mappings/${NAME}`);
    expect(whole).toMatchObject({ document: { mapping: NAME }, codeLists: [{}, {}, {}] });
  });
  const yaml = { headers: { Accept: 'application/yaml' } };

  it('of a new name makes it known to partners at once, and previews go by it', async () => {
    const [operator, partner] = [await anOperator(), await aPartner()];
    const fresh = BUNDLED.replace(`mapping: ${NAME}`, 'mapping: acme-status');
    expect(await operator.done('PUT', '/v1/ops/mappings/acme-status?shared=true', fresh)).toMatchObject({
      beforeSha256: null,
    });
    const { mappings } = await partner.getJson<{ mappings: { name: string }[] }>('/v1/mappings');
    expect(mappings.map(({ name }) => name)).toContain('acme-status');
    const preview = { method: 'POST', body: statusFile(statusRow('LD1')) };
    const shown = await partner.fetch('/v1/mappings/acme-status/preview', preview);
    expect(await shown.json()).toMatchObject({ mapping: 'acme-status', counts: { mapped: 1 } });
  });

  it('is refused with every problem and its line, and changes nothing', async () => {
    const operator = await anOperator();
    const wrong = BUNDLED.replace('target: milestone', 'target: mileston').replace('x12-status-codes', 'x12-status');
    const answer = await operator.fetch(SELF, { method: 'PUT', body: wrong });
    const refused = await refusalOf(answer);
    expect([refused.status, refused.code]).toEqual([422, 'mapping_invalid']);
    const lines = BUNDLED.split('\n');
    expect(refused.problems).toMatchObject([
      {
        path: 'target',
        code: 'wrong_form',
        value: 'mileston',
        message: expect.any(String),
        wanted: expect.stringContaining('milestone'),
        line: lines.indexOf('target: milestone') + 1,
        column: 1,
      },
      { path: 'fields.eventCode.lookup', code: 'code_list_unknown', value: 'x12-status' },
    ]);
    expect(await operator.getJson(SELF)).toMatchObject({ origin: 'bundled' });
  });

  it('is refused with every example that does not hold', async () => {
    const operator = await anOperator();
    const wrong = BUNDLED.replace('eventState: { from: State, upper: true }', 'eventState: State');
    const refused = await refusalOf(await operator.fetch(SELF, { method: 'PUT', body: wrong }));
    expect([refused.status, refused.code]).toEqual([422, 'examples_failed']);
    expect(refused.examples).toEqual([
      {
        mapping: NAME,
        path: 'examples[0].records[0].requests[0].body.eventState',
        wanted: '"IL"',
        received: '"il"',
      },
    ]);
  });

  it('in a dry run answers the same and changes nothing', async () => {
    const operator = await anOperator();
    const dry = await operator.done<Outcome>('PUT', `${SELF}?dryRun=true`, described('Perhaps.'));
    expect(dry).toMatchObject({ dryRun: true, changed: true, differences: [{ path: 'description' }] });
    expect(await operator.getJson(SELF)).toMatchObject({ origin: 'bundled' });
    expect((await env.FILES.list()).objects).toEqual([]);
    const refused = await refusalOf(await operator.fetch(`${SELF}?dryRun=yes`, { method: 'PUT', body: BUNDLED }));
    expect(refused.code).toBe('parameter_invalid');
  });

  it('is held to the version named in If-Match', async () => {
    const operator = await anOperator();
    const tag = (await operator.fetch(SELF)).headers.get('ETag') ?? '';
    const published = await operator.done<Outcome>('PUT', SELF, described('First.'), { 'If-Match': tag });
    const late = await operator.fetch(SELF, { method: 'PUT', body: described('Late.'), headers: { 'If-Match': tag } });
    expect(await refusalOf(late)).toMatchObject({
      status: 412,
      code: 'version_changed',
      detail: expect.stringContaining(published.sha256),
    });
    await operator.done('PUT', SELF, described('Second.'), { 'If-Match': `"other", "${published.sha256}"` });
  });

  it('is answered whole whoever knows its version: owners and comments change without it', async () => {
    const [operator, partner] = [await anOperator({ role: 'admin' }), await aPartner()];
    for (const path of [SELF, LIST])
      for (const Accept of ['application/json', 'application/yaml']) {
        const tag = (await operator.fetch(path, { headers: { Accept } })).headers.get('ETag') ?? '';
        expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
        const again = await operator.fetch(path, { headers: { Accept, 'If-None-Match': tag } });
        expect([path, Accept, again.status]).toEqual([path, Accept, 200]);
      }
    const asYaml = (tag = '') =>
      partner.fetch(`/v1/mappings/${NAME}`, { headers: { Accept: 'application/yaml', 'If-None-Match': tag } });
    const first = (await asYaml()).headers.get('ETag') ?? '';
    expect((await asYaml(first)).status).toBe(304);
    await operator.done('PUT', `${SELF}?shared=true`, `# As agreed.\n${BUNDLED}`);
    const later = await asYaml(first);
    expect([later.status, (await later.text()).split('\n')[0]]).toEqual([200, '# As agreed.']);
    expect((await asYaml(later.headers.get('ETag') ?? '')).status).toBe(304);
  });

  it.each([
    ['no body', '', 400, 'body_invalid'],
    ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe, 0x00]), 400, 'body_invalid'],
    ['three quarters of a mebibyte and one', 'x'.repeat(3 * 256 * 1024 + 1), 413, 'too_large'],
    ['more characters than a document may have', 'x'.repeat(256 * 1024 + 1), 422, 'mapping_invalid'],
    ['no YAML', 'mapping: [', 422, 'mapping_invalid'],
  ])('of %s is refused', async (_, body, status, code) => {
    const operator = await anOperator();
    expect(await refusalOf(await operator.fetch(SELF, { method: 'PUT', body }))).toMatchObject({ status, code });
  });

  it('of many at once lets each in, one after the other', async () => {
    const operator = await anOperator();
    const texts = ['One.', 'Two.', 'Three.'].map(described);
    const outcomes = await Promise.all(texts.map((text) => operator.done<Outcome>('PUT', SELF, text)));
    const befores = outcomes.map(({ beforeSha256 }) => beforeSha256);
    expect(new Set(befores).size).toBe(3); // each was made on what the one before it left
    const { publications } = await operator.getJson<{ publications: { edition: number }[] }>(`${SELF}/history`);
    expect(publications.map(({ edition }) => edition)).toEqual([3, 2, 1]);
  });
});

describe('history', () => {
  it('says who changed what, when, why and from what, newest first', async () => {
    const [first, second] = [await anOperator(), await anOperator({ name: 'Night shift' })];
    const one = await first.done<Outcome>('PUT', SELF, described('First.'));
    const two = await second.done<Outcome>('PUT', `${SELF}?note=better`, described('Second.'));
    await second.done('POST', `${SELF}/rollback`, { to: one.sha256, note: 'worse' });
    await second.done('POST', `${SELF}/rollback`, { to: 'bundled' });
    const { publications, next } = await first.getJson<{ publications: object[]; next: null }>(`${SELF}/history`);
    expect(publications).toMatchObject([
      { action: 'rollback', origin: 'bundled', sha256: one.beforeSha256, beforeSha256: one.sha256 },
      { action: 'rollback', sha256: one.sha256, beforeSha256: two.sha256, note: 'worse', by: { name: 'Night shift' } },
      { action: 'publish', sha256: two.sha256, beforeSha256: one.sha256, note: 'better', origin: 'published' },
      { action: 'publish', sha256: one.sha256, by: { name: 'Analyst' }, note: '', edition: 1 },
    ]);
    expect(next).toBeNull();
    expect(await first.getJson(SELF)).toMatchObject({ origin: 'bundled', publication: null });
  });

  it('is empty for what was never published, and nowhere for what is not there', async () => {
    const operator = await anOperator();
    expect(await operator.getJson(`${SELF}/history`)).toMatchObject({ publications: [], next: null });
    const answer = await operator.fetch('/v1/ops/mappings/no-such/history');
    expect(await refusalOf(answer)).toMatchObject({ status: 404, code: 'unknown_mapping' });
  });

  it('of one environment knows nothing of the other', async () => {
    const operator = await anOperator({ environments: ['test', 'production'] });
    await operator.done('PUT', `${SELF}?environment=test`, described('First.'));
    expect(await operator.getJson(`${SELF}/history?environment=production`)).toMatchObject({ publications: [] });
    expect(await operator.getJson(`${SELF}?environment=production`)).toMatchObject({ origin: 'bundled' });
  });
});

describe('a difference', () => {
  it('is shown between any two versions that the name stood for', async () => {
    const operator = await anOperator();
    const one = await operator.done<Outcome>('PUT', SELF, described('First.'));
    const two = await operator.done<Outcome>('PUT', SELF, described('Second.'));
    const change = [{ path: 'description', from: 'First.', to: 'Second.' }];
    for (const query of ['', '?from=previous&to=current', `?from=${one.sha256}&to=${two.sha256}`]) {
      expect(await operator.getJson(`${SELF}/diff${query}`)).toMatchObject({
        from: one.sha256,
        to: two.sha256,
        differences: change,
      });
    }
    expect(await operator.getJson(`${SELF}/diff?from=current&to=bundled`)).toMatchObject({
      differences: [{ path: 'description', from: 'Second.' }],
    });
  });

  it('reaches no version of another name, environment or making', async () => {
    const operator = await anOperator({ environments: ['test', 'production'] });
    const live = await operator.done<Outcome>('PUT', `${SELF}?environment=production`, described('Live.'));
    for (const version of [live.sha256, 'f'.repeat(64), '', '../x']) {
      const path = `${SELF}/diff?environment=test&from=${encodeURIComponent(version)}`;
      expect(await refusalOf(await operator.fetch(path))).toMatchObject({ status: 404, code: 'unknown_version' });
    }
  });
});

describe('editing a code list', () => {
  it('changes the words asked for and takes along the mappings that use it', async () => {
    const [operator, partner] = [await anOperator(), await aPartner()];
    const edited = await operator.done<Outcome>('PATCH', LIST, { set: { Q9: 'X6' }, remove: [], note: 'their word' });
    expect(edited.differences).toEqual([{ path: 'codes.Q9', to: 'X6' }]);
    expect(edited.mappings.map(({ name }) => name)).toContain(NAME);
    expect(await operator.getJson(SELF)).toMatchObject({
      sha256: edited.mappings.find(({ name }) => name === NAME)?.sha256,
      publication: { action: 'code_list', codeList: 'x12-status-codes', note: 'their word' },
    });
    const { batchId } = await partner.receipt(statusFile(statusRow('LD1', { Status: 'q9' })));
    await partner.reaches(batchId, 'settled');
    expect(await partner.rows(batchId)).toMatchObject([
      { state: 'delivered', requests: [{ body: { eventCode: 'X6' } }] },
    ]);
    const shown = await operator.getJson<{ usedBy: string[]; document: { codes: object } }>(LIST);
    expect(shown).toMatchObject({ codes: 56, document: { codes: { Q9: 'X6' } }, origin: 'published' });
    expect(shown.usedBy).toContain(NAME);
  });

  it('that a mapping would not survive changes nothing: which mapping, which example', async () => {
    const operator = await anOperator();
    const answer = await operator.fetch(LIST, { method: 'PATCH', body: JSON.stringify({ remove: ['X3'] }) });
    const refused = await refusalOf(answer);
    expect([refused.status, refused.code]).toEqual([422, 'examples_failed']);
    expect(refused.examples).toContainEqual({
      mapping: NAME,
      path: 'examples[0].records[0].requests[0]',
      wanted: expect.stringContaining('"X3"'),
      received: 'nothing',
    });
    expect(await operator.getJson(LIST)).toMatchObject({ origin: 'bundled' });
    expect(await operator.getJson(SELF)).toMatchObject({ origin: 'bundled' });
  });

  it.each([
    [{ remove: ['X33'] }, 422, 'code_list_invalid'],
    [{ set: { a: 'X1' }, remve: [] }, 400, 'body_invalid'],
    [{ set: ['a'] }, 400, 'body_invalid'],
    [{ set: {} }, 400, 'body_invalid'],
    [{ set: { a: 1 } }, 400, 'body_invalid'],
    [{ set: { a: '' } }, 422, 'code_list_invalid'],
    [[], 400, 'body_invalid'],
    ['no json', 400, 'body_invalid'],
  ])('is refused for %j', async (body, status, code) => {
    const operator = await anOperator();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await operator.fetch(LIST, { method: 'PATCH', body: text });
    expect(await refusalOf(answer)).toMatchObject({ status, code });
  });

  it('never lets a word reach an object’s own members', async () => {
    const operator = await anOperator();
    const answer = await operator.fetch(LIST, { method: 'PATCH', body: '{"set":{"__proto__":"X1","Q9":"X6"}}' });
    expect(await refusalOf(answer)).toMatchObject({
      code: 'code_list_invalid',
      problems: [{ code: 'yaml_not_supported', value: '__proto__' }],
    });
    await operator.done('PATCH', LIST, { set: { constructor: 'X1' } });
    expect(await operator.getJson(LIST)).toMatchObject({ codes: 56 });
  });

  it('as a whole, and back again', async () => {
    const operator = await anOperator();
    const text = BUNDLED_CODE_LISTS.get('x12-status-codes') ?? '';
    const put = await operator.done<Outcome>('PUT', LIST, text.replace('codes:\n', 'codes:\n  Q9: X6\n'));
    expect(put.mappings.length).toBeGreaterThan(0);
    const back = await operator.done<Outcome>('POST', `${LIST}/rollback`, { to: put.beforeSha256 });
    expect(back).toMatchObject({ sha256: put.beforeSha256, changed: true });
    const { publications } = await operator.getJson<{ publications: object[] }>(`${LIST}/history`);
    expect(publications).toMatchObject([{ action: 'rollback' }, { action: 'publish' }]);
  });
});

describe('the lists', () => {
  it('say of every mapping where it comes from, and of every code list who uses it', async () => {
    const operator = await anOperator();
    await operator.done('PUT', SELF, described('First.'));
    const { mappings } = await operator.getJson<{ mappings: (Shown & { name: string })[] }>('/v1/ops/mappings');
    expect(mappings.map(({ name, origin }) => [name, origin])).toEqual(
      [...BUNDLED_DOCUMENTS.keys()].sort().map((name) => [name, name === NAME ? 'published' : 'bundled']),
    );
    expect(mappings.find(({ name }) => name === NAME)).toMatchObject({
      uses: ['us-time-zones', 'x12-reason-codes', 'x12-status-codes'],
    });
    const { codeLists } = await operator.getJson<{ codeLists: { name: string; usedBy: string[] }[] }>(
      '/v1/ops/code-lists',
    );
    expect(codeLists.map(({ name }) => name)).toEqual([...BUNDLED_CODE_LISTS.keys()].sort());
    expect(codeLists.find(({ name }) => name === 'x12-reason-codes')?.usedBy).toContain(NAME);
  });
});
