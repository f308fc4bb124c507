/** What must not happen where nothing is at fault: a request that is sent twice, an answer that is doubted, a breaker. Pure. */
import type { SeenRequest } from '../kill/sendings.ts';
import type { StoredAttempt } from '../kill/stored.ts';

export interface QuietEvidence {
  /** Requests the receiving system logged. */
  seen: readonly SeenRequest[];
  /** Of all loads. */
  attempts: readonly Pick<StoredAttempt, 'effect' | 'detail'>[];
  rowsUploaded: number;
  /** What the bridge wrote. */
  log: string;
}

export function quietViolations({ seen, attempts, rowsUploaded, log }: QuietEvidence): string[] {
  const doubted = attempts.filter(({ effect }) => effect !== 'applied');
  const reasons = Object.entries(Object.groupBy(doubted, ({ effect, detail }) => `${effect}: ${detail}`));
  const breakers = log.split('\n').filter((line) => line.includes('"breaker_open"'));
  return [
    ...(seen.length === rowsUploaded ? [] : [`${seen.length} requests arrived for ${rowsUploaded} rows`]),
    ...reasons.map(([reason, of]) => `${of?.length ?? 0} attempts ended as ${reason}`),
    ...breakers.map((line) => `a breaker opened: ${line}`),
  ];
}
