/** The API in words, for anybody. */
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { type ProblemType, problemTypes } from '../../../src/http/contract/problem-types.ts';
import { anApp } from './samples.ts';

const page = async (path: string) => {
  const answer = await anApp().request(path, { key: null, headers: { Accept: 'text/html' } });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
};

/** A page stays below this weight, as those of the console do. */
const PAGE_BYTES_MAX = 100_000;

describe('/docs', () => {
  it('leads to every address of the API, and to no page of the console', async () => {
    const contents = await page('/docs');
    expect([contents.status, contents.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const subjects = [...contents.html.matchAll(/<a href="(\/docs\/[\w-]+)"/g)].map(([, address = '']) => address);
    const pages = await Promise.all(subjects.map(page));
    expect(pages.every(({ status, html }) => status === 200 && html.length < PAGE_BYTES_MAX)).toBe(true);
    const shown = pages.flatMap(({ html }) =>
      [...html.matchAll(/<summary><code>(\S+ \S+)<\/code>/g)].map(([, name]) => name),
    );
    expect(shown.sort()).toEqual(
      Object.keys(ROUTES)
        .filter((name) => name.includes(' /v1/'))
        .sort(),
    );
  });

  it('says of an address for whom it is, what it takes and answers, and how it is called', async () => {
    const { html } = await page('/docs/batches');
    const upload = html.slice(html.indexOf('POST /v1/batches</code>'), html.indexOf('PUT /v1/batches</code>'));
    for (const text of [
      'For a partner',
      '<code>mapping</code>',
      'required',
      '202:',
      'Refused with 400',
      '--data-binary @FILE',
    ])
      expect(upload).toContain(text);
    expect(html).not.toContain('`');
  });

  it('calls an address that takes a form alone with one', async () => {
    const { html } = await page('/docs/mappings');
    const preview = html.slice(html.indexOf('POST /v1/mappings/preview</code>'));
    expect(preview.slice(0, preview.indexOf('</details>'))).toContain('-F mapping=@MAPPING.yaml -F file=@FILE');
  });

  it('leads to all problems', async () => expect((await page('/docs')).html).toContain('href="/problems"'));

  it('is 404 for a subject that there is not', async () => expect((await page('/docs/nothing')).status).toBe(404));
});

describe('/problems', () => {
  const json = async (path: string) => (await anApp().request(path, { key: null })).json() as Promise<ProblemType>;

  it('explains every code that an answer, a row or a mapping can have, to people and to programs', async () => {
    const all = problemTypes();
    expect(all.length).toBeGreaterThan(250);
    const contents = await page('/problems');
    expect(contents.html.length).toBeLessThan(PAGE_BYTES_MAX);
    for (const { code, title, meanings } of all) {
      expect(contents.html, code).toContain(`href="/problems/${code}"`);
      const { status, html } = await page(`/problems/${code}`);
      expect([code, status, html.includes(`<code>${code}</code>`), html.includes('Who acts')]).toEqual([
        code,
        200,
        true,
        true,
      ]);
      expect([title, ...meanings.flatMap(({ says, acts }) => [...says, acts])], code).not.toContain('');
      for (const { says } of meanings) expect(says.length, code).toBeGreaterThan(0);
      expect(html, code).not.toMatch(/[‹…]|<i><\/i>/);
    }
  });

  it('is where the type of a refusal leads, with an example of one', async () => {
    const { request } = anApp();
    const refused = (await (await request('/v1/batches', { key: 'wrong' })).json()) as { type: string; code: string };
    expect(refused.type).toBe('/problems/unauthorized');
    const told = await json(refused.type);
    expect(told).toMatchObject({
      code: 'unauthorized',
      example: { type: refused.type, status: 401, code: 'unauthorized' },
      meanings: [{ statuses: [401], acts: expect.stringMatching(/key/) }],
    });
    expect(Object.keys(told.example ?? {}).sort()).toEqual(Object.keys(refused).sort());
  });

  it('tells who sends too much apart from a decision about too many held requests', async () => {
    const rate = await json('/problems/too_many_requests');
    expect(rate.meanings).toMatchObject([{ area: 'Answers to everybody', statuses: [429] }]);
    expect(rate.meanings[0]?.says[0]).toContain('requests in a minute');
    const held = await json('/problems/too_many_held');
    expect(held.meanings).toMatchObject([{ area: 'Answers to operators', statuses: [422] }]);
  });

  it('shows what is filled in as an example, and gives it to programs as plain words', async () => {
    expect((await page('/problems/value_missing')).html).toContain(
      '&quot;<i>Load #</i>&quot; is empty, but <i>the load number</i> is needed.',
    );
    expect((await json('/problems/value_missing')).meanings[0]?.says).toContain(
      '"Load #" is empty, but the load number is needed.',
    );
  });

  it('names the code that was probably meant', async () => {
    const answer = await anApp().request('/problems/batch_unknow', { key: null });
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { fix: expect.stringContaining('batch_unknown') },
    ]);
  });
});
