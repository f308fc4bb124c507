/** `npm run index` against a bridge that is played. */
import { expect, it } from 'vitest';
import { transload } from './surroundings.ts';

const PATH = '/v1/ops/batches/reindex';

async function index(args: string[], pages: (object | Response)[]) {
  const asked: string[] = [];
  const played = async (url: string, { method }: RequestInit): Promise<Response> => {
    asked.push(`${method} ${url.replace('http://bridge.test', '')}`);
    const page = pages.shift();
    return page instanceof Response ? page : Response.json(page);
  };
  const ran = await transload(['index', ...args], { fetch: played as typeof fetch });
  return { ...ran, asked };
}

const page = (written: number, cursor: string | null, more: object = {}) => ({
  written,
  removed: 0,
  failed: [],
  next: cursor === null ? null : `${PATH}?environment=test&cursor=${encodeURIComponent(cursor)}`,
  ...more,
});

it('asks for page after page until there is none', async () => {
  const done = await index(['--environment', 'test'], [page(200, '1~9~acme & co'), page(3, null, { removed: 2 })]);
  expect(done.asked).toEqual([
    `POST ${PATH}?environment=test`,
    `POST ${PATH}?environment=test&cursor=1%7E9%7Eacme+%26+co`,
  ]);
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toContain('Done: 203 batches written, 2 rows of batches that are gone removed.');
});

it('goes on where it is told to', async () => {
  expect((await index(['--cursor', '1~b'], [page(0, null)])).asked).toEqual([`POST ${PATH}?cursor=1%7Eb`]);
});

it('names what could not be asked, and does not call it done', async () => {
  const failed = [{ partner: 'acme', batchId: 'b_1' }];
  const done = await index([], [page(1, null, { failed })]);
  expect(done.status).toBe(1);
  expect(done.stderr).toContain('b_1 of acme could not be asked');
});

it('says what the bridge said where it stops', async () => {
  const refusal = { code: 'directory_unavailable', title: 'Directory unavailable', detail: 'Not now.' };
  const done = await index([], [page(200, '1~9~acme'), Response.json(refusal, { status: 503 })]);
  expect(done.status).toBe(2);
  expect(done.stderr).toContain('Not now.');
  expect(done.stdout).toContain('--cursor 1~9~acme');
});
