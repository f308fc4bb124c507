/** The command against a bridge that is played: which requests it makes, what it shows, and how it exits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subjectOf } from '../../../scripts/transload/mapping/run.ts';
import { transload } from './surroundings.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mapping-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const A = 'a'.repeat(64);
const B = `b1${'b'.repeat(62)}`;
const C = `b2${'c'.repeat(62)}`;
const SURE = { environment: 'test', dryRun: false, beforeSha256: A, sha256: B, changed: true };
const CHANGED = { name: 'stops', ...SURE, differences: [], differencesOmitted: 0, mappings: [] };
const HISTORY = {
  publications: [
    { sha256: B, beforeSha256: A },
    { sha256: C, beforeSha256: B },
  ],
  next: null,
};

/** @param answers by method and path; a text is YAML, a Response is itself, anything else JSON. */
async function mapping(args: string[], answers: Record<string, unknown> = {}, isTTY = false) {
  const asked: { request: string; headers: Headers; body: string }[] = [];
  const played = async (url: string, init: RequestInit): Promise<Response> => {
    const request = `${init.method} ${url.replace('http://bridge.test', '')}`;
    asked.push({ request, headers: new Headers(init.headers), body: String(init.body ?? '') });
    const answer =
      answers[request] ?? Response.json({ code: 'not_found', title: 'Not found', detail: 'No.' }, { status: 404 });
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    return typeof answer === 'string' ? new Response(answer) : Response.json(answer);
  };
  const ran = await transload(['mapping', ...args], { fetch: played as typeof fetch, isTTY });
  return { ...ran, asked };
}

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the mapping command', () => {
  it('carries the key and the environment', async () => {
    const answers = { 'GET /v1/ops/mappings?environment=production': { mappings: [] } };
    const { status, asked } = await mapping(['list', '--environment', 'production'], answers);
    expect(status).toBe(0);
    expect(asked[0]?.headers.get('Authorization')).toBe('Bearer tlops_key');
  });

  it('shows a document as it is, and on a terminal without what could steer it', async () => {
    const answers = { 'GET /v1/ops/mappings/stops': 'input: "a\tb"\n' };
    const { stdout, asked } = await mapping(['show', 'stops'], answers);
    expect(stdout).toBe('input: "a\tb"\n');
    expect(asked[0]?.headers.get('Accept')).toBe('application/yaml');
    expect((await mapping(['show', 'stops'], answers, true)).stdout).toContain('a\\u{9}b');
  });

  it('publishes a file under the name that stands in it, with a note', async () => {
    const path = file('anything.yaml', '# remark\nmapping: stops\n');
    const answers = { 'PUT /v1/ops/mappings/stops?note=as+agreed': CHANGED };
    const { status, asked, stdout } = await mapping(['publish', path, '--note', 'as agreed'], answers);
    expect([status, asked[0]?.body]).toEqual([0, '# remark\nmapping: stops\n']);
    expect(asked[0]?.headers.get('If-Match')).toBeNull();
    expect(stdout).toContain('version b1bbbbbbbbbb');
  });

  it('publishes a new name for its partners, or for all', async () => {
    const path = file('new.yaml', 'mapping: stops\n');
    const answers = {
      'PUT /v1/ops/mappings/stops?partners=acme%2Cbirch': CHANGED,
      'PUT /v1/ops/mappings/stops?shared=true': CHANGED,
    };
    expect((await mapping(['publish', path, '--partners', 'acme,birch'], answers)).status).toBe(0);
    expect((await mapping(['publish', path, '--shared'], answers)).status).toBe(0);
  });

  it('shows whom a mapping is for and who said so, and changes it', async () => {
    const changes = [{ owners: ['acme'], by: { name: 'Analyst' }, at: '2026-03-02T08:15:00.000Z', note: 'their own' }];
    const answers = {
      'GET /v1/ops/mappings/stops/owners': { owners: ['acme'], changes },
      'PUT /v1/ops/mappings/stops/owners': { owners: 'everybody', changed: true },
    };
    const shown = await mapping(['owners', 'stops'], answers);
    expect(shown.stdout.split('\n')).toEqual([
      'stops is for acme.',
      'WHEN              WHO      FOR   NOTE',
      '2026-03-02 08:15  Analyst  acme  their own',
      '',
    ]);
    const set = await mapping(['owners', 'stops', '--shared', '--note', 'good for all'], answers);
    expect([set.stdout, set.asked[0]?.body]).toEqual([
      'stops is now for everybody.\n',
      '{"shared":true,"note":"good for all"}',
    ]);
    const named = await mapping(['owners', 'stops', '--partners', 'acme,birch', '--note', 'two'], answers);
    expect(named.asked[0]?.body).toBe('{"partners":["acme","birch"],"note":"two"}');
  });

  it('checks a file without changing anything, a code list too', async () => {
    const dry = { ...CHANGED, dryRun: true };
    const one = await mapping(['check', file('m.yaml', 'mapping: stops\n')], {
      'PUT /v1/ops/mappings/stops?dryRun=true': dry,
    });
    expect(one.stdout).toContain('every example holds');
    const two = await mapping(['check', file('l.yaml', 'list: words\n')], {
      'PUT /v1/ops/code-lists/words?dryRun=true': dry,
    });
    expect(two.status).toBe(0);
  });

  it('exits 1 with every problem when the bridge refuses the document', async () => {
    const problems = [{ path: 'target', code: 'wrong_form', message: 'No.', wanted: 'milestone', line: 4, column: 1 }];
    const refusal = { code: 'mapping_invalid', title: 'Not accepted', detail: 'One problem.', problems };
    const { status, stdout, stderr } = await mapping(['publish', file('w.yaml', 'mapping: stops\n')], {
      'PUT /v1/ops/mappings/stops': Response.json(refusal, { status: 422 }),
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('line 4:1 target: No. Wanted: milestone');
  });

  it('takes a version by its first characters', async () => {
    const answers = {
      'GET /v1/ops/mappings/stops': { bundledSha256: A },
      'GET /v1/ops/mappings/stops/history': HISTORY,
      'POST /v1/ops/mappings/stops/rollback': CHANGED,
      [`GET /v1/ops/mappings/stops/diff?from=${A}&to=current`]: { differences: [], differencesOmitted: 0 },
    };
    const back = await mapping(['rollback', 'stops', '--to', 'b2cc', '--if-match', 'b1bb', '--note', 'n'], answers);
    expect(back.status).toBe(0);
    expect(JSON.parse(back.asked.at(-1)?.body ?? '')).toEqual({ to: C, note: 'n' });
    expect(back.asked.at(-1)?.headers.get('If-Match')).toBe(`"${B}"`);
    expect((await mapping(['diff', 'stops', '--from', 'aaaa'], answers)).stdout).toBe('No difference.\n');
  });

  it('takes a version by its first characters, also of a batch that is mapped again', async () => {
    const again = { ...{ batchId: 'b_1', partner: 'acme', environment: 'test', mapping: 'stops', from: A, to: C } };
    const { status, stdout } = await mapping(['rerun', 'b_1', '--to', 'b2cc'], {
      'GET /v1/ops/batches/b_1': { mapping: 'stops' },
      'GET /v1/ops/mappings/stops': { bundledSha256: A },
      'GET /v1/ops/mappings/stops/history': HISTORY,
      [`GET /v1/ops/batches/b_1/rerun?to=${C}`]: {
        ...again,
        ...{ different: [], counts: { rows: 3, same: 3, different: 0, apart: 0 } },
      },
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Nothing was sent.')]);
  });

  it('publishes no code list for some partners alone', async () => {
    const words = file('words.yaml', 'list: words\n');
    const { status, stderr, asked } = await mapping(['publish', words, '--partners', 'acme', '--note', 'n']);
    expect([status, stderr, asked]).toEqual([2, 'A code list is for everybody: leave out --partners.\n', []]);
  });

  it.each([
    ['b', 'POST', 404],
    ['ffff', 'No version', 2],
  ])('does not guess what %s means', async (to, words, status) => {
    const answers = {
      'GET /v1/ops/mappings/stops': { bundledSha256: A },
      'GET /v1/ops/mappings/stops/history': HISTORY,
    };
    const ran = await mapping(['rollback', 'stops', '--to', to], answers);
    expect(ran.status).toBe(2);
    if (status === 2) expect(ran.stderr).toContain(words);
    else expect(ran.asked.at(-1)?.request).toContain(words);
  });

  it('reads a history to its end', async () => {
    const row = {
      sha256: B,
      beforeSha256: A,
      origin: 'published',
      action: 'publish',
      by: { name: 'Analyst' },
      at: '',
      note: '',
    };
    const { stdout } = await mapping(['history', 'stops'], {
      'GET /v1/ops/mappings/stops/history': { publications: [row], next: '/v1/…/history?environment=test&before=7' },
      'GET /v1/ops/mappings/stops/history?before=7': { publications: [row], next: null },
    });
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('edits a code list', async () => {
    const mappings = [{ name: 'stops', beforeSha256: A, sha256: B }];
    const answers = { 'PATCH /v1/ops/code-lists/words?dryRun=true': { ...CHANGED, dryRun: true, mappings } };
    const { asked, stdout } = await mapping(['code-list', 'set', 'words', 'Gone=AF', '--dry-run'], answers);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ set: { Gone: 'AF' }, remove: [], note: '' });
    expect(stdout).toContain('Mappings that would go along:\n  stops:');
  });

  it.each<[string, unknown, string]>([
    [
      'the key is not known',
      Response.json({ code: 'unauthorized', title: 'Key not accepted', detail: 'Wrong.' }, { status: 401 }),
      'Key not accepted',
    ],
    ['the bridge cannot be reached', new Error('refused'), 'cannot be reached: refused'],
    ['something else answers', new Response('<html>', { status: 502 }), 'answered 502'],
    [
      'it is sent elsewhere',
      new Response(null, { status: 302, headers: { Location: 'http://elsewhere.test' } }),
      'answered 302',
    ],
  ])('exits 2 when %s', async (_, answer, words) => {
    const { status, stderr } = await mapping(['list'], { 'GET /v1/ops/mappings': answer });
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  it.each([[['publish', '/no/such/file.yaml']], [['frobnicate']], [['list', '--frobnicate']]])(
    'exits 2 for %j without asking anybody',
    async (args) => {
      const { status, asked, stderr } = await mapping(args);
      expect([status, asked]).toEqual([2, []]);
      expect(stderr).not.toBe('');
    },
  );
});

describe('a file', () => {
  it.each([
    ['mapping: stops\n', { artifact: 'mapping', name: 'stops' }],
    ['list: words\n', { artifact: 'code_list', name: 'words' }],
    ['mapping: 5\n', { artifact: 'mapping', name: 'x' }],
    ['mapping: [', { artifact: 'mapping', name: 'x' }],
    ['', { artifact: 'mapping', name: 'x' }],
    ['- a\n', { artifact: 'mapping', name: 'x' }],
  ])('that holds %j is %j', (text, subject) => expect(subjectOf(text, '/tmp/x.yaml')).toEqual(subject));
});
