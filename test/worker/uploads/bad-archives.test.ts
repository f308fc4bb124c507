/** Archives that are refused whole: nothing of them is sent or kept, and the words name the file at fault. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unzip } from '../../../src/batch/files/unzip.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { sourceKey } from '../../../src/kernel/names.ts';
import { type ZipPart, zipOf } from '../../zip-files.ts';
import { aBatch } from '../batches.ts';
import { breakingOff } from '../breaking-off.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { aPartner } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

type Archive = Uint8Array<ArrayBuffer>;
const CONTENT = statusFile(...statusRows(40, 4));
const GOOD: ZipPart = { name: 'good.csv', content: CONTENT };
const bad = (part: Partial<ZipPart>): Archive => zipOf([GOOD, { ...GOOD, name: 'bad.csv', ...part }]);
const many = (count: number): ZipPart[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${at}`.padStart(20, 'f') }));
const mebibytes = (count: number): Uint8Array => new Uint8Array(count * 1024 * 1024).fill(65);

async function gzipped(): Promise<Uint8Array> {
  const packed = new Response(CONTENT).body?.pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

async function encrypted(zipCrypto: boolean): Promise<Archive> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  const content = () => new Uint8ArrayReader(new TextEncoder().encode(CONTENT));
  await zip.add('good.csv', content());
  await zip.add('bad.csv', content(), { password: 'secret', zipCrypto });
  return new Uint8Array(await zip.close());
}

const without = (from: number, to: number): Archive => {
  const whole = [...bad({})];
  return new Uint8Array([...whole.slice(0, from), ...whole.slice(to)]);
};

const NESTED = { zip: zipOf([GOOD]), seven_zip: '7z\xbc\xaf\x27\x1c\0\x04', rar: 'Rar!\x1a\x07\x01\0' };
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const workbook = ['xl/workbook.xml', 'xl/sheet1.xml', '[Content_Types].xml'].map((name) => ({
  name,
  content: '<xml/>',
}));
const lies = [GOOD, { name: 'bad.csv', content: CONTENT, offsetOf: 2 }, { name: 'c.csv', content: 'x' }];

/** `words` of the problem; `bad.csv` where the file is named. */
const refusals: [about: string, archive: () => Archive | Promise<Archive>, code: string, words: RegExp][] = [
  ['is cut in the middle', () => bad({}).slice(0, 500), 'zip_broken', /cut off/],
  ['lacks its last byte', () => bad({}).slice(0, -1), 'zip_broken', /cut off/],
  ['lacks a piece near its beginning', () => without(4, 60), 'zip_broken', /two places/],
  ['is four letters', () => zipOf([GOOD]).slice(0, 4), 'zip_broken', /cut off/],
  ['holds nothing', () => zipOf([]), 'zip_empty', /no file/],
  [
    'holds folders and clutter',
    () => zipOf([{ name: 'a/' }, { name: '__MACOSX/x', content: 'x' }]),
    'zip_empty',
    /no file/,
  ],
  ['holds empty files', () => zipOf([{ name: 'a.csv' }, { name: 'b.csv', method: 0 }]), 'zip_empty', /no file/],
  ['holds 21 files', () => zipOf(many(21)), 'zip_too_many_files', /more than 20/],
  ['lists 20,000 files', () => zipOf(many(20_000)), 'zip_too_many_files', /more than 20/],
  ['has a wrong checksum', () => bad({ crc32: 0x12345678 }), 'zip_broken', /bad\.csv.*checksum/],
  ['has a file that is no deflate', () => bad({ packed: mebibytes(1) }), 'zip_broken', /bad\.csv.*unpacked/],
  [
    'has a file that is cut',
    () => bad({ packed: new Uint8Array([0xed, 0xc1, 0x31]) }),
    'zip_broken',
    /bad\.csv.*unpacked/,
  ],
  ['states less than comes out', () => bad({ bytes: 10 }), 'zip_broken', /bad\.csv.* 10\./],
  ['states more than comes out', () => bad({ bytes: 1_000_000 }), 'zip_broken', /bad\.csv.* 1000000\./],
  ['states that a full file is empty', () => bad({ bytes: 0, crc32: 0 }), 'zip_broken', /bad\.csv.* 0\./],
  [
    'states more packed bytes than there are',
    () => bad({ packedBytes: 90_000_000 }),
    'zip_broken',
    /bad\.csv.*outside/,
  ],
  ['states fewer packed bytes than there are', () => bad({ packedBytes: 100 }), 'zip_broken', /bad\.csv/],
  ['says two things of a file', () => zipOf(lies), 'zip_broken', /bad\.csv.*two places/],
  ['has two files in the same bytes', () => bad({ offsetOf: 0 }), 'zip_overlapping', /bad\.csv/],
  ['is encrypted with AES', () => encrypted(false), 'zip_encrypted', /bad\.csv/],
  ['is encrypted in the old way', () => encrypted(true), 'zip_encrypted', /bad\.csv/],
  ['holds another archive', () => bad({ content: NESTED.zip }), 'zip_nested', /bad\.csv.*ZIP/],
  ['holds a gzip file', async () => bad({ content: await gzipped() }), 'zip_nested', /bad\.csv.*gzip/],
  ['holds a 7z archive', () => bad({ content: latin1(NESTED.seven_zip) }), 'zip_nested', /bad\.csv.*7z/],
  ['holds a RAR archive', () => bad({ content: latin1(NESTED.rar), method: 0 }), 'zip_nested', /bad\.csv.*RAR/],
  ['is compressed by bzip2', () => bad({ method: 12 }), 'zip_method', /bad\.csv.*12/],
  ['holds a link', () => bad({ content: '/etc/passwd', mode: 0o120777 }), 'zip_link', /bad\.csv/],
  ['is one of several volumes', () => zipOf([GOOD], { volume: 3 }), 'zip_split', /volumes/],
  ['is an Excel workbook', () => zipOf(workbook), 'not_a_workbook', /workbook/],
  ['grows two hundredfold', () => bad({ content: mebibytes(24) }), 'zip_too_large', /bad\.csv/],
  [
    'grows so and says that it does not',
    () => bad({ content: mebibytes(24), bytes: 1_000 }),
    'zip_too_large',
    /bad\.csv/,
  ],
];

it.each(refusals)(
  'an archive that %s is refused whole: nothing of it is sent or kept',
  async (_, archive, code, words) => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(await archive());
    const { problems, rows, requests } = await partner.reaches(batchId, 'unreadable');
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    const [{ message, fix, file } = { message: '', fix: '', file: undefined }] = problems;
    expect(`${message} ${fix}`).toMatch(words);
    expect(fix).toMatch(/\w+ \w+/);
    expect(file === 'bad.csv', 'the file at fault is named').toBe(words.source.startsWith('bad'));
    expect({ rows, requests }).toEqual({ rows: 0, requests: 0 });
    expect(upstream.left).toEqual([]);
    const { objects } = await env.FILES.list();
    expect(objects.map(({ key }) => key).filter((key) => key.includes('/content'))).toEqual([]);
    expect(await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text()).toContain(`"${code}"`);
  },
);

describe('what unpacks', () => {
  const ticketOf = async (archive: Archive) => {
    const batchId = newBatchId(Date.now());
    const { ticket } = await aBatch('', { batchId, bytes: archive.length });
    await env.FILES.put(sourceKey(ticket, batchId), archive);
    return ticket;
  };
  const three = zipOf(['a.csv', 'b.csv', 'c.csv'].map((name) => ({ name, content: CONTENT })));

  it('is counted over all files together', async () => {
    const enough = await unzip(env.FILES, await ticketOf(three), 3 * CONTENT.length);
    expect(enough).toMatchObject({ ok: true, value: { bytes: 3 * CONTENT.length } });
    const short = await unzip(env.FILES, await ticketOf(three), 3 * CONTENT.length - 1);
    expect(short).toEqual({
      ok: false,
      error: { code: 'zip_too_large', entry: 'c.csv', bytesMax: CONTENT.length - 1 },
    });
  });

  it('is read file by file, from the first on', async () => {
    const unpacked = await unzip(env.FILES, await ticketOf(three));
    expect(unpacked.ok && unpacked.value.files).toMatchObject([
      { name: 'a.csv', recordsBefore: 0, state: 'reading' },
      { name: 'b.csv', recordsBefore: null, state: 'unread' },
      { name: 'c.csv', recordsBefore: null, state: 'unread' },
    ]);
  });

  it.each([
    [['a'], 'One file of the archive held nothing and was passed over: a.flag.'],
    [['a', 'b'], '2 files of the archive held nothing and were passed over: a.flag, b.flag.'],
  ])('is said to be less than all where %j held nothing', async (names, note) => {
    const empty = names.map((name) => ({ name: `${name}.flag` }));
    const unpacked = await unzip(env.FILES, await ticketOf(zipOf([...empty, { name: 'c.csv', content: CONTENT }])));
    expect(unpacked).toMatchObject({ ok: true, value: { files: [{ name: 'c.csv' }], notes: [note] } });
  });

  it('may be larger than any small file, where it was large when it came', async () => {
    const large = zipOf([{ name: 'large.csv', content: mebibytes(2), method: 0 }]);
    expect(await unzip(env.FILES, await ticketOf(large))).toMatchObject({
      ok: true,
      value: { bytes: 2 * 1024 * 1024 },
    });
  });

  it('is not judged while storage fails: the batch tries again', async () => {
    const ticket = await ticketOf(three);
    const failing = new Error('planned: storage is down');
    for (const broken of [1, 2, 5, 8]) {
      let asked = 0;
      const files = new Proxy(env.FILES, {
        get(target, name) {
          const own = Reflect.get(target, name) as (...args: unknown[]) => unknown;
          if (name !== 'get') return own.bind(target);
          return (...args: unknown[]) => {
            asked += 1;
            return asked === broken ? Promise.reject(failing) : own.apply(target, args);
          };
        },
      });
      await expect(unzip(files, ticket)).rejects.toBe(failing);
    }
    expect(await unzip(env.FILES, ticket)).toMatchObject({ ok: true });
  });

  it.each([
    [0, 'stored'],
    [8, 'deflated'],
  ])('is not judged where storage breaks off within a file of method %i, %s: the batch tries again', async (method) => {
    const content = statusFile(...statusRows(2_000, 4));
    const ticket = await ticketOf(zipOf([GOOD, { name: 'cut.csv', content, method }]));
    await expect(unzip(breakingOff(2), ticket)).rejects.toThrow('planned: storage breaks off');
    expect(await unzip(env.FILES, ticket)).toMatchObject({ ok: true, value: { files: [{}, {}] } });
  });
});
