/** Those who operate the bridge, in the worker tests: a key in the directory, and HTTP as its holder. */
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { Environment } from '../../src/kernel/names.ts';
import { sha256Hex } from '../../src/kernel/secret.ts';
import type { OpsRole } from '../../src/ops/directory/directory.ts';
import { newOpsKey } from '../../src/ops/directory/keys.ts';
import { bridge } from './bridge.ts';
import { migratedDirectory } from './directory.ts';
import { ORIGIN } from './partners.ts';
import { aPerson, headersOf, once, signedIn } from './sessions.ts';

export interface OpsKeyWanted {
  name: string;
  role: OpsRole;
  environments: Environment[];
  expiresAt: string | null;
}

export interface Operator {
  key: string;
  keyId: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  getJson<T>(path: string): Promise<T>;
  /** A request with a body, whose answer must be 200. */
  done<T>(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<T>;
}

export async function anOperator(wanted: Partial<OpsKeyWanted> = {}): Promise<Operator> {
  await migratedDirectory();
  const row: OpsKeyWanted = {
    name: 'Analyst',
    role: 'operator',
    environments: ['test'],
    expiresAt: null,
    ...wanted,
  };
  const { key, keyId, secret } = newOpsKey(crypto.getRandomValues(new Uint8Array(40)));
  await env.DIRECTORY.prepare('INSERT INTO ops_key VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, NULL)')
    .bind(
      keyId,
      row.name,
      row.role,
      JSON.stringify(row.environments),
      await sha256Hex(new TextEncoder().encode(secret)),
      'now',
      row.expiresAt,
      new Date().toISOString(), // used just now: its use is not noted again while a test ends
    )
    .run();
  const cookie = once(async () => signedIn({ kind: 'person', personId: await aPerson(row) }));
  const fetchAs: Operator['fetch'] = async (path, init = {}) => {
    const headers = await headersOf(path, init, { key, cookie });
    return bridge(ORIGIN + path, { ...init, headers });
  };
  const whole = async <T>(answer: Response, what: string): Promise<T> => {
    expect(answer.status, `${what}: ${answer.status === 200 ? '' : await answer.clone().text()}`).toBe(200);
    return answer.json<T>();
  };
  return {
    key,
    keyId,
    fetch: fetchAs,
    getJson: async (path) => whole(await fetchAs(path), `GET ${path}`),
    done: async (method, path, body, headers = {}) => {
      const init = { method, body: typeof body === 'string' ? body : JSON.stringify(body), headers };
      return whole(await fetchAs(path, init), `${method} ${path}`);
    },
  };
}
