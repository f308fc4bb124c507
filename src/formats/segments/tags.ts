/** Tags of sound segments, each text once: equal tags are then one string, and are compared and looked up without being read. */

/** Two or three characters, A to Z and digits: there are 34,632 of them, so that no file makes this grow further. */
const known = new Map<number, string>();

/** X12, and ISO 9735 for three: two or three characters, the first a capital letter. */
export function isTag(tag: string): boolean {
  return (tag.length === 2 || tag.length === 3) && tagCode(tag, 0, tag.length) !== 0;
}

/** @returns the text from `from` to `to`, for a tag always the same string. */
export function tagText(text: string, from: number, to: number): string {
  const characters = to - from;
  const code = characters === 2 || characters === 3 ? tagCode(text, from, to) : 0;
  if (code === 0) return text.slice(from, to);
  const tag = known.get(code);
  if (tag !== undefined) return tag;
  const made = text.slice(from, to);
  known.set(code, made);
  return made;
}

/** A number for each tag; 0 for what is none. */
function tagCode(text: string, from: number, to: number): number {
  let code = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    const isLetter = unit >= 0x41 && unit <= 0x5a;
    if (!isLetter && (at === from || unit < 0x30 || unit > 0x39)) return 0;
    code = (code << 7) | unit;
  }
  return code;
}
