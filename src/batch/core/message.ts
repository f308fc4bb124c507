/** A message that shares its batch with others, as it is stored. Types only. */
import type { Problem } from '../../kernel/problem.ts';
import type { Contents } from './progress.ts';

/** A message as it is appended to its batch. Its bytes are stored under `uploadId`, as those of a file are under its batch. */
export interface MessagePart {
  /** Counts from 1 in its batch, in the order of claims. */
  message: number;
  uploadId: string;
  fileName: string | null;
  bytes: number;
  sha256: string;
  receivedAtMs: number;
  /** Id of the key it came with; absent: nobody said. */
  uploadedBy?: string | null;
}

/** `unread` until its turn; `read`: all its rows are known. */
export type MessageState = 'unread' | 'reading' | 'read' | 'unreadable';

export interface StoredMessage extends MessagePart {
  state: MessageState;
  /** Records in the messages read before it; null until its turn. */
  recordsBefore: number | null;
  /** Its own records; null until all are known. */
  records: number | null;
  /** What it was unpacked to; null: it is read as received. */
  content: Contents | null;
  /** Why it, or one of an archive's files, could not be read, or where it breaks off. */
  problems: Problem[];
  /** What a person should know though nothing is wrong. */
  notes: string[];
}

/** Of all messages together, kept as they change. */
export interface MessageCounts {
  messages: number;
  bytes: number;
  /** Of those that were read to their end. */
  bytesRead: number;
  unreadable: number;
}

/** What is known of a message once it was read. */
export type MessageEnd = Pick<StoredMessage, 'records' | 'content' | 'notes'> & {
  state: 'read' | 'unreadable';
  /** Whether its register has nothing to hear of it. */
  isTold: boolean;
  /** Whether its partner has nothing to hear of it. */
  isAnnounced: boolean;
};
