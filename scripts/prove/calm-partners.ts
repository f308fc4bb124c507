/** Partners that send a small file now and then, and ask what became of it until it is settled; and what they feel. */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { isSettled, type KeyCalls, pause } from '../local/client.ts';
import { rowsFile } from './hostile-partner.ts';

/** Times in ms. @property accepted until a file had its receipt. settled: from the same moment on. get: of one look at a batch. */
export interface Felt {
  accepted: number[];
  settled: number[];
  get: number[];
  /** Of the files that had a receipt. */
  loads: string[];
  /** What went wrong, a line each. */
  failed: string[];
}

const ROWS = 3;
/** Of all partners together: about a third of what one machine can do. */
const FILES_PER_SECOND = 2;
/** The first look, and between later ones at most: whoever waits long asks seldom, and stays within the limits of a key. */
const POLL_MS = { first: 200, most: 3_000 };
const POLL_GROWTH = 1.5;
const SETTLE_MS_MAX = 90_000;

/** @param name of what they send in this part of the run: no load comes in two of them. */
export async function workingCalmly(partners: readonly KeyCalls[], name: string, seconds: number): Promise<Felt> {
  const felt: Felt = { accepted: [], settled: [], get: [], loads: [], failed: [] };
  const everyMs = (partners.length / FILES_PER_SECOND) * 1_000;
  const untilMs = Date.now() + seconds * 1_000;
  const working = async (calls: KeyCalls, at: number): Promise<void> => {
    await pause(Math.random() * everyMs);
    for (let file = 0; Date.now() < untilMs; file += 1) {
      const startedMs = performance.now();
      await oneFile(calls, `CALM-${name}${at}F${file}`, felt).catch((thrown) =>
        felt.failed.push(String(thrown).slice(0, 200)),
      );
      await pause(everyMs - (performance.now() - startedMs));
    }
  };
  await Promise.all(partners.map(working));
  return felt;
}

/** What their loads look like in a request. */
export const CALM_LOADS = /CALM-\w+-\d+/g;

/** Sends it and looks until it is settled. @param prefix of its loads. */
export async function oneFile(calls: KeyCalls, prefix: string, felt: Felt): Promise<void> {
  const startedMs = performance.now();
  const sinceMs = (fromMs: number): number => performance.now() - fromMs;
  const init = { method: 'PUT', body: rowsFile(prefix, ROWS) };
  const { batchId } = await calls.json<{ batchId: string }>('/v1/batches?mapping=carrier-status-csv&scac=DEMO', init);
  felt.accepted.push(sinceMs(startedMs));
  felt.loads.push(...Array.from({ length: ROWS }, (_, row) => `${prefix}-${row}`));
  for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * POLL_GROWTH, POLL_MS.most)) {
    await pause(waitMs);
    const fromMs = performance.now();
    const summary = await calls.json<BatchSummary>(`/v1/batches/${batchId}`);
    felt.get.push(sinceMs(fromMs));
    const isDone = isSettled(summary);
    if (isDone || sinceMs(startedMs) > SETTLE_MS_MAX) {
      felt.settled.push(sinceMs(startedMs));
      if (summary.rowStates.delivered !== ROWS) felt.failed.push(`${batchId}: ${JSON.stringify(summary.rowStates)}`);
      return;
    }
  }
}
