/** The app with stand-ins for its bindings: one partner, one batch, and a note of every object that was asked for. */

import { expect } from 'vitest';
import type { RowsQuery } from '../../../src/batch/core/row-filter.ts';
import type { BatchRow, BatchSummary } from '../../../src/batch/report/summary.ts';
import { consolePages } from '../../../src/console/pages.ts';
import { transloadApp } from '../../../src/http/app.ts';
import type { Principal, SignIn } from '../../../src/intake/ports.ts';
import { ok } from '../../../src/kernel/result.ts';
import { ConfigurationError, type UpstreamSettings } from '../../../src/upstream/settings.ts';
import { aSummary } from '../batch/samples.ts';
import { aPrincipal, CATALOG } from '../intake/samples.ts';
import { aChannel } from '../upstream/samples.ts';

export const KNOWN_ID = 'b_01kjp0000000000000000000aa';
export const OTHER_ID = 'b_01kjp0000000000000000000zz';
export const KEYS: Record<string, SignIn<Principal>> = {
  'acme-key': { outcome: 'known', principal: aPrincipal() },
  'acme-live-key': { outcome: 'known', principal: aPrincipal({ environment: 'production' }) },
  'other-key': { outcome: 'known', principal: aPrincipal({ partner: 'other' }) },
};

export interface Given {
  summary?: BatchSummary;
  rows?: BatchRow[];
  /** What asking the batch throws. */
  trouble?: Error;
  directory?: SignIn<Principal>;
  settings?: () => UpstreamSettings;
  /** Stored texts by key. */
  files?: ReadonlyMap<string, string>;
  /** What the register's list holds: newest first. */
  listed?: { batch_id: string; seq: number; ticket: string; state: string }[];
}

const nothing = async () => ok(undefined);
/** What a catalog is asked for beside the names of uploads. */
const NO_LISTS = {
  mappings: async () => ok([]),
  codeLists: async () => ok([]),
  mapping: nothing,
  codeList: nothing,
  authorsFacts: async () => ok({ lists: new Map(), bases: new Map() }),
};

const NO_INDEX = {
  list: async () => ok([]),
  needs: async () => ok([]),
  owner: async () => ok(undefined),
  replayable: async () => ok([]),
  writtenBefore: async () => ok([]),
  remove: async () => ok(null),
};

export const NO_CHANNELS = (): UpstreamSettings => ({
  channels: new Map(),
  clock: { nowMs: () => 0, timeScale: 1 },
});

/** One channel, so that what is wrong with an upload is the upload. */
const oneChannel = (): UpstreamSettings => ({ ...NO_CHANNELS(), channels: new Map([['main', aChannel()]]) });

export function anApp(given: Given = {}) {
  const asked: string[] = [];
  const env = {
    INTAKE_REGISTER: {
      getByName: (name: string) => {
        asked.push(`register ${name}`);
        return {
          knows: async (batchId: string) => name === '["test","acme"]' && batchId === KNOWN_ID,
          list: async (before: number | null, limit: number) => {
            asked.push(`list ${before} ${limit}`);
            return given.listed ?? [];
          },
        };
      },
    },
    BATCH: {
      getByName: (name: string) => {
        asked.push(`batch ${name}`);
        return {
          summary: async () => {
            if (given.trouble !== undefined) throw given.trouble;
            return given.summary ?? aSummary({ batchId: KNOWN_ID });
          },
          rows: async (after: number, limit: number, states: readonly string[] | null) => {
            asked.push(`rows ${after} ${limit} ${states?.join() ?? 'all'}`);
            return given.rows ?? [];
          },
          findRows: async ({ after, limit, filter: { states } }: RowsQuery) => {
            asked.push(`rows ${after} ${limit} ${states?.join() ?? 'all'}`);
            return { rows: given.rows ?? [], lookedTo: null };
          },
        };
      },
    },
    FILES: { get: async (key: string, options?: R2GetOptions) => storedFile(given.files?.get(key), options) },
  } as unknown as Env;
  const app = transloadApp({
    directory: () => ({ signIn: async (key) => given.directory ?? KEYS[key] ?? { outcome: 'unknown' } }),
    opsDirectory: () => ({ signIn: async () => ({ outcome: 'unknown' }) }),
    partners: () => ({ names: async () => ok([]), scacs: async () => ok(new Map()) }),
    administered: () => {
      throw new Error('not called');
    },
    partnerKeys: () => {
      throw new Error('not called');
    },
    opsKeys: () => {
      throw new Error('not called');
    },
    audit: () => {
      throw new Error('not called');
    },
    batches: () => ({ ...NO_INDEX, named: async () => ok(new Map()) }),
    actions: () => {
      throw new Error('not called');
    },
    issues: () => {
      throw new Error('no test asks for issues');
    },
    metrics: () => {
      throw new Error('no test asks for metrics');
    },
    backlog: () => {
      throw new Error('not called');
    },
    faults: () => {
      throw new Error('not called');
    },
    envelopes: () => {
      throw new Error('not called');
    },
    alertWebhook: () => {
      throw new Error('not called');
    },
    webhooks: () => {
      throw new Error('not called');
    },
    feeds: () => {
      throw new Error('not called');
    },
    answerMappings: () => {
      throw new Error('not called');
    },
    proposals: () => {
      throw new Error('not called');
    },
    publishing: () => {
      throw new Error('not called');
    },
    gates: () => {
      throw new Error('not called');
    },
    catalog: () => ({ ...CATALOG, ...NO_LISTS }),
    settings: () => (given.settings ?? oneChannel)(),
    uploadLinks: () => {
      throw new Error('no links here');
    },
    people: () => {
      throw new Error('not called');
    },
    // Without sessions: the key of the request says who it is.
    visitorNeeded: async (_, next) => next(),
    pages: consolePages,
  });
  const request = async (path: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> => {
    const { key = 'acme-key', ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== null) headers.set('Authorization', `Bearer ${key}`);
    return app.request(path, { ...rest, headers }, env);
  };
  return { request, asked };
}

/** As R2 hands it out: whole, or the range that was asked for. */
function storedFile(text: string | undefined, options?: R2GetOptions) {
  if (text === undefined) return null;
  const { offset = 0, length = Number.POSITIVE_INFINITY } = (options?.range ?? {}) as {
    offset?: number;
    length?: number;
  };
  const bytes = new TextEncoder().encode(text).subarray(offset, offset + length);
  return { text: async () => new TextDecoder().decode(bytes), arrayBuffer: async () => bytes.slice().buffer };
}

interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  fix?: string;
  requestId: string;
}

/** Checks what every refusal has in common, and returns the rest. */
export async function problemOf(answer: Response): Promise<ProblemDocument> {
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
  const document = (await answer.json()) as ProblemDocument;
  expect(document).toMatchObject({ status: answer.status, type: `/problems/${document.code}` });
  expect(document.requestId).toMatch(/^\S+$/);
  expect(JSON.stringify(document)).not.toMatch(/\.ts|\bat \w+ \(/);
  return document;
}

export const refusedSettings = (): UpstreamSettings => {
  throw new ConfigurationError([{ path: 'CHANNELS[0].baseUrl', message: 'must be https' }]);
};
