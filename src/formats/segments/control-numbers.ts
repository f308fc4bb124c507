/**
 * Control numbers of the sets of one group, to report one that occurs twice: nobody could say which of the two an
 * acknowledgment means. Stored as ranges, since senders count: a group of a million sets is one range.
 */

export const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** @property group the interchange and group; texts: references that are not numbers. */
export interface SeenControls {
  group: string;
  ranges: readonly (readonly [from: number, to: number])[];
  texts: readonly string[];
}

export const NONE_SEEN: SeenControls = { group: '', ranges: [], texts: [] };

/** Ours: references have up to 14 characters; longer ones are not tracked, because every checkpoint carries them. */
const TEXT_CHARACTERS_MAX = 40;
/** Ours: senders that do not count at all are not tracked any further. */
const RANGES_MAX = 300;
const TEXTS_MAX = 1_000;

export function see(seen: SeenControls, group: string, control: string): { isRepeated: boolean; seen: SeenControls } {
  const known = seen.group === group ? seen : { ...NONE_SEEN, group };
  const number = numberOf(control);
  return number === null ? seeText(known, control) : seeNumber(known, number);
}

/** So many digits fit exactly in an integer. */
const DIGITS_MAX = 15;

function numberOf(control: string): number | null {
  if (control === '' || control.length > DIGITS_MAX) return null;
  let number = 0;
  for (let at = 0; at < control.length; at++) {
    const unit = control.charCodeAt(at);
    if (!isDigit(unit)) return null;
    number = 10 * number + unit - 0x30;
  }
  return number;
}

function seeText(seen: SeenControls, control: string): { isRepeated: boolean; seen: SeenControls } {
  if (control === '' || control.length > TEXT_CHARACTERS_MAX) return { isRepeated: false, seen };
  if (seen.texts.includes(control)) return { isRepeated: true, seen };
  const texts = seen.texts.length < TEXTS_MAX ? [...seen.texts, control] : seen.texts;
  return { isRepeated: false, seen: { ...seen, texts } };
}

function seeNumber(seen: SeenControls, control: number): { isRepeated: boolean; seen: SeenControls } {
  const { ranges } = seen;
  const last = ranges.length === 1 ? ranges[0] : undefined;
  // Senders count: nearly always it is the number after the last one.
  if (last !== undefined && control === last[1] + 1)
    return { isRepeated: false, seen: { group: seen.group, ranges: [[last[0], control]], texts: seen.texts } };
  if (ranges.some(([from, to]) => from <= control && control <= to)) return { isRepeated: true, seen };
  const at = ranges.findIndex(([, to]) => to + 1 === control);
  if (at !== -1) {
    const longer = ranges.map((range, index) => (index === at ? ([range[0], control] as const) : range));
    return { isRepeated: false, seen: { ...seen, ranges: longer } };
  }
  const more = ranges.length < RANGES_MAX ? [...ranges, [control, control] as const] : ranges;
  return { isRepeated: false, seen: { ...seen, ranges: more } };
}
