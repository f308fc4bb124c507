import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ComposedCall } from '../../../src/upstream/compose.ts';
import { send } from '../../../src/upstream/send.ts';
import { BASE_URL, clockAt, json, upstreamAnswers } from './samples.ts';

const CALL: ComposedCall = {
  url: `${BASE_URL}/v1/x`,
  method: 'POST',
  headers: { Accept: 'application/json' },
  body: '{"a":1}',
};
const NO_BODY: ComposedCall = { url: CALL.url, method: 'GET', headers: {} };

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('what leaves', () => {
  it('is the composed call, byte for byte, with redirects left alone', async () => {
    const seen = upstreamAnswers(json({}));
    await send(CALL, clockAt());
    expect(seen).toEqual([{ ...CALL, redirect: 'manual' }]);
  });

  it('has no body where the call has none', async () => {
    const seen = upstreamAnswers(json({}));
    await send(NO_BODY, clockAt());
    expect(seen[0]?.body).toBeUndefined();
  });
});

describe('an answer', () => {
  it('is recorded with status, kept headers, body and how it ended', async () => {
    upstreamAnswers(
      new Response('{"ok":true}', {
        status: 201,
        headers: { 'content-type': 'application/json', 'set-cookie': 'canary' },
      }),
    );
    expect(await send(CALL, clockAt())).toEqual({
      outcome: 'answered',
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: '{"ok":true}',
      bodyEnd: 'whole',
      latencyMs: 0,
    });
  });

  it.each([300, 400, 401, 404, 429, 500, 503, 599])('of status %d is an answer like any other', async (status) => {
    upstreamAnswers(new Response('why', { status }));
    expect(await send(CALL, clockAt())).toMatchObject({ outcome: 'answered', status, body: 'why' });
  });

  it.each([301, 302, 303, 307, 308])(
    'of status %d is not followed; the host it points to is kept, its path is not',
    async (status) => {
      const seen = upstreamAnswers(
        new Response(null, { status, headers: { location: 'https://elsewhere.example/?token=canary' } }),
      );
      const observed = await send(CALL, clockAt());
      expect(seen).toHaveLength(1);
      expect(observed).toMatchObject({
        outcome: 'answered',
        status,
        headers: { 'location-host': 'elsewhere.example' },
      });
      expect(JSON.stringify(observed)).not.toContain('canary');
    },
  );

  it('without a body is whole', async () => {
    upstreamAnswers(new Response(null, { status: 204 }));
    expect(await send(CALL, clockAt())).toMatchObject({ status: 204, body: '', bodyEnd: 'whole' });
  });

  it('tells how long the headers took', async () => {
    let nowMs = 1_000;
    upstreamAnswers(async () => {
      nowMs += 340;
      return json({});
    });
    expect(await send(CALL, { nowMs: () => nowMs, timeScale: 1 })).toMatchObject({ latencyMs: 340 });
  });
});

describe('a call that fails', () => {
  it('has no answer, and says what the network said', async () => {
    upstreamAnswers(new Error('Network connection lost.'));
    expect(await send(CALL, clockAt())).toEqual({
      outcome: 'no_answer',
      code: 'network',
      detail: 'Network connection lost.',
      latencyMs: 0,
    });
  });

  it('keeps 500 characters of what was said', async () => {
    upstreamAnswers(new Error('x'.repeat(9_000)));
    const observed = await send(CALL, clockAt());
    expect('detail' in observed && observed.detail).toHaveLength(500);
  });

  it.each([
    ['a text', 'gone'],
    ['undefined', undefined],
    ['an object', { reason: 1 }],
  ])('is told apart from a bug when %s is thrown', async (_what, thrown) => {
    vi.stubGlobal('fetch', () => Promise.reject(thrown));
    expect(await send(CALL, clockAt())).toMatchObject({ outcome: 'no_answer', code: 'network' });
  });

  it('is not sent anywhere when its address is none', async () => {
    vi.unstubAllGlobals();
    expect(await send({ ...CALL, url: 'nowhere' }, clockAt())).toMatchObject({ outcome: 'no_answer', code: 'network' });
  });
});

/** Hangs until its signal is aborted, as fetch does. */
function hangingUpstream(): void {
  vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => {
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('The operation was aborted')));
    });
  });
}

describe('a call that hangs', () => {
  it('times out after twenty seconds without headers', async () => {
    vi.useFakeTimers();
    hangingUpstream();
    let observed: unknown;
    const sending = send(CALL, clockAt()).then((seen) => {
      observed = seen;
    });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(observed).toMatchObject({ outcome: 'no_answer', code: 'timeout' });
  });

  it('times out sooner on a shortened clock, but never within a second', async () => {
    vi.useFakeTimers();
    hangingUpstream();
    let observed: unknown;
    const sending = send(CALL, clockAt(0, 720)).then((seen) => {
      observed = seen;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(observed).toMatchObject({ code: 'timeout' });
  });

  it('leaves no timer behind when the answer came', async () => {
    vi.useFakeTimers();
    upstreamAnswers(new Response(null, { status: 204 }), new Error('lost'));
    await send(CALL, clockAt());
    await send(CALL, clockAt());
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a body that comes too slowly', () => {
  it('is cut when its own time is over; the status stays', async () => {
    const expired = new AbortController();
    const asked: number[] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      asked.push(ms);
      queueMicrotask(() => queueMicrotask(() => expired.abort()));
      return expired.signal;
    });
    const drip = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('dr')),
    });
    upstreamAnswers(async () => new Response(drip, { status: 200 }));
    const observed = await send(CALL, clockAt());
    vi.restoreAllMocks();
    expect(observed).toMatchObject({ outcome: 'answered', status: 200, bodyEnd: 'cut' });
    expect(asked).toEqual([10_000]);
  });
});
