/** What a deploy would upload. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';

it('has no fail points: the harness alone puts them in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'transload-bundle-'));
  const bundled = (...more: string[]): string => {
    const wrangler = join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js');
    const args = [wrangler, 'deploy', '--dry-run', '--outdir', folder, ...more];
    execFileSync(process.execPath, args, { cwd: PROJECT_ROOT, stdio: 'pipe' });
    return readFileSync(join(folder, 'index.js'), 'utf8');
  };
  try {
    // Whether it calls the harness: tested apart, so that a failure does not print the bundle.
    const calls = (bundle: string, address: string): boolean => bundle.includes(`fetch(\`${address}/\${`);
    const deployed = bundled();
    expect([calls(deployed, 'null'), deployed.includes('FAILPOINT_URL')]).toEqual([false, false]);
    expect(calls(bundled('--define', 'FAILPOINT_URL:"http://127.0.0.1:1"'), 'http://127.0.0.1:1')).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
