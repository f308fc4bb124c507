/** The code blocks of the documents: commands as a reader would copy them, one by one, and everything else as it stands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';

export interface Block {
  document: string;
  /** Where it begins, from 1. */
  line: number;
  language: string;
  text: string;
}

/** One command of a shell's block, with its continuation lines or the text that it is given. */
export interface Command {
  block: Block;
  text: string;
  /** Its own comment, and those of the block that stand on lines of their own above it. */
  comment: string;
}

/** The words by which a reader knows that a command changes or reads a deployment. A comment beside it or above it says them. */
export const ON_AN_ACCOUNT = 'on your account';

export function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; indent: number; lines: string[] } | null = null;
  for (const [at, text] of readFileSync(join(PROJECT_ROOT, document), 'utf8').split('\n').entries()) {
    const [, indent = '', language = ''] = /^( *)```(.*)$/.exec(text) ?? [];
    if (!text.trimStart().startsWith('```')) open?.lines.push(text.slice(open.indent));
    else if (open === null) open = { line: at + 1, language, indent: indent.length, lines: [] };
    else {
      blocks.push({ document, line: open.line, language: open.language, text: open.lines.join('\n') });
      open = null;
    }
  }
  return blocks;
}

const HEREDOC = /<<'(\w+)'/;

/** A `#` after a blank begins a comment, outside of quotes. */
function cutComment(line: string): [code: string, comment: string] {
  let quote = '';
  for (const [at, character] of [...line].entries()) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === '#' && (at === 0 || /\s/.test(line[at - 1] ?? '')))
      return [line.slice(0, at).trimEnd(), line.slice(at + 1).trim()];
  }
  return [line, ''];
}

export function commandsOf(block: Block): Command[] {
  const commands: Command[] = [];
  const lines = block.text.split('\n');
  let above = '';
  while (lines.length > 0) {
    const first = lines.shift() ?? '';
    if (first.trim() === '') continue;
    let [text, comment] = cutComment(first);
    if (text === '') {
      above = `${above} ${comment}`;
      continue;
    }
    while (text.endsWith('\\')) text += `\n${lines.shift() ?? ''}`;
    const end = HEREDOC.exec(text)?.[1];
    while (end !== undefined && !text.endsWith(`\n${end}`)) text += `\n${lines.shift() ?? end}`;
    commands.push({ block, text, comment: `${above} ${comment}`.trim() });
  }
  return commands;
}

export const SHELLS = ['sh', 'bash'];

/** All commands of a document, in its order. */
export const commandsIn = (document: string): Command[] =>
  blocksOf(document)
    .filter(({ language }) => SHELLS.includes(language))
    .flatMap(commandsOf);

/** Paths of all members, arrays as `[]`, of an empty object as `*`: what a program can rely on. */
export function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => membersOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  if (Object.keys(value).length === 0) return [`${path}.*`];
  return Object.entries(value).flatMap(([name, one]) => membersOf(one, `${path}.${name}`));
}
