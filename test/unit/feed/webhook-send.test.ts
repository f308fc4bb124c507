/** One call of a webhook target: what it bears, and what every way to end says. */
import { afterEach, expect, it, vi } from 'vitest';
import { Secret } from '../../../src/kernel/secret.ts';
import { WEBHOOK_ANSWER_BYTES_MAX, WEBHOOK_ANSWER_CHARACTERS_MAX } from '../../../src/webhooks/limits.ts';
import { sendWebhook } from '../../../src/webhooks/send.ts';
import { clockAt, NOW_MS } from '../upstream/samples.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const KEYS = ['one', 'two'].map((text) => new Secret(`whsec_${Buffer.from(text.repeat(10)).toString('base64')}`));
const CALL = {
  url: 'https://hooks.example/in',
  eventId: 'evt_1',
  body: '{"a":1}',
  keys: KEYS,
};
const sent = (answer: (init: RequestInit) => Response | Promise<Response>) => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => answer(init ?? {}));
  const done = sendWebhook(CALL, clockAt());
  const called = async (): Promise<void> => {
    while (fetched.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { fetched, done, called };
};
/** Parts that come one after the other; then it stays open. */
const dripping = (parts: readonly string[]): ReadableStream<Uint8Array> => {
  const left = [...parts];
  return new ReadableStream({
    pull: (controller) => {
      const next = left.shift();
      if (next === undefined) return new Promise(() => undefined);
      controller.enqueue(new TextEncoder().encode(next));
      return undefined;
    },
  });
};

it('bears the event, its name, its time and a signature of each key', async () => {
  const { fetched, done } = sent(() => new Response('ok'));
  expect(await done).toEqual({ outcome: 'answered', status: 200, detail: 'ok' });
  const [url, init] = fetched.mock.calls[0] ?? [];
  const headers = init?.headers as Record<string, string>;
  expect([url, init?.method, init?.body, init?.redirect]).toEqual([CALL.url, 'POST', CALL.body, 'manual']);
  expect(headers).toMatchObject({ 'webhook-id': 'evt_1', 'webhook-timestamp': String(NOW_MS / 1_000) });
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
});

it('says that it bears JSON, and who calls', async () => {
  const { fetched, done } = sent(() => new Response('ok'));
  await done;
  const headers = new Headers(fetched.mock.calls[0]?.[1]?.headers);
  expect(headers.get('Content-Type')).toBe('application/json');
  expect(headers.get('User-Agent')).toBe('Transload-Webhooks/1');
});

it('keeps the beginning of an answer that never ends', async () => {
  const { done } = sent(() => new Response(dripping(Array(100).fill('x'.repeat(WEBHOOK_ANSWER_BYTES_MAX / 8)))));
  const attempted = await done;
  expect(attempted).toMatchObject({ outcome: 'answered', status: 200 });
  expect(attempted.detail).toMatch(/^x+/);
  expect(attempted.detail.length).toBeLessThanOrEqual(WEBHOOK_ANSWER_CHARACTERS_MAX);
});

it('keeps what came of an answer that stays open, once its time is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { done, called } = sent(() => new Response(dripping(['slow'])));
  await called();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await done).toEqual({ outcome: 'answered', status: 200, detail: 'slow' });
});

it('follows no redirect, and reads nothing of one', async () => {
  const { done } = sent(() => new Response(dripping([]), { status: 302 }));
  expect(await done).toEqual({ outcome: 'answered', status: 302, detail: 'a redirect, which is not followed' });
});

it('ends the body of a redirect at once, so that its connection is free for other calls', async () => {
  const cancel = vi.fn();
  const { done } = sent(() => new Response(new ReadableStream({ cancel }), { status: 307 }));
  await done;
  expect(cancel).toHaveBeenCalledOnce();
});

it('says that nothing was answered in time, or that the connection failed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { done, called } = sent(
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
  );
  await called();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await done).toMatchObject({ outcome: 'no_answer', code: 'timeout' });
  const failed = sent(() => Promise.reject(new Error('connection refused')));
  expect(await failed.done).toEqual({ outcome: 'no_answer', code: 'network', detail: 'connection refused' });
});
