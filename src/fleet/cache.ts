/** Answers of the fleet and locations APIs in KV: a copy, each with the time of its answer. A cache that is down costs a call. */
import { KV_TTL_SECONDS_MIN } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { Channel } from '../upstream/channels.ts';
import type { FleetItem, FleetTrouble } from './judge.ts';
import { KEPT_MS } from './limits.ts';
import { type FleetQuestion, questionText } from './question.ts';

/** @property items null: there is no such vehicle or location. */
export interface KeptAnswer {
  items: readonly FleetItem[] | null;
  /** When the upstream said so, epoch milliseconds. */
  fetchedAtMs: number;
  /** When it was last asked for anew in vain, and why. */
  failed?: { atMs: number; trouble: FleetTrouble };
}

export interface FleetCache {
  get(question: FleetQuestion): Promise<KeptAnswer | null>;
  put(question: FleetQuestion, answer: KeptAnswer): Promise<void>;
}

/** What one channel's account may see is never shown to another: the channel is part of every key. */
export function fleetCache(kv: Pick<KVNamespace, 'get' | 'put'>, { environment, name }: Channel): FleetCache {
  const keyOf = async (question: FleetQuestion): Promise<string> =>
    `fleet:${await sha256Hex(new TextEncoder().encode(JSON.stringify([environment, name, questionText(question)])))}`;
  return {
    async get(question) {
      try {
        return await kv.get<KeptAnswer>(await keyOf(question), 'json');
      } catch (thrown) {
        log('warn', 'look_up_cache_failed', { channel: name, detail: messageOf(thrown) });
        return null;
      }
    },
    async put(question, answer) {
      try {
        const expirationTtl = Math.max(KV_TTL_SECONDS_MIN, KEPT_MS / 1_000);
        await kv.put(await keyOf(question), JSON.stringify(answer), { expirationTtl });
      } catch (thrown) {
        log('warn', 'look_up_cache_failed', { channel: name, detail: messageOf(thrown) });
      }
    },
  };
}
