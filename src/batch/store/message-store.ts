/**
 * The messages of a rolling batch: a batch may have thousands. What came is a row each, written once; what was read of
 * them is known in memory, and stored as entries of many messages together. The latest entries are among the values of
 * the batch, which each commit writes anyway; when they are many, they become a row of their own. SQL and memory only:
 * nothing here decides.
 */

import type { Problem } from '../../kernel/problem.ts';
import type {
  Contents,
  MessageCounts,
  MessageEnd,
  MessagePart,
  MessageState,
  StoredMessage,
} from '../core/progress.ts';
import type { StoredValues } from './stored-values.ts';

type MessageRow = {
  message: number;
  upload_id: string;
  file_name: string | null;
  bytes: number;
  sha256: string;
  received_at_ms: number;
  uploaded_by: string | null;
};

/** As releases 0.1 and 0.2 stored what was read of a message: in its row. */
type OldMessageRow = MessageRow & {
  state: MessageState;
  records_before: number | null;
  records: number | null;
  content: string | null;
  problems: string | null;
  notes: string | null;
  is_told: number | null;
  is_announced: number | null;
};

/** What was read of a message that was begun. Absent: null, or none; of `isTold` and `isAnnounced`: not known yet. */
export interface MessageEntry {
  message: number;
  state: Exclude<MessageState, 'unread'>;
  recordsBefore: number;
  records?: number | null;
  content?: Contents | null;
  problems?: readonly Problem[];
  notes?: readonly string[];
  isTold?: boolean;
  isAnnounced?: boolean;
  /** Of set outcomes; absent: none are kept. */
  setTexts?: number;
}

/** Entries among the values of the batch. Ours: a few kilobytes that each commit writes. */
const LATEST_ENTRIES_MAX = 32;
const LATEST = 'messages';

interface Known {
  entries: Map<number, MessageEntry>;
  /** Messages whose entry is in a row, by the row. */
  pages: Map<number, number>;
  /** Messages whose entry is among the values. */
  latest: Set<number>;
  /** In the order of their records, and of their numbers where they have none. */
  begun: MessageEntry[];
  /** Numbers, each in order: those to be read; of which the register, and the partner, must still be notified; faulty. */
  unread: number[];
  untold: number[];
  unannounced: number[];
  faulty: number[];
  /** By number. */
  uploads: Map<number, string>;
  bytes: Map<number, number>;
  counts: MessageCounts;
}

export class MessageStore {
  readonly #sql: SqlStorage;
  readonly #values: StoredValues;
  #loaded: Known | undefined;

  constructor(sql: SqlStorage, values: StoredValues) {
    this.#sql = sql;
    this.#values = values;
  }

  /** What is known is read again. */
  forget(): void {
    this.#loaded = undefined;
  }

  get #known(): Known {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  #load(): Known {
    const known: Known = {
      ...{ entries: new Map(), pages: new Map(), latest: new Set(), uploads: new Map(), bytes: new Map() },
      ...{ begun: [], unread: [], untold: [], unannounced: [], faulty: [] },
      counts: { messages: 0, bytes: 0, bytesRead: 0, unreadable: 0 },
    };
    const rows = this.#sql.exec<OldMessageRow>('SELECT * FROM message ORDER BY message').toArray();
    for (const row of rows) {
      known.uploads.set(row.message, row.upload_id);
      known.bytes.set(row.message, row.bytes);
      const old = oldEntry(row);
      if (old !== undefined) known.entries.set(row.message, old);
    }
    const pages = this.#sql.exec<{ page: number; json: string }>('SELECT page, json FROM message_page ORDER BY page');
    for (const { page, json } of pages)
      for (const entry of JSON.parse(json) as MessageEntry[]) {
        known.entries.set(entry.message, entry);
        known.pages.set(entry.message, page);
      }
    for (const entry of this.#values.get<MessageEntry[]>(LATEST) ?? []) {
      if (known.pages.has(entry.message)) continue; // it is on a page since
      known.entries.set(entry.message, entry);
      known.latest.add(entry.message);
    }
    for (const { message, bytes } of rows) {
      const entry = known.entries.get(message);
      count(known.counts, { bytes, state: entry?.state ?? 'unread' });
      if (entry === undefined) known.unread.push(message);
      else index(known, entry);
    }
    return known;
  }

  /** Of these numbers, in this order. */
  #stored(messages: readonly number[]): StoredMessage[] {
    if (messages.length === 0) return [];
    const sql = 'SELECT * FROM message WHERE message IN (SELECT value FROM json_each(?))';
    const rows = this.#sql.exec<MessageRow>(sql, JSON.stringify(messages)).toArray();
    const found = new Map(rows.map((row) => [row.message, this.#withEntry(row)]));
    return messages.flatMap((message) => found.get(message) ?? []);
  }

  #withEntry = (row: MessageRow): StoredMessage => stored(row, this.#known.entries.get(row.message));

  add({ message, uploadId, fileName, bytes, sha256, receivedAtMs, uploadedBy = null }: MessagePart): void {
    const known = this.#known;
    this.#sql.exec(
      'INSERT INTO message (message, upload_id, file_name, bytes, sha256, received_at_ms, uploaded_by) VALUES (?, ?, ?, ?, ?, ?, ?)',
      message,
      uploadId,
      fileName,
      bytes,
      sha256,
      receivedAtMs,
      uploadedBy,
    );
    known.uploads.set(message, uploadId);
    known.bytes.set(message, bytes);
    insertNumber(known.unread, message);
    count(known.counts, { bytes, state: 'unread' });
  }

  /** A message keeps its number as long as it is of this batch. */
  isKnown = ({ message, uploadId }: Pick<MessagePart, 'message' | 'uploadId'>): boolean =>
    this.#known.uploads.get(message) === uploadId;

  message = (message: number): StoredMessage | undefined => this.#stored([message])[0];

  nextUnread = (): number | undefined => this.#known.unread[0];

  /** How many records there were before one that was begun; undefined: it was not. */
  recordsBefore = (message: number): number | undefined => this.#known.entries.get(message)?.recordsBefore;

  /** How many texts of set outcomes there are; undefined: they are not kept, or it is not read to its end. */
  setTexts = (message: number): number | undefined => this.#known.entries.get(message)?.setTexts;

  /** In memory, until something of the batch is stored. */
  begin(message: number, recordsBefore: number): void {
    const known = this.#known;
    removeNumber(known.unread, message);
    this.#keep({ message, state: 'reading', recordsBefore }, 'note');
  }

  addProblems(message: number, problems: readonly Problem[]): void {
    const entry = this.#known.entries.get(message);
    if (problems.length === 0 || entry === undefined) return;
    this.#keep({ ...entry, problems: [...(entry.problems ?? []), ...problems] });
  }

  end(message: number, { state, records, content, notes, isTold, isAnnounced, setTexts }: MessageEnd): void {
    const known = this.#known;
    const { recordsBefore = 0, problems } = known.entries.get(message) ?? {};
    removeNumber(known.unread, message);
    this.#keep({
      ...{ message, state, recordsBefore, records, isTold, isAnnounced },
      ...(problems === undefined ? {} : { problems }),
      ...(content === null ? {} : { content }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(setTexts === undefined ? {} : { setTexts }),
    });
    known.counts.bytesRead += known.bytes.get(message) ?? 0;
    if (state === 'unreadable') known.counts.unreadable += 1;
  }

  /** Where its page cannot be written, nothing of it is known. */
  #keep(entry: MessageEntry, how: 'put' | 'note' = 'put'): void {
    this.#values.commit(() => this.#enter(entry, how));
  }

  #enter(entry: MessageEntry, how: 'put' | 'note'): void {
    const known = this.#known;
    const { message } = entry;
    const before = known.entries.get(message);
    if (before !== undefined) unindex(known, before);
    known.entries.set(message, entry);
    index(known, entry);
    const page = known.pages.get(message);
    if (page !== undefined) {
      this.#writePage(page);
      return;
    }
    known.latest.add(message);
    if (known.latest.size > LATEST_ENTRIES_MAX) this.#startPage(known);
    this.#values[how](LATEST, entriesOf(known, known.latest));
  }

  /** The latest entries → a row, but for what is still being read. */
  #startPage(known: Known): void {
    const ended = [...known.latest].filter((message) => known.entries.get(message)?.state !== 'reading');
    const page = Math.max(0, ...known.pages.values()) + 1;
    for (const message of ended) {
      known.latest.delete(message);
      known.pages.set(message, page);
    }
    this.#writePage(page);
  }

  #writePage(page: number): void {
    const { pages } = this.#known;
    const messages = [...pages].flatMap(([message, of]) => (of === page ? message : []));
    const sql = 'INSERT INTO message_page (page, json) VALUES (?1, ?2) ON CONFLICT (page) DO UPDATE SET json = ?2';
    this.#sql.exec(sql, page, JSON.stringify(entriesOf(this.#known, messages)));
  }

  #change(message: number, change: Partial<MessageEntry>): void {
    const entry = this.#known.entries.get(message);
    if (entry !== undefined) this.#keep({ ...entry, ...change });
  }

  /** Messages the register must still be notified of, at most `limit`. */
  untold = (limit: number): StoredMessage[] => this.#stored(this.#known.untold.slice(0, limit));

  storeNotified(message: number): void {
    this.#change(message, { isTold: true });
  }

  /** Messages the partner must still be notified of, at most `limit`. */
  unannounced = (limit: number): StoredMessage[] => this.#stored(this.#known.unannounced.slice(0, limit));

  storePublished(message: number): void {
    this.#change(message, { isAnnounced: true });
  }

  counts = (): MessageCounts => ({ ...this.#known.counts });

  /** The first ones with something unreadable. */
  faulty = (limit: number): StoredMessage[] => this.#stored(this.#known.faulty.slice(0, limit));

  /** Those being read or read, in reading order, after one of them. */
  inOrder(after: { recordsBefore: number; message: number }, limit: number): StoredMessage[] {
    const { begun } = this.#known;
    const from = begun.findIndex((each) => isBefore(after, each));
    return from === -1 ? [] : this.#stored(begun.slice(from, from + limit).map(({ message }) => message));
  }

  /** All of them, by number. */
  after(message: number, limit: number): StoredMessage[] {
    const sql = 'SELECT * FROM message WHERE message > ? ORDER BY message LIMIT ?';
    return this.#sql.exec<MessageRow>(sql, message, limit).toArray().map(this.#withEntry);
  }

  /**
   * The messages these records belong to, in order: a record belongs to the last message that began before it and has
   * records. @param first and last of a page of records.
   */
  holding(first: number, last: number): StoredMessage[] {
    const holders = this.#known.begun.filter(({ records = null }) => records === null || records > 0);
    const from = holders.findLastIndex(({ recordsBefore }) => recordsBefore < first);
    const to = holders.findLastIndex(({ recordsBefore }) => recordsBefore < last);
    return this.#stored(holders.slice(Math.max(0, from), to + 1).map(({ message }) => message));
  }
}

const isBefore = (
  one: { recordsBefore: number; message: number },
  other: { recordsBefore: number; message: number },
): boolean =>
  one.recordsBefore < other.recordsBefore || (one.recordsBefore === other.recordsBefore && one.message < other.message);

/** Nearly always at the end: messages are begun in order. */
function insertBegun(begun: MessageEntry[], one: MessageEntry): void {
  begun.splice(begun.findLastIndex((each) => isBefore(each, one)) + 1, 0, one);
}

function insertNumber(numbers: number[], one: number): void {
  numbers.splice(numbers.findLastIndex((each) => each < one) + 1, 0, one);
}

function removeNumber(numbers: number[], one: number): void {
  const at = numbers.indexOf(one);
  if (at !== -1) numbers.splice(at, 1);
}

function count(counts: MessageCounts, { bytes, state }: { bytes: number; state: MessageState }): void {
  counts.messages += 1;
  counts.bytes += bytes;
  if (state === 'read' || state === 'unreadable') counts.bytesRead += bytes;
  if (state === 'unreadable') counts.unreadable += 1;
}

/** Where an entry is looked for. */
function index({ begun, untold, unannounced, faulty }: Known, entry: MessageEntry): void {
  const { message, isTold, isAnnounced, problems } = entry;
  insertBegun(begun, entry);
  if (isTold === false) insertNumber(untold, message);
  if (isAnnounced === false) insertNumber(unannounced, message);
  if (problems !== undefined) insertNumber(faulty, message);
}

function unindex({ begun, untold, unannounced, faulty }: Known, { message }: MessageEntry): void {
  const at = begun.findLastIndex((each) => each.message === message);
  if (at !== -1) begun.splice(at, 1);
  for (const numbers of [untold, unannounced, faulty]) removeNumber(numbers, message);
}

const entriesOf = ({ entries }: Known, messages: Iterable<number>): MessageEntry[] =>
  [...messages].flatMap((message) => entries.get(message) ?? []);

function oldEntry(row: OldMessageRow): MessageEntry | undefined {
  const { message, state, records_before: recordsBefore, records, is_told: isTold, is_announced: isAnnounced } = row;
  if (state === 'unread') return undefined;
  return {
    ...{ message, state, recordsBefore: recordsBefore ?? 0, records },
    ...(row.content === null ? {} : { content: JSON.parse(row.content) as Contents }),
    ...(row.problems === null ? {} : { problems: JSON.parse(row.problems) as Problem[] }),
    ...(row.notes === null ? {} : { notes: JSON.parse(row.notes) as string[] }),
    ...(isTold === null ? {} : { isTold: isTold === 1 }),
    ...(isAnnounced === null ? {} : { isAnnounced: isAnnounced === 1 }),
  };
}

const stored = (row: MessageRow, entry: MessageEntry | undefined): StoredMessage => ({
  message: row.message,
  uploadId: row.upload_id,
  fileName: row.file_name,
  bytes: row.bytes,
  sha256: row.sha256,
  receivedAtMs: row.received_at_ms,
  uploadedBy: row.uploaded_by,
  state: entry?.state ?? 'unread',
  recordsBefore: entry?.recordsBefore ?? null,
  records: entry?.records ?? null,
  content: entry?.content ?? null,
  problems: [...(entry?.problems ?? [])],
  notes: [...(entry?.notes ?? [])],
});
