/** Looks again and again at what goes on without the command, until it is over or Ctrl-C comes. */
import { Unreached } from './bridge.ts';
import type { Surroundings } from './surroundings.ts';
import { LiveLine } from './terminal.ts';

/** So long a bridge may be away, as during a deploy, before it is given up. */
const AWAY_MS_MAX = 120_000;

/** @property first what is known already. */
interface Watched<T> {
  first?: T;
  /** @param shown to be cleared before anything else is written on the terminal. */
  look(shown: Pick<LiveLine, 'clear'>): Promise<T>;
  isOver(seen: T): boolean;
  /** What the line on the terminal says. */
  line(seen: T): string;
  /** Until the next look. @param looks so many were there. */
  pauseMs(seen: T | undefined, looks: number): number;
  awayMsMax?: number;
}

/** @returns what was seen last. @throws Unreached where the bridge was away too long, or was never there when Ctrl-C came. */
export async function watch<T>(surroundings: Surroundings, watched: Watched<T>): Promise<T> {
  const { look, isOver, line: lineOf, pauseMs, awayMsMax = AWAY_MS_MAX } = watched;
  const signal = surroundings.interrupted();
  const line = new LiveLine(surroundings.errors);
  let last = watched.first;
  let reachedMs = Date.now();
  for (let looks = 0; ; looks += 1) {
    try {
      if (looks > 0 || last === undefined) last = await look(line);
      reachedMs = Date.now();
      line.show(lineOf(last));
    } catch (thrown) {
      if (!(thrown instanceof Unreached)) throw thrown;
      const isGivenUp = Date.now() - reachedMs > awayMsMax || (signal.aborted && last === undefined);
      if (isGivenUp) line.clear();
      if (isGivenUp) throw thrown;
      line.show('The bridge does not answer; trying again …');
    }
    if (last !== undefined && (isOver(last) || signal.aborted)) {
      line.clear();
      return last;
    }
    await surroundings.pause(pauseMs(last, looks), signal);
  }
}
