/** How a gate stands, for those who operate the bridge. Plain values; secrets are not among them. */
import type { Breaker, Scope } from './breaker.ts';
import type { GateAudit } from './store.ts';

export interface GateHealth {
  channel: string;
  ratePerSecond: number;
  burst: number;
  permitsLeft: number;
  permitsOut: number;
  /** Of the channel and of partners. */
  breakers: Breaker[];
  auth: Breaker | null;
  parkedScacs: Breaker[];
  /** The APIs of vehicles and locations that fail; those that work are not among them. */
  failingReads: FailingRead[];
  token: { fingerprint: string; expiresAtMs: number } | null;
  /** The newest first. */
  audit: GateAudit[];
}

/** An API that is only read fails: this stops no delivery, and is told because look-ups wait for it. */
export interface FailingRead {
  api: 'fleet' | 'locations';
  sinceMs: number;
  lastMs: number;
  status: number | null;
  detail: string;
}

/** What an operator asks to be released. */
export interface Release {
  scope: Scope;
  keyId: string;
  author: string;
  reason: string;
}

export function sorted(breakers: readonly Breaker[]): Pick<GateHealth, 'breakers' | 'auth' | 'parkedScacs'> {
  return {
    breakers: breakers.filter(({ scope }) => scope === 'channel' || scope.startsWith('partner:')),
    auth: breakers.find(({ scope }) => scope === 'auth') ?? null,
    parkedScacs: breakers.filter(({ scope }) => scope.startsWith('scac:')),
  };
}
