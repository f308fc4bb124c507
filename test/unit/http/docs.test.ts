/** The API in words, for anybody. */
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/contract/contract.ts';
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

  it('is 404 for a subject that there is not', async () => expect((await page('/docs/nothing')).status).toBe(404));
});
