/** Many JSON texts → few JSON arrays, each short enough to be bound to one SQL statement. */

/** Characters per bound text. A string may hold 2 MB, and a character takes up to three bytes. */
const CHUNK_CHARACTERS = 500_000;

export function jsonArrays(texts: readonly string[]): string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (length + text.length > CHUNK_CHARACTERS && chunk.length > 0) {
      chunks.push(`[${chunk.join(',')}]`);
      chunk = [];
      length = 0;
    }
    chunk.push(text);
    length += text.length;
  }
  if (chunk.length > 0) chunks.push(`[${chunk.join(',')}]`);
  return chunks;
}
