/** Cutting text without cutting a character. */

/** @returns the first `characters` UTF-16 units, one fewer where that would leave half a character. */
export function headOf(text: string, characters: number): string {
  const head = text.slice(0, characters);
  return head.isWellFormed() || !text.isWellFormed() ? head : head.slice(0, -1);
}
