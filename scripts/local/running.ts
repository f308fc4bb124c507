/**
 * A started server process and its end: what the starters of this folder have in common.
 *
 * Every server leads a process group of its own, and only that group is ever signalled, by its id.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';

export interface RunningWorker {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  baseUrl: string;
  port: number;
  /** Leader of the process group. */
  pid: number;
  persistTo: string;
  /** What the process wrote to stdout and stderr. */
  logPath: string;
  /** Ends the group and waits until it is gone. */
  stop(): Promise<void>;
  /** kill -9 of the whole group, at once; resolves when the port is free again. */
  kill(): Promise<void>;
}

interface Launch {
  command: string;
  args: string[];
  cwd: string;
  env?: Record<string, string>;
  port: number;
  persistTo: string;
  logPath: string;
  /** Any answer under this path counts as started, whatever its status. */
  readyPath: string;
  startTimeoutMs: number;
  /** Runs once the process is gone. */
  cleanUp?: () => void;
}

const POLL_MS = 50;
/** What a server gets to end in an orderly way before it is killed. */
const TERM_GRACE_MS = 3_000;

export async function launch(options: Launch): Promise<RunningWorker> {
  const { command, args, cwd, port, logPath } = options;
  const child = spawn(command, args, {
    cwd,
    detached: true, // a process group of its own
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logPath, { flags: 'a' });
  let tail = '';
  const keep = (chunk: Buffer): void => {
    log.write(chunk);
    tail = (tail + chunk.toString()).slice(-4_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const baseUrl = `http://127.0.0.1:${port}`;
  const lastResort = (): void => {
    signalGroup(child, 'SIGKILL');
    options.cleanUp?.();
  };
  process.prependOnceListener('exit', lastResort); // before its files are removed
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    await endGroup(child, signal);
    process.off('exit', lastResort);
    await until(() => isFree(port), TERM_GRACE_MS);
    options.cleanUp?.();
  };
  const answered = await until(
    async () => hasExited(child) || (await answers(baseUrl + options.readyPath)),
    options.startTimeoutMs,
  );
  if (!answered || hasExited(child)) {
    await end('SIGKILL');
    throw new Error(`${command} ${args.join(' ')} did not start on port ${port}:\n${tail}`);
  }
  return {
    baseUrl,
    port,
    pid: child.pid ?? 0,
    persistTo: options.persistTo,
    logPath,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** A port nobody listens on now. Another process may take it before it is used; then the start fails loudly. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** @param preferred taken when it is free. */
export const choosePort = async (preferred: number | undefined): Promise<number> =>
  preferred !== undefined && (await isFree(preferred)) ? preferred : freePort();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  signalGroup(child, signal);
  await until(() => hasExited(child), TERM_GRACE_MS);
  signalGroup(child, 'SIGKILL'); // a grandchild that outlived its leader
  await until(() => hasExited(child), TERM_GRACE_MS);
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

async function until(isDone: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadlineMs = Date.now() + timeoutMs;
  while (Date.now() < deadlineMs) {
    if (await isDone()) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return isDone();
}
