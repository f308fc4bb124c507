/** A message of a shared batch as it looks from outside: its own rows alone. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchProgress, Contents, MessagePart } from '../../../src/batch/core/progress.ts';
import { fileNames, messageSummaryOf } from '../../../src/batch/report/message-summary.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, aTicket, RECEIVED_MS } from './samples.ts';

const PROGRESS = { state: 'delivering', checkpoint: null, content: null, message: 2 } as unknown as BatchProgress;

const part = (message: number, uploadedBy: string | null): MessagePart => ({
  ...{ message, uploadId: `u_${message}`, fileName: null, bytes: 9, sha256: 'cd'.repeat(32) },
  ...{ receivedAtMs: RECEIVED_MS, uploadedBy },
});

/** Of three messages the first of two rows is read, the second is being read, and the third waits for its turn. */
function aSharedBatch() {
  const { store, messages } = aSharedStore();
  const born = () => ({ ticket: aTicket({ message: true }), progress: PROGRESS });
  return (message: number) => messageSummaryOf({ created: born, store, messages }, message);
}

function aSharedStore(content: Contents | null = null) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const store = new BatchStore(storage);
  const { messages } = store;
  for (const each of [part(1, 'k_1'), part(2, null), part(3, null)]) messages.add(each);
  store.addRows(
    [1, 2, 3].map((record) => aMappedRow(record, 1)),
    () => 'queued',
  );
  messages.begin(1, 0);
  messages.end(1, { state: 'read', records: 2, content, notes: [], isTold: true, isAnnounced: true });
  messages.begin(2, 2);
  store.keepProgress(PROGRESS);
  return { store, messages };
}

describe('a message of a shared batch', () => {
  it('has the rows behind those of the messages before it, as far as they are known', () => {
    const summary = aSharedBatch();
    expect(summary(1)).toMatchObject({ state: 'delivering', after: 0, last: 2, rows: 2, requests: 2 });
    expect(summary(2)).toMatchObject({ state: 'reading', after: 2, last: 3, rows: 1, requests: 1 });
  });

  it('has none before its turn', () => {
    expect(aSharedBatch()(3)).toMatchObject({ state: 'reading', after: 0, last: 0, rows: 0, requests: 0 });
    expect(aSharedBatch()(4)).toBeUndefined();
  });

  it('says with which key it came, where that is known', () => {
    const summary = aSharedBatch();
    expect([summary(1)?.uploadedBy, summary(2)?.uploadedBy]).toEqual(['k_1', null]);
  });
});

describe('the rows of a shared batch', () => {
  const rows = [1, 2, 3].map((record) => ({ record }));

  it('say each which message it came with', () => {
    const nameOf = fileNames(aSharedStore(), rows.slice(1));
    expect(rows.slice(1).map(({ record }) => nameOf(record))).toEqual(['message 1', 'message 2']);
  });

  it('say also which file, where the message was an archive', () => {
    const file = (name: string, recordsBefore: number) => ({ name, bytes: 9, recordsBefore, state: 'read' as const });
    const archive = { bytes: 18, files: [file('a.csv', 0), file('b.csv', 1)] };
    const nameOf = fileNames(aSharedStore(archive), rows);
    expect(rows.map(({ record }) => nameOf(record))).toEqual(['message 1, a.csv', 'message 1, b.csv', 'message 2']);
  });
});
