/** What the objects of loads and orders find around them, and requests for them, for the tests of this folder. */
import { vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import type { Load } from '../../../src/tracking/load.ts';
import type { DispatchedRequest, OrderIdentity } from '../../../src/tracking/request.ts';
import type { LeaseRequest } from '../../../src/upstream/gate/core.ts';
import type { AnswerMapping } from '../../../src/upstream/statuses/answer-mapping.ts';
import { storageOn } from '../object-storage.ts';
import { NOW_MS } from '../upstream/samples.ts';

const CHANNEL = { name: 'main', environment: 'test', baseUrl: 'http://127.0.0.1:9', scacs: ['ABCD'] };
export const LOAD = { environment: 'test', partner: 'acme', scac: 'ABCD', loadNumber: 'L1' } as const;
export const ORDER: OrderIdentity = { environment: 'test', partner: 'acme', orderRef: 'SO-1' };
export const BY = { keyId: 'k1', author: 'Kim', why: 'seen', replace: false, dryRun: false };

/** What both classes find around them. */
export function around({ channel = {} as object, mode = 'go' } = {}) {
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void seen.warned.push(JSON.parse(line)));
  const database = new ObjectDatabase(() => '');
  const alarm = { atMs: null as number | null };
  const seen = {
    reported: [] as RequestOutcome[],
    registered: [] as unknown[],
    aborted: [] as string[],
    emptied: 0,
    feedIsDown: false,
    /** Whether each of its next calls fails. */
    feedFails: [] as boolean[],
    /** There is no such feed. */
    feedIsMissing: false,
    /** How the feed reads answers; null: by default. */
    mapping: null as AnswerMapping | null,
    /** While its feed is told. */
    telling: async (): Promise<void> => undefined,
    /** While its batch is told by itself. */
    reporting: async (): Promise<void> => undefined,
    leases: [] as LeaseRequest[],
    /** While its gate is asked for permits. */
    leasing: async (): Promise<void> => undefined,
    feeds: [] as string[],
    warned: [] as Record<string, unknown>[],
  };
  const gate = {
    async lease(_: string, asked: LeaseRequest) {
      seen.leases.push(asked);
      if (asked.wanted < 1) return { outcome: 'noted' };
      await seen.leasing();
      return { outcome: 'granted', lease: 'l', permits: asked.wanted, untilMs: Date.now() + 60_000, probe: false };
    },
  };
  const files = new Map<string, [string, string]>();
  const env = {
    ...{ TIME_SCALE: '1', JURISDICTION: '', SETTLED_OBJECTS: mode },
    CHANNELS: JSON.stringify([{ ...CHANNEL, ...channel }]),
    CHANNEL_SECRETS: JSON.stringify({ main: { apiKey: 'key', clientSecret: 'secret' } }),
    TOKENS: { get: async () => null },
    UPSTREAM_GATE: { getByName: () => gate },
    BATCH: {
      getByName: () => ({
        recordOutcomes: async (told: RequestOutcome[]) => {
          await seen.reporting();
          seen.reported.push(...told);
        },
      }),
    },
    ORDER_FEED: {
      getByName: (name: string) => ({
        register: async (...told: unknown[]) => {
          await seen.telling();
          if (seen.feedFails.shift() ?? seen.feedIsDown) throw new Error('planned: down');
          seen.feeds.push(name);
          seen.registered.push(told);
          return !seen.feedIsMissing;
        },
        answerMapping: async () => {
          if (seen.feedIsDown) throw new Error('planned: down');
          seen.feeds.push(name);
          return seen.mapping;
        },
      }),
    },
    FILES: {
      put: async (key: string, text: string, { sha256 }: { sha256: string }) => void files.set(key, [text, sha256]),
      head: async (key: string) => ({ checksums: { sha256: Buffer.from(files.get(key)?.[1] ?? '', 'hex') } }),
    },
  };
  const storage = Object.assign(storageOn(database), {
    getAlarm: async () => alarm.atMs,
    setAlarm: async (atMs: number) => void Object.assign(alarm, { atMs }),
    deleteAll: async () => {
      seen.emptied += 1;
      for (const table of database.tables) if (!table.startsWith('sqlite_')) database.exec(`DROP TABLE ${table}`, []);
    },
  });
  const waited: Promise<unknown>[] = [];
  const ctx = {
    ...{ id: { name: 'N1' }, storage, waitUntil: (work: Promise<unknown>) => void waited.push(work) },
    abort: (why: string) => void seen.aborted.push(why),
  };
  const wake = async (object: { alarm(): Promise<void> }) => {
    alarm.atMs = null;
    await object.alarm();
    await Promise.all(waited);
  };
  return {
    sql: storage.sql,
    alarm,
    seen,
    files,
    waited,
    wake,
    made: [ctx, env] as unknown as ConstructorParameters<typeof Load>,
  };
}

export const request = (record: number, more: Partial<DispatchedRequest> = {}): DispatchedRequest => ({
  ...{ key: `b_1/${record}/1`, batchId: 'b_1', record, request: 1, generation: 1, mayHaveArrived: false },
  ...{ kind: 'milestone', scac: 'ABCD', channel: 'main', acceptedAtMs: NOW_MS, uploadedBy: 'k1', live: false },
  ...{ forced: false, rules: null },
  body: JSON.stringify({ eventCode: 'X3', loadNumber: 'L1', time: { dateTime: `2026-03-02T0${record}:00:00Z` } }),
  ...more,
});
export const point = (record: number): DispatchedRequest => {
  const time = { dateTime: `2026-03-02T0${record}:00:00Z`, timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' };
  const traces = [{ time, coordinate: { latitude: 41.5, longitude: -88.1 } }];
  return request(record, { kind: 'trace', body: JSON.stringify({ loadNumber: 'L1', traces }) });
};
export const accepted = (status = 201) => new Response('{}', { status });
export const states = (outcomes: readonly RequestOutcome[]) => outcomes.map(({ record, state }) => [record, state]);
