/** The text of a shared string or an inline string: its runs joined, without the phonetic ones that say how to read it. Pure. */
import { unescaped } from './escapes.ts';

/** Told every tag inside of `si` or `is` (ECMA-376-1 18.4.8). */
export class TextRuns {
  #text = '';
  #isText = false;
  #phonetic = 0;

  clear(): void {
    this.#text = '';
    this.#isText = false;
    this.#phonetic = 0;
  }

  open(name: string): void {
    if (name === 'rPh') this.#phonetic += 1;
    this.#isText = name === 't' && this.#phonetic === 0;
  }

  text(text: string): void {
    if (this.#isText) this.#text += text;
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic -= 1;
    this.#isText = false;
  }

  /** Runs are escaped each for itself, but none ends inside of an escape. */
  whole(): string {
    return unescaped(this.#text);
  }
}
