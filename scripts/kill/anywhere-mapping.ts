/** Orders whose rows may stand anywhere: the shipped mapping of orders with that one change, published as an operator would. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { callsWith } from '../local/client.ts';
import { executeOnDirectory } from '../local/directory.ts';
import { makeOpsKey } from '../local/ops-keys.ts';
import type { Stack } from '../local/stack.ts';

export const ADJACENT_MAPPING = 'orders-csv';
export const ANYWHERE_MAPPING = 'orders-anywhere-csv';

/** Stops the bridge for a moment: a new operator's key goes into its directory. */
export async function publishAnywhere(stack: Stack): Promise<void> {
  const { key, sql } = makeOpsKey({ name: 'Kill', role: 'operator', environments: ['test'] });
  await stack.bridge.stop();
  await executeOnDirectory({ persistTo: stack.persistTo }, sql);
  await stack.startBridge();
  const shipped = readFileSync(join(PROJECT_ROOT, 'mappings', `${ADJACENT_MAPPING}.yaml`), 'utf8');
  const [kept = ''] = shipped.split(/^ {2}- about: A wrong line/m); // that example says what only adjacent groups do
  const document = kept
    .replace(`mapping: ${ADJACENT_MAPPING}`, `mapping: ${ANYWHERE_MAPPING}`)
    .replace('order: adjacent', 'order: anywhere');
  const path = `/v1/ops/mappings/${ANYWHERE_MAPPING}?environment=test&shared=true`;
  await callsWith(() => stack.bridge.baseUrl, key).text(path, { method: 'PUT', body: document });
}
