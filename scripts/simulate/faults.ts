/** Which faults a seed may meet, and how often. Drawn once per seed: many seeds are quiet, some are wild. */

export interface Faults {
  /** After this, nothing fails any more: everything must then become final or held. */
  untilMs: number;
  /** Per turn of an object: it dies before its commit, or behind it; and how often the whole process goes with it. */
  crashBeforeCommit: number;
  crashAfterCommit: number;
  /** Per statement that writes: it fails, and the object lives on. */
  statementFails: number;
  wholeProcess: number;
  /** Per call of an object that is idle: it had been put away meanwhile. */
  evicted: number;
  callLost: number;
  /** Per call: it takes seconds; it arrives though its caller was told that it was lost. */
  callSlow: number;
  callLate: number;
  replyLost: number;
  alarmLate: number;
  alarmTwice: number;
  /** Per alarm that is set: it never rings, and storage shows none. The watch chain has to find out. */
  alarmLost: number;
  filesFail: number;
  cacheFails: number;
  cacheStale: number;
  /** Weights of what the upstream does with a request, against 1 for doing what it is asked. */
  upstream: Partial<Record<UpstreamFault, number>>;
  /** Shares of applied requests that the upstream applies late, and of creates whose answer holds no id. */
  late: number;
  idMissing: number;
  tokenFails: number;
  tokenRevoked: number;
  tokenLifeSeconds: number;
  /** One subject for which the upstream never answers well: its requests meet their deadlines. */
  stuck: 'never' | 'busy' | 'error';
}

export const UPSTREAM_FAULTS = [
  'refused',
  'busy',
  'busy_until',
  'unavailable_until',
  'error_before',
  'error_after',
  'reset_before',
  'reset_after',
  'hang_before',
  'hang_after',
  'redirect',
  'credentials',
  'scac',
  'conflict',
  'cut_body',
  'request_timeout',
] as const;
export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number];

const LATE_FAULTS = ['error_after', 'reset_after', 'hang_after'] as const;

const MINUTE_MS = 60_000;

/** Nothing goes wrong. */
export const NO_FAULTS: Faults = {
  untilMs: 0,
  crashBeforeCommit: 0,
  crashAfterCommit: 0,
  statementFails: 0,
  wholeProcess: 0,
  evicted: 0,
  callLost: 0,
  callSlow: 0,
  callLate: 0,
  replyLost: 0,
  alarmLate: 0,
  alarmTwice: 0,
  alarmLost: 0,
  filesFail: 0,
  cacheFails: 0,
  cacheStale: 0,
  upstream: {},
  late: 0,
  idMissing: 0,
  tokenFails: 0,
  tokenRevoked: 0,
  tokenLifeSeconds: 3_600,
  stuck: 'never',
};

export function drawFaults(dice: () => number, nowMs: number): Faults {
  const wildness = dice();
  /** Off in most seeds, rare in many, frequent in a few. */
  const share = (most: number): number => {
    const drawn = dice();
    if (wildness < 0.25 || drawn < 0.5) return 0;
    return drawn < 0.85 ? most * 0.15 * dice() : most * dice();
  };
  const upstream: Faults['upstream'] = {};
  for (const fault of UPSTREAM_FAULTS) {
    const weight = share(0.6);
    if (weight > 0) upstream[fault] = weight;
  }
  /** In some seeds much is done late, after its caller has given up waiting. */
  const isLate = dice() < 0.06;
  if (isLate) for (const fault of LATE_FAULTS) upstream[fault] = dice();
  return {
    untilMs: nowMs + MINUTE_MS * (5 + 235 * dice() * dice()),
    crashBeforeCommit: share(0.08),
    crashAfterCommit: share(0.08),
    statementFails: 0,
    wholeProcess: dice(),
    evicted: share(0.5),
    callLost: share(0.15),
    callSlow: share(0.3),
    callLate: share(0.15),
    replyLost: share(0.15),
    alarmLate: share(0.5),
    alarmTwice: share(0.5),
    alarmLost: dice() < 0.1 ? 0.5 * dice() * dice() : 0,
    filesFail: share(0.3),
    cacheFails: share(0.5),
    cacheStale: share(0.5),
    upstream,
    late: isLate ? 0.5 + 0.5 * dice() : share(0.5),
    idMissing: share(0.3),
    tokenFails: share(0.4),
    tokenRevoked: share(0.2),
    tokenLifeSeconds: dice() < 0.5 ? 3_600 : 60 + Math.floor(dice() * 600),
    stuck: dice() < 0.99 ? 'never' : dice() < 0.5 ? 'busy' : 'error',
  };
}
