/** `_x000D_` in the texts of a workbook → the character: XML cannot write every one, and `_x005F_` stands for its underscore. Pure. */

const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** ST_Xstring, ECMA-376-1 22.9.2.19. What stands behind an unescaped underscore is not looked at again. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).toWellFormed();
}
