/** What a partner and an operator ask of the bridge whose state is kept, or goes on. Plain HTTP. */
export interface KeptClient {
  /** As the partner; throws where the answer is no 2xx. */
  partner<T = Record<string, unknown>>(path: string, init?: RequestInit): Promise<T>;
  ops<T = Record<string, unknown>>(path: string, method?: string, body?: unknown): Promise<T>;
  upload(mapping: string, fileName: string, text: string): Promise<{ batchId: string; replayed: boolean }>;
}

export function keptClient(bridgeUrl: string, keys: { partner: string; ops: string }): KeptClient {
  const ask = async <T>(path: string, key: string, init: RequestInit): Promise<T> => {
    const headers = { Authorization: `Bearer ${key}`, ...init.headers };
    const answer = await fetch(bridgeUrl + path, { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    partner: (path, init = {}) => ask(path, keys.partner, init),
    ops: (path, method = 'GET', body = undefined) =>
      ask(path, keys.ops, {
        method,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `kept ${method} ${path}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    upload: (mapping, fileName, text) =>
      ask(`/v1/batches?mapping=${mapping}&fileName=${fileName}`, keys.partner, { method: 'PUT', body: text }),
  };
}

/** Asks until it is so. @throws with what was answered last where it is not in time. */
export async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean, withinMs = 60_000): Promise<T> {
  for (const untilMs = Date.now() + withinMs; ; ) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (Date.now() > untilMs) throw new Error(`not in time; last: ${JSON.stringify(answer).slice(0, 2_000)}`);
    await new Promise((wait) => setTimeout(wait, 100));
  }
}
