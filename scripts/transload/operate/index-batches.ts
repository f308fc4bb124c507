/** `index`: the list of batches of a running bridge made anew from what its batches say, page by page until it is done. */
import { openBridge } from '../bridge.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';

export async function rebuildIndex(
  surroundings: Surroundings,
  options: BridgeOptions & { cursor?: string },
): Promise<ExitCode> {
  const { output, errors } = surroundings;
  const bridge = openBridge(options, surroundings);
  let [written, removed, failed] = [0, 0, 0];
  for (let cursor = options.cursor ?? null; ; ) {
    const page = await bridge.call('POST /v1/ops/batches/reindex', { query: { cursor } });
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
  return failed > 0 ? EXIT_CODES.found.code : EXIT_CODES.done.code;
}
