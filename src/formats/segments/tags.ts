/** Tags of sound segments, each text once: equal tags are then one string, and are compared and looked up without being read. */

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

/** A number for each tag; 0 for what is none. */
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

/** The number of the tag that begins there and that a separator follows; 0 where there is none. */
export function tagBefore(text: string, at: number, separator: number): number {
  if (at + 3 >= text.length) return 0;
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  const third = text.charCodeAt(at + 2);
  if (!isCapital(first) || !isCapitalOrDigit(second)) return 0;
  if (third === separator) return (first << 7) | second;
  const isTag = isCapitalOrDigit(third) && text.charCodeAt(at + 3) === separator;
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
