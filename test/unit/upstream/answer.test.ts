import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER_BYTES_MAX } from '../../../src/kernel/limits.ts';
import { keptHeaders, readCapped } from '../../../src/upstream/answer.ts';

const NEVER = new AbortController().signal;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A body in the chunks given; then it ends, breaks, or says nothing more. Notes whether the rest was cancelled. */
function bodyOf(chunks: readonly Uint8Array[], ending: 'ends' | 'breaks' | 'stalls' = 'ends') {
  const state = { cancelled: false, pulled: 0 };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[state.pulled];
      state.pulled += 1;
      if (chunk) controller.enqueue(chunk);
      else if (ending === 'ends') controller.close();
      else if (ending === 'breaks') controller.error(new Error('connection lost'));
      else return new Promise(() => undefined);
      return undefined;
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { stream, state };
}

describe('keptHeaders', () => {
  it('keeps what helps in troubleshooting and nothing else', () => {
    const headers = new Headers({
      'Content-Type': 'application/json',
      'Content-Length': '12',
      Date: 'Mon, 02 Mar 2026 08:00:00 GMT',
      'Retry-After': '30',
      'X-Request-Id': 'r-1',
      'X-Correlation-Id': 'c-1',
      'Set-Cookie': 'session=canary',
      'WWW-Authenticate': 'Bearer error="canary"',
      Authorization: 'Bearer canary',
      'Ocp-Apim-Subscription-Key': 'canary',
      'X-Anything': 'canary',
    });
    expect(keptHeaders(headers)).toEqual({
      'content-type': 'application/json',
      'content-length': '12',
      date: 'Mon, 02 Mar 2026 08:00:00 GMT',
      'retry-after': '30',
      'x-request-id': 'r-1',
      'x-correlation-id': 'c-1',
    });
  });

  it('cuts a long value', () => {
    expect(keptHeaders(new Headers({ 'X-Request-Id': 'x'.repeat(5_000) }))['x-request-id']).toHaveLength(200);
  });

  it.each([
    ['https://elsewhere.example:8443/login?token=canary#canary', 'elsewhere.example:8443'],
    ['https://me:canary@elsewhere.example/', 'elsewhere.example'],
    ['/login?token=canary', '(relative)'],
    ['not an address', '(relative)'],
  ])('keeps of the Location %s its host only', (location, host) => {
    expect(keptHeaders(new Headers({ Location: location }))).toEqual({ 'location-host': host });
  });
});

describe('readCapped', () => {
  it('reads a short body whole', async () => {
    const { stream } = bodyOf([utf8('{"id":'), utf8('"1"}')]);
    expect(await readCapped(stream, NEVER)).toEqual({ text: '{"id":"1"}', end: 'whole' });
  });

  it('takes no body for an empty one', async () => {
    expect(await readCapped(null, NEVER)).toEqual({ text: '', end: 'whole' });
    expect(await readCapped(bodyOf([]).stream, NEVER)).toEqual({ text: '', end: 'whole' });
  });

  it('keeps exactly as many bytes as the limit allows, and calls that whole', async () => {
    const { stream, state } = bodyOf([utf8('x'.repeat(ANSWER_BYTES_MAX))]);
    const { text, end } = await readCapped(stream, NEVER);
    expect([text.length, end, state.cancelled]).toEqual([ANSWER_BYTES_MAX, 'whole', false]);
  });

  it('cuts off one byte more, says so and cancels the rest', async () => {
    const { stream, state } = bodyOf([utf8('x'.repeat(ANSWER_BYTES_MAX)), utf8('y')], 'stalls');
    const { text, end } = await readCapped(stream, NEVER);
    expect([text, end]).toEqual(['x'.repeat(ANSWER_BYTES_MAX), 'capped']);
    expect(state.cancelled).toBe(true);
  });

  it('cuts inside a chunk that crosses the limit', async () => {
    const { stream } = bodyOf([utf8('x'.repeat(ANSWER_BYTES_MAX - 10)), utf8('y'.repeat(1_000_000))]);
    const { text, end } = await readCapped(stream, NEVER);
    expect([text.length, text.endsWith('y'.repeat(10)), end]).toEqual([ANSWER_BYTES_MAX, true, 'capped']);
  });

  it('stops asking an endless body soon after the limit', async () => {
    const { stream, state } = bodyOf(Array.from({ length: 10_000 }, () => new Uint8Array(4_096).fill(120)));
    expect((await readCapped(stream, NEVER)).end).toBe('capped');
    expect(state.pulled).toBeLessThan(ANSWER_BYTES_MAX / 4_096 + 5);
  });

  it('keeps what came before the connection broke', async () => {
    const { stream } = bodyOf([utf8('{"id":"1')], 'breaks');
    expect(await readCapped(stream, NEVER)).toEqual({ text: '{"id":"1', end: 'cut' });
  });

  it('keeps what came before the time was over, and cancels the rest', async () => {
    const { stream, state } = bodyOf([utf8('slow')], 'stalls');
    const timeout = new AbortController();
    const reading = readCapped(stream, timeout.signal);
    await new Promise(setImmediate); // the first chunk has been read by now
    timeout.abort();
    expect(await reading).toEqual({ text: 'slow', end: 'cut' });
    expect(state.cancelled).toBe(true);
  });

  it('reads a character whose bytes arrive in two chunks', async () => {
    const bytes = utf8('Zürich 😀');
    for (let at = 1; at < bytes.length; at += 1) {
      const { stream } = bodyOf([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(await readCapped(stream, NEVER)).toEqual({ text: 'Zürich 😀', end: 'whole' });
    }
  });

  it('marks a character that the limit cuts in two', async () => {
    const { stream } = bodyOf([utf8('x'.repeat(ANSWER_BYTES_MAX - 1)), utf8('ü')]);
    const { text, end } = await readCapped(stream, NEVER);
    expect([text.slice(-2), end]).toEqual(['x\ufffd', 'capped']);
  });

  it('takes bytes that are no UTF-8 without failing', async () => {
    const { stream } = bodyOf([new Uint8Array([0xff, 0xfe, 0x41, 0xc3])]);
    expect(await readCapped(stream, NEVER)).toEqual({ text: '\ufffd\ufffdA\ufffd', end: 'whole' });
  });

  it('gives the same text however the bytes are split', async () => {
    const split = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.array(fc.nat(200), { maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(split, async ([text, cuts]) => {
        const bytes = utf8(`>${text}`); // a byte-order mark at the start is another matter
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((one, other) => one - other),
          bytes.length,
        ];
        const chunks = places.slice(1).map((to, index) => bytes.slice(places[index], to));
        expect(await readCapped(bodyOf(chunks).stream, NEVER)).toEqual({ text: `>${text}`, end: 'whole' });
      }),
    );
  });
});
