/** What became of sets, kept with slices of rows: no row is written for it, and what is too long for that is not kept. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { packSets, unpackSets } from '../../../src/batch/acknowledgment/packed-sets.ts';
import type { Audited } from '../../../src/batch/acknowledgment/set-outcomes.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import type { SetsText } from '../../../src/batch/store/outcome-store.ts';
import type { BatchStorage } from '../../../src/batch/store/stored-values.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow } from './samples.ts';

const PROGRESS: BatchProgress = {
  ...{ state: 'reading', checkpoint: null, readingFinished: true, handedOver: { record: 0, request: 0 } },
  ...{ settledAtMs: null, problems: [], reported: false },
};

/** A batch on tables of its own, and what its reading steps write. */
class Trial {
  written = 0;
  readonly storage: BatchStorage;
  readonly store: BatchStore;

  constructor() {
    const database = new ObjectDatabase(() => '');
    storageOf(database, BATCH_MIGRATIONS);
    const exec = (text: string, ...values: never[]) => {
      const cursor = database.exec(text, values);
      this.written += cursor.rowsWritten;
      return cursor;
    };
    const sql = { exec } as unknown as SqlStorage;
    this.storage = { sql, transactionSync: (work) => database.transaction(work) };
    this.store = new BatchStore(this.storage);
  }

  /** One step, as a reading step commits. @returns whether what became of its sets is kept. */
  add(count: number, text: SetsText | null): boolean {
    const { store } = this;
    const first = store.lastRecord() + 1;
    const rows = Array.from({ length: count }, (_, index) => aMappedRow(first + index, 1));
    return store.commit(() => {
      const isKept = store.addRows(rows, () => 'queued', text);
      store.keepProgress({ ...PROGRESS, ...(isKept && text !== null ? { setTexts: text.text } : {}) });
      return isKept;
    });
  }
}

let trial: Trial;
beforeEach(() => {
  trial = new Trial();
});

const aSet = (control: string): Audited => ({
  kind: 'set',
  verdict: { opening: { elements: ['214', control] }, outcome: 'accepted', faults: [] },
});

const kept = (text: number, controls: readonly string[], message = 0): SetsText => ({
  ...{ message, text },
  sets: JSON.stringify(packSets(controls.map(aSet))),
});

/** Control numbers that are all of this length. */
const controlsOf = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(length, '0'));

/** Control numbers of all sets, and how many pages they came in; null: none are kept. */
function found(store: BatchStore, message = 0): { controls: unknown[]; pages: number } | null {
  let page = store.setOutcomes(message, null);
  if (page === null) return null;
  const controls: unknown[] = [];
  let pages = 0;
  for (; page !== null; page = page.next && store.setOutcomes(message, page.next)) {
    pages += 1;
    for (const json of page.sets)
      for (const each of unpackSets(json)) if (each.kind === 'set') controls.push(each.verdict.opening.elements[1]);
  }
  return { controls, pages };
}

describe('what became of sets', () => {
  it('costs no row more, however many rows it goes with', () => {
    const without = new Trial();
    for (const [index, rows] of [1, 5, 30, 700, 2, 0, 40].entries()) {
      expect(trial.add(rows, kept(index + 1, [`${index}`]))).toBe(true);
      without.add(rows, null);
    }
    expect(trial.written).toBeGreaterThan(5);
    expect(trial.written).toBe(without.written);
  });

  it('is found in file order, also by the next instance', () => {
    trial.add(1, kept(1, ['1', '2']));
    trial.add(700, kept(2, ['3']));
    trial.add(0, kept(3, ['4']));
    trial.add(2, kept(4, ['5']));
    for (const store of [trial.store, new BatchStore(trial.storage)])
      expect(found(store)).toEqual({ controls: ['1', '2', '3', '4', '5'], pages: 1 });
  });

  it('comes in pages where it is long', () => {
    const controls = controlsOf(1_000, 100);
    for (let text = 1; text <= 12; text += 1) expect(trial.add(500, kept(text, controls))).toBe(true);
    const { controls: all, pages } = found(trial.store) ?? {};
    expect(all).toEqual(Array.from({ length: 12 }, () => controls).flat());
    expect(pages).toBeGreaterThan(1);
  });

  it('stays with its slice when that takes in more rows', () => {
    const { store, storage } = trial;
    const add = (records: readonly number[], text: number) =>
      store.commit(() => {
        const rows = records.map((record) => aMappedRow(record, 1));
        store.addRows(rows, () => 'queued', kept(text, [`${text}`]));
        store.keepProgress({ ...PROGRESS, setTexts: text });
      });
    add([1], 1);
    add([3, 600], 2); // the first slice gets its row
    add([4], 3); // late, as those of groups come
    const slices = storage.sql.exec<{ id: number }>('SELECT id FROM slice WHERE sets IS NOT NULL').toArray();
    expect([slices, found(store)?.controls]).toEqual([[{ id: 0 }], ['1', '2', '3']]);
    store.commit(() => store.addRows([aMappedRow(5, 1)], () => 'queued'));
    expect(found(new BatchStore(storage))?.controls).toEqual(['1', '2', '3']);
  });

  it('of a step that a crash repeats counts once', () => {
    trial.add(700, kept(1, ['1']));
    trial.add(0, kept(1, ['1']));
    trial.add(0, kept(2, ['2']));
    expect(found(trial.store)?.controls).toEqual(['1', '2']);
  });

  it('is not kept where there is none, or a part of it was lost', () => {
    trial.add(700, null);
    expect(found(trial.store)).toBeNull();
    trial.add(0, kept(2, ['2']));
    expect(() => found(trial.store)).toThrow('of 2 texts of set outcomes only 0 are kept');
  });

  it('is not kept where one text is too long', () => {
    expect(trial.add(700, kept(1, controlsOf(2_000, 100)))).toBe(false);
    expect([found(trial.store), trial.store.lastRecord()]).toEqual([null, 700]);
  });

  it('is not kept where it would grow among the values that each commit writes', () => {
    const controls = controlsOf(200, 100);
    expect(trial.add(1, kept(1, controls))).toBe(true);
    const lengthOf = () =>
      Number(trial.storage.sql.exec("SELECT length(json) AS length FROM kept WHERE name = 'state'").one().length);
    const before = lengthOf();
    for (let tries = 0; tries < 5; tries += 1) expect(trial.add(0, kept(2, controls))).toBe(false);
    expect([found(trial.store), lengthOf() < before + 100]).toEqual([null, true]);
    expect(trial.add(700, kept(2, controls))).toBe(true); // a row of a slice takes it along
  });
});

describe('what became of the sets of a message', () => {
  /** @param rows of each message; null: what became of its sets is not kept. */
  function read(rows: readonly number[], notKept: readonly number[] = []): void {
    const { store } = trial;
    store.keepProgress(PROGRESS);
    for (const [index, count] of rows.entries()) {
      const message = index + 1;
      store.messages.add({
        ...{ message, uploadId: `u${message}`, fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 },
      });
      store.messages.begin(message, store.lastRecord());
      const text = notKept.includes(message) ? null : kept(1, [`${message}`], message);
      const isKept = trial.add(count, text);
      store.messages.end(message, {
        ...{ state: 'read', records: count, content: null, notes: [], isTold: true, isAnnounced: true },
        setTexts: isKept ? 1 : undefined,
      });
    }
  }

  it('is its own, wherever its neighbours are stored', () => {
    const rows = Array.from({ length: 120 }, (_, index) => (index % 7 === 0 ? 0 : index % 50 === 3 ? 600 : 1));
    read(rows, [5]);
    for (const store of [trial.store, new BatchStore(trial.storage)])
      expect(rows.map((_, index) => found(store, index + 1)?.controls)).toEqual(
        rows.map((_, index) => (index === 4 ? undefined : [`${index + 1}`])),
      );
  });

  it('is looked for from the slice that ends before its own first row on', () => {
    read([100, 100, 100]);
    const looked: unknown[] = [];
    const { sql } = trial.storage;
    const { exec } = sql;
    sql.exec = ((text: string, ...values: never[]) => {
      if (text.startsWith('SELECT id, sets')) looked.push(values[0]);
      return exec(text, ...values);
    }) as typeof sql.exec;
    for (const message of [1, 2, 3]) expect(found(trial.store, message)?.controls).toEqual([`${message}`]);
    expect(looked).toEqual([-1, -1, 0]);
  });

  it('costs no row more', () => {
    const rows = Array.from({ length: 100 }, () => 1);
    read(rows);
    const { written } = trial;
    trial = new Trial();
    read(
      rows,
      rows.map((_, index) => index + 1),
    );
    expect(trial.written).toBe(written);
  });
});
