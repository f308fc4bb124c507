/** What the browser tests do as an operator before they look at a page: over the API, as a program would. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { acme, staged } from './stage.ts';

/** A change, which must succeed. */
export async function operate<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { baseUrl, keys } = staged();
  const answer = await fetch(`${baseUrl}${path}${path.includes('?') ? '&' : '?'}environment=test`, {
    method,
    headers: { Authorization: `Bearer ${keys.operator}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.ok, `${method} ${path}: ${text}`).toBe(true);
  return JSON.parse(text) as T;
}

/** Of the sandbox. */
export async function putSandbox(what: 'faults' | 'settings', value: unknown): Promise<void> {
  const answer = await fetch(`${staged().sandboxUrl}/_sandbox/${what}`, { method: 'PUT', body: JSON.stringify(value) });
  expect(answer.ok, await answer.text()).toBe(true);
}

const JOURNAL_PAGE = 1_000;

/** Bodies that the sandbox was sent with a text in them. */
export async function sentWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${staged().sandboxUrl}/_sandbox/journal?after=${after}&limit=${JOURNAL_PAGE}`);
    const { entries, next } = (await answer.json()) as { entries: { body: string | null }[]; next: number };
    if (entries.length === 0) return found;
    found.push(...entries.flatMap(({ body }) => (body?.includes(text) ? [body] : [])));
    after = next;
  }
}

/** A file of `acme`, uploaded and watched to its end. @returns its batch. */
export async function uploaded(fileName: string, mapping: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-page-'));
  try {
    const path = join(folder, fileName);
    writeFileSync(path, text);
    const { batchId } = await acme().upload(path, mapping);
    await acme().watch(batchId, () => undefined);
    return batchId;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until it does not throw any more. */
export async function eventually<T>(work: () => Promise<T>, msMax = 40_000): Promise<T> {
  const untilMs = Date.now() + msMax;
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if (Date.now() > untilMs) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
