/** What is on the bench, as the browser keeps it: for a way back from another page, and for the next visit in the same tab. */

export interface Sample {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

interface Draft {
  written: string;
  lists: readonly string[];
  name: string;
  /** What was suggested last, so that it is known from what was written by hand. */
  suggestedText: string;
  suggestedLists: readonly string[];
  sample: Sample | null;
}

/** @param place of whose it is. What does not fit is not kept: it is then not there after a visit of another page. */
export function keep(place: string, { sample, ...draft }: Draft): void {
  const text = sample === null ? null : { name: sample.name, text: base64Of(sample.bytes) };
  try {
    sessionStorage.setItem(place, JSON.stringify({ ...draft, sample: text }));
  } catch {
    sessionStorage.removeItem(place);
  }
}

/** @returns null where there is none, or it cannot be read. */
export function restore(place: string): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null');
    if (kept === null) return null;
    const { sample } = kept;
    return { ...kept, sample: sample === null ? null : { name: sample.name, bytes: bytesOf(sample.text) } };
  } catch {
    return null;
  }
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Called with pieces: arguments are on the stack. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
