import { describe, expect, it, vi } from 'vitest';
import { readBody } from '../../../src/http/edge/body.ts';

/** @param end what happens behind the chunks; @param seen notes that the rest was given up. */
function stream(chunks: string[], end: 'close' | 'break' = 'close', seen?: { cancelled: boolean }) {
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (end === 'close') controller.close();
      else controller.error(new Error('planned'));
    },
    cancel() {
      if (seen) seen.cancelled = true;
    },
  });
}

describe('readBody', () => {
  it('joins what comes', async () => {
    const read = await readBody(stream(['ab', '', 'c']), 3);
    expect(read.ok && new TextDecoder().decode(read.value)).toBe('abc');
  });

  it('takes no body for no bytes', async () => {
    expect(await readBody(null, 3)).toEqual({ ok: true, value: new Uint8Array() });
  });

  it('stops at the first byte too many and takes no more', async () => {
    const seen = { cancelled: false };
    expect(await readBody(stream(['ab', 'cd', 'ef', 'gh'], 'close', seen), 3)).toEqual({
      ok: false,
      error: { code: 'too_large', bytesMax: 3 },
    });
    expect(seen.cancelled).toBe(true);
  });

  it('says how much came of a body that breaks', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(await readBody(stream(['ab'], 'break'), 3)).toEqual({
      ok: false,
      error: { code: 'body_cut', receivedBytes: 2 },
    });
    vi.restoreAllMocks();
  });
});
