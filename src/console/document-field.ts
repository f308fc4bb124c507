/** A document that a person wrote into a form → the value it stands for. JSON, or YAML. Pure. */
import { parse } from 'yaml';

/** @returns the text itself where it can be read as neither: the API then says what it wants. */
export function documentIn(text: string): unknown {
  for (const read of [(json: string) => JSON.parse(json) as unknown, (yaml: string) => parse(yaml) as unknown]) {
    try {
      return read(text);
    } catch {
      // the other form, or the text as it is
    }
  }
  return text;
}

/** Entries of a field with one on each line. */
export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
