/** What a command has around it: the process's own, or a test's. */
import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

export type Fetch = typeof fetch;
export type TerminalOrNot = Writable & { isTTY?: boolean; columns?: number };

export interface Surroundings {
  environment: Readonly<Record<string, string | undefined>>;
  fetch: Fetch;
  /** @property isFile what is read of it is for this command alone. */
  input: Readable & { isTTY?: boolean; isFile?: boolean };
  output: TerminalOrNot;
  /** For everything that is no result: progress, questions, why something failed. */
  errors: TerminalOrNot;
  /** Aborted by the first Ctrl-C. Whoever asks for it must end by itself soon after; a second Ctrl-C ends the process. */
  interrupted(): AbortSignal;
  /** Waits so long, or until the signal is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How a command ends. What it could not do at all is thrown as NotRun. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'All is well: everything was delivered, or done as asked.' },
  found: {
    code: 1,
    meaning: 'It ran, and something is not well: rows to correct, a refusal, a failed example, a decision to make.',
  },
  notRun: { code: 2, meaning: 'It could not run: wrong arguments, no such file, bridge not reached, key refused.' },
  interrupted: { code: 130, meaning: 'Ctrl-C. What was taken in goes on without the command.' },
  unread: { code: 141, meaning: 'Whoever read its output, such as head, had enough. It may not have done all of it.' },
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]['code'];

/** The bridge was asked and said no, in words. */
export class Refused extends Error {}

/** Ctrl-C, at a question. */
export class Interrupted extends Error {}

export function processSurroundings(): Surroundings {
  const controller = new AbortController();
  let isWatched = false;
  return {
    environment: process.env,
    fetch,
    input: Object.assign(process.stdin, { isFile: isFile(0) }),
    output: process.stdout,
    errors: process.stderr,
    interrupted() {
      if (!isWatched) {
        isWatched = true;
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
      }
      return controller.signal;
    },
    pause: (ms, signal) => setTimeout(ms, undefined, signal && { signal }).catch(() => undefined),
  };
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false; // it is closed
  }
}
