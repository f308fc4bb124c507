/** I15: under an open breaker nothing goes on but its probe, one at a time. */
import type { Breaker } from '../../src/upstream/gate/breaker.ts';
import type { Home } from './world.ts';

/** Permits from before the breaker opened live so long, in ms. */
const LEASE_LIFETIME_MS = 60_000;
/** And so long a request may be on its way to its first byte: its token is fetched first. */
const SLACK_MS = 1_000;
/** A probe that meets a refused token is sent once more. */
const SENDINGS_PER_PROBE = 2;

export class Probes {
  /** Which request went under a probe, and how often. */
  readonly #under = new Map<string, { place: string; times: number }>();

  /**
   * @param gate of the channel; @param place of the request that leaves now.
   * @returns what is wrong with it; undefined: nothing.
   */
  leaves(gate: Home, place: string, nowMs: number): string | undefined {
    const rows = gate.database.read<{ kept: string }>('SELECT kept FROM breaker');
    for (const { kept } of rows) {
      const { scope, sinceMs, probe } = JSON.parse(kept) as Breaker;
      if (nowMs < sinceMs + LEASE_LIFETIME_MS + SLACK_MS) continue;
      if (probe === null) return `under the breaker ${scope}, which has no probe out`;
      const name = `${gate.name} ${scope} ${probe.lease}`;
      const known = this.#under.get(name) ?? { place, times: 0 };
      known.times += 1;
      this.#under.set(name, known);
      if (known.place !== place) return `under the breaker ${scope} beside ${known.place}, its probe`;
      if (known.times > SENDINGS_PER_PROBE) return `${known.times} times under one probe of the breaker ${scope}`;
    }
    return undefined;
  }
}
