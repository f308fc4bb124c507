/** What a partner and an operator ask of the bridge whose state is kept, or goes on. Plain HTTP. */
import { callsWith, pause } from '../local/client.ts';

export interface KeptClient {
  /** As the partner; throws where the answer is no 2xx. */
  partner<T = Record<string, unknown>>(path: string, init?: RequestInit): Promise<T>;
  ops<T = Record<string, unknown>>(path: string, method?: string, body?: unknown): Promise<T>;
  upload(mapping: string, fileName: string, text: string): Promise<{ batchId: string; replayed: boolean }>;
}

export function keptClient(bridgeUrl: string, keys: { partner: string; ops: string }): KeptClient {
  const partner = callsWith(() => bridgeUrl, keys.partner).json;
  const ops = callsWith(() => bridgeUrl, keys.ops).json;
  return {
    partner,
    ops: (path, method = 'GET', body = undefined) =>
      ops(path, {
        method,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `kept ${method} ${path}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    upload: (mapping, fileName, text) =>
      partner(`/v1/batches?mapping=${mapping}&fileName=${fileName}`, { method: 'PUT', body: text }),
  };
}

/** Asks until it is so. @throws with what was answered last where it is not in time. */
export async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean, withinMs = 60_000): Promise<T> {
  for (const untilMs = Date.now() + withinMs; ; ) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (Date.now() > untilMs) throw new Error(`not in time; last: ${JSON.stringify(answer).slice(0, 2_000)}`);
    await pause(100);
  }
}
