/** A batch on its own tables whose mapping and bytes are stored, and the steps that read it. */
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { EarlierBatches, ReplacingRow } from '../../../src/batch/actions/replaced-rows.ts';
import type { ArchiveFile, AwaitedLookup, BatchProgress } from '../../../src/batch/core/progress.ts';
import type { Replaced } from '../../../src/batch/core/replacing.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { emptyReadMemory } from '../../../src/batch/files/pinned.ts';
import { type LookingPort, LookupStore } from '../../../src/batch/steps/lookup.ts';
import { createdWith } from '../../../src/batch/steps/messages.ts';
import { emitGroups, type ReadingPort, readNextSlice } from '../../../src/batch/steps/reading.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ClaimStore } from '../../../src/batch/store/claim-store.ts';
import { GroupStore } from '../../../src/batch/store/group-store.ts';
import type { FleetTrouble } from '../../../src/fleet/answer.ts';
import { contentKey, mappingKey, sourceKey } from '../../../src/kernel/names.ts';
import { type Lookup, type LookupAnswer, lookupKey } from '../../../src/mapping/lookups/lookup.ts';
import { type Bundle, bundleOf } from '../../../src/ops/publishing/bundle.ts';
import { storageOf } from '../object-storage.ts';
import { clockAt } from '../upstream/samples.ts';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from './bundled-texts.ts';
import { aTicket, RECEIVED_MS } from './samples.ts';

/** @property texts one: the batch is of a file; several: of messages. */
export interface Given {
  texts: readonly string[];
  /** A shipped mapping, and what is changed in its text. */
  mapping?: string;
  document?: (text: string) => string;
  ticket?: Partial<BatchTicket>;
  /** The file is an archive of these. */
  files?: readonly string[];
  /** What a lookup finds. @param asked how many were asked so far, this one with the others of its call. */
  found?: (wanted: Lookup, asked: number) => LookupAnswer;
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

const readerOf = (bytes: Uint8Array) => ({
  readAtLeast: async (_least: number, view: Uint8Array) => {
    view.set(bytes);
    return { done: false, value: view.subarray(0, bytes.length) };
  },
  read: async () => ({ done: true }),
});

/** Files as the platform gives them. */
const filesOf = (stored: ReadonlyMap<string, Uint8Array>) => ({
  get: async (key: string, { range }: { range?: { offset: number; length: number } } = {}) => {
    const bytes = stored.get(key);
    const part = range === undefined ? bytes : bytes?.slice(range.offset, range.offset + range.length);
    return part === undefined
      ? null
      : { text: async () => Buffer.from(part).toString(), body: { getReader: () => readerOf(part) } };
  },
});

/** By text: the same ones are read by many tests. */
const bundles = new Map<string, Bundle>();

async function versionOf(name: string, change: (text: string) => string) {
  const text = change(BUNDLED_DOCUMENTS.get(name) ?? '');
  const bundle = bundles.get(text) ?? bundleOf({ documents: new Map([[name, text]]), codeLists: BUNDLED_CODE_LISTS });
  bundles.set(text, bundle);
  const version = await bundle.mapping(name);
  if (!version) throw new Error(`there is no mapping ${name}`);
  return version;
}

/** Stores them, and what is known of them before the first is read. */
function beginReading(
  store: BatchStore,
  ticket: BatchTicket,
  { texts, files }: Given,
  stored: Map<string, Uint8Array>,
) {
  const parts = texts.map((text, at) => {
    const uploadId = at === 0 ? ticket.batchId : `${ticket.batchId.slice(0, -1)}${at}`;
    stored.set(sourceKey(ticket, uploadId), bytesOf(text));
    const bytes = Buffer.byteLength(text);
    return { message: at + 1, uploadId, fileName: null, bytes, sha256: 's', receivedAtMs: RECEIVED_MS };
  });
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('there is no file');
  const { message, ...created } = createdWith(store.messages, first);
  const archived = files?.map((text, at): ArchiveFile => {
    stored.set(contentKey(ticket, ticket.batchId, at + 1), bytesOf(text));
    const begun = at === 0 ? ({ recordsBefore: 0, state: 'reading' } as const) : { recordsBefore: null };
    return { name: `${at + 1}.txt`, bytes: Buffer.byteLength(text), state: 'unread', ...begun };
  });
  const content = archived === undefined ? null : { bytes: 1, files: archived };
  store.keepProgress({ ...created, ...(ticket.message && message ? { message } : {}), content });
  for (const each of others) store.messages.add(each);
}

/** What is asked of others while a file is read, and what they answer. */
function others({ found = () => ({ outcome: 'none', atMs: 1 }) }: Given, store: LookupStore) {
  const seen = {
    /** What was looked up. */
    asked: [] as string[],
    /** Which earlier batches were asked about which rows. */
    replaced: [] as [batchId: string, rows: readonly ReplacingRow[], claim: boolean][],
    /** What they answer. */
    replacedIs: { outcome: 'free' } as Replaced,
    /** Set: no lookup is answered. */
    trouble: null as FleetTrouble | null,
    awaited: undefined as AwaitedLookup | undefined,
  };
  const answers = (wanted: readonly Lookup[]) =>
    new Map(wanted.map((each) => [lookupKey(each), found(each, seen.asked.length)]));
  const lookUps: LookingPort = {
    store,
    clock: clockAt(),
    request: async (wanted) => {
      seen.asked.push(...wanted.map(({ of }) => of));
      return { answers: seen.trouble === null ? answers(wanted) : new Map(), trouble: seen.trouble };
    },
    awaited: () => seen.awaited,
    keep: (next) => {
      seen.awaited = next;
    },
  };
  const earlier: EarlierBatches = {
    register: { knows: async () => true },
    batch: (batchId) => ({
      classifyRows: async (rows, claim) => {
        seen.replaced.push([batchId, rows, claim]);
        return rows.map(() => seen.replacedIs);
      },
    }),
  };
  return { seen, lookUps, earlier };
}

export async function aReading(given: Given) {
  const version = await versionOf(given.mapping ?? 'unit-positions-csv', given.document ?? ((text) => text));
  const ticket = aTicket({
    mappingSha256: version.sha256,
    bytes: Buffer.byteLength(given.texts[0] ?? ''),
    ...(given.texts.length > 1 ? { message: true } : {}),
    ...given.ticket,
  });
  const stored = new Map([[mappingKey(version.sha256), bytesOf(version.text)]]);
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  store.keepTicket(ticket);
  beginReading(store, ticket, given, stored);
  const progress = () => store.progress() as BatchProgress;
  const stores = { lookUps: new LookupStore(sql), claims: new ClaimStore(sql), groups: new GroupStore(sql) };
  const { seen, ...ports } = others(given, stores.lookUps);
  const port = {
    ...{ ...stores, store, messages: store.messages, memory: emptyReadMemory(), progress, files: filesOf(stored) },
    ...ports,
  } as unknown as ReadingPort;
  return {
    ...{ ...stores, store, ticket, port, seen, progress },
    step: () => readNextSlice(port, ticket, progress()),
    emit: () => emitGroups(port, ticket),
    /** State of each row, by its number. */
    states: () => Array.from({ length: store.lastRecord() }, (_, at) => store.recordState(at + 1)),
  };
}
