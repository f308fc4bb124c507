/**
 * Stored grouping state between slices: the open group, the keys of closed groups, and rows that wait for the end of
 * their file.
 * SQL only: nothing here decides. Written together with the slice's rows, so that both are one commit.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { RowGroup } from '../../mapping/groups/grouping.ts';
import type { GroupedSlice, PendingGroup, PendingSize } from '../core/run.ts';

type StoredGroup = {
  file: number;
  key: string;
  first: number;
  rows: number;
  too_large: number;
  doubtful_record: number | null;
};

interface PendingFile {
  file: number;
  columns: readonly string[];
  /** The file breaks off, so any of its groups may lack rows. */
  cut: boolean;
}

export class GroupStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  open(): RowGroup | null {
    const row = this.#sql.exec<{ json: string }>('SELECT json FROM open_group').toArray()[0];
    return row === undefined ? null : (JSON.parse(row.json) as RowGroup);
  }

  wasClosed = (file: number, key: string): boolean =>
    this.#sql.exec('SELECT 1 AS found FROM closed_group WHERE file = ? AND key = ?', file, key).toArray().length > 0;

  pendingSize(file: number, key: string): PendingSize {
    const sql = 'SELECT rows, characters FROM staged_group WHERE file = ? AND key = ?';
    return (
      this.#sql.exec<PendingSize & Record<string, number>>(sql, file, key).toArray()[0] ?? { rows: 0, characters: 0 }
    );
  }

  /** @param file number of the file in its archive; 0 for the only one. */
  keepSlice(file: number, { open, closedKeys, staged, marks }: Omit<GroupedSlice, 'placed'>): void {
    if (open === null) this.#sql.exec('DELETE FROM open_group');
    else this.#sql.exec('INSERT OR REPLACE INTO open_group (id, json) VALUES (1, ?)', JSON.stringify(open));
    for (const keys of jsonArrays(closedKeys.map((key) => JSON.stringify(key)))) {
      this.#sql.exec('INSERT OR IGNORE INTO closed_group (file, key) SELECT ?, value FROM json_each(?)', file, keys);
    }
    const firsts = new Map<string, number>();
    const rows = staged.map(({ key, record }) => {
      const first = firsts.get(key) ?? this.#addPending(file, key, record);
      if (firsts.has(key)) this.#growPending(file, key, record);
      firsts.set(key, first);
      return JSON.stringify([first, record.position.record, record]);
    });
    for (const chunk of jsonArrays(rows)) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO staged_row (first, record, json)
         SELECT value->>0, value->>1, value->2 FROM json_each(?)`,
        chunk,
      );
    }
    for (const { key, tooLarge, doubtfulRecord } of marks) {
      this.#sql.exec(
        `UPDATE staged_group SET too_large = max(too_large, ?3), doubtful_record = coalesce(doubtful_record, ?4)
         WHERE file = ?1 AND key = ?2`,
        file,
        key,
        Number(tooLarge),
        doubtfulRecord,
      );
    }
  }

  /** @returns the number of the group's first row. */
  #addPending(file: number, key: string, record: ReadRecord): number {
    this.#growPending(file, key, record);
    const sql = 'SELECT first FROM staged_group WHERE file = ? AND key = ?';
    return this.#sql.exec<{ first: number }>(sql, file, key).one().first;
  }

  #growPending(file: number, key: string, { position, fields }: ReadRecord): void {
    const characters = fields.reduce((sum, field) => sum + field.length, 0);
    this.#sql.exec(
      `INSERT INTO staged_group (file, key, first, rows, characters) VALUES (?1, ?2, ?3, 1, ?4)
       ON CONFLICT (file, key) DO UPDATE SET rows = rows + 1, characters = characters + excluded.characters`,
      file,
      key,
      position.record,
      characters,
    );
  }

  keepFile({ file, columns, cut }: PendingFile): void {
    const sql = 'INSERT OR REPLACE INTO staged_file (file, columns, cut) VALUES (?, ?, ?)';
    this.#sql.exec(sql, file, JSON.stringify(columns), Number(cut));
  }

  /** The first groups still pending, all of one file, with about `rowsMax` rows together at most. */
  nextPending(rowsMax: number): { file: PendingFile; groups: PendingGroup[] } | undefined {
    const sql = 'SELECT * FROM staged_group ORDER BY first LIMIT ?';
    const found = this.#sql.exec<StoredGroup>(sql, rowsMax).toArray();
    const [head] = found;
    if (head === undefined) return undefined;
    let rows = 0;
    const taken = found.filter((group) => {
      rows += group.rows;
      return group.file === head.file && (group === head || rows <= rowsMax);
    });
    const groups = taken.map(({ key, first, too_large, doubtful_record }) => ({
      key,
      rows: this.#pendingRows(first),
      tooLarge: too_large === 1,
      doubtfulRecord: doubtful_record,
    }));
    return { file: this.#file(head.file), groups };
  }

  #pendingRows(first: number): ReadRecord[] {
    const sql = 'SELECT json FROM staged_row WHERE first = ? ORDER BY record';
    return this.#sql
      .exec<{ json: string }>(sql, first)
      .toArray()
      .map(({ json }) => JSON.parse(json) as ReadRecord);
  }

  #file(file: number): PendingFile {
    const sql = 'SELECT columns, cut FROM staged_file WHERE file = ?';
    const row = this.#sql.exec<{ columns: string; cut: number }>(sql, file).one();
    return { file, columns: JSON.parse(row.columns) as string[], cut: row.cut === 1 };
  }

  /** Deletes groups whose rows are stored now. */
  dropPending(groups: readonly PendingGroup[]): void {
    for (const { rows } of groups) {
      const first = rows[0]?.position.record ?? 0;
      this.#sql.exec('DELETE FROM staged_row WHERE first = ?', first);
      this.#sql.exec('DELETE FROM staged_group WHERE first = ?', first);
    }
  }

  /** A message is read to its end: its keys may come again in another. @param to exclusive. */
  forgetFiles(from: number, to: number): void {
    this.#sql.exec('DELETE FROM closed_group WHERE file >= ? AND file < ?', from, to);
    this.#sql.exec('DELETE FROM staged_file WHERE file >= ? AND file < ?', from, to);
  }

  hasPending = (): boolean => this.#sql.exec('SELECT 1 AS found FROM staged_group LIMIT 1').toArray().length > 0;
}
