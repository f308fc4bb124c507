/** What a batch has stored of its messages, as a new instance of it would find them. */
import type { MessageEntry } from '../../src/batch/store/message-store.ts';
import type { Home } from './world.ts';

interface KeptMessage {
  message: number;
  upload_id: string;
  records_before: number | null;
  records: number | null;
  /** Its rows are known, or it was found to be unreadable. */
  isRead: boolean;
}

/** @returns those that the batch has, in the order of their rows. */
export function messagesOf(home: Home | undefined): KeptMessage[] {
  if (home === undefined) return [];
  const rows = home.database.read<{ message: number; upload_id: string }>('SELECT message, upload_id FROM message');
  const pages = home.database.read<{ json: string }>('SELECT json FROM message_page ORDER BY page');
  const entries = [
    ...(keptOf<MessageEntry[]>(home, 'messages') ?? []),
    ...pages.flatMap(({ json }) => JSON.parse(json) as MessageEntry[]),
  ];
  const read = new Map(entries.map((entry) => [entry.message, entry]));
  return rows
    .map((row) => {
      const { recordsBefore = null, records = null } = read.get(row.message) ?? {};
      return { ...row, records_before: recordsBefore, records, isRead: read.has(row.message) };
    })
    .sort((one, other) => (one.records_before ?? 0) - (other.records_before ?? 0) || one.message - other.message);
}

/** The ticket is a row of its own; all other values are one. */
export function keptOf<T>(home: Home | undefined, name: string): T | undefined {
  const rows = home?.database.read<{ name: string; json: string }>('SELECT name, json FROM kept') ?? [];
  const own = rows.find((row) => row.name === name);
  if (own !== undefined) return JSON.parse(own.json) as T;
  const state = rows.find((row) => row.name === 'state');
  return state === undefined ? undefined : (JSON.parse(state.json) as Record<string, T>)[name];
}
