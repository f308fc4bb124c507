/** Collects the notes of a file: each once, in the order in which they were met, and not without end. */
import { NOTES_MAX } from './limits.ts';
import { NOTES, type NoteCode } from './notes.ts';

export class Notes {
  private readonly texts: string[];

  constructor(texts: readonly string[]) {
    this.texts = [...texts];
  }

  get all(): readonly string[] {
    return this.texts;
  }

  add(code: NoteCode): void {
    this.addText(NOTES[code]);
  }

  addText(text: string): void {
    if (this.texts.length < NOTES_MAX && !this.texts.includes(text)) this.texts.push(text);
  }
}
