/** What a partner's own script would do: upload a file, watch its batch, fetch the rows that are wrong. Plain HTTP. */
import { readFileSync } from 'node:fs';
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import { callsWith, pause } from '../local/client.ts';

export interface SeenBatch extends BatchSummary {
  partner: string;
  file: string;
}

export interface PartnerClient {
  upload(
    path: string,
    mapping: string,
    dryRun?: boolean,
  ): Promise<{ batchId: string; bytes: number; sha256: string; replayed: boolean }>;
  /** Polls until the batch has ended, or nothing happens with it any more. */
  watch(batchId: string, seen: (now: BatchSummary) => void): Promise<BatchSummary>;
  wrongRows(batchId: string): Promise<BatchRow[]>;
}

const POLL_MS = 200;
/** A batch with which nothing happens for so long is given up. However long it takes, its counts move meanwhile. */
const STILL_MS_MAX = 5 * 60_000;

export function partnerClient(bridgeUrl: string, key: string): PartnerClient {
  const { json: ask } = callsWith(() => bridgeUrl, key);
  return {
    upload: (path, mapping, dryRun = false) =>
      ask(
        `/v1/batches?mapping=${mapping}&dryRun=${dryRun}&fileName=${encodeURIComponent(path.split('/').at(-1) ?? '')}`,
        {
          method: 'PUT',
          body: readFileSync(path),
        },
      ),
    async watch(batchId, seen) {
      for (let [before, movedMs] = ['', Date.now()]; ; ) {
        const now = await ask<BatchSummary>(`/v1/batches/${batchId}`);
        seen(now);
        const counts = JSON.stringify([now.rows, now.requestStates]);
        if (counts !== before) [before, movedMs] = [counts, Date.now()];
        if (now.state === 'settled' || now.state === 'unreadable' || Date.now() - movedMs > STILL_MS_MAX) return now;
        await pause(POLL_MS);
      }
    },
    async wrongRows(batchId) {
      const { rows } = await ask<{ rows: BatchRow[] }>(`/v1/batches/${batchId}/rows?state=invalid,rejected,dead,held`);
      return rows;
    },
  };
}
