/** Runs the commands of a document as a reader would: in a checkout of one's own, with what stands for something filled in. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';

/** What a reader puts in the place of what a document shows, such as an address. */
export type Filled = readonly (readonly [shown: string | RegExp, real: string])[];

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Shell {
  folder: string;
  write(file: string, text: string): void;
  /** What it sets lasts, as it does in a terminal. */
  run(command: string, filled: Filled): Promise<Ran>;
  remove(): void;
}

const COPIED = ['src', 'scripts', 'mappings', 'package.json', 'tsconfig.json', 'wrangler.toml'];
const COMMAND_MS_MAX = 60_000;
const LASTS = /^(?:export )?(?:[A-Z_]+=\S* ?)+$/;

/** `curl` says an answer that is no 2xx by its exit code; the command is the one of this checkout. */
const FUNCTIONS = `curl() { command curl --silent --show-error --fail-with-body "$@"; }
transload() { command node --disable-warning=ExperimentalWarning "$CHECKOUT/scripts/transload.ts" "$@"; }
`;

export function openShell(environment: Record<string, string>): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'transload-reader-'));
  for (const path of COPIED) cpSync(join(PROJECT_ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    CHECKOUT: folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    NO_COLOR: '1',
    ...environment,
  };
  let exported = '';
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    run(command, filled) {
      const text = filled.reduce((now, [shown, real]) => now.replaceAll(shown, real), command);
      if (LASTS.test(text)) exported += `${text}\n`;
      return new Promise((done) => {
        const child = execFile(
          'bash',
          ['-c', `${FUNCTIONS}${exported}${text}`],
          { cwd: folder, env: env as NodeJS.ProcessEnv, timeout: COMMAND_MS_MAX },
          (error, stdout, stderr) =>
            done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }),
        );
        child.stdin?.end();
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
