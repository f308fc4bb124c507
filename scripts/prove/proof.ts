/** What a proof hands back. */
export interface Proof {
  /** What was run and seen, a line each; the timeScale is among it. */
  figures: string[];
  /** One sentence each; none means that everything held. */
  violations: string[];
}
