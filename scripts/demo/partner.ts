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
  /** Polls until the batch has ended. */
  watch(batchId: string, seen: (now: BatchSummary) => void): Promise<BatchSummary>;
  wrongRows(batchId: string): Promise<BatchRow[]>;
}

const POLL_MS = 200;
/** Ours: a demo that has not ended by then says so instead of waiting for ever. */
const WATCH_MS_MAX = 5 * 60_000;

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
      for (const untilMs = Date.now() + WATCH_MS_MAX; ; ) {
        const now = await ask<BatchSummary>(`/v1/batches/${batchId}`);
        seen(now);
        if (now.state === 'settled' || now.state === 'unreadable' || Date.now() > untilMs) return now;
        await pause(POLL_MS);
      }
    },
    async wrongRows(batchId) {
      const { rows } = await ask<{ rows: BatchRow[] }>(`/v1/batches/${batchId}/rows?state=invalid,rejected,dead,held`);
      return rows;
    },
  };
}
