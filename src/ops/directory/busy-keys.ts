/**
 * A key that asks often in one second is looked up some times in it and then known till its end, in this process: the
 * directory is one thread for everybody. So a key that was revoked ends at its next request, and a busy one within a second.
 */
import { SECOND_MS } from '../../kernel/clock.ts';
import { KEY_LOOKS_PER_SECOND } from './limits.ts';

/** @property row null: there is no such key; undefined: no look has ended yet. */
interface Requests<Row> {
  looks: number;
  row?: Row | null;
}

export class BusyKeys<Row> {
  #second = 0;
  readonly #requests = new Map<string, Requests<Row>>();

  async find(keyId: string, nowMs: number, look: (keyId: string) => Promise<Row | null>): Promise<Row | null> {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#second) this.#requests.clear();
    this.#second = second;
    const recent: Requests<Row> = this.#requests.get(keyId) ?? { looks: 0 };
    this.#requests.set(keyId, recent);
    if (recent.looks >= KEY_LOOKS_PER_SECOND && recent.row !== undefined) return recent.row;
    recent.looks += 1;
    recent.row = await look(keyId);
    return recent.row;
  }
}
