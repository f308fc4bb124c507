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
    if (at < this.start || at > this.next) {
      this.start = at;
      this.next = nextOf(this.text, this.unit, at);
    }
    return this.next;
  }
}

export function nextOf(text: string, unit: string, from: number): number {
  const at = unit === '' ? -1 : text.indexOf(unit, from);
  return at === -1 ? NOWHERE : at;
}
