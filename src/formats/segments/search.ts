/** Where a unit stands next in a slice, remembered, so that asking at every segment passes the slice once. */

/** Beyond every offset: it stands nowhere further on. A small integer, as offsets are: an infinite one makes fractions of all of them. */
export const NOWHERE = 0x3fff_ffff;

export class ForwardSearch {
  private readonly text: string;
  private readonly unit: string;
  /** Nothing is found from `start` up to `next`. */
  private start = 0;
  private next = -1;

  /** @param unit '' stands nowhere */
  constructor(text: string, unit: string) {
    this.text = text;
    this.unit = unit;
  }

  /** Offset of the first one from `at` on. */
  from(at: number): number {
    if (at > this.next) this.next = nextOf(this.text, this.unit, at);
    // What was passed is read again: only up to where it is known already.
    else if (at < this.start) {
      const found = nextOf(this.text.slice(at, this.start), this.unit, 0);
      if (found !== NOWHERE) this.next = at + found;
    } else return this.next;
    this.start = at;
    return this.next;
  }
}

/** One for each unit, for all that read a slice: it can hold many interchanges, and none of them passes it anew. */
export class SliceSearches {
  private readonly text: string;
  private readonly searches = new Map<string, ForwardSearch>();

  constructor(text: string) {
    this.text = text;
  }

  of(unit: string): ForwardSearch {
    const known = this.searches.get(unit);
    if (known !== undefined) return known;
    const search = new ForwardSearch(this.text, unit);
    this.searches.set(unit, search);
    return search;
  }
}

export function nextOf(text: string, unit: string, from: number): number {
  const at = unit === '' ? -1 : text.indexOf(unit, from);
  return at === -1 ? NOWHERE : at;
}
