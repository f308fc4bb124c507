/** A planted mistake: a patch of the bridge's source as it is loaded. */
import type { Patch } from './patches.ts';

export interface PlantedBug {
  /** What the bridge would do wrong. */
  about: string;
  /** A seed that catches it. */
  seed: number;
  patches: readonly Patch[];
}
