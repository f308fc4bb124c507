import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER_BYTES_MAX } from '../../../src/kernel/limits.ts';
import {
  type BodyTimeout,
  bodyBytes,
  type CappedBody,
  readCapped,
  storedHeaders,
} from '../../../src/upstream/answer.ts';

const NEVER: BodyTimeout = { isOver: false, onOver: null };
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

describe('storedHeaders', () => {
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
    expect(storedHeaders(headers)).toEqual({
      'content-type': 'application/json',
      'content-length': '12',
      date: 'Mon, 02 Mar 2026 08:00:00 GMT',
      'retry-after': '30',
      'x-request-id': 'r-1',
      'x-correlation-id': 'c-1',
    });
  });

  it('cuts a long value', () => {
    expect(storedHeaders(new Headers({ 'X-Request-Id': 'x'.repeat(5_000) }))['x-request-id']).toHaveLength(200);
  });

  it.each([
    ['https://elsewhere.example:8443/login?token=canary#canary', 'elsewhere.example:8443'],
    ['https://me:canary@elsewhere.example/', 'elsewhere.example'],
    ['/login?token=canary', '(relative)'],
    ['not an address', '(relative)'],
  ])('keeps of the Location %s its host only', (location, host) => {
    expect(storedHeaders(new Headers({ Location: location }))).toEqual({ 'location-host': host });
  });
});

describe('readCapped', () => {
  it('reads a short body whole', async () => {
    const { stream } = bodyOf([utf8('{"id":'), utf8('"1"}')]);
    expect(await readCapped(stream, NEVER)).toEqual({ text: '{"id":"1"}', encoding: 'utf-8', end: 'whole' });
  });

  it('takes no body for an empty one', async () => {
    expect(await readCapped(null, NEVER)).toEqual({ text: '', encoding: 'utf-8', end: 'whole' });
    expect(await readCapped(bodyOf([]).stream, NEVER)).toEqual({ text: '', encoding: 'utf-8', end: 'whole' });
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

  it('does not wait for the end of a body whose length is known, nor breaks it off', async () => {
    const { stream, state } = bodyOf([utf8('{"id":'), utf8('"1"}')], 'stalls');
    const read = await readCapped(stream, NEVER, { bytes: 10 });
    expect(read).toEqual({ text: '{"id":"1"}', encoding: 'utf-8', end: 'whole' });
    expect(state.cancelled).toBe(false);
  });

  it('reads to its end a body whose length is unknown, or counts it packed', () => {
    expect(bodyBytes(new Headers({ 'content-length': '10' }))).toBe(10);
    expect(bodyBytes(new Headers())).toBeUndefined();
    expect(bodyBytes(new Headers({ 'content-length': '10', 'content-encoding': 'gzip' }))).toBeUndefined();
  });

  it('keeps what came before the connection broke', async () => {
    const { stream } = bodyOf([utf8('{"id":"1')], 'breaks');
    expect(await readCapped(stream, NEVER)).toEqual({ text: '{"id":"1', encoding: 'utf-8', end: 'cut' });
  });

  it('keeps what came before the time was over, and cancels the rest', async () => {
    const { stream, state } = bodyOf([utf8('slow')], 'stalls');
    const timeout: BodyTimeout = { isOver: false, onOver: null };
    const reading = readCapped(stream, timeout);
    await new Promise(setImmediate); // the first chunk has been read by now
    timeout.isOver = true;
    timeout.onOver?.();
    expect(await reading).toEqual({ text: 'slow', encoding: 'utf-8', end: 'cut' });
    expect(state.cancelled).toBe(true);
  });

  it('reads a character whose bytes arrive in two chunks', async () => {
    const bytes = utf8('Zürich 😀');
    for (let at = 1; at < bytes.length; at += 1) {
      const { stream } = bodyOf([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(await readCapped(stream, NEVER)).toEqual({ text: 'Zürich 😀', encoding: 'utf-8', end: 'whole' });
    }
  });

  it('ends at once when its time was over before it began', async () => {
    const { stream, state } = bodyOf([utf8('x')], 'stalls');
    expect((await readCapped(stream, { isOver: true, onOver: null })).end).toBe('cut');
    expect(state.cancelled).toBe(true);
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
        expect(await readCapped(bodyOf(chunks).stream, NEVER)).toEqual({
          text: `>${text}`,
          encoding: 'utf-8',
          end: 'whole',
        });
      }),
    );
  });
});

/** The bytes that a text stands for. */
const bytesOf = ({ text, encoding }: Pick<CappedBody, 'text' | 'encoding'>): Buffer =>
  Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'latin1');

describe('the bytes of a body (I11)', () => {
  const read = (bytes: Uint8Array) => readCapped(bodyOf([bytes]).stream, NEVER);

  it('are kept with a byte-order mark at their start', async () => {
    expect(await read(utf8('\ufeffA'))).toEqual({ text: '\ufeffA', encoding: 'utf-8', end: 'whole' });
  });

  it('come back one character each when they are no UTF-8', async () => {
    const body = await read(new Uint8Array([0xff, 0xfe, 0x00, 0x41, 0xc3, 0x80, 0x42]));
    expect(body).toEqual({ text: '\u00ff\u00fe\0A\u00c3\u0080B', encoding: 'latin1', end: 'whole' });
  });

  it.each(['\u0080', 'ü', '\u07ff', '\u0800', '€', '\uffff', '\u{10000}', '😀', '\u{10ffff}'])(
    'lose the part of %s that the limit leaves of it, and nothing else',
    async (character) => {
      const parts = utf8(character).length;
      for (let left = 1; left < parts; left += 1) {
        const kept = 'x'.repeat(ANSWER_BYTES_MAX - left);
        expect(await read(utf8(kept + character))).toEqual({ text: kept, encoding: 'utf-8', end: 'capped' });
      }
      const whole = 'x'.repeat(ANSWER_BYTES_MAX - parts) + character;
      expect(await read(utf8(`${whole}y`))).toEqual({ text: whole, encoding: 'utf-8', end: 'capped' });
    },
  );

  it.each([0xc0, 0xc1, 0xf5, 0xff])('lose nothing where the last byte, %i, begins no character', async (byte) => {
    const sent = utf8('x'.repeat(ANSWER_BYTES_MAX - 1));
    const { text, encoding } = await read(new Uint8Array([...sent, byte, 0x78]));
    expect([text.length, text.charCodeAt(ANSWER_BYTES_MAX - 1), encoding]).toEqual([ANSWER_BYTES_MAX, byte, 'latin1']);
  });

  it('lose the part of a character that a broken connection leaves of it', async () => {
    const { stream } = bodyOf([utf8('Zürich 😀').subarray(0, -1)], 'breaks');
    expect(await readCapped(stream, NEVER)).toEqual({ text: 'Zürich ', encoding: 'utf-8', end: 'cut' });
  });

  const whatever = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'binary' }).map(utf8));

  it('are all there, whatever they are, in a body that ends with its last sentence', async () => {
    await fc.assert(
      fc.asyncProperty(whatever, async (bytes) => {
        const sent = new Uint8Array([...bytes, ...utf8('. End.')]);
        const body = await read(sent);
        expect(body.end).toBe('whole');
        expect(new Uint8Array(bytesOf(body))).toEqual(sent);
      }),
    );
  });

  it('are all there up to the limit, but for the part of one character', async () => {
    await fc.assert(
      fc.asyncProperty(whatever, async (tail) => {
        const sent = new Uint8Array(ANSWER_BYTES_MAX + 40).fill(0x78);
        sent.set(tail.subarray(0, 40), ANSWER_BYTES_MAX - 20);
        const body = await read(sent);
        const kept = bytesOf(body);
        expect(body.end).toBe('capped');
        expect(Buffer.compare(kept, sent.subarray(0, kept.length))).toBe(0);
        expect(ANSWER_BYTES_MAX - kept.length).toBeLessThanOrEqual(body.encoding === 'utf-8' ? 3 : 0);
      }),
    );
  });
});

describe('bytes that are no UTF-8 text', () => {
  const kept = (bytes: Uint8Array<ArrayBuffer>) => readCapped(new Response(bytes).body, NEVER);
  const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

  it.each(['Café', 'Zür', 'é', '{"error":"caf\u00e9'])('lose nothing at the end of a whole body: %j', async (text) => {
    expect(await kept(latin1(text))).toEqual({ text, encoding: 'latin1', end: 'whole' });
  });

  it('lose nothing where the cap falls on a byte that begins no character', async () => {
    const bytes = new Uint8Array(ANSWER_BYTES_MAX + 9).fill(0x78).fill(0xff, ANSWER_BYTES_MAX - 1, ANSWER_BYTES_MAX);
    const { text, encoding } = await kept(bytes);
    expect([text.length, encoding]).toEqual([ANSWER_BYTES_MAX, 'latin1']);
  });
});
