/**
 * Starts a Worker under `wrangler dev` on a free loopback port and hands back its address and its end.
 *
 * With a `persistTo` of the caller's, state survives a stop or a kill and the next start finds it; without one it lives
 * in a temporary folder that goes with the process.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { freePort, launch, type RunningWorker } from './running.ts';

interface StartWorker {
  /** Relative to the project root, e.g. `wrangler.sandbox.toml`. */
  config: string;
  /** Over the `[vars]` of the configuration. */
  vars?: Record<string, string>;
  /** As `wrangler secret` would set them. No single quotes, no line breaks. */
  secrets?: Record<string, string>;
  persistTo?: string;
  /** Any answer counts as started. */
  readyPath: string;
}

/** It bundles first. */
const START_MS_MAX = 60_000;

export async function startWorker(options: StartWorker): Promise<RunningWorker> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-dev-'));
  const persistTo = options.persistTo ?? join(folder, 'state');
  mkdirSync(persistTo, { recursive: true });
  const port = await freePort();
  const args = ['dev', '-c', options.config, '--port', String(port), '--ip', '127.0.0.1', '--persist-to', persistTo];
  args.push(
    '--inspector-port',
    '0',
    '--show-interactive-dev-session=false',
    '--env-file',
    writeSecrets(folder, options.secrets),
  );
  for (const [name, value] of Object.entries(options.vars ?? {})) args.push('--var', `${name}:${value}`);
  return launch({
    command: process.execPath,
    args: [join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js'), ...args],
    cwd: PROJECT_ROOT,
    env: { CI: '1', WRANGLER_SEND_METRICS: 'false' },
    port,
    persistTo,
    logPath: join(folder, 'dev.log'),
    readyPath: options.readyPath,
    startTimeoutMs: START_MS_MAX,
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  });
}

/** Always given, also empty: otherwise wrangler would read a developer's own `.dev.vars` into a test. */
function writeSecrets(folder: string, secrets: Record<string, string> = {}): string {
  const path = join(folder, 'secrets.env');
  writeFileSync(
    path,
    Object.entries(secrets)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
  return path;
}
