/** What every command has in common: how it speaks, how it reads a number, and how it ends. */

/** `found`: something is broken, refused or in error. `notRun`: nothing could be done, and stderr says why. */
export const EXIT = { done: 0, found: 1, notRun: 2 } as const;

/** Why nothing can be run, in words. */
export class NotRun extends Error {}

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** @throws NotRun */
export function whole(text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new NotRun(`a whole number${least === 0 ? '' : ` of ${least} or more`} is wanted, not "${text}"`);
}

/** Whether `parseArgs` refused the arguments. */
export const isArgumentError = (thrown: unknown): thrown is TypeError =>
  thrown instanceof TypeError && 'code' in thrown && String(thrown.code).startsWith('ERR_PARSE_ARGS');

/** What could steer a terminal is shown by its number: names of columns, cells and notes stand in what is shown. */
export const visible = (text: string): string =>
  text.replace(/[^\P{C}\n]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);

/** @param run says whether everything held. What it throws is a bug and thrown on, but for what keeps it from running. */
export async function runCommand(run: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await run()) ? EXIT.done : EXIT.found;
  } catch (thrown) {
    if (!(thrown instanceof NotRun) && !isArgumentError(thrown)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = EXIT.notRun;
  }
}

/** Cells as columns of text, a line each; nothing hangs over at the end of a line. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (row: readonly string[]): string[] => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return rows.map((row) => padded(row).join('  ').trimEnd());
}
