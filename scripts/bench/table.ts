/** Rows of cells as lines of text with aligned columns: the first column to the left, figures to the right. Pure. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

const MEBIBYTE = 1024 * 1024;

export const megabytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MB`;
export const count = (value: number): string => value.toLocaleString('en-US');
export const times = (ratio: number): string => `${ratio < 1 ? ratio.toFixed(2) : ratio.toFixed(1)} x`;
/** Where a few hundredths matter; of small ratios a thousandth. */
export const hundredths = (ratio: number): string => `${ratio.toFixed(ratio < 0.1 ? 3 : 2)} x`;
