/**
 * What became of the sets of a batch's files, as it is kept for acknowledgments: one text per slice of bytes, in file
 * order. A text is in the row of a slice of rows that is written anyway, so that it costs no row; the last ones are among
 * the values of the batch until there is one. SQL only.
 */

import { packedText, type StoredText, textIn } from '../../kernel/packed-text.ts';
import type { SetsPage, SetsPosition } from '../acknowledgment/file.ts';
import type { StoredValues } from './stored-values.ts';

/** @property message 0: the batch is of one upload. @property text from 1, of its upload or message. */
export interface SetsText {
  message: number;
  text: number;
  sets: string;
}

/** Characters of one text. Ours: a stored row has at most 2 MB, and this one has the rows of its slice, too. */
const TEXT_CHARACTERS_MAX = 128 * 1024;
/** Characters among the values of the batch, which each commit writes. Ours: twice what the rows there may have. */
const LATEST_CHARACTERS_MAX = 32 * 1024;
/** Characters after which a page ends. Ours: it is in the memory of two objects at once. */
const PAGE_CHARACTERS = 512 * 1024;
const LATEST = 'setOutcomes';

type StoredSets = { sets: StoredText };

/** What a text begins with, to be found without being parsed. */
const headOf = (message: number, text: number): string => `${message}/${text} `;

export class OutcomeStore {
  readonly #sql: SqlStorage;
  readonly #values: StoredValues;

  constructor(sql: SqlStorage, values: StoredValues) {
    this.#sql = sql;
    this.#values = values;
  }

  /** Without line ends, each under its head. */
  #latest = (): readonly string[] => this.#values.get<string[]>(LATEST) ?? [];

  /** @param writeRows writes those that it goes with. @returns false if there was nothing, or it was too long. */
  keep(kept: SetsText | null, writeRows: () => void): boolean {
    const before = this.#latest();
    const line = kept && headOf(kept.message, kept.text) + kept.sets;
    const isShort = line !== null && line.length <= TEXT_CHARACTERS_MAX;
    if (isShort) this.#values.put(LATEST, [...before, line]);
    writeRows();
    if (!isShort) return false;
    const characters = this.#latest().reduce((sum, { length }) => sum + length, 0);
    if (characters <= LATEST_CHARACTERS_MAX) return true;
    this.#values.put(LATEST, before);
    return false;
  }

  /** What the row of a slice has once it is written, if that differs from what it had; null: it does not. */
  take(slice: number): StoredText | null {
    const latest = this.#latest();
    if (latest.length === 0) return null;
    this.#values.put(LATEST, []);
    const rows = this.#sql.exec<StoredSets>('SELECT sets FROM slice WHERE id = ? AND sets IS NOT NULL', slice);
    return packedText([...rows.toArray().map(({ sets }) => textIn(sets)), ...latest].join('\n'));
  }

  /** They may quote what is erased. */
  forget(): void {
    this.#sql.exec('UPDATE slice SET sets = NULL WHERE sets IS NOT NULL');
    this.#values.put(LATEST, []);
  }

  /** @param texts how many there are of the message. @throws if some are missing. */
  page(message: number, texts: number, after: SetsPosition): SetsPage {
    const sets: string[] = [];
    let { texts: found, slice } = after;
    let characters = 0;
    const add = (line: string): void => {
      const head = headOf(message, found + 1);
      if (found === texts || !line.startsWith(head)) return;
      sets.push(line.slice(head.length));
      found += 1;
      characters += line.length;
    };
    if (found < texts) {
      const sql = 'SELECT id, sets FROM slice WHERE id > ? AND sets IS NOT NULL ORDER BY id';
      for (const { id, sets: stored } of this.#sql.exec<StoredSets & { id: number }>(sql, slice)) {
        for (const line of textIn(stored).split('\n')) add(line);
        slice = id;
        if (found === texts) break;
        if (characters > PAGE_CHARACTERS) return { sets, next: { texts: found, slice } };
      }
      for (const line of this.#latest()) add(line);
    }
    if (found < texts) throw new Error(`of ${texts} texts of set outcomes only ${found} are kept`);
    return { sets, next: null };
  }
}
