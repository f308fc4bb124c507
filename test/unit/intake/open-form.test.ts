/** The beginning of a form as its body brings it: the fields, and the file behind them, to the last byte. */
import { describe, expect, it } from 'vitest';
import { openForm } from '../../../src/intake/open-form.ts';

const BOUNDARY = 'a1b2c3';
const HEADERS = 'Content-Disposition: form-data; name="file"; filename="events.csv"';
const FORM = `--${BOUNDARY}\r\n${HEADERS}\r\n\r\nLoad #,City\r\n--${BOUNDARY}--\r\n`;

/** Gives all of a text at once and ends later: as the standard has it, the read that waits then gets bytes and end together. */
function bodyOf(text: string): ReadableStream<Uint8Array> {
  const pieces = [new TextEncoder().encode(text)];
  const stream = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
  const getReader = () => {
    const reader = stream.getReader({ mode: 'byob' });
    const read = reader.read.bind(reader) as (view: Uint8Array, options: { min: number }) => Promise<unknown>;
    const readAtLeast = (min: number, view: Uint8Array) => read(view, { min });
    return Object.assign(reader, { readAtLeast });
  };
  return { getReader } as never;
}

const opened = (text: string, contentLength: string | null = null) =>
  openForm({ contentType: `multipart/form-data; boundary=${BOUNDARY}`, contentLength }, bodyOf(text));

describe('a form whose last bytes come together with the end of its body', () => {
  it.each([null, String(FORM.length)])('is read to its end, with a declared length of %s', async (contentLength) => {
    const form = await opened(FORM, contentLength);
    if (!form.ok || form.value === null) throw new Error('it is not opened');
    expect(form.value.file.fileName).toBe('events.csv');
    expect(await new Response(form.value.file.body).text()).toBe('Load #,City');
    expect(await form.value.parts.next()).toEqual({ ok: true, value: null });
  });

  it('is cut where these are fewer than were declared, and broken where it lacks its own end', async () => {
    const begun = FORM.slice(0, 40);
    const cut = { code: 'body_cut', declaredBytes: null, receivedBytes: 0 };
    expect(await opened(begun, '100')).toEqual({ ok: false, error: cut });
    expect(await opened(begun)).toEqual({ ok: false, error: { code: 'form_broken', fault: 'end_missing' } });
  });
});
