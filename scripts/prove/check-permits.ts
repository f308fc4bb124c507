/** How fast requests were sent, against the rate and the burst of their channel. Pure. */
export interface PermitPlan {
  /** Of real time: the channel's rate times the timeScale. */
  perSecond: number;
  burst: number;
}

/** Times are read a moment after the permit was taken. In ms. */
const CLOCK_SPREAD_MS = 100;

/**
 * @param atMs in ascending order.
 * @returns a sentence where more were sent in some stretch of time than the permits of that stretch allow.
 */
export function rateViolations(atMs: readonly number[], { perSecond, burst }: PermitPlan): string[] {
  // With a bucket that leaks at the rate, the fullest moment shows the worst stretch.
  let level = 0;
  let beforeMs = atMs[0] ?? 0;
  let worst = 0;
  for (const ms of atMs) {
    level = Math.max(0, level - ((ms - beforeMs) * perSecond) / 1_000) + 1;
    beforeMs = ms;
    worst = Math.max(worst, level);
  }
  const allowed = burst + 1 + (CLOCK_SPREAD_MS * perSecond) / 1_000;
  if (worst <= allowed) return [];
  return [`${Math.ceil(worst)} requests were sent at once beyond the rate; ${Math.floor(allowed)} are allowed`];
}

/** Most that came within one real second. */
export function mostPerSecond(atMs: readonly number[]): number {
  let most = 0;
  let from = 0;
  atMs.forEach((ms, at) => {
    while (ms - (atMs[from] ?? ms) >= 1_000) from += 1;
    most = Math.max(most, at - from + 1);
  });
  return most;
}
