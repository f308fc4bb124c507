/** Values by the numbers of tags. Asked twice of every segment of a file: a `Map` takes three times as long. */

/** 2^32 divided by the golden ratio: numbers that are near to each other go far apart. */
const SPREAD = 0x9e3779b1;
const HASH_BITS = 32;
/** So few of the slots are taken that the first one looked at decides nearly always. */
const SLOTS_PER_TAG = 4;

export class TagMap<Value> {
  private readonly tags: Int32Array;
  private readonly values: (Value | undefined)[];
  private readonly shift: number;
  private readonly last: number;

  /** @param values by numbers, none of which is 0 */
  constructor(values: ReadonlyMap<number, Value>) {
    const bits = Math.max(1, Math.ceil(Math.log2(SLOTS_PER_TAG * values.size + 1)));
    this.shift = HASH_BITS - bits;
    this.last = 2 ** bits - 1;
    this.tags = new Int32Array(2 ** bits);
    this.values = new Array(2 ** bits).fill(undefined);
    for (const [tag, value] of values) {
      const slot = this.slotOf(tag);
      this.tags[slot] = tag;
      this.values[slot] = value;
    }
  }

  get(tag: number): Value | undefined {
    return this.values[this.slotOf(tag)];
  }

  /** Where it stands, or where it would: an empty slot, whose value is undefined. */
  private slotOf(tag: number): number {
    const { tags, last } = this;
    let slot = Math.imul(tag, SPREAD) >>> this.shift;
    while (tags[slot] !== tag && tags[slot] !== 0) slot = (slot + 1) & last;
    return slot;
  }
}
