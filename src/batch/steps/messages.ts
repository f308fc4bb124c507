/**
 * Messages of a rolling batch: appended one by one, each read in order as a file of its own. One that cannot be read
 * costs only itself. Every step can be repeated.
 */
import { readingNotes } from '../../formats/reader.ts';
import { ARCHIVE_FILES_MAX, MESSAGES_NOTIFIED_AT_ONCE, ROLLING_BATCH_ROWS_MAX } from '../../kernel/limits.ts';
import type { Problem } from '../../kernel/problem.ts';
import { openAgain } from '../actions/retry.ts';
import { isAcknowledged } from '../core/batch-events.ts';
import { fileInReading } from '../core/contents.ts';
import {
  type BatchProgress,
  type Contents,
  isWithdrawn,
  type MessagePart,
  NOTHING_READ,
  type StoredMessage,
} from '../core/progress.ts';
import { total } from '../core/tally.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ActionPort } from '../object/ports.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { GroupStore } from '../store/group-store.ts';
import type { MessageStore } from '../store/message-store.ts';

/** `isFull`: it accepts no more of them. `refused`: nothing of the message is here, and it belongs in another batch. */
export type Appended = { outcome: 'taken'; isFull: boolean } | { outcome: 'refused' };

interface MessagesPort {
  store: BatchStore;
  messages: MessageStore;
  groups: GroupStore;
}

export const messageName = (message: number): string => `message ${message}`;
/** @param file of an archive that came as a message. */
export const nameWithin = (message: number, file: string | undefined): string =>
  file === undefined ? messageName(message) : `${messageName(message)}, ${file}`;

/** Initial progress of a batch created with this message. */
export function createdWith(messages: MessageStore, part: MessagePart): BatchProgress {
  messages.add(part);
  messages.begin(part.message, 0);
  return { ...NOTHING_READ, ...stepFor(part.message), endsLoads: true };
}

const stepFor = (message: number) =>
  ({ state: 'reading', message, checkpoint: null, readingFinished: false }) satisfies Partial<BatchProgress>;

/** Idempotent by the id its bytes are stored under. A settled batch is reopened as by a retry. */
export async function appendMessage(port: ActionPort, messages: MessageStore, part: MessagePart): Promise<Appended> {
  if (!messages.isKnown(part)) {
    if (takesNoMore(port)) return refused(port);
    await openAgain(port);
    // Nothing is awaited from here on: the message, its order and the reopening are one commit.
    if (takesNoMore(port)) return refused(port);
    if (!messages.isKnown(part)) port.store.commit(() => add(port, messages, part));
  }
  return { outcome: 'taken', isFull: total(port.store.tally().records) >= ROLLING_BATCH_ROWS_MAX };
}

/** A batch that was withdrawn, or is ending, accepts nothing more. */
function takesNoMore({ created: born }: ActionPort): boolean {
  const { ticket, progress } = born();
  return ticket.message !== true || isWithdrawn(progress) || progress.isClosed === true;
}

/**
 * For good, also if a retry reopens the batch: the message has moved to another one, and may be offered here once more,
 * late.
 */
function refused({ keep }: ActionPort): Appended {
  keep({ isClosed: true });
  return { outcome: 'refused' };
}

function add(port: ActionPort, messages: MessageStore, part: MessagePart): void {
  const { state, opening = 0 } = port.created().progress;
  if (state === 'settled') port.keep({ state: 'delivering', settledAtMs: null, reported: false, opening: opening + 1 });
  messages.add(part);
  beginUnread(port.store);
}

/**
 * Begins the next message that is not read, once the one before is. In memory alone, until something else is stored: so
 * it is called after a restart, in each step, and before a batch settles. A statement that fails has it forgotten.
 */
export function beginUnread(store: BatchStore): void {
  const progress = store.progress();
  if (store.oldRows.areLeft || store.ticket()?.message !== true || !progress?.readingFinished) return;
  const next = store.messages.nextUnread();
  if (next === undefined) return;
  store.messages.begin(next, store.lastRecord());
  const { content: _, ...rest } = progress;
  store.noteProgress({ ...rest, ...stepFor(next) });
}

/** The message being read; undefined for the batch of a file. */
export function inOrder(messages: MessageStore, { message }: BatchProgress): StoredMessage | undefined {
  return message === undefined ? undefined : messages.message(message);
}

/** The batch's ticket with the fields of the message being read. */
export const readingTicket = (ticket: BatchTicket, part: StoredMessage | undefined): BatchTicket =>
  part === undefined
    ? ticket
    : { ...ticket, batchId: part.uploadId, bytes: part.bytes, sha256: part.sha256, fileName: part.fileName };

/** Number of the file being read, for grouping: unique in a batch. */
export const fileNumber = ({ message = 0, content }: BatchProgress): number =>
  message * (ARCHIVE_FILES_MAX + 1) + fileInReading(content ?? null);

/**
 * Stores progress after a reading step. One commit, with what was read.
 * @param read as for the batch of one file, which is how the reader sees this message.
 */
export const keepRead = (port: MessagesPort, read: BatchProgress): void =>
  port.store.commit(() => storeRead(port, read));

function storeRead(port: MessagesPort, read: BatchProgress): void {
  const { store, messages } = port;
  const { message } = read;
  if (message === undefined) {
    const { withdrawal: _, ...rest } = read;
    store.keepProgress(read.state === 'unreadable' ? rest : read); // a cancel has nothing left to withdraw of it
    return;
  }
  messages.addProblems(message, read.problems.map(named(message)));
  const isOver = read.state === 'unreadable' || read.readingFinished;
  store.keepProgress(isOver ? afterMessage(port, read, message) : { ...read, problems: [] });
}

const named =
  (message: number) =>
  (problem: Problem): Problem => ({ ...problem, file: nameWithin(message, problem.file) });

/** Begins the next message; if there is none, all is read for now. */
function afterMessage({ store, messages, groups }: MessagesPort, read: BatchProgress, message: number): BatchProgress {
  const last = store.lastRecord();
  const before = messages.recordsBefore(message) ?? 0;
  messages.end(message, {
    state: read.state === 'unreadable' ? 'unreadable' : 'read',
    records: last - before,
    content: read.content ?? null,
    notes: notesOf(read),
    isTold: store.hasRequests(before, last),
    isAnnounced: read.state === 'unreadable' || !isAcknowledged(store.ticket()),
    setTexts: read.setTexts,
  });
  groups.forgetFiles(message * (ARCHIVE_FILES_MAX + 1), (message + 1) * (ARCHIVE_FILES_MAX + 1));
  const over: BatchProgress = { ...read, state: 'reading', settledAtMs: null, problems: [], emitting: false };
  const next = messages.nextUnread();
  if (next === undefined) return { ...over, checkpoint: null, readingFinished: true };
  messages.begin(next, last);
  const { content: _, ...rest } = over;
  return { ...rest, ...stepFor(next) };
}

const notesOf = ({ checkpoint, content }: BatchProgress): string[] => [
  ...(content?.notes ?? []),
  ...(content?.files ?? []).flatMap(({ name, notes = [] }) => notes.map((note) => `${name}: ${note}`)),
  ...(checkpoint === null ? [] : readingNotes(checkpoint)),
];

/**
 * Nothing of a message became a request: its control numbers may come again. @returns whether there was one to report.
 */
export async function notifyOfMessages({ register }: ActionPort, messages: MessageStore): Promise<boolean> {
  const untold = messages.untold(MESSAGES_NOTIFIED_AT_ONCE);
  for (const { message, uploadId, state } of untold) {
    await register().releaseMessage(uploadId, state === 'unreadable');
    messages.storeNotified(message);
  }
  return untold.length > 0;
}

/** Contents from the progress while a message is read, or as stored with it. */
export const contentsOf = (part: StoredMessage, progress: BatchProgress): Contents | null =>
  part.state === 'reading' && progress.message === part.message ? (progress.content ?? null) : part.content;
