/**
 * Makes the list of batches of a running bridge anew from what its batches say, page by page until it is done.
 *
 * Usage: npm run index -- [--url URL] [--key KEY] [--environment test|production] [--cursor CURSOR]
 *   (or TRANSLOAD_URL and TRANSLOAD_OPS_KEY in the environment). Uploads and deliveries go on meanwhile.
 * Exit: 0 done; 1 some batches could not be asked, and keep the row they have; 2 could not run: what was shown last says where
 *   to go on.
 */
import { parseArgs } from 'node:util';
import { EXIT, reasonFor } from './frame/command.ts';
import { BRIDGE_OPTIONS, bridgeIn } from './mapping/arguments.ts';
import { type OpsClient, opsClient } from './mapping/client.ts';
import type { Surroundings } from './mapping.ts';

interface Page {
  written: number;
  removed: number;
  failed: { partner: string; batchId: string }[];
  next: string | null;
}

/** @param args as on the command line, without the program. @returns the exit code. */
export async function runIndex(args: string[], { environment, fetch, output, errors }: Surroundings): Promise<number> {
  try {
    const options = { ...BRIDGE_OPTIONS, cursor: { type: 'string' } } as const;
    const { values } = parseArgs({ args, options });
    const client = opsClient(bridgeIn(values, environment), fetch);
    let [written, removed, failed] = [0, 0, 0];
    for (let cursor = values.cursor ?? null; ; ) {
      const page = await pageBehind(client, cursor);
      written += page.written;
      removed += page.removed;
      failed += page.failed.length;
      for (const { partner, batchId } of page.failed) errors.write(`${batchId} of ${partner} could not be asked\n`);
      if (page.next === null) break;
      cursor = new URL(page.next, 'http://bridge').searchParams.get('cursor');
      output.write(`${written} written, ${removed} removed; goes on with --cursor ${cursor}\n`);
    }
    output.write(`Done: ${written} batches written, ${removed} rows of batches that are gone removed.\n`);
    if (failed > 0) errors.write(`${failed} could not be asked. Run it again later.\n`);
    return failed > 0 ? EXIT.found : EXIT.done;
  } catch (thrown) {
    errors.write(`${reasonFor(thrown)}\n`);
    return EXIT.notRun;
  }
}

function pageBehind(client: OpsClient, cursor: string | null): Promise<Page> {
  const query: Record<string, string> = cursor === null ? {} : { cursor };
  return client.json<Page>({ method: 'POST', path: '/v1/ops/batches/reindex', query });
}

if (import.meta.main) {
  process.exitCode = await runIndex(process.argv.slice(2), {
    environment: process.env,
    fetch,
    output: process.stdout,
    errors: process.stderr,
  });
}
