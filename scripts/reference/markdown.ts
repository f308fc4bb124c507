/** Pages of the reference as Markdown. */

/** A cell of a table: one line, with nothing that would end it. */
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** Text of the program in prose: nothing in it is taken for HTML. */
export const prose = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('*', '\\*');

export const code = (text: string): string => `\`${text}\``;

export const page = (title: string, about: string, parts: readonly string[]): string =>
  `${[`# ${title}`, about, '*Made by `npm run reference` from the code; do not edit it by hand.*', ...parts].join('\n\n')}\n`;

export const section = (title: string, ...parts: readonly string[]): string => [`## ${title}`, ...parts].join('\n\n');
