import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../src/kernel/clock.ts';
import { type ComposedCall, maskObservation } from '../../../src/upstream/compose.ts';
import { CallTimer, send } from '../../../src/upstream/send.ts';
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
      bodyEncoding: 'utf-8',
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

  it('that is no UTF-8 is kept one character per byte', async () => {
    upstreamAnswers(new Response(Buffer.from('<p>Z\u00fcrich</p>', 'latin1')));
    expect(await send(CALL, clockAt())).toMatchObject({
      body: '<p>Z\u00fcrich</p>',
      bodyEncoding: 'latin1',
      bodyEnd: 'whole',
    });
  });

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
    const observed = maskObservation(await send(CALL, clockAt()), CALL);
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

describe('the secrets of a call', () => {
  /** As callers keep it. */
  const masked = async (call: ComposedCall, clock: Clock) => maskObservation(await send(call, clock), call);
  const [KEY, TOKEN] = ['canary-key', 'canary-token'];
  const CARRYING = {
    ...CALL,
    headers: { 'Ocp-Apim-Subscription-Key': KEY, carrierSCAC: 'ABCD', Authorization: `Bearer ${TOKEN}` },
  };
  const failingWith = async (message: string, headers: Record<string, string> = CARRYING.headers): Promise<string> => {
    upstreamAnswers(new Error(message));
    const observed = await masked({ ...CALL, headers }, clockAt());
    return 'detail' in observed ? observed.detail : '';
  };

  it('are taken out of what was said of a failed call, as some runtimes quote a header', async () => {
    const said = `Invalid value "Bearer ${TOKEN}" of Authorization; sent with ${KEY}, ${KEY} and ${TOKEN} for ABCD`;
    expect(await failingWith(said)).toBe(
      'Invalid value "[secret]" of Authorization; sent with [secret], [secret] and [secret] for ABCD',
    );
  });

  it('leave no beginning of them where the words are cut', async () => {
    for (let before = 480; before < 500; before += 1) {
      expect(await failingWith('x'.repeat(before) + KEY)).not.toContain('canary');
    }
  });

  it('are taken out of an answer that echoes the request', async () => {
    upstreamAnswers(json({ error: 'who are you?', sent: CARRYING.headers }, 401));
    const observed = await masked(CARRYING, clockAt());
    expect(JSON.stringify(observed)).not.toContain('canary');
    expect(observed).toMatchObject({ status: 401, body: expect.stringContaining('who are you?') });
  });

  it('are taken out of an echo that is no UTF-8', async () => {
    upstreamAnswers(new Response(Buffer.from(`Zürich: ${KEY}, ${TOKEN}.`, 'latin1')));
    expect(await masked(CARRYING, clockAt())).toMatchObject({
      body: 'Zürich: [secret], [secret].',
      bodyEncoding: 'latin1',
    });
  });

  it.each([
    ['the token', `${TOKEN}-canary`, TOKEN],
    ['the key', KEY, `${KEY}-canary`],
  ])('leave no rest of one that begins with %s', async (_what, key, token) => {
    const headers = { 'Ocp-Apim-Subscription-Key': key, Authorization: `Bearer ${token}` };
    expect(await failingWith(`${key}, ${token}, Bearer ${token}`, headers)).toBe('[secret], [secret], [secret]');
  });

  it('are nowhere, wherever they stood', async () => {
    const text = fc.stringMatching(/^[A-Z0-9]{8,24}$/);
    const said = fc.array(fc.oneof(fc.constantFrom('key', 'token', 'Bearer token'), fc.string()), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(text, text, said, async (key, token, parts) => {
        const words = parts.map((part) => part.replace('key', key).replace('token', token)).join(' ');
        const detail = await failingWith(words, {
          'Ocp-Apim-Subscription-Key': key,
          Authorization: `Bearer ${token}`,
        });
        expect([detail.includes(key), detail.includes(token)]).toEqual([false, false]);
      }),
    );
  });

  it('change nothing of what does not hold them', async () => {
    upstreamAnswers(json({ ok: true }));
    expect(await masked(CARRYING, clockAt())).toMatchObject({ body: '{"ok":true}' });
    upstreamAnswers(json({ ok: true }));
    expect(await masked(NO_BODY, clockAt())).toMatchObject({ body: '{"ok":true}' });
  });

  it('are not told by a runtime that refuses a header itself', async () => {
    vi.unstubAllGlobals();
    const headers = { 'Ocp-Apim-Subscription-Key': 'canary\nkey' };
    const observed = await masked({ ...NO_BODY, url: 'http://127.0.0.1:9/', headers }, clockAt());
    expect(observed).toMatchObject({ outcome: 'no_answer', code: 'network' });
    expect(JSON.stringify(observed)).not.toContain('canary');
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

  it('times out sooner on a shortened clock, but never within ten seconds: a busy machine hangs no upstream', async () => {
    vi.useFakeTimers();
    hangingUpstream();
    let observed: unknown;
    const sending = send(CALL, clockAt(0, 720)).then((seen) => {
      observed = seen;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(observed).toMatchObject({ code: 'timeout' });
  });

  it('is not given up for the time in which this process had no turn, and could not have seen an answer', async () => {
    vi.useFakeTimers();
    hangingUpstream();
    let observed: unknown;
    const sending = send(CALL, clockAt()).then((seen) => {
      observed = seen;
    });
    // Timers that fell due meanwhile come once, late; here: one step of two seconds takes half a minute.
    // Put back by hand: what a spy restores is the fake one, which would outlive this test.
    const faked = globalThis.setTimeout;
    let isLate = true;
    globalThis.setTimeout = ((then: () => void, ms: number) => {
      const lateMs = isLate ? 30_000 : 0;
      isLate = false;
      return faked(then, ms + lateMs);
    }) as typeof setTimeout;
    await vi.advanceTimersByTimeAsync(2_000);
    globalThis.setTimeout = faked;
    await vi.advanceTimersByTimeAsync(32_000 + 15_999);
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(observed).toMatchObject({ code: 'timeout' });
  });

  it('leaves no timer behind when the answer came', async () => {
    vi.useFakeTimers();
    upstreamAnswers(new Response(null, { status: 204 }), json({ ok: true }), new Error('lost'));
    for (let count = 0; count < 3; count += 1) await send(CALL, clockAt());
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a body that comes too slowly', () => {
  const drip = () =>
    new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new TextEncoder().encode('dr')) });

  it.each([1, 720])('is cut when its own ten seconds are over, at scale %d too; the status stays', async (scale) => {
    vi.useFakeTimers();
    upstreamAnswers(async () => new Response(drip(), { status: 200 }));
    let observed: unknown;
    const sending = send(CALL, clockAt(0, scale)).then((seen) => {
      observed = seen;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(observed).toMatchObject({ outcome: 'answered', status: 200, body: 'dr', bodyEnd: 'cut' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a timer that is kept for the next call', () => {
  it('gives it its whole twenty seconds, and is there once for both', async () => {
    vi.useFakeTimers();
    const timer = new CallTimer();
    upstreamAnswers(json({ ok: true }));
    await send(CALL, clockAt(), { timer });
    await vi.advanceTimersByTimeAsync(700); // in the midst of a step
    hangingUpstream();
    let observed: unknown;
    const sending = send(CALL, clockAt(), { timer }).then((seen) => {
      observed = seen;
    });
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(19_999);
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await sending;
    expect(observed).toMatchObject({ code: 'timeout' });
  });

  it('ends no call after the one that it ended', async () => {
    vi.useFakeTimers();
    const timer = new CallTimer();
    hangingUpstream();
    const hanging = send(CALL, clockAt(), { timer });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await hanging).toMatchObject({ code: 'timeout' });
    upstreamAnswers(json({ ok: true }));
    expect(await send(CALL, clockAt(), { timer })).toMatchObject({ outcome: 'answered', bodyEnd: 'whole' });
  });

  it('is stopped by its caller, or ends by itself; a call under way keeps it', async () => {
    vi.useFakeTimers();
    const timer = new CallTimer();
    upstreamAnswers(json({ ok: true }), json({ ok: true }));
    await send(CALL, clockAt(), { timer });
    expect(vi.getTimerCount()).toBe(1);
    timer.stop();
    expect(vi.getTimerCount()).toBe(0);
    await send(CALL, clockAt(), { timer });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(vi.getTimerCount()).toBe(0);
    hangingUpstream();
    const hanging = send(CALL, clockAt(), { timer });
    timer.stop();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await hanging).toMatchObject({ code: 'timeout' });
  });
});
