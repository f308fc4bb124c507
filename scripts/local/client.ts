/** A partner, or an operator, of a bridge on this machine. Plain HTTP. */
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, Math.max(0, ms)));

/** Calls with a key. They throw where the answer is no 2xx, with what it said. */
export interface KeyCalls {
  text(path: string, init?: RequestInit): Promise<string>;
  json<T>(path: string, init?: RequestInit): Promise<T>;
}

/** @param address of the bridge that runs now: it changes with every restart. */
export function callsWith(address: () => string, key: string): KeyCalls {
  const text = async (path: string, init: RequestInit = {}): Promise<string> => {
    const headers = { Authorization: `Bearer ${key}`, ...init.headers };
    const answer = await fetch(address() + path, { ...init, headers });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path} was answered ${answer.status}:\n${said}`);
    return said;
  };
  return { text, json: async <T>(path: string, init?: RequestInit) => JSON.parse(await text(path, init)) as T };
}

/** The harnesses' partner: uploads, asks what became of a batch, fetches its rows and its report. */
export interface HarnessClient {
  /** @returns the batch's id. */
  put(file: string, mapping: string): Promise<string>;
  /** A message under a key of its own. @returns the id of the batch it shares. */
  post(text: string, mapping: string, idempotencyKey: string): Promise<string>;
  summary(batchId: string): Promise<BatchSummary>;
  rows(batchId: string): Promise<BatchRow[]>;
  /** The report as CSV text. */
  report(batchId: string): Promise<string>;
  /** Asks until every batch is done or the time is over. @returns how they stand then. */
  drain(
    ids: readonly string[],
    isDone: (now: BatchSummary) => boolean,
    msMax: number,
    seen?: (now: readonly BatchSummary[]) => void,
  ): Promise<BatchSummary[]>;
}

const POLL_MS = 300;
const PUT_TRIES = 5;
const PUT_PAUSE_MS = 1_000;

export const isSettled = ({ state }: BatchSummary): boolean => state === 'settled';

/** Settled, or nothing is open but what a person decides. A batch of which all has ended settles in a moment. */
export const isSettledOrHeld = ({ state, requestStates }: Pick<BatchSummary, 'state' | 'requestStates'>): boolean =>
  state === 'settled' ||
  (state === 'delivering' &&
    (requestStates.held ?? 0) > 0 &&
    (['queued', 'sending', 'waiting', 'unknown'] as const).every((open) => (requestStates[open] ?? 0) === 0));

/** @param address of the bridge that runs now: it changes with every restart. */
export function harnessClient(address: () => string, key: string): HarnessClient {
  const { text, json } = callsWith(address, key);
  const summary = (batchId: string) => json<BatchSummary>(`/v1/batches/${batchId}`);
  // Without a receipt a partner sends the same again: a bridge that has just been started may have none to give.
  const sent = async (path: string, init: RequestInit): Promise<string> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await json<{ batchId: string }>(path, init)).batchId;
      } catch (thrown) {
        if (tries >= PUT_TRIES) throw thrown;
        await pause(PUT_PAUSE_MS);
      }
    }
  };
  return {
    summary,
    put: (file, mapping) => sent(`/v1/batches?mapping=${mapping}`, { method: 'PUT', body: file }),
    post: (message, mapping, idempotencyKey) =>
      sent(`/v1/messages?mapping=${mapping}`, {
        method: 'POST',
        body: message,
        headers: { 'Idempotency-Key': idempotencyKey },
      }),
    report: (batchId) => text(`/v1/batches/${batchId}/report.csv`),
    async drain(ids, isDone, msMax, seen) {
      for (const untilMs = Date.now() + msMax; ; await pause(POLL_MS)) {
        const now = await Promise.all(ids.map(summary));
        seen?.(now);
        if (now.every(isDone) || Date.now() > untilMs) return now;
      }
    },
    async rows(batchId) {
      const all: BatchRow[] = [];
      for (let next: string | null = `/v1/batches/${batchId}/rows?limit=500`; next !== null; ) {
        const page: { rows: BatchRow[]; next: string | null } = await json(next);
        all.push(...page.rows);
        next = page.next;
      }
      return all;
    },
  };
}
