/** `transload` in a terminal of its own: what it shows, what is typed, how it ends. */
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';

const WAIT_MS = 30_000;

export interface Terminal {
  pty: IPty;
  shown(): string;
  /** Waits until it shows this, after what was waited for before. */
  until(text: string | RegExp): Promise<void>;
  /** Waits for each question in turn, and types its answer and Enter. */
  answer(answers: readonly (readonly [asks: string | RegExp, typed: string])[]): Promise<void>;
  ended: Promise<number>;
}

/** @param entry what runs, in a checkout. @param at its folder, which is also its home. */
export function terminalOf(
  args: readonly string[],
  env: Record<string, string>,
  at: { folder: string; cols?: number; entry?: string },
): Terminal {
  const { folder, cols = 120, entry = join(PROJECT_ROOT, 'scripts', 'transload.ts') } = at;
  const pty = spawn(process.execPath, [entry, ...args], {
    ...{ cols, rows: 40, cwd: folder },
    env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm-256color', ...env },
  });
  let text = '';
  let seen = 0;
  pty.onData((data) => {
    text += data;
  });
  const ended = new Promise<number>((done) => pty.onExit(({ exitCode }) => done(exitCode)));
  const endOf = (wanted: string | RegExp): number => {
    const rest = text.slice(seen);
    if (typeof wanted === 'string') return rest.includes(wanted) ? rest.indexOf(wanted) + wanted.length : 0;
    const found = wanted.exec(rest);
    return found === null ? 0 : found.index + found[0].length;
  };
  const until = async (wanted: string | RegExp): Promise<void> => {
    for (const endMs = Date.now() + WAIT_MS; endOf(wanted) === 0; ) {
      if (Date.now() > endMs) throw new Error(`"${wanted}" was not shown:\n${text}`);
      await new Promise((done) => setTimeout(done, 20));
    }
    seen += endOf(wanted);
  };
  const answer: Terminal['answer'] = async (answers) => {
    for (const [asks, typed] of answers) {
      await until(asks);
      pty.write(`${typed}\r`);
    }
  };
  return { pty, shown: () => text, until, answer, ended };
}
