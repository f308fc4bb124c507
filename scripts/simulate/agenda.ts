/** What happens next: one heap ordered by virtual time, then by dice. */

export interface Entry {
  atMs: number;
  /** A random number, so that what falls on one instant comes in any order. */
  tie: number;
  happen: () => void;
  isCancelled: boolean;
}

export class Agenda {
  readonly #heap: Entry[] = [];

  get size(): number {
    return this.#heap.length;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  add(atMs: number, tie: number, happen: Entry['happen']): Entry {
    const entry: Entry = { atMs, tie, happen, isCancelled: false };
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
    return entry;
  }

  /** @returns undefined when nothing will ever happen again. */
  next(): Entry | undefined {
    for (let entry = this.#take(); entry !== undefined; entry = this.#take()) if (!entry.isCancelled) return entry;
    return undefined;
  }

  #take(): Entry | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const right = heap[child + 1];
      let below = heap[child];
      if (below === undefined) break;
      if (right !== undefined && isBefore(right, below)) {
        below = right;
        child += 1;
      }
      if (!isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.tie < other.tie);
