/** A decision about many requests, as its object stores it: the run as one value, its items in parts. */
import { DECISIONS_STORED_TOGETHER } from '../../kernel/limits.ts';
import type { DecisionItem, DecisionRun } from '../core/decision-run.ts';
import { storedValue } from './documents.ts';

const RUN = 'decisions';
const partName = (part: number): string => `decision_items/${part}`;

export class DecisionStore {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Reading an id that nobody has begun stores nothing. */
  run(): DecisionRun | undefined {
    const stored = this.#kv.get(RUN);
    return stored === undefined ? undefined : (storedValue(RUN, stored) as DecisionRun);
  }

  putRun(run: DecisionRun): void {
    this.#kv.put(RUN, run);
  }

  begin(run: DecisionRun, items: readonly DecisionItem[]): void {
    for (let from = 0; from < items.length; from += DECISIONS_STORED_TOGETHER) {
      const part = items.slice(from, from + DECISIONS_STORED_TOGETHER);
      this.#kv.put(partName(from / DECISIONS_STORED_TOGETHER), part);
    }
    this.putRun(run);
  }

  /** From the number `from`, counted from 0, at most `limit`. */
  items(from: number, limit: number): DecisionItem[] {
    const found: DecisionItem[] = [];
    for (let at = from; found.length < limit; ) {
      const part = this.#part(Math.floor(at / DECISIONS_STORED_TOGETHER));
      const own = part.slice(at % DECISIONS_STORED_TOGETHER, (at % DECISIONS_STORED_TOGETHER) + limit - found.length);
      if (own.length === 0) break;
      found.push(...own);
      at += own.length;
    }
    return found;
  }

  /** These items as they are now, from the number `from` on. */
  putItems(from: number, items: readonly DecisionItem[]): void {
    for (let at = 0; at < items.length; ) {
      const number = Math.floor((from + at) / DECISIONS_STORED_TOGETHER);
      const inPart = (from + at) % DECISIONS_STORED_TOGETHER;
      const part = this.#part(number);
      const own = items.slice(at, at + DECISIONS_STORED_TOGETHER - inPart);
      part.splice(inPart, own.length, ...own);
      this.#kv.put(partName(number), part);
      at += own.length;
    }
  }

  #part = (number: number): DecisionItem[] => [...(this.#kv.get<DecisionItem[]>(partName(number)) ?? [])];
}
