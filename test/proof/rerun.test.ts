/** Every shipped sample, taken over real HTTP and made again: the same requests, byte for byte, and nothing sent. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelName } from '../../scripts/local/bridge.ts';
import { executeOnDirectory } from '../../scripts/local/directory.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import { type Stack, startStack } from '../../scripts/local/stack.ts';

const SAMPLES = join(import.meta.dirname, '../../fixtures/samples');

let stack: Stack;
let opsKey = '';
beforeAll(async () => {
  stack = await startStack({
    partners: [
      {
        partner: 'samples',
        displayName: 'Samples',
        environment: 'test',
        channel: channelName('test', 'key'),
        scacs: ['DEMO'],
        mappings: null,
      },
    ],
    timeScale: 60,
  });
  const { key, sql } = makeOpsKey({ name: 'Test', role: 'viewer', environments: ['test'] });
  opsKey = key;
  await stack.bridge.stop();
  await executeOnDirectory({ persistTo: stack.persistTo }, sql);
  await stack.startBridge();
});
afterAll(() => stack?.stop());

async function asked<T>(path: string, key: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(stack.bridge.baseUrl + path, { ...init, headers: { Authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

describe.each(readdirSync(SAMPLES))('%s', (file) => {
  it('gives the same requests when it is made again', async () => {
    const [key = ''] = stack.keys;
    const [mapping] = file.split('.');
    const body = readFileSync(join(SAMPLES, file));
    const { batchId } = await asked<{ batchId: string }>(`/v1/batches?mapping=${mapping}`, key, {
      method: 'PUT',
      body,
    });
    for (;;) {
      const { state } = await asked<{ state: string }>(`/v1/batches/${batchId}`, key);
      if (state !== 'reading') break;
      await new Promise((wait) => setTimeout(wait, 100));
    }
    const again = await asked<{ different: unknown[]; counts: { rows: number; same: number } }>(
      `/v1/ops/batches/${batchId}/rerun`,
      opsKey,
    );
    expect(again.different).toEqual([]);
    expect(again.counts.rows).toBeGreaterThan(10);
    expect(again.counts.same).toBe(again.counts.rows);
  }, 60_000);
});
