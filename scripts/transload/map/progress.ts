/** How far the map command has come, for whoever watches a terminal. */
import type { TerminalOrNot } from '../surroundings.ts';

/** How often progress is written, in ms. */
const PROGRESS_MS = 200;

/** A counter on the terminal; silent anywhere else. */
export class Progress {
  readonly #errors: TerminalOrNot;
  #records = 0;
  #shownMs = 0;

  constructor(errors: TerminalOrNot) {
    this.#errors = errors;
  }

  add(records: number, inError: number): void {
    this.#records += records;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < PROGRESS_MS) return;
    this.#shownMs = nowMs;
    this.#show(inError, '');
  }

  end(inError: number): void {
    this.#show(inError, '\n');
  }

  #show(inError: number, lineEnd: string): void {
    if (this.#errors.isTTY !== true) return;
    const [records, wrong] = [this.#records, inError].map((count) => count.toLocaleString('en-US'));
    this.#errors.write(`\r${records} records, ${wrong} in error${lineEnd}`);
  }
}
