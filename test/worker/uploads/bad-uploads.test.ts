/** Wrong uploads as a partner sends them: what is refused at the door, what cannot be read, and what one wrong row costs. */
import { createExecutionContext, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../src/index.ts';
import type { Problem } from '../../../src/kernel/problem.ts';
import { newKey } from '../../../src/ops/directory/keys.ts';
import { bridge } from '../bridge.ts';
import { STATUS_HEADER, statusFile, statusRow, statusRows } from '../csv-files.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const GOOD = statusFile(...statusRows(2, 1));
const ADDRESS = '/v1/batches?mapping=carrier-status-csv&scac=DEMO';

/** A body that says how often it was asked for bytes; `bytes` is all it ever gives. */
function countedBody(bytes: number): { body: ReadableStream; pulls: () => number } {
  let pulls = 0;
  const source: UnderlyingByteSource = {
    type: 'bytes',
    pull(controller) {
      pulls += 1;
      if (pulls === 1) {
        controller.enqueue(new Uint8Array(bytes).fill(65));
        return;
      }
      controller.close();
      controller.byobRequest?.respond(0);
    },
  };
  return { body: new ReadableStream(source, { highWaterMark: 0 }), pulls: () => pulls };
}

/** With these headers exactly: on the usual way the platform puts in the true length. */
function sentAs(partner: Partner, headers: Record<string, string>, body: ReadableStream): Promise<Response> {
  const authorization = { Authorization: `Bearer ${partner.key}` };
  const request = new Request(ORIGIN + ADDRESS, { method: 'PUT', headers: { ...authorization, ...headers }, body });
  return worker.fetch(request as never, env, createExecutionContext()) as unknown as Promise<Response>;
}

async function nothingIsKept(partner: Partner): Promise<void> {
  expect((await env.FILES.list()).objects).toEqual([]);
  expect(await partner.getJson('/v1/batches')).toEqual({ batches: [], next: null });
  expect(upstream.left).toEqual([]);
}

describe('an upload is refused at the door, and nothing of it is kept', () => {
  type Case = [string, { path?: string; init?: RequestInit }, number, { code: string; detail: RegExp; fix: RegExp }];
  const header = (name: string, value: string) => ({ init: { headers: { [name]: value } } });
  const refusals: Case[] = [
    [
      'when it names no mapping',
      { path: '/v1/batches' },
      400,
      { code: 'mapping_missing', detail: /how to read/, fix: /carrier-status-csv/ },
    ],
    [
      'when there is no such mapping',
      { path: '/v1/batches?mapping=our-export' },
      404,
      { code: 'unknown_mapping', detail: /"our-export"/, fix: /carrier-status-csv/ },
    ],
    [
      'when its key may not use the mapping',
      { path: '/v1/batches?mapping=transit-stop-times-csv' },
      403,
      { code: 'mapping_not_allowed', detail: /"transit-stop-times-csv"/, fix: /carrier-status-csv/ },
    ],
    [
      'when its key may not send for the SCAC',
      { path: ADDRESS.replace('DEMO', 'EVIL') },
      403,
      { code: 'scac_not_allowed', detail: /"EVIL"/, fix: /DEMO, ACME/ },
    ],
    [
      'when the SCAC is none, such as one that tries to be a header',
      { path: ADDRESS.replace('DEMO', 'DEMO%0d%0aX-Evil:1') },
      403,
      { code: 'scac_not_allowed', detail: /DEMO/, fix: /DEMO, ACME/ },
    ],
    [
      'when its key has several SCACs and it names none',
      { path: '/v1/batches?mapping=carrier-status-csv' },
      400,
      { code: 'scac_required', detail: /several SCACs/, fix: /DEMO, ACME/ },
    ],
    ['when it has no bytes', { init: { body: '' } }, 422, { code: 'empty', detail: /no bytes/, fix: /export/ }],
    [
      'when it says that it is JSON',
      header('Content-Type', 'application/json; charset=utf-8'),
      415,
      { code: 'type_disagrees', detail: /application\/json.*text\/csv/, fix: /content type/ },
    ],
    [
      'when its Idempotency-Key is too long',
      header('Idempotency-Key', 'k'.repeat(256)),
      400,
      { code: 'idempotency_key_invalid', detail: /1 to 255/, fix: /UUID/ },
    ],
    ['when it has no body', { init: { body: null } }, 422, { code: 'empty', detail: /no bytes/, fix: /export/ }],
  ];
  it.each(refusals)('%s', async (_, { path = ADDRESS, init = {} }, status, { code, detail, fix }) => {
    const partner = await aPartner({ mappings: ['carrier-status-csv'], scacs: ['DEMO', 'ACME'] });
    const answer = await partner.fetch(path, { method: 'PUT', body: GOOD, ...init });
    expect(answer.status).toBe(status);
    const problem = await problemOf(answer);
    expect(problem).toMatchObject({ code, detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) });
    expect(answer.headers.get('Location')).toBeNull();
    await nothingIsKept(partner);
  });

  it.each(['a stranger', 'a partner, with the last letter changed'])('when its key is that of %s', async (whose) => {
    const partner = await aPartner();
    const stranger = newKey('test', crypto.getRandomValues(new Uint8Array(40))).key;
    const last = partner.key.endsWith('0') ? '1' : '0';
    const key = whose === 'a stranger' ? stranger : partner.key.slice(0, -1) + last;
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await bridge(ORIGIN + ADDRESS, { method: 'PUT', body: GOOD, headers });
    expect(answer.status).toBe(401);
    expect(await problemOf(answer)).toMatchObject({ code: 'unauthorized', fix: expect.stringMatching(/Bearer/) });
    await nothingIsKept(partner);
  });

  it('when it is too large, before a byte of it is read', async () => {
    const partner = await aPartner();
    const { body, pulls } = countedBody(10);
    const answer = await sentAs(partner, { 'Content-Length': String(100 * 1024 * 1024 + 1) }, body);
    expect(answer.status).toBe(413);
    expect(await problemOf(answer)).toMatchObject({
      code: 'too_large',
      detail: expect.stringMatching(/104857601 bytes.*104857600/),
      fix: expect.stringMatching(/Split/),
    });
    expect(pulls()).toBe(0);
    await nothingIsKept(partner);
  });

  it('when it comes in chunks without a length and grows beyond 100 MiB, as soon as it does', async () => {
    const partner = await aPartner();
    let mebibytes = 0;
    const endless = new ReadableStream({
      type: 'bytes',
      pull(controller) {
        mebibytes += 1;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(65));
      },
    });
    const answer = await sentAs(partner, {}, endless);
    expect(answer.status).toBe(413);
    expect(await problemOf(answer)).toMatchObject({ code: 'too_large' });
    expect(mebibytes).toBeLessThan(120);
    await nothingIsKept(partner);
  });

  it('when its length is no number', async () => {
    const partner = await aPartner();
    const answer = await sentAs(partner, { 'Content-Length': '12abc' }, countedBody(10).body);
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({ code: 'length_invalid', detail: expect.stringContaining('12abc') });
    await nothingIsKept(partner);
  });

  it.each([
    ['of a declared length', { 'Content-Length': '5000' }],
    ['of no length', {}],
    ['in a form', { 'Content-Type': 'multipart/form-data; boundary=b' }],
  ])('when nothing more of it comes: %s', async (_, headers) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const partner = await aPartner();
    const standing = new ReadableStream({
      type: 'bytes',
      start: (controller) => controller.enqueue(new TextEncoder().encode('--b\r\nContent-Disposition: form-data; ')),
    });
    const shortly = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) =>
      shortly(run, ms >= 60_000 ? 50 : ms)) as typeof setTimeout);
    const answer = await sentAs(partner, headers, standing);
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({ code: 'body_cut', detail: expect.stringContaining('stood still') });
    await nothingIsKept(partner);
  });

  it('when the connection ends before all of it is there', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const partner = await aPartner();
    const answer = await sentAs(partner, { 'Content-Length': '5000' }, countedBody(1_000).body);
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({
      code: 'body_cut',
      detail: expect.stringMatching(/1000 of 5000 bytes/),
      fix: expect.stringMatching(/repeat is safe/),
    });
    await nothingIsKept(partner);
  });
});

describe('an upload is taken whatever generic type it says it has', () => {
  const types = [
    'text/csv',
    'text/plain',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'application/vnd.ms-excel',
  ];
  it.each(types)('%s', async (type) => {
    const partner = await aPartner();
    const answer = await partner.upload(GOOD, {}, { headers: { 'Content-Type': type } });
    expect(answer.status).toBe(202);
    await answer.bytes();
  });
});

/** Bytes without any meaning, the same on every run. */
function noise(count: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return new Uint8Array(count).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

/** Place, value, meaning and remedy: a problem without one of them helps nobody. */
function isComplete(problem: Problem | undefined): void {
  expect(problem?.message).toMatch(/\w+ \w+/);
  expect(problem?.fix).toMatch(/\w+ \w+/);
  expect(problem?.path, 'a place is a text').toBeTypeOf('string');
  expect(problem?.value, 'a value is a text').toBeTypeOf('string');
  expect(problem?.value.length).toBeLessThan(200);
}

describe('a file that is no such CSV is one error, and nothing of it is sent', () => {
  const utf16 = new Uint8Array([...GOOD].flatMap((letter) => [letter.charCodeAt(0), 0]));
  const files: [string, BodyInit, Partial<Problem>][] = [
    ['the beginning of a ZIP archive', `PK\x03\x04${GOOD}`, { code: 'zip_broken' }],
    [
      'a 7z archive',
      new Uint8Array([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]),
      { code: 'not_csv', value: 'seven_zip' },
    ],
    ['a RAR archive', 'Rar!\x1a\x07\x01\x00', { code: 'not_csv', value: 'rar' }],
    ['a PDF', '%PDF-1.7\n%âãÏÓ\n1 0 obj', { code: 'not_csv', value: 'pdf' }],
    ['a damaged gzip file', new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), { code: 'gzip_broken' }],
    ['a page of a portal whose session ran out', '<!doctype html><p>Sign in', { code: 'not_csv', value: 'html' }],
    ['a JSON document', '[{"load": 1}]', { code: 'not_csv', value: 'json' }],
    [
      'a program',
      new Uint8Array(2_000).map((_, at) => (at % 3 === 0 ? 0 : at % 256)),
      { code: 'not_csv', value: 'binary' },
    ],
    ['written in UTF-16 without saying so', utf16, { code: 'encoding_disagrees', value: 'utf-16le' }],
    ['divided by another delimiter', GOOD.replaceAll(',', ';'), { code: 'wrong_delimiter' }],
    ['without a column that is needed', GOOD.replace('Status,', 'Stat,'), { code: 'missing_column', path: 'Status' }],
    ['with two columns of one name', GOOD.replace('Reason', 'Status'), { code: 'duplicate_header', path: 'Status' }],
    ['of blank lines', ' \n\n', { code: 'empty_file' }],
    ['encrypted', noise(20_000), { code: 'not_csv', value: 'binary' }],
    ['a short piece of noise', noise(3_000), { code: 'not_csv', value: 'binary' }],
  ];
  it.each(files)('%s', async (_, file, expected) => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(file);
    const { problems, rows, requests } = await partner.reaches(batchId, 'unreadable');
    expect(problems).toEqual([expect.objectContaining(expected)]);
    isComplete(problems[0]);
    expect({ rows, requests }).toEqual({ rows: 0, requests: 0 });
    expect(upstream.left).toEqual([]);
  });

  it('says every column that is missing, each with what the file has instead', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(GOOD.replace('Load #', 'Load No').replace('Event Time', 'Time'));
    const { problems } = await partner.reaches(batchId, 'unreadable');
    expect(problems.map(({ code, path }) => [code, path])).toEqual([
      ['missing_column', 'Load #'],
      ['missing_column', 'Event Time'],
    ]);
    expect(problems[0]?.fix).toContain('Load No');
  });
});

describe('a wrong row is told where, what and how to mend it, and its neighbours are delivered', () => {
  const row = (cells: Parameters<typeof statusRow>[1]): string => statusRow('LD1', cells);
  const chicago = (date: string, time: string): string =>
    row({ 'Event Date': date, 'Event Time': time, TZ: 'America/Chicago' });
  const WHEN = 'Event Date, Event Time';
  const rows: [string, string, Partial<Problem>][] = [
    ['a cell of 5 MB', row({ City: 'x'.repeat(5_000_000) }), { code: 'record_too_large', path: 'City' }],
    ['a quoted cell of 5 MB', row({ City: `"${'x,'.repeat(2_500_000)}"` }), { code: 'record_too_large', path: 'City' }],
    ['a cell of 70 KB', row({ City: 'x'.repeat(70_000) }), { code: 'cell_too_large', path: 'City' }],
    ['a city that is too long', row({ City: 'x'.repeat(600) }), { code: 'value_too_long', path: 'City' }],
    [
      'a date in another form',
      row({ 'Event Date': '2026-03-02' }),
      { code: 'bad_date', path: WHEN, value: '2026-03-02 08:15' },
    ],
    ['a date that does not exist', row({ 'Event Date': '02/30/2026' }), { code: 'bad_date', path: WHEN }],
    ['no date', row({ 'Event Date': '' }), { code: 'bad_date', path: WHEN }],
    [
      'a time that the clock change skips',
      chicago('03/08/2026', '02:30'),
      { code: 'time_nonexistent', path: WHEN, value: '03/08/2026 02:30' },
    ],
    [
      'a time that happens twice',
      chicago('11/01/2026', '01:30'),
      { code: 'time_ambiguous', path: WHEN, value: '11/01/2026 01:30' },
    ],
    ['no time zone', row({ TZ: '' }), { code: 'time_zone_missing', path: 'TZ', value: '' }],
    ['an unknown time zone', row({ TZ: 'XX' }), { code: 'time_zone_unknown', path: 'TZ', value: 'XX' }],
    ['an unknown status', row({ Status: 'Q9' }), { code: 'code_unknown', path: 'Status', value: 'Q9' }],
    ['an unknown reason', row({ Reason: 'ZZ' }), { code: 'code_unknown', path: 'Reason', value: 'ZZ' }],
    ['no load number', statusRow(''), { code: 'value_missing', path: 'Load #', value: '' }],
    ['half a stop', row({ Stop: '1.5' }), { code: 'not_a_whole_number', path: 'Stop', value: '1.5' }],
    ['too few cells', 'LD1,X3', { code: 'ragged_row', path: 'Reason' }],
    ['too many cells', `${row({})},left over`, { code: 'ragged_row', path: 'column 12', value: 'left over' }],
    ['a quote inside a cell', row({ City: 'Jo"liet' }), { code: 'bad_quote', path: 'City' }],
    ['a quote that is never closed', row({ City: '"Joliet' }), { code: 'unclosed_quote', path: 'City' }],
    ['a NUL character', row({ City: 'Jo\0liet' }), { code: 'nul_character', path: 'City', value: 'Jo\\0liet' }],
    ['a terminal sequence', row({ City: 'Jo\x1b[31m' }), { code: 'control_character', path: 'City' }],
    ['Latin-1 in a UTF-8 file', row({ City: 'Jo\u00ffliet' }), { code: 'bad_encoding', path: 'City' }],
  ];
  it.each(rows)('%s', async (about, wrong, expected) => {
    const partner = await aPartner();
    const text = statusFile(statusRow('BEFORE'), wrong, statusRow('AFTER'));
    const file = expected.code === 'bad_encoding' ? Uint8Array.from([...text], (letter) => letter.charCodeAt(0)) : text;
    const { batchId } = await partner.receipt(file);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 2, invalid: 1 });
    const [before, invalid, after] = await partner.rows(batchId);
    expect([before?.state, invalid?.state, after?.state], about).toEqual(['delivered', 'invalid', 'delivered']);
    expect(invalid?.errors).toEqual([expect.objectContaining(expected)]);
    isComplete(invalid?.errors[0]);
    const start = STATUS_HEADER.length + statusRow('BEFORE').length + 2;
    expect(invalid?.position).toMatchObject({ record: 2, line: 3, byteFrom: start, byteTo: start + wrong.length });
    const delivered = upstream.left.map(({ body }) => JSON.parse(body).loadNumber).sort();
    expect(delivered).toEqual(['AFTER', 'BEFORE']);
  });

  it('with everything that is wrong in it at once', async () => {
    const partner = await aPartner();
    const wrong = statusRow('', { Status: 'Q9', Reason: 'ZZ', Stop: 'one', 'Event Date': 'soon' });
    const { batchId } = await partner.receipt(statusFile(wrong, statusRow('LD2')));
    await partner.reaches(batchId, 'settled');
    const [invalid] = await partner.rows(batchId);
    expect(invalid?.errors.map(({ code }) => code).sort()).toEqual([
      'bad_date',
      'code_unknown',
      'code_unknown',
      'not_a_whole_number',
      'value_missing',
    ]);
    for (const problem of invalid?.errors ?? []) isComplete(problem);
  });
});
