/** Physical lines: LF, CRLF and CR each end one. Pure. */
export const LF = 0x0a;
export const CR = 0x0d;

export function isLineEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === LF || unit === CR;
}

/** Offset of the next line end, or `limit` when there is none before it. */
export function findLineEnd(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && !isLineEnd(text, at)) at++;
  return at;
}

/**
 * Offset after the line end at `at`, or `at` itself at the end of the text.
 *
 * @param atEnd the text reaches the end of the file
 * @returns null when a CR ends the text and its LF may follow in the next slice
 */
export function afterLineEnd(text: string, at: number, atEnd: boolean): number | null {
  if (at >= text.length) return at;
  if (text.charCodeAt(at) === LF) return at + 1;
  if (at + 1 === text.length && !atEnd) return null;
  return text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}
