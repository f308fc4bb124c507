/** When a repeat may help is said once: the header and the words have the same number. */
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import types from '../../../src/http/contract/problem-types.json' with { type: 'json' };
import { problem } from '../../../src/http/edge/problem.ts';

const answered = async (status: number, more: { fix?: string; retryAfterSeconds?: number } = {}) => {
  const app = new Hono();
  app.get('/', (context) =>
    problem(context, { status, code: 'a_code', title: 'A title', detail: 'A detail.', ...more }),
  );
  const answer = await app.request('/');
  const { fix = '' } = await answer.json<{ fix?: string }>();
  return { header: answer.headers.get('Retry-After'), fix };
};

it.each([
  [503, {}, '60'],
  [429, { fix: 'Send less.' }, '60'],
  [429, { fix: 'Send less.', retryAfterSeconds: 17 }, '17'],
  [409, { fix: 'Ask again.', retryAfterSeconds: 2 }, '2'],
  [409, { fix: 'Send another.' }, null],
  [404, {}, null],
])('%i with %o has Retry-After %s, and says so', async (status, more, seconds) => {
  const { header, fix } = await answered(status, more);
  expect(header).toBe(seconds);
  expect(/Wait (\d+) s before you do\./.exec(fix)?.[1] ?? null).toBe(seconds);
});

describe('what is for later', () => {
  const forLater = types.filter(({ statuses }) => statuses.some((status) => status === 503 || status === 429));
  it('is most of what can be away', () => expect(forLater.length).toBeGreaterThan(10));
  it.each(forLater.map(({ code, fixes }) => [code, fixes] as const))('%s names no time of its own', (_, fixes) => {
    for (const fix of fixes) expect(fix).not.toMatch(/\bminutes?\b|\bseconds?\b|\d+ s\b|Retry-After/);
  });
});
