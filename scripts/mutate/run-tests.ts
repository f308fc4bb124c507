/** One process of tests, and the server that it speaks with; a process in which nothing moves any more is ended. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { env, execPath, kill } from 'node:process';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { FOLDER } from './kept.ts';
import type { Answers, Begun, Covered, Step } from './talk.ts';
import type { RunOrders } from './vitest.config.ts';

/** Without a word for so long, the process hangs. Ours: a runtime's start on a busy machine, and the longest test. */
const QUIET_MS_MAX = 150_000;
const LOOK_MS = 2_000;

interface Talk {
  plan(file: string): string[] | null;
  live(test: string): Answers['live']['live'];
  covered(covered: Covered): void;
  /** All of a file's tests were run. */
  done(file: string): void;
  /** @returns whether nothing in the process can be relied on any more: it is ended. */
  step(step: Step): boolean;
}

/** @returns the mutants that were active when the process ended by itself, or hung. */
export async function runTests(orders: Omit<RunOrders, 'url'>, talk: Talk): Promise<number[]> {
  const begun = new Map<string, number>();
  let isSpoilt = false;
  let heardMs = performance.now();
  const server = await serve((path, body) => {
    heardMs = performance.now();
    if (isSpoilt) return {};
    isSpoilt = path === '/step' && tellStep(body as Step, talk, begun);
    if (isSpoilt) end();
    return path === '/step' ? {} : answerOf(path, body, talk, begun);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let pid: number | undefined;
  const end = (): void => {
    if (pid !== undefined) kill(-pid, 'SIGKILL'); // its own group: the runtimes that it started with it
    pid = undefined;
  };
  mkdirSync(join(PROJECT_ROOT, FOLDER), { recursive: true });
  const log = openSync(join(PROJECT_ROOT, FOLDER, 'run.log'), 'a');
  const vitest = join(PROJECT_ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(
    execPath,
    [vitest, 'run', '--config', 'scripts/mutate/vitest.config.ts', '--reporter=dot', '--silent'],
    {
      cwd: PROJECT_ROOT,
      stdio: ['ignore', log, log],
      detached: true,
      env: {
        ...env,
        TRANSLOAD_MUTATION: JSON.stringify({ ...orders, url }),
        NO_COLOR: '1',
        WRANGLER_SEND_METRICS: 'false',
      },
    },
  );
  pid = child.pid;
  const stop = (): void => {
    end();
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const watch = setInterval(() => performance.now() - heardMs > QUIET_MS_MAX && end(), LOOK_MS);
  await new Promise((resolve) => child.on('exit', resolve));
  clearInterval(watch);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  server.closeAllConnections();
  server.close();
  return isSpoilt ? [] : [...begun.values()];
}

function answerOf(path: string, body: unknown, talk: Talk, begun: Map<string, number>): Answers[keyof Answers] {
  if (path === '/plan') return { tests: talk.plan((body as { file: string }).file) };
  if (path === '/live') return { live: talk.live((body as { test: string }).test) };
  if (path === '/done') talk.done((body as { file: string }).file);
  else if (path === '/begin') begun.set((body as Begun).test, (body as Begun).id);
  else talk.covered(body as Covered);
  return {};
}

function tellStep(step: Step, talk: Talk, begun: Map<string, number>): boolean {
  begun.delete(step.test);
  return talk.step(step);
}

async function serve(answer: (path: string, body: unknown) => object): Promise<Server> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const made = answer(request.url ?? '', JSON.parse(Buffer.concat(parts).toString()));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(made));
    });
  });
  // A test that keeps its process busy for longer than an idle connection is kept would find it closed, and end the run.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
