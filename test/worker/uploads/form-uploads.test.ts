/** Forms as browsers, curl and HTTP libraries write them: the file inside is taken as if it had come alone, or nothing is. */
import { createExecutionContext, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../src/index.ts';
import { UPLOAD_PART_BYTES } from '../../../src/kernel/limits.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { aPartner, ORIGIN, type Partner, problemOf, type Receipt } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const EVENTS = statusFile(...statusRows(3, 2));
const BOUNDARY = '------------------------0a1b2c3d';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const FILE_HEADERS = 'Content-Disposition: form-data; name="file"; filename="events.csv"\r\nContent-Type: text/csv';

const part = (content: string, headers = FILE_HEADERS): string => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string): string => part(value, `Content-Disposition: form-data; name="${name}"`);
const formOf = (...parts: string[]): string => `${parts.join('')}--${BOUNDARY}--\r\n`;

const send = (partner: Partner, body: BodyInit, query: Record<string, string> = {}, type = TYPE): Promise<Response> =>
  partner.upload(body, query, { method: 'POST', headers: { 'Content-Type': type } });

/** As the browser itself writes a form. */
function sendForm(partner: Partner, ...files: [name: string, file: Blob, fileName: string][]): Promise<Response> {
  const form = new FormData();
  for (const [name, file, fileName] of files) form.append(name, file, fileName);
  return partner.upload(form, {}, { method: 'POST' });
}

async function nothingIsKept(partner: Partner): Promise<void> {
  expect((await env.FILES.list()).objects).toEqual([]);
  expect(await partner.getJson('/v1/batches')).toEqual({ batches: [], next: null });
  expect(upstream.left).toEqual([]);
}

describe('the file of a form', () => {
  it('is one batch with the digest, length and name of the file, and is delivered', async () => {
    const partner = await aPartner();
    const answer = await sendForm(partner, ['file', new Blob([EVENTS], { type: 'text/csv' }), 'März 1.csv']);
    expect(answer.status).toBe(202);
    const { batchId, bytes, sha256 } = await answer.json<Receipt>();
    const file = new TextEncoder().encode(EVENTS);
    expect({ bytes, sha256 }).toEqual({ bytes: file.length, sha256: await sha256Hex(file) });
    const ended = await partner.reaches(batchId, 'settled');
    expect(ended).toMatchObject({ rowStates: { delivered: 3 }, fileName: 'März 1.csv', bytes: file.length });
    const source = await (await partner.fetch(`/v1/batches/${batchId}/source`)).text();
    expect(source).toBe(EVENTS);
  });

  it('is the same batch as the file sent alone', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(EVENTS);
    const answer = await send(partner, formOf(part(EVENTS)));
    expect(await answer.json<Receipt>()).toMatchObject({ batchId, replayed: true });
    expect(answer.headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('keeps every byte over several parts of storage', async () => {
    const partner = await aPartner();
    const bytes = new Uint8Array(2 * UPLOAD_PART_BYTES + 1_234).map((_, at) => (at * 31 + (at >> 12)) % 256);
    const answer = await sendForm(partner, ['file', new Blob([bytes]), 'noise.bin']);
    expect(await answer.json()).toMatchObject({ bytes: bytes.length, sha256: await sha256Hex(bytes) });
  });

  it('is unpacked when it is a gzip file', async () => {
    const partner = await aPartner();
    const packed = new Response(EVENTS).body?.pipeThrough(new CompressionStream('gzip'));
    const blob = new Blob([await new Response(packed).arrayBuffer()], { type: 'application/gzip' });
    const answer = await sendForm(partner, ['file', blob, 'events.csv.gz']);
    const { batchId } = await answer.json<Receipt>();
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({ rowStates: { delivered: 3 } });
  });

  it('is read and sent as fields before it say: the address need say nothing', async () => {
    const partner = await aPartner();
    const fields = [field('mapping', 'carrier-status-csv'), field('dryRun', 'true'), field('fileName', 'named.csv')];
    const answer = await partner.fetch('/v1/batches', {
      method: 'POST',
      headers: { 'Content-Type': TYPE },
      body: formOf(...fields, part(EVENTS)),
    });
    const { batchId } = await answer.json<Receipt>();
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({
      mapping: 'carrier-status-csv',
      dryRun: true,
      fileName: 'named.csv',
      rowStates: { valid: 3 },
    });
    expect(upstream.left).toEqual([]);
    const none = await partner.fetch('/v1/batches', {
      method: 'POST',
      headers: { 'Content-Type': TYPE },
      body: formOf(part(EVENTS)),
    });
    expect(await problemOf(none)).toMatchObject({ code: 'mapping_missing', fix: expect.stringContaining('field') });
  });

  it('is a message as it would be alone', async () => {
    const partner = await aPartner();
    const answer = await partner.fetch('/v1/messages', {
      method: 'POST',
      headers: { 'Content-Type': TYPE, Prefer: 'wait=20' },
      body: formOf(field('mapping', 'carrier-status-csv'), part(EVENTS)),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { rowStates: { delivered: 3 } }]);
  });

  it('is called as the address says, where the address says so', async () => {
    const partner = await aPartner();
    const answer = await send(partner, formOf(part(EVENTS)), { fileName: 'from-address.csv' });
    const { batchId } = await answer.json<Receipt>();
    expect(await partner.summary(batchId)).toMatchObject({ fileName: 'from-address.csv' });
  });

  it.each([
    ['a folder', 'C:\\exports\\..\\events.csv', 'events.csv'],
    ['quotes', 'say %22hi%22.csv', 'say "hi".csv'],
    ['a mark that turns text around', 'evil\u202evsc.csv', 'evilvsc.csv'],
  ])('is shown without %s in its name doing harm', async (_, fileName, shown) => {
    const partner = await aPartner();
    const answer = await send(partner, formOf(part(EVENTS, FILE_HEADERS.replace('events.csv', fileName))));
    const { batchId } = await answer.json<Receipt>();
    expect(await partner.summary(batchId)).toMatchObject({ fileName: shown });
  });

  it.each([undefined, 'application/octet-stream', 'text/plain', 'application/vnd.ms-excel'])(
    'is taken when its type is %s',
    async (type) => {
      const partner = await aPartner();
      const headers = FILE_HEADERS.replace(/\r\n.*/, type === undefined ? '' : `\r\nContent-Type: ${type}`);
      const answer = await send(partner, formOf(part(EVENTS, headers)));
      expect(answer.status).toBe(202);
      await answer.bytes();
    },
  );
});

describe('a form is refused, and nothing of it is kept', () => {
  type Refusal = [about: string, body: string, status: number, code: string, words: RegExp];
  const second = part(EVENTS, FILE_HEADERS.replace('events', 'more'));
  const refusals: Refusal[] = [
    ['when it has no file', formOf(), 400, 'form_file_missing', /"file"/],
    [
      'when its file is in another field',
      formOf(part(EVENTS).replace('"file"', '"upload"')),
      400,
      'form_field_unknown',
      /"upload"/,
    ],
    [
      'when a field before the file is misspelt',
      formOf(field('dryrun', 'true'), part(EVENTS)),
      400,
      'form_field_unknown',
      /"dryrun".*Did you mean "dryRun"/,
    ],
    [
      'when a field says something else than the address',
      formOf(field('mapping', 'other'), part(EVENTS)),
      400,
      'form_field_twice',
      /"mapping"/,
    ],
    [
      'when a field comes twice',
      formOf(field('dryRun', 'true'), field('dryRun', 'false'), part(EVENTS)),
      400,
      'form_field_twice',
      /"dryRun"/,
    ],
    ['when a field is endless', formOf(field('scac', 'x'.repeat(2_000)), part(EVENTS)), 400, 'form_broken', /1 KiB/],
    ['when a field is no word of its', formOf(field('dryRun', 'yes'), part(EVENTS)), 400, 'parameter_invalid', /yes/],
    [
      'when a field stands after the file',
      formOf(part(EVENTS), field('dryRun', 'true')),
      400,
      'form_field_late',
      /"dryRun".*before the file/,
    ],
    ['when it has two files', formOf(part(EVENTS), second), 400, 'form_two_files', /ZIP/],
    [
      'when its file is several in one',
      formOf(part('--b--', FILE_HEADERS.replace('text/csv', 'multipart/mixed; boundary=b'))),
      400,
      'form_two_files',
      /more than one/,
    ],
    ['when its file is empty', formOf(part('')), 422, 'empty', /no bytes/],
    [
      'when its file says that it is a picture',
      formOf(part(EVENTS, FILE_HEADERS.replace('text/csv', 'image/png'))),
      415,
      'type_disagrees',
      /image\/png/,
    ],
    [
      'when its file is in base64',
      formOf(part('YSxi', `${FILE_HEADERS}\r\nContent-Transfer-Encoding: Base64`)),
      400,
      'form_broken',
      /Transfer-Encoding/,
    ],
    ['when it is no form but the file itself', EVENTS, 400, 'form_broken', /closing boundary/],
    [
      'when it has another boundary than it says',
      formOf(part(EVENTS)).replaceAll('0a1b', 'ffff'),
      400,
      'form_broken',
      /boundary/,
    ],
    ['when it lacks its end', part(EVENTS), 400, 'form_broken', /without its closing boundary/],
    ['when the headers of its file never end', part('', `X: ${'x'.repeat(40_000)}`), 400, 'form_broken', /16 KiB/],
    ['when a broken part follows its file', formOf(part(EVENTS), part('', 'X: 1')), 400, 'form_broken', /which field/],
  ];
  it.each(refusals)('%s', async (_, body, status, code, words) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const partner = await aPartner();
    const answer = await send(partner, body);
    expect(answer.status).toBe(status);
    const problem = await problemOf(answer);
    expect(problem.code).toBe(code);
    expect(`${problem.detail} ${problem.fix}`).toMatch(words);
    await nothingIsKept(partner);
  });

  it('when its content type names no boundary', async () => {
    const partner = await aPartner();
    const answer = await send(partner, formOf(part(EVENTS)), {}, 'multipart/form-data');
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({ code: 'form_broken' });
    await nothingIsKept(partner);
  });

  /** Sends what `pull` gives, without a length unless `more` names one. */
  async function sendStream(
    partner: Partner,
    pull: UnderlyingByteSource['pull'],
    more: Record<string, string> = {},
  ): Promise<Response> {
    const request = new Request(`${ORIGIN}/v1/batches?mapping=carrier-status-csv`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${partner.key}`, 'Content-Type': TYPE, ...more },
      body: new ReadableStream({ type: 'bytes', ...(pull ? { pull } : {}) }),
    });
    return (await worker.fetch(request as never, env, createExecutionContext())) as unknown as Response;
  }

  it.each([100, UPLOAD_PART_BYTES + 100])('when the connection breaks after %i bytes of the file', async (bytes) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const partner = await aPartner();
    const begun = part('x'.repeat(bytes)).slice(0, -2);
    let given = false;
    const answer = await sendStream(partner, (controller) => {
      if (given) controller.error(new Error('connection lost'));
      else controller.enqueue(new TextEncoder().encode(begun));
      given = true;
    });
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({ code: 'body_cut', fix: expect.stringMatching(/repeat is safe/) });
    await nothingIsKept(partner);
  });

  it('as cut, not as broken, when fewer bytes come than its length says', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const partner = await aPartner();
    let given = false;
    const pull = (controller: ReadableByteStreamController) => {
      if (!given) controller.enqueue(new TextEncoder().encode(part(EVENTS).slice(0, -2)));
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
      given = true;
    };
    const answer = await sendStream(partner, pull, { 'Content-Length': '5000' });
    expect(await problemOf(answer)).toMatchObject({ status: 400, code: 'body_cut' });
    await nothingIsKept(partner);
  });

  it('when its file grows beyond 100 MiB, as soon as it does', async () => {
    const partner = await aPartner();
    let mebibytes = 0;
    const answer = await sendStream(partner, (controller) => {
      const filler = new Uint8Array(1024 * 1024).fill(65);
      controller.enqueue(mebibytes === 0 ? new TextEncoder().encode(part('').slice(0, -2)) : filler);
      mebibytes += 1;
    });
    expect(answer.status).toBe(413);
    expect(await problemOf(answer)).toMatchObject({ code: 'too_large' });
    expect(mebibytes).toBeLessThan(120);
    await nothingIsKept(partner);
  });
});
