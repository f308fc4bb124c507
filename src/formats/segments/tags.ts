/**
 * Tags of well-formed segments, each text stored once: equal tags are the same string, so comparing and looking them up
 * needs no reading.
 */

/** Two or three characters, A to Z and digits: there are 34,632 of them, so that no file makes this grow further. */
const known = new Map<number, string>();

/** X12, and ISO 9735 for three: two or three characters, the first a capital letter. */
export function isTag(tag: string): boolean {
  return tagCode(tag) !== 0;
}

/** @returns the text from `from` to `to`, for a tag always the same string. */
export function tagText(text: string, from: number, to: number): string {
  const code = codeOf(text, from, to);
  return code === 0 ? text.slice(from, to) : tagOf(code);
}

/** A number for each tag; 0 for what is not one. */
export const tagCode = (tag: string): number => codeOf(tag, 0, tag.length);

/** The tag of such a number, always the same string. */
export function tagOf(code: number): string {
  const tag = known.get(code);
  if (tag !== undefined) return tag;
  const units = [code >> 14, (code >> 7) & 0x7f, code & 0x7f];
  const made = String.fromCharCode(...units.filter((unit) => unit !== 0));
  known.set(code, made);
  return made;
}

export const tagLength = (code: number): number => (code < 1 << 14 ? 2 : 3);

const isCapital = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;
const isCapitalOrDigit = (unit: number): boolean => isCapital(unit) || (unit >= 0x30 && unit <= 0x39);

/** The number of the tag that begins there and is followed by a separator; 0 if there is none. */
export function tagBefore(bytes: Uint8Array, at: number, separator: number): number {
  if (at + 3 >= bytes.length) return 0;
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  if (!isCapital(first) || !isCapitalOrDigit(second)) return 0;
  if (third === separator) return (first << 7) | second;
  const isTag = isCapitalOrDigit(third) && bytes[at + 3] === separator;
  return isTag ? (first << 14) | (second << 7) | third : 0;
}

/** The same number of the text from `from` to `to`. */
function codeOf(text: string, from: number, to: number): number {
  if (to - from !== 2 && to - from !== 3) return 0;
  let code = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (at === from ? !isCapital(unit) : !isCapitalOrDigit(unit)) return 0;
    code = (code << 7) | unit;
  }
  return code;
}

/* A map from tag numbers to values. Looked up twice for every segment of a file: a `Map` takes three times as long. */

/** 2^32 divided by the golden ratio: it spreads neighbouring numbers far apart. */
const SPREAD = 0x9e3779b1;
const HASH_BITS = 32;
/** So few of the slots are used that the first probe nearly always decides. */
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

  /** Its slot, or the empty slot where it would be, whose value is undefined. */
  private slotOf(tag: number): number {
    const { tags, last } = this;
    let slot = Math.imul(tag, SPREAD) >>> this.shift;
    while (tags[slot] !== tag && tags[slot] !== 0) slot = (slot + 1) & last;
    return slot;
  }
}
