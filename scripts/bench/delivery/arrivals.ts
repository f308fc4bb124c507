/** What arrived at the upstream: how many requests, and which rows in them. A row is known by the mark in its body. Pure. */
import { MARK } from './file.ts';

export interface Arrived {
  requests: number;
  /** Rows that arrived at least once, rows that arrived again, and rows that never did. */
  rows: number;
  twice: number;
  missing: number;
  /** Marks of no row of the file, and requests without one. */
  strange: number;
}

export class Arrivals {
  readonly #times: Uint8Array;
  #requests = 0;
  #rows = 0;
  #twice = 0;
  #strange = 0;

  /** @param rows of the file, numbered from 0. */
  constructor(rows: number) {
    this.#times = new Uint8Array(rows);
  }

  note(body: string): void {
    this.#requests += 1;
    let marks = 0;
    for (const [, number] of body.matchAll(MARK)) {
      marks += 1;
      const times = this.#times[Number(number)];
      if (times === undefined) this.#strange += 1;
      else if (times > 0) this.#twice += 1;
      else {
        this.#times[Number(number)] = 1;
        this.#rows += 1;
      }
    }
    if (marks === 0) this.#strange += 1;
  }

  get arrived(): Arrived {
    const missing = this.#times.length - this.#rows;
    return { requests: this.#requests, rows: this.#rows, twice: this.#twice, missing, strange: this.#strange };
  }
}

/**
 * @param notDelivered rows that the sender itself calls something else than delivered.
 * @returns what is wrong, for a person; undefined where every row arrived once.
 */
export function lossOf({
  twice,
  missing,
  strange,
  notDelivered,
}: Arrived & { notDelivered: number }): string | undefined {
  const wrong = Object.entries({ twice, missing, strange, 'not delivered': notDelivered }).filter(
    ([, rows]) => rows > 0,
  );
  return wrong.length === 0 ? undefined : wrong.map(([name, rows]) => `${rows} ${name}`).join(', ');
}
