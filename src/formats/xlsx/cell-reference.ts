/** `AB12` → row and column, both from 1 (ECMA-376-1 18.18.62). Pure. */

export interface CellReference {
  row: number;
  column: number;
}

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/;
const BEFORE_A = 64;

/** @returns undefined for what is no reference. */
export function readReference(text: string): CellReference | undefined {
  const [, letters, digits] = REFERENCE.exec(text) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - BEFORE_A;
  return { row: Number(digits), column };
}

/** @param column from 1. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(BEFORE_A + 1 + ((left - 1) % 26)) + letters;
  }
  return letters;
}
