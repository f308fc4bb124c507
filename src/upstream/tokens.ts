/**
 * Gets a token: from this isolate's memory, then KV, then the gate. Copies carry their own times, so a stale one is
 * noticed.
 *
 * A 401 goes straight to the gate with the fingerprint of the token that failed.
 */
import type { Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/log.ts';
import { gateName } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Channel } from './channels.ts';
import type { TokenProblem } from './gate/mint.ts';
import { openToken } from './gate/sealed-token.ts';
import { type CachedToken, isAlive, isFresh, mintedAtMs } from './gate/token-lifetime.ts';

/** The token interface for callers; objects and tests pass it in. */
export interface TokenSource {
  /** @param waits called before it waits for anything. */
  current(channel: Channel, waits?: () => void): Promise<Result<CachedToken, TokenProblem>>;
  replace(channel: Channel, failedFingerprint: string): Promise<Result<CachedToken, TokenProblem>>;
}

interface GateStub {
  currentToken(channel: string, failedFingerprint?: string): Promise<Result<CachedToken, TokenProblem>>;
}

/** Plain values only: promises and streams may not be shared between requests. */
const remembered = new Map<string, CachedToken>();

/** @returns the newer one: while a copy was read, another call may have remembered what took its place. */
function rememberNewer(name: string, copy: CachedToken, nowMs: number): CachedToken {
  const known = remembered.get(name);
  if (isFresh(known, nowMs) && mintedAtMs(known) > mintedAtMs(copy)) return known;
  remembered.set(name, copy);
  return copy;
}

export function tokenSource(
  ports: { cache: Pick<KVNamespace, 'get'>; gate: (name: string) => GateStub },
  clock: Clock,
): TokenSource {
  const requestToken = async (channel: Channel, failed?: string): Promise<Result<CachedToken, TokenProblem>> => {
    const name = gateName(channel.environment, channel.name);
    try {
      const answer = await ports.gate(name).currentToken(channel.name, failed);
      if (answer.ok) remembered.set(name, answer.value);
      return answer;
    } catch (thrown) {
      return err({ code: 'token_unreachable', detail: `the gate could not be reached: ${messageOf(thrown)}` });
    }
  };
  return {
    async current(channel, waits) {
      const name = gateName(channel.environment, channel.name);
      const inMemory = remembered.get(name);
      if (isFresh(inMemory, clock.nowMs())) return ok(inMemory);
      waits?.();
      const cached = openToken(await ports.cache.get(name, 'json').catch(() => null), channel);
      if (isFresh(cached, clock.nowMs())) return ok(rememberNewer(name, cached, clock.nowMs()));
      const asked = await requestToken(channel);
      if (asked.ok) return asked;
      const living = [inMemory, cached].find((held) => isAlive(held, clock.nowMs()));
      return living ? ok(living) : asked; // a token due for renewal is still better than none
    },
    replace: requestToken,
  };
}

/** Forgets what this isolate remembers. For tests: like a fresh isolate. */
export const forgetTokens = (): void => remembered.clear();
