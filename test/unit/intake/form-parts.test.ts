import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChunkSource, FormParts } from '../../../src/intake/form-parts.ts';
import { FORM_HEADER_BYTES_MAX } from '../../../src/kernel/limits.ts';

const BOUNDARY = '------------------------a1b2c3';
const FILE = 'Load #,City\r\nL1,Joliet\r\n--------\r\n\r\n';
const HEADERS = 'Content-Disposition: form-data; name="file"; filename="events.csv"\r\nContent-Type: text/csv';

const part = (content: string, headers = HEADERS): string => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

function chunked(bytes: Uint8Array, cuts: readonly number[], end: 'end' | 'cut'): ChunkSource {
  const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const chunks = edges.slice(1).map((to, index) => bytes.slice(edges[index], to));
  return async () => chunks.shift() ?? end;
}

interface ReadForm {
  parts: { name: string; fileName: string | null; contentType: string | null; content: string }[];
  fault: string | null;
}

async function readForm(form: string, cuts: readonly number[] = [], end: 'end' | 'cut' = 'end'): Promise<ReadForm> {
  const parts = new FormParts(chunked(new TextEncoder().encode(form), cuts, end), BOUNDARY);
  const found: ReadForm['parts'] = [];
  for (;;) {
    const next = await parts.next();
    if (!next.ok) return { parts: found, fault: next.error };
    if (next.value === null) return { parts: found, fault: null };
    const { name, fileName, contentType, body } = next.value;
    try {
      found.push({ name, fileName, contentType, content: await new Response(body).text() });
    } catch {
      return { parts: found, fault: parts.fault ?? 'it broke without a fault' };
    }
  }
}

const EVENTS = { name: 'file', fileName: 'events.csv', contentType: 'text/csv', content: FILE };

describe('the parts of a form', () => {
  it('are found with their names, types and exact bytes', async () => {
    const text = part('yes', 'Content-Disposition: form-data; name="dry"');
    expect(await readForm(part(FILE) + text + END)).toEqual({
      parts: [EVENTS, { name: 'dry', fileName: null, contentType: null, content: 'yes' }],
      fault: null,
    });
  });

  it('are the same wherever one cut goes through the bytes', async () => {
    const form = part(FILE) + END;
    for (let cut = 0; cut <= form.length; cut += 1) {
      expect(await readForm(form, [cut]), `cut at ${cut}`).toEqual({ parts: [EVENTS], fault: null });
    }
  });

  it('are the same byte by byte', async () => {
    const form = part(FILE) + part('', HEADERS.replace('events', 'empty')) + END;
    const each = Array.from({ length: form.length }, (_, at) => at);
    expect(await readForm(form, each)).toEqual({
      parts: [EVENTS, { ...EVENTS, fileName: 'empty.csv', content: '' }],
      fault: null,
    });
  });

  it('hold every content that is not the boundary, however it is cut', async () => {
    const like = fc.constantFrom(
      '\r',
      '\n',
      '-',
      '--',
      '\r\n',
      '\r\n--',
      `\r\n--${BOUNDARY.slice(0, -1)}`,
      BOUNDARY,
      'x',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(like, { maxLength: 40 }).map((texts) => texts.join('')),
        fc.array(fc.nat(600), { maxLength: 8 }),
        async (content, cuts) => {
          fc.pre(!`\r\n${content}\r\n`.includes(`\r\n--${BOUNDARY}`));
          const form = part(content) + END;
          const read = await readForm(
            form,
            cuts.filter((cut) => cut < form.length),
          );
          expect(read).toEqual({ parts: [{ ...EVENTS, content }], fault: null });
        },
      ),
    );
  });

  it.each([
    ['text before the first boundary', `preamble\r\n${part(FILE)}${END}`],
    ['text after the last', `${part(FILE)}${END}epilogue`],
    ['no line end after the last', part(FILE) + END.trimEnd()],
    ['blanks after a boundary', part(FILE).replace(`${BOUNDARY}\r\n`, `${BOUNDARY} \t\r\n`) + END],
    ['header names in other letters', part(FILE).replace('Content-Disposition', 'CONTENT-disposition') + END],
    ['no blank behind the colons of its headers', part(FILE).replaceAll(': ', ':') + END],
    ['a folded header', part(FILE).replace('; filename', ';\r\n filename') + END],
  ])('are found with %s', async (_, form) => {
    expect(await readForm(form)).toEqual({ parts: [EVENTS], fault: null });
  });

  it('come on as soon as they surely stand before the boundary, one byte of them too', async () => {
    const [head = ''] = part('').split(/(?<=\r\n\r\n)/);
    const held = `\r\n--${BOUNDARY.slice(0, -1)}`; // which may be its beginning
    const parts = new FormParts(chunked(new TextEncoder().encode(`${head}x${held}`), [], 'cut'), BOUNDARY);
    const next = await parts.next();
    if (!next.ok || next.value === null) throw new Error('there is no part');
    const { value } = await next.value.body.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('x');
  });

  it('begin behind a boundary line with as many blanks as headers have bytes, cut right behind them', async () => {
    const line = `--${BOUNDARY}${' '.repeat(FORM_HEADER_BYTES_MAX)}`;
    const form = part(FILE).replace(`--${BOUNDARY}`, line) + END;
    expect(await readForm(form, [line.length])).toEqual({ parts: [EVENTS], fault: null });
  });

  it('are none of a form that only ends', async () => {
    expect(await readForm(END)).toEqual({ parts: [], fault: null });
  });
});

describe('a body that is no whole form', () => {
  it.each([
    ['ends inside the file', part(FILE), 'end_missing'],
    ['ends inside the headers', part(FILE).slice(0, 60), 'end_missing'],
    ['ends behind a boundary', `${part(FILE)}--${BOUNDARY}`, 'end_missing'],
    ['is empty', '', 'end_missing'],
    ['is the file itself', FILE.repeat(2_000), 'boundary_not_found'],
    ['has another boundary', (part(FILE) + END).replaceAll('a1b2c3', 'ffffff').repeat(200), 'boundary_not_found'],
    [
      'has text behind a boundary',
      part(FILE).replace(`${BOUNDARY}\r\n`, `${BOUNDARY}x\r\n`),
      'boundary_line_unreadable',
    ],
    [
      'has headers without an end',
      part('', `${HEADERS}\r\nX: ${'x'.repeat(2 * FORM_HEADER_BYTES_MAX)}`),
      'headers_too_long',
    ],
    ['has a part without a name', part(FILE, 'Content-Disposition: form-data') + END, 'headers_unreadable'],
    [
      'has a part that is no field',
      part(FILE, 'Content-Disposition: attachment; name="file"') + END,
      'headers_unreadable',
    ],
    ['has a part without headers', part(FILE, '') + END, 'headers_unreadable'],
  ])('is told as such when it %s', async (_, form, fault) => {
    expect((await readForm(form)).fault).toBe(fault);
  });

  it('is cut, not broken, when the connection ends, wherever that is', async () => {
    const form = part(FILE) + END;
    for (let length = 0; length < form.trimEnd().length; length += 7) {
      expect((await readForm(form.slice(0, length), [], 'cut')).fault, `after ${length}`).toBe('cut');
    }
  });
});
