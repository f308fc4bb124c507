/** Every way in which curl sends a file, with curl itself: the bytes arrive, the rows are delivered, the receiving system saw them. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalEntry, Stack } from '../../scripts/local/stack.ts';
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { clientOf, startEnvironment } from '../e2e/environment.ts';
import { zipOf } from '../zip-files.ts';
import { hasCurl } from './has-curl.ts';

let environment: Stack;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transload-curl-'));
  if (hasCurl) environment = await startEnvironment();
});
afterAll(async () => {
  await environment?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A right file of each shipped mapping, of two events of one load. */
const FILES: Record<string, (load: string) => string> = {
  'carrier-status-csv': (load) =>
    `Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\n${['07:11', '08:40']
      .map((time, at) => `${load},X3,NS,03/02/2026,${time},CT,Joliet,IL,${at + 1},,\n`)
      .join('')}`,
  'carrier-status-semicolon-csv': (load) =>
    `Shipment;Status;Cause;Timestamp;Zone;Place;Region;Stop;Waybill;Void\n${['05:30:00', '06:40:00']
      .map((time, at) => `${load};Arrived at pickup;;02.03.2026 ${time};CT;Joliet;IL;${at + 1};;\n`)
      .join('')}`,
  'transit-stop-times-csv': (load) =>
    `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${load},05:00:00,,pier,1\n${load},06:00:00,,market,2\n`,
  'carrier-events-json': (load) => JSON.stringify({ events: [1, 2].map((hour) => eventAt(load, hour)) }),
  'carrier-events-ndjson': (load) =>
    [1, 2]
      .map((hour) => `{"type":"event","load":"${load}","event":"X3","at":${1_772_460_900 + 3_600 * hour}}\n`)
      .join(''),
};
const eventAt = (load: string, hour: number) => ({
  load: { number: load },
  status: { code: 'X3' },
  occurredAt: `2026-03-02T0${hour}:00:00-06:00`,
});

interface CurlReceipt {
  batchId: string;
  bytes: number;
  sha256: string;
  replayed: boolean;
}

/** Runs curl with the partner's key. @returns status and body as it printed them. */
async function curl(mapping: string, args: readonly string[], stdin?: Uint8Array, query = '') {
  const url = `${environment.bridge.baseUrl}/v1/batches?mapping=${mapping}${query}`;
  const authorization = `Authorization: Bearer ${environment.keys[0]}`;
  const running = spawn('curl', [
    '--silent',
    '--show-error',
    '--write-out',
    '\n%{http_code}',
    '-H',
    authorization,
    ...args,
    url,
  ]);
  running.stdin.on('error', () => undefined); // curl may answer before it has read everything
  running.stdin.end(stdin);
  let printed = '';
  running.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  running.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  await new Promise((done) => running.once('close', done));
  const end = printed.lastIndexOf('\n');
  return { status: Number(printed.slice(end + 1)), text: printed.slice(0, end) };
}

async function receiptOf(...sent: Parameters<typeof curl>): Promise<CurlReceipt> {
  const { status, text } = await curl(...sent);
  expect(status, text).toBe(202);
  return JSON.parse(text) as CurlReceipt;
}

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const ended = (batchId: string): Promise<BatchSummary> => clientOf(environment).watch(batchId, () => undefined);

const sentFor = async (load: string): Promise<JournalEntry[]> =>
  (await environment.journal()).filter(
    ({ path, body }) => path.endsWith('/milestone-requests') && body.includes(`"loadNumber":"${load}"`),
  );

/** The upload's own bytes in the receipt, both events delivered, and both in the receiving system's journal. */
async function expectDelivered(receipt: CurlReceipt, load: string, bytes: Uint8Array): Promise<BatchSummary> {
  expect(receipt.bytes).toBe(bytes.length);
  expect(receipt.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  const summary = await ended(receipt.batchId);
  expect(summary).toMatchObject({ state: 'settled', rowStates: { delivered: 2 }, problems: [] });
  const seen = await sentFor(load);
  expect(seen.map(({ applied, status }) => [applied, status])).toEqual([
    [true, 200],
    [true, 200],
  ]);
  return summary;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
let loads = 77_000_000;
const newLoad = (): string => String(++loads);

describe.runIf(hasCurl)('curl', () => {
  type Way = [way: string, args: (path: string) => string[], piped?: 'piped'];
  const ways: Way[] = [
    ['-T FILE', (path) => ['-T', path]],
    ['-T - from a pipe, without a length', () => ['-T', '-'], 'piped'],
    ['--data-binary @FILE', (path) => ['--data-binary', `@${path}`]],
    ['-F file=@FILE', (path) => ['-F', `file=@${path}`]],
    ['-F file=@- from a pipe', () => ['-F', 'file=@-;filename=piped.csv'], 'piped'],
  ];
  it.each(ways)('%s is taken as it is, and delivered', async (_, args, piped) => {
    const load = newLoad();
    const bytes = utf8(FILES['carrier-status-csv']?.(load) ?? '');
    const path = fileOf(`${load}.csv`, bytes);
    const receipt = await receiptOf('carrier-status-csv', args(path), piped && bytes);
    await expectDelivered(receipt, load, bytes);
  });

  it.each(Object.keys(FILES))('-F file=@FILE sends a file of mapping %s', async (mapping) => {
    const load = newLoad();
    const bytes = utf8(FILES[mapping]?.(load) ?? '');
    const path = fileOf(`März ${load}.${mapping.split('-').at(-1)}`, bytes);
    const receipt = await receiptOf(mapping, ['-F', `file=@${path}`]);
    expect(await expectDelivered(receipt, load, bytes)).toMatchObject({ fileName: path.split('/').at(-1) });
  });

  const PACKED: [what: string, pack: (text: string) => Uint8Array, args: (path: string) => string[]][] = [
    ['a gzip file', (text) => gzipSync(text), (path) => ['-T', path]],
    ['a gzip file in a form', (text) => gzipSync(text), (path) => ['-F', `file=@${path}`]],
    ['a ZIP archive', (text) => zipOf([{ name: 'events.csv', content: text }]), (path) => ['-T', path]],
    [
      'a ZIP archive in a form, with its type named',
      (text) => zipOf([{ name: 'events.csv', content: text }]),
      (path) => ['-F', `file=@${path};type=application/zip`],
    ],
  ];
  it.each(PACKED)('sends %s, which is unpacked', async (_, pack, args) => {
    const load = newLoad();
    const bytes = pack(FILES['carrier-status-csv']?.(load) ?? '');
    const receipt = await receiptOf('carrier-status-csv', args(fileOf(`${load}.packed`, bytes)));
    const summary = await expectDelivered(receipt, load, bytes);
    expect(summary.contentBytes).toBeGreaterThan(0);
  });

  it('tries a file with dryRun=true, which sends nothing, and then sends it', async () => {
    const load = newLoad();
    const bytes = utf8(FILES['carrier-events-json']?.(load) ?? '');
    const args = ['-F', `file=@${fileOf(`${load}.json`, bytes)}`];
    const dry = await receiptOf('carrier-events-json', args, undefined, '&dryRun=true');
    expect(await ended(dry.batchId)).toMatchObject({ state: 'settled', dryRun: true, rowStates: { valid: 2 } });
    expect(await sentFor(load)).toEqual([]);
    const real = await receiptOf('carrier-events-json', args);
    expect(real).toMatchObject({ replayed: false });
    await expectDelivered(real, load, bytes);
  });

  it('sends a form of many megabytes whole', async () => {
    const load = newLoad();
    const row = `${load},??,NS,03/02/2026,07:11,CT,${'x'.repeat(400)},IL,1,,\n`;
    const bytes = utf8(
      `Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\n${row.repeat(30_000)}`,
    );
    const args = ['-F', `file=@${fileOf('many.csv', bytes)}`];
    const { batchId, ...receipt } = await receiptOf('carrier-status-csv', args, undefined, '&dryRun=true');
    expect(receipt).toMatchObject({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    expect(await ended(batchId)).toMatchObject({ rows: 30_000, rowStates: { invalid: 30_000 } });
  });

  it.each([
    ['two files', ['-F', 'file=@-;filename=a.csv', '-F', 'file=b'], 'form_two_files'],
    ['the file in another field', ['-F', 'upload=@-;filename=a.csv'], 'form_field_unknown'],
    [
      'a parameter behind the file of the form',
      ['-F', 'file=@-;filename=a.csv', '-F', 'dryRun=true'],
      'form_field_late',
    ],
    ['force=true without a key', ['-F', 'file=@-;filename=a.csv'], 'force_needs_key'],
  ])('is told what is wrong with %s', async (_, args, code) => {
    const query = code === 'force_needs_key' ? '&force=true' : '';
    const { status, text } = await curl('carrier-status-csv', args, utf8('a,b\n'), query);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code, fix: expect.stringMatching(/\w+ \w+/) });
  });
});
