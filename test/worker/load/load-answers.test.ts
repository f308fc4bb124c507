/** What a Load does with each kind of answer: deliver, wait, send again, hold or give up. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  AUTH_PROBE_MS,
  HEADERS_TIMEOUT_MS,
  MILESTONE_DEADLINE_MS,
  STEP_ASIDE_MS,
  UNKNOWN_RESEND_MS,
} from '../../../src/kernel/limits.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { EARLY_MS, TEST_TIME_SCALE } from '../channels.ts';
import { aLoad, type LoadUnderTest, PATIENCE, recordsOf } from '../loads.ts';
import { type Answering, neverAnswers, upstreamAnswers } from '../upstream-double.ts';

const scaled = (ms: number): number => ms / TEST_TIME_SCALE;
const first = async (load: LoadUnderTest) => {
  const [entry] = await load.timeline();
  if (!entry) throw new Error('the timeline is empty');
  return entry;
};

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

describe('an answer that proves nothing was applied', () => {
  it('waits as long as Retry-After says, then delivers without a word of duplicates', async () => {
    const { left } = upstreamAnswers(() => new Response('', { status: 429, headers: { 'Retry-After': '90' } }), 200);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 1, 2]);
    expect(left[1]?.atMs).toBeGreaterThanOrEqual((left[0]?.atMs ?? 0) + scaled(90_000) - EARLY_MS);
    expect((await first(load)).request).toMatchObject({ possible_duplicate: 0, had_unknown: 0, tries: 2 });
  });

  it('waits for a 503 that names a time, as it is known not to be applied', async () => {
    upstreamAnswers(() => new Response('', { status: 503, headers: { 'Retry-After': '1' } }), 200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    expect((await first(load)).attempts.map(({ effect }) => effect)).toEqual(['not_applied', 'applied']);
    expect((await first(load)).request.possible_duplicate).toBe(0);
  });
});

describe('an answer that leaves the effect unknown', () => {
  const unclear: [string, Answering][] = [
    ['status 500', 500],
    ['a 503 without a time', 503],
    ['a broken connection', new Error('Network connection lost.')],
  ];
  it.each(unclear)('sends the same bytes again after a minute, flagged: %s', async (_, answer) => {
    const { left } = upstreamAnswers(answer, 200);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 1, 2]);
    expect(left[1]?.body).toBe(left[0]?.body);
    expect(left[1]?.atMs).toBeGreaterThanOrEqual((left[0]?.atMs ?? 0) + scaled(UNKNOWN_RESEND_MS) - EARLY_MS);
    const [doubtful, clear] = await load.timeline();
    expect(doubtful?.request).toMatchObject({ possible_duplicate: 1, tries: 2 });
    expect(doubtful?.attempts.map(({ effect }) => effect)).toEqual(['unknown', 'applied']);
    expect(new Set(doubtful?.attempts.map(({ request_sha256 }) => request_sha256)).size).toBe(1);
    expect(clear?.request.possible_duplicate).toBe(0);
  });

  it('gives up waiting for headers and counts that as unknown', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { left } = upstreamAnswers(neverAnswers, 200);
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    vi.advanceTimersByTime(HEADERS_TIMEOUT_MS);
    vi.useRealTimers();
    await load.reaches('delivered');
    expect((await first(load)).attempts[0]).toMatchObject({ effect: 'unknown', status: null });
    expect((await first(load)).attempts[0]?.detail).toMatch(/^timeout: no headers within 10000 ms/);
  });

  it('holds a record that is refused after a try that may have arrived, and later milestones pass', async () => {
    const { left } = upstreamAnswers(500, 400, 200);
    const load = aLoad();
    await load.dispatch([1, 2, 3]);
    await load.reaches('held', 'delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 1, 2, 3]);
    expect((await first(load)).request).toMatchObject({ reason: 'unknown_then_refused', status: 400 });
  });

  it('gives up at the deadline and says that it may have arrived', async () => {
    const { left } = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1], { acceptedAtMs: Date.now() - scaled(MILESTONE_DEADLINE_MS) + 1_500 });
    await load.reaches('dead');
    expect((await first(load)).request).toMatchObject({ outcome: 'unknown', reason: 'deadline' });
    expect(left.length).toBeGreaterThan(0); // how many tries fit depends on the machine
  });
});

describe('an answer that ends a record', () => {
  it('rejects a refused record and goes on with the next', async () => {
    const { left } = upstreamAnswers(
      () => Response.json({ error: { code: 'bad', message: 'eventCode unknown' } }, { status: 400 }),
      200,
    );
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('rejected', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2]);
    expect((await first(load)).request).toMatchObject({ status: 400, answer: expect.stringContaining('eventCode') });
  });

  it('gives up on a redirect and never calls the host it points to', async () => {
    const { left } = upstreamAnswers(
      () => new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/take?all=1' } }),
      200,
    );
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('dead', 'delivered');
    expect((await first(load)).request).toMatchObject({ reason: 'redirected', outcome: 'not_applied', status: 302 });
    expect(JSON.parse((await first(load)).attempts[0]?.headers ?? '')).toMatchObject({
      'location-host': 'elsewhere.example',
    });
    expect(left.map(({ url }) => new URL(url).host)).toEqual(['127.0.0.1:9', '127.0.0.1:9']);
    expect(left.every(({ redirect }) => redirect === 'manual')).toBe(true);
  });

  it('delivers on a 2xx whose body is no JSON, and keeps the body', async () => {
    upstreamAnswers(() => new Response('<h1>OK</h1>', { status: 201 }));
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    expect((await first(load)).attempts[0]).toMatchObject({ status: 201, body: '<h1>OK</h1>', body_end: 'whole' });
  });

  it('never sends what was not sent before its deadline', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1], { acceptedAtMs: Date.now() - scaled(MILESTONE_DEADLINE_MS) - 1 });
    await load.dispatch([2]);
    await load.reaches('dead', 'delivered');
    expect((await first(load)).request).toMatchObject({ outcome: 'not_applied', reason: 'deadline', attempts: 0 });
    expect(recordsOf(left)).toEqual([2]);
  });

  it.each([
    ['is not configured', 'no-such-channel'],
    ['belongs to the other environment', 'live'],
  ])('sends nothing when its channel %s', async (_, channel) => {
    const { left, tokenRequests } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1], { channel });
    await load.reaches('dead');
    expect((await first(load)).request).toMatchObject({ reason: 'channel_missing', outcome: 'not_applied' });
    expect([...left, ...tokenRequests]).toEqual([]);
  });
});

describe('an answer that blames the channel', () => {
  it('renews a refused token once, sends once more and records both attempts', async () => {
    const { left, tokenRequests } = upstreamAnswers(401, 200);
    const load = aLoad();
    await load.dispatch([1, 2], { channel: 'bearer' });
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 1, 2]);
    expect(left.map(({ headers }) => headers.Authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
      'Bearer token-2',
    ]);
    expect(tokenRequests).toHaveLength(2);
    const { request, attempts } = await first(load);
    expect(request).toMatchObject({ tries: 1, attempts: 2, possible_duplicate: 0 });
    expect(attempts.map(({ status }) => status)).toEqual([401, 200]);
    expect(new Set(attempts.map(({ token_fingerprint }) => token_fingerprint)).size).toBe(2);
  });

  it('sends at most twice for a token that stays refused, then waits without losing a try', async () => {
    const { left, answer } = upstreamAnswers(401);
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await vi.waitFor(() => expect(left.length).toBeGreaterThanOrEqual(2), PATIENCE);
    await load.reaches('waiting');
    answer(200);
    await load.reaches('delivered');
    const { request, attempts } = await first(load);
    expect(attempts.slice(0, 3).map(({ status }) => status)).toEqual([401, 401, expect.anything()]);
    const [, second, third] = attempts.map(({ started_at_ms }) => started_at_ms);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(scaled(AUTH_PROBE_MS) - 1);
    expect(request.tries).toBe(1);
  });

  it('waits on a 401 without losing a try, rejects nothing, and delivers once the credentials pass', async () => {
    const { left, answer } = upstreamAnswers(401);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('waiting', 'queued');
    expect((await first(load)).request).toMatchObject({ reason: 'credentials_refused', tries: 0, status: 401 });
    answer(200);
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(left).slice(-2)).toEqual([1, 2]);
    expect((left[1]?.atMs ?? 0) - (left[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(scaled(AUTH_PROBE_MS) - 1);
  });

  it('waits on a 403 without losing a try and rejects nothing: its SCAC is parked', async () => {
    const { left } = upstreamAnswers(403);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('waiting', 'queued');
    expect((await first(load)).request).toMatchObject({ reason: 'scac_refused', tries: 0, attempts: 1, status: 403 });
    await load.wake();
    expect(left).toHaveLength(1);
  });

  it('stays queued without an attempt while no token can be had, and goes on by itself', async () => {
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(500);
    const load = aLoad();
    await load.dispatch([1, 2], { channel: 'bearer' });
    await vi.waitFor(async () => expect((await first(load)).request.reason).toBe('no_token'), PATIENCE);
    expect((await load.timeline()).map(({ request, attempts }) => [request.state, attempts.length])).toEqual([
      ['queued', 0],
      ['queued', 0],
    ]);
    upstream.answerTokens(() => Response.json({ access_token: 'late', expires_in: 60 }));
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 2]);
    expect((await first(load)).request).toMatchObject({ tries: 1, attempts: 1 });
  });

  it('renews one refused token once for many loads', async () => {
    const upstream = upstreamAnswers((left) =>
      Response.json({}, { status: left.headers.Authorization === 'Bearer token-1' ? 401 : 200 }),
    );
    const loads = Array.from({ length: 12 }, () => aLoad());
    await Promise.all(loads.map((load) => load.dispatch([1], { channel: 'bearer' })));
    await Promise.all(loads.map((load) => load.reaches('delivered')));
    expect(upstream.tokenRequests).toHaveLength(2);
  });
});

describe('a milestone that stays undecided', () => {
  it('lets later ones pass an hour after its first try, and is flagged late when it arrives', async () => {
    const { left, answer } = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('unknown', 'queued');
    answer((one) => Response.json({}, { status: recordsOf([one])[0] === 1 ? 500 : 200 }));
    await load.becomes(
      ({ first_tried_at_ms }) => ({ first_tried_at_ms: (first_tried_at_ms ?? 0) - scaled(STEP_ASIDE_MS) }),
      ({ record }) => record === 1,
    );
    await load.reaches('unknown', 'delivered');
    answer(200);
    await load.reaches('delivered', 'delivered');
    expect((await first(load)).request).toMatchObject({ late: 1, possible_duplicate: 1 });
    expect((await load.timeline())[1]?.request.late).toBe(0);
    expect(recordsOf(left).at(-1)).toBe(1);
  });
});

describe('what is kept of an answer', () => {
  it('keeps the first 64 KB of a long body', async () => {
    upstreamAnswers(() => new Response('x'.repeat(200_000)));
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    const [attempt] = (await first(load)).attempts;
    expect(attempt).toMatchObject({ body_end: 'capped', body: 'x'.repeat(64 * 1024) });
    expect((await first(load)).request.answer).toHaveLength(512);
  });

  it('keeps what came of a body that breaks off, and delivers by its status', async () => {
    upstreamAnswers(() => {
      const pieces = ['{"id":', undefined];
      const body = new ReadableStream({
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.error(new Error('connection lost'));
          else controller.enqueue(new TextEncoder().encode(piece));
        },
      });
      return new Response(body, { status: 200 });
    });
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    expect((await first(load)).attempts[0]).toMatchObject({ body_end: 'cut', body: '{"id":', effect: 'applied' });
  });

  it('keeps the headers that help and none that could carry a secret', async () => {
    const headers = {
      'X-Request-Id': 'r-1',
      'Set-Cookie': 'canary-cookie=1',
      Authorization: 'canary-auth',
      'X-Own': 'no',
    };
    upstreamAnswers(() => new Response('{}', { headers }));
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    const kept = JSON.parse((await first(load)).attempts[0]?.headers ?? '') as Record<string, string>;
    expect(Object.keys(kept).sort()).toEqual(['content-type', 'x-request-id']);
  });

  it('masks the credentials of the call where the upstream sends them back', async () => {
    upstreamAnswers((left) => Response.json({ received: left.headers }, { status: 400 }));
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await load.reaches('rejected');
    const timeline = JSON.stringify(await load.timeline());
    expect(timeline).not.toContain('canary-key-bearer');
    expect(timeline).not.toMatch(/token-\d/);
  });
});
