/** Partners of the worker tests: a key in the directory, and HTTP as that partner. */
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import type { Environment } from '../../src/kernel/names.ts';
import { sha256Hex } from '../../src/kernel/secret.ts';
import { newKey } from '../../src/ops/directory/keys.ts';
import { bridge } from './bridge.ts';
import { migratedDirectory } from './directory.ts';
import { PATIENCE } from './loads.ts';
import { headersOf, once, signedIn } from './sessions.ts';

export const ORIGIN = 'https://bridge.example';

export interface KeyWanted {
  partner: string;
  environment: Environment;
  channel: string;
  scacs: string[];
  mappings: string[] | null;
  expiresAt: string | null;
}

export interface Partner {
  key: string;
  keyId: string;
  name: string;
  environment: Environment;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  getJson<T>(path: string): Promise<T>;
  /** PUTs a file; `query` is added to the address. */
  upload(file: BodyInit, query?: Record<string, string>, init?: RequestInit): Promise<Response>;
  /** Uploads a file that must be taken. */
  receipt(file: BodyInit, query?: Record<string, string>): Promise<Receipt>;
  summary(batchId: string): Promise<BatchSummary>;
  reaches(batchId: string, state: BatchSummary['state']): Promise<BatchSummary>;
  rows(batchId: string, query?: string): Promise<BatchRow[]>;
}

export interface Receipt {
  batchId: string;
  sha256: string;
  bytes: number;
  receivedAt: string;
  replayed: boolean;
  links: Record<'self' | 'rows' | 'reportCsv' | 'reportJson' | 'corrections' | 'source' | 'console', string>;
}

let made = 0;

/** A partner with a key of its own. Names differ from test to test, so that nothing left over is met again. */
export async function aPartner(wanted: Partial<KeyWanted> = {}): Promise<Partner> {
  made += 1;
  await migratedDirectory();
  const environment = wanted.environment ?? 'test';
  const row: KeyWanted = {
    partner: `partner-${made}`,
    environment,
    channel: environment === 'test' ? 'plain' : 'live',
    scacs: ['DEMO'],
    mappings: null,
    expiresAt: null,
    ...wanted,
  };
  const { key, keyId, secret } = newKey(environment, crypto.getRandomValues(new Uint8Array(40)));
  await env.DIRECTORY.batch([
    env.DIRECTORY.prepare('INSERT OR IGNORE INTO partner VALUES (?, ?, ?, 1)').bind(row.partner, row.partner, 'now'),
    env.DIRECTORY.prepare('INSERT INTO partner_key VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, NULL)').bind(
      keyId,
      row.partner,
      row.environment,
      await sha256Hex(new TextEncoder().encode(secret)),
      row.channel,
      JSON.stringify(row.scacs),
      row.mappings === null ? null : JSON.stringify(row.mappings),
      'now',
      row.expiresAt,
      new Date().toISOString(), // used just now: its use is not noted again while a test ends
    ),
  ]);
  return asPartner({ key, keyId, name: row.partner, environment });
}

/** Whoever has this key. */
export const asHolder = (key: string): Partner => asPartner({ key, keyId: '', name: '', environment: 'test' });

function asPartner(identity: Pick<Partner, 'key' | 'keyId' | 'name' | 'environment'>): Partner {
  const cookie = once(() => signedIn({ kind: 'key', keyId: identity.keyId }));
  const fetchAs: Partner['fetch'] = async (path, init = {}) => {
    const headers = await headersOf(path, init, { key: identity.key, cookie });
    return bridge(ORIGIN + path, { ...init, headers });
  };
  const getJson = async <T>(path: string): Promise<T> => {
    const answer = await fetchAs(path);
    expect(answer.status, `GET ${path}`).toBe(200);
    return answer.json<T>();
  };
  const upload: Partner['upload'] = (file, query = {}, init = {}) => {
    const search = new URLSearchParams({ mapping: 'carrier-status-csv', ...query });
    return fetchAs(`/v1/batches?${search}`, { method: 'PUT', body: file, ...init });
  };
  const summary: Partner['summary'] = (batchId) => getJson(`/v1/batches/${batchId}`);
  return {
    ...identity,
    fetch: fetchAs,
    getJson,
    upload,
    receipt: async (file, query) => {
      const answer = await upload(file, query);
      expect(answer.status).toBe(202);
      return answer.json<Receipt>();
    },
    summary,
    reaches: (batchId, state) =>
      vi.waitFor(async () => {
        const found = await summary(batchId);
        expect(found.state).toBe(state);
        return found;
      }, PATIENCE),
    rows: async (batchId, query = '') =>
      (await getJson<{ rows: BatchRow[] }>(`/v1/batches/${batchId}/rows?limit=500${query}`)).rows,
  };
}

/** A problem document as every refusal is. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  fix?: string;
  requestId: string;
}

/** Asserts the shape every refusal has. */
export async function problemOf(answer: Response): Promise<ProblemDocument> {
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
  const problem = await answer.json<ProblemDocument>();
  expect(problem).toMatchObject({
    type: `/problems/${problem.code}`,
    status: answer.status,
    title: expect.stringMatching(/\S/),
    detail: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z_]+$/),
    requestId: answer.headers.get('X-Request-Id') ?? 'a request id',
  });
  expect(JSON.stringify(problem)).not.toMatch(/\bat .*\.ts\b|node_modules|Error:/);
  return problem;
}
