/** How fast and how often requests are sent, against what a channel allows and what an upstream without fault needs. Pure. */
import { type Arrival, breaks, type StoredAttempt, type Violation } from './evidence.ts';

const [RATE, I7, I8] = [breaks('rate'), breaks('I7'), breaks('I8')];

interface PermitPlan {
  /** Of real time: the channel's rate times the timeScale. */
  perSecond: number;
  burst: number;
}

/** Times are read a moment after the permit was taken. In ms. */
const CLOCK_SPREAD_MS = 100;

/**
 * @param atMs in ascending order.
 * @returns a violation where more were sent in some stretch of time than the permits of that stretch allow.
 */
export function rateViolations(atMs: readonly number[], { perSecond, burst }: PermitPlan): Violation[] {
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
  return [RATE(`${Math.ceil(worst)} requests were sent at once beyond the rate; ${Math.floor(allowed)} are allowed`)];
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

interface QuietEvidence {
  seen: readonly Arrival[];
  /** Of all loads. */
  attempts: readonly Pick<StoredAttempt, 'effect' | 'detail'>[];
  rowsUploaded: number;
  /** What the bridge wrote. */
  log: string;
}

/** Where nothing is at fault nothing is sent twice, no answer is doubted, and no breaker opens. */
export function quietViolations({ seen, attempts, rowsUploaded, log }: QuietEvidence): Violation[] {
  const doubted = attempts.filter(({ effect }) => effect !== 'applied');
  const reasons = Map.groupBy(doubted, ({ effect, detail }) => `${effect}: ${detail}`);
  const breakers = log.split('\n').filter((line) => line.includes('"breaker_open"'));
  return [
    ...(seen.length === rowsUploaded ? [] : [I7(`${seen.length} requests arrived for ${rowsUploaded} rows`)]),
    ...[...reasons].map(([reason, { length }]) => I8(`${length} attempts ended as ${reason}`)),
    ...breakers.map((line) => RATE(`a breaker opened: ${line}`)),
  ];
}
