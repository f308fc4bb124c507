/** What a subject asks of the gate of its channel, what it is told, and the leases that are out. */
import type { AttemptResult } from './verdict.ts';

/** @property repeatable whether the next request may be sent twice without harm: others are no first probe. */
export interface LeaseRequest {
  partner: string;
  scac: string;
  subject: string;
  /** How many permits; 0 only reports. */
  wanted: number;
  repeatable: boolean;
  /** Of attempts that have ended since the last call. */
  results: readonly AttemptResult[];
  /** Leases that end now, with the permits of each that were not used. */
  ended: readonly EndedLease[];
}

export interface EndedLease {
  lease: string;
  unused: number;
}

/** Why a subject is told to wait. `rate`: every permit is out; the others name the breaker. */
export type ParkedBy = 'rate' | 'channel' | 'partner' | 'auth' | 'scac';

export type LeaseAnswer =
  /** @property probe its one permit probes a breaker: a failure costs the request no try. */
  | { outcome: 'granted'; lease: string; permits: number; untilMs: number; probe: boolean }
  | { outcome: 'parked'; untilMs: number; why: ParkedBy }
  /** Nothing was asked for. */
  | { outcome: 'noted' };

export interface Lease {
  permits: number;
  /** Of them, those whose result has come. */
  used: number;
  untilMs: number;
}
