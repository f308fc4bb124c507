/** One step of reading a file, on the batch's own tables and stored bytes. */
import { afterEach, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import { emptyReadMemory } from '../../../src/batch/files/pinned.ts';
import { LookupStore } from '../../../src/batch/steps/lookup.ts';
import { createdWith } from '../../../src/batch/steps/messages.ts';
import { type ReadingPort, readNextSlice } from '../../../src/batch/steps/reading.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ClaimStore } from '../../../src/batch/store/claim-store.ts';
import { GroupStore } from '../../../src/batch/store/group-store.ts';
import { mappingKey, sourceKey } from '../../../src/kernel/names.ts';
import { type Lookup, type LookupAnswer, lookupKey } from '../../../src/mapping/lookups/lookup.ts';
import { bundleOf } from '../../../src/ops/publishing/bundle.ts';
import { storageOf } from '../object-storage.ts';
import { clockAt } from '../upstream/samples.ts';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from './bundled-texts.ts';
import { aTicket, RECEIVED_MS } from './samples.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const HEADER = 'Load,Unit,Site,Date,Time,Latitude,Longitude,Odometer';
const row = (load: string): string => `${load},700001,1003,2026-03-02,08:15,41.87,-87.65,`;
const fileOf = (...loads: string[]): string => [HEADER, ...loads.map(row), ''].join('\n');

/** A batch of files of positions, of which units and sites are looked up. @param texts of its messages; one: it is a file. */
async function aBatch(...texts: string[]) {
  const bundle = bundleOf({ documents: BUNDLED_DOCUMENTS, codeLists: BUNDLED_CODE_LISTS });
  const version = await bundle.mapping('unit-positions-csv');
  if (!version) throw new Error('there is no such mapping');
  const isMessages = texts.length > 1;
  const ticket = aTicket({
    mappingSha256: version.sha256,
    bytes: Buffer.byteLength(texts[0] ?? ''),
    ...(isMessages ? { message: true } : {}),
  });
  const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
  const stored = new Map([[mappingKey(version.sha256), bytesOf(version.text)]]);
  const { sql } = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const [store, lookUps] = [new BatchStore(sql), new LookupStore(sql)];
  const { messages } = store;
  store.keepTicket(ticket);
  const parts = texts.map((text, at) => {
    const uploadId = at === 0 ? ticket.batchId : `${ticket.batchId.slice(0, -1)}${at}`;
    stored.set(sourceKey(ticket, uploadId), bytesOf(text));
    return { message: at + 1, uploadId, fileName: null, bytes: text.length, sha256: 's', receivedAtMs: RECEIVED_MS };
  });
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('there is no file');
  const { message, ...born } = createdWith(messages, first);
  store.keepProgress(isMessages ? { ...born, message: message ?? 1, content: null } : { ...born, content: null });
  for (const each of others) messages.add(each);
  const progress = () => store.progress() as BatchProgress;
  const asked: string[] = [];
  const port = {
    ...{
      store,
      messages,
      claims: new ClaimStore(sql),
      groups: new GroupStore(sql),
      memory: emptyReadMemory(),
      progress,
    },
    files: {
      get: async (key: string, { range }: R2GetOptions & { range?: { offset: number; length: number } } = {}) => {
        const bytes = stored.get(key);
        const part = range === undefined ? bytes : bytes?.slice(range.offset, range.offset + range.length);
        return part === undefined
          ? null
          : { text: async () => Buffer.from(part).toString(), body: { getReader: () => readerOf(part) } };
      },
    },
    lookUps: {
      store: lookUps,
      clock: clockAt(),
      request: async (wanted: readonly Lookup[]) => {
        asked.push(...wanted.map(({ of }) => of));
        return { answers: new Map(wanted.map((each) => [lookupKey(each), known(each, asked.length)])), trouble: null };
      },
      awaited: () => undefined,
      keep: () => undefined,
    },
  } as unknown as ReadingPort;
  const step = () => readNextSlice(port, ticket, { ...progress(), content: null });
  return { store, lookUps, asked, progress, step };
}

const readerOf = (bytes: Uint8Array) => ({
  readAtLeast: async (_least: number, view: Uint8Array) => {
    view.set(bytes);
    return { done: false, value: view.subarray(0, bytes.length) };
  },
  read: async () => ({ done: true }),
});

/** @param round what is found differs with it. */
const known = ({ of }: Lookup, round: number): LookupAnswer => ({
  outcome: 'found',
  facts: of === 'vehicle' ? { vin: `VIN${round}` } : { city: 'Chicago', state: 'IL', timeZone: 'America/Chicago' },
  atMs: 1,
});

it('asks once for what many rows name, and keeps the answers with the file', async () => {
  const { store, lookUps, asked, progress, step } = await aBatch(fileOf('L1', 'L2'));
  expect(await step()).toBeNull();
  expect([asked.sort(), store.lastRecord(), progress().readingFinished]).toEqual([['location', 'vehicle'], 2, true]);
  expect(lookUps.recorded(0, '', 10).map(({ asked: { of } }) => of)).toEqual(['location', 'vehicle']);
});

it('asks for each message of a batch anew: what was found for one is not what is true for the next', async () => {
  const { store, lookUps, asked, step } = await aBatch(fileOf('L1'), fileOf('L2'));
  await step();
  await step();
  expect([asked.length, store.lastRecord()]).toEqual([4, 2]);
  const vins = [1, 2].map((message) => lookUps.recorded(message, '', 10).length);
  expect([vins, lookUps.recorded(0, '', 10)]).toEqual([[2, 2], []]);
});

it('is a moment at which the process may end: all of it is stored by then', async () => {
  const { store, step } = await aBatch(fileOf('L1'));
  vi.stubGlobal('FAILPOINT_URL', 'http://harness.test');
  const met: [string, number][] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    met.push([String(url), store.lastRecord()]);
    return new Response('');
  });
  await step();
  expect(met).toEqual([['http://harness.test/slice_committed', 1]]);
});
