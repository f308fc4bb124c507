/** What the writers of X12 and EDIFACT share. Pure. */

/** An element, or its components. */
export type WrittenElement = string | readonly string[];

/** Empty elements at the end of a segment, and components at the end of an element, are not written. */
export function withoutEmptyEnd(texts: readonly string[]): readonly string[] {
  const last = texts.findLastIndex((text) => text !== '');
  return texts.slice(0, last + 1);
}

/** @returns `date` CCYYMMDD and `time` HHMM of an instant, in UTC. */
export function writtenMoment(atMs: number): { date: string; time: string } {
  const iso = new Date(atMs).toISOString();
  return { date: iso.slice(0, 10).replaceAll('-', ''), time: iso.slice(11, 16).replace(':', '') };
}
