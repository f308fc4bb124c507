/** Where a page of letters goes on: partner, its batch by number, and the last letter shown of it. Pure. */
import type { LetterMark } from '../../batch/core/letters.ts';
import { err, ok, type Result } from '../../kernel/result.ts';

/** @property seq of the batch in its register; 0 where one batch was asked for by its id. */
export interface LetterCursor {
  partner: string;
  seq: number;
  after: LetterMark;
}

/** Behind every letter of a batch. */
export const BATCH_END: LetterMark = { record: Number.MAX_SAFE_INTEGER, request: 0 };

export function writeCursor({ partner, seq, after }: LetterCursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([partner, seq, after.record, after.request]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export function readCursor(text: string): Result<LetterCursor, 'unreadable'> {
  let read: unknown;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    read = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0))));
  } catch {
    return err('unreadable');
  }
  if (!Array.isArray(read) || read.length !== 4) return err('unreadable');
  const [partner, seq, record, request] = read as unknown[];
  if (typeof partner !== 'string' || !isCount(seq) || !isCount(record) || !isCount(request)) return err('unreadable');
  return ok({ partner, seq, after: { record, request } });
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
