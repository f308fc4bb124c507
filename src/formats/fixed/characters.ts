/** A line as characters: positions count what a person counts, so that one of two UTF-16 units is one. Pure. */
const SURROGATE = /[\ud800-\udfff]/;
const TAB = '\t';

export class Characters {
  readonly text: string;
  readonly length: number;
  /** Null where every character is one unit. */
  private readonly points: readonly string[] | null;

  constructor(text: string) {
    this.text = text;
    this.points = SURROGATE.test(text) ? Array.from(text) : null;
    this.length = this.points?.length ?? text.length;
  }

  /** @param at from 1. @returns what stands there, shorter where the line ends. */
  cut(at: number, length: number): string {
    if (this.points === null) return this.text.slice(at - 1, at - 1 + length);
    return this.points.slice(at - 1, at - 1 + length).join('');
  }

  /** @returns the position, from 1, of the first of these characters; 0 where there is none. */
  find(character: string): number {
    return (this.points?.indexOf(character) ?? this.text.indexOf(character)) + 1;
  }
}

/** @param tabStop columns between two stops. */
export function withoutTabs(text: string, tabStop: number): string {
  if (!text.includes(TAB)) return text;
  const parts: string[] = [];
  let column = 0;
  for (const character of text) {
    const part = character === TAB ? ' '.repeat(tabStop - (column % tabStop)) : character;
    column += character === TAB ? part.length : 1;
    parts.push(part);
  }
  return parts.join('');
}
