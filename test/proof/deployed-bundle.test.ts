/** What a deploy would upload. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptBundle } from '../../scripts/local/kept-folders.ts';

it('has no fail points: the harness alone puts them in', async () => {
  const bundled = async (define: Record<string, string> = {}): Promise<string> =>
    readFileSync(join(await keptBundle('wrangler.toml', define), 'index.js'), 'utf8');
  // Whether it calls the harness: tested apart, so that a failure does not print the bundle.
  const calls = (bundle: string, address: string): boolean => bundle.includes(`fetch(\`${address}/\${`);
  const deployed = await bundled();
  expect([calls(deployed, 'null'), deployed.includes('FAILPOINT_URL')]).toEqual([false, false]);
  expect(calls(await bundled({ FAILPOINT_URL: '"http://127.0.0.1:1"' }), 'http://127.0.0.1:1')).toBe(true);
}, 180_000);
