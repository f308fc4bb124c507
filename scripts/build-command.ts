/**
 * Builds `transload` as one file of JavaScript, for machines without this checkout: `npm pack` runs it, and
 * `npm install -g ./transload-….tgz` needs Node 22.2 or later (or 20.15 and later in version 20), and nothing else.
 *
 * Usage: npm run build:command
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PROJECT_ROOT } from './frame/kept-file.ts';

const FILE = join(PROJECT_ROOT, 'dist', 'transload', 'transload.mjs');

await build({
  entryPoints: [join(PROJECT_ROOT, 'scripts', 'transload.ts')],
  outfile: FILE,
  bundle: true,
  platform: 'node',
  target: 'node20.15',
  format: 'esm',
  charset: 'utf8',
  legalComments: 'eof',
  inject: [join(PROJECT_ROOT, 'scripts', 'transload', 'node-20.ts')],
  minifyWhitespace: true,
  // Some packages still ask for modules of Node by `require`.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
});
chmodSync(FILE, 0o755);
