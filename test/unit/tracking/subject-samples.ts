/** A subject between its storage, its gate and the upstream, for the tests of this folder. */
import { vi } from 'vitest';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import { UsageMeter } from '../../../src/kernel/usage.ts';
import { MilestoneLane } from '../../../src/tracking/lanes/load-lanes.ts';
import { Subject } from '../../../src/tracking/subject.ts';
import type { LeaseRequest } from '../../../src/upstream/gate/core.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, loadStored } from './samples.ts';

export const IDENTITY = { environment: 'test', partner: 'acme' } as const;
/** How long a lease may be used. */
export const LEASE_MS = 1_000;
/** How long it is kept after its last event. */
export const LIFE_MS = 3_600_000;
const CHANNEL = { name: 'main', environment: 'test', baseUrl: 'https://upstream.example', scacs: ['DEMO'] };

interface SubjectOptions {
  /** Storage of an earlier instance. */
  sql?: SqlStorage;
  /** What is said of its channel. */
  channel?: object;
}

/**
 * A load of one lane, whose gate grants. @param asks what is done while it asks its gate for a token, in place of a refused
 * one if that is named; false: it gets none. Absent: it needs none.
 */
export function aSubject(asks?: (refused?: string) => unknown, { sql: earlier, channel }: SubjectOptions = {}) {
  const { sql, store, journey } = loadStored(earlier);
  const alarm = { atMs: null as number | null };
  const storage = {
    sql,
    getAlarm: async () => alarm.atMs,
    setAlarm: async (atMs: number) => {
      alarm.atMs = atMs;
    },
  };
  const leases: LeaseRequest[] = [];
  const pauses: number[] = [];
  /** Why the gate lets it wait that long; absent: too many at once. */
  const why: string[] = [];
  const files = new Map<string, string>();
  /** What it told its batch by itself. */
  const reported: RequestOutcome[][] = [];
  /** While a file is written. */
  const meanwhile = vi.fn<() => void>();
  /** While the gate is asked for permits. */
  const begun = vi.fn<() => void>();
  /** While its batch is told. */
  const telling = vi.fn<() => unknown>();
  /** While the gate is told that a drain is over. */
  const noted = vi.fn<() => unknown>();
  const gate = {
    async lease(_channel: string, asked: LeaseRequest) {
      leases.push(asked);
      if (asked.wanted < 1) {
        await noted();
        return { outcome: 'noted' };
      }
      begun();
      const waitMs = pauses.shift();
      if (waitMs !== undefined) return { outcome: 'parked', untilMs: Date.now() + waitMs, why: why.shift() ?? 'rate' };
      const lease = `lease-${leases.length}`;
      return { outcome: 'granted', lease, permits: asked.wanted, untilMs: Date.now() + LEASE_MS, probe: false };
    },
    async currentToken(_channel: string, refused?: string) {
      if (asks?.(refused) === false) return err({ code: 'token_refused', detail: 'status 500' });
      return ok(holdToken('token-1', 'f-1', 3_600, NOW_MS));
    },
  };
  const env = {
    CHANNELS: JSON.stringify([{ ...CHANNEL, ...channel, auth: asks === undefined ? {} : { events: 'key+bearer' } }]),
    CHANNEL_SECRETS: JSON.stringify({ main: { apiKey: 'canary-api-key', clientSecret: 'canary-client-secret' } }),
    TOKENS: { get: async () => null },
    UPSTREAM_GATE: { getByName: () => gate },
    BATCH: {
      getByName: () => ({
        recordOutcomes: async (outcomes: RequestOutcome[]) => {
          await telling();
          reported.push(outcomes);
        },
      }),
    },
    FILES: {
      put: async (key: string, _text: string, { sha256 }: { sha256: string }) => {
        files.set(key, sha256);
        meanwhile();
      },
      head: async (key: string) => ({ checksums: { sha256: Buffer.from(files.get(key) ?? '', 'hex') } }),
    },
  };
  const waited: Promise<unknown>[] = [];
  const ctx = { id: { name: 'LD1' }, storage, waitUntil: (work: Promise<unknown>) => void waited.push(work) };
  const lane = new MilestoneLane(store, journey);
  const life = { lifeMs: LIFE_MS, forget: () => undefined };
  const meter = new UsageMeter();
  const subject = new Subject({ ctx, env, storage, meter } as never, store, [lane], life);
  /** As the platform does when its time has come. */
  const wake = async (): Promise<void> => {
    alarm.atMs = null;
    await subject.wakeUp();
  };
  const results = () => leases.flatMap((asked) => asked.results);
  return {
    sql,
    lane,
    waited,
    why,
    begun,
    telling,
    files,
    store,
    subject,
    alarm,
    leases,
    pauses,
    meanwhile,
    noted,
    results,
    wake,
    reported,
    take: (...records: number[]) => taken(subject, records),
    visit: (...records: number[]) =>
      subject.visit({
        identity: IDENTITY,
        batchId: 'b_1',
        isLast: false,
        requests: records.map((record) => aTaken(record)),
      }),
  };
}

const taken = (subject: Subject, records: readonly number[]): Promise<void> =>
  subject.take(
    IDENTITY,
    records.map((record) => aTaken(record)),
  );

export const answer = (status: number, headers: Record<string, string> = {}) => new Response('{}', { status, headers });
