/** Nothing that reaches the receiving system is done by one word: the plan first, then a yes. */
import { NotRun } from '../../frame/command.ts';
import { AWAY_MS_MAX } from '../batches/watch.ts';
import { type Bridge, pauseUnless, Unreached } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { ask, bar, canAsk, LiveLine } from '../terminal.ts';

/** @param what the question, with the number. @throws NotRun where nobody is there to agree. */
export async function agreed(
  surroundings: Surroundings,
  what: string,
  isAgreed: boolean | undefined,
): Promise<boolean> {
  if (isAgreed) return true;
  if (!canAsk(surroundings)) throw new NotRun('Nothing was done. To do it without being asked: --yes.');
  return /^y(?:es)?$/i.test(await ask(surroundings, `${what} [y/N] `));
}

/** A replay, or a decision about many requests, as its address tells it. */
export interface RunningAction {
  actionId: string;
  state: 'running' | 'cancelling' | 'cancelled' | 'done';
  requests: number;
  left: number;
  links: { self: string };
}

const POLL_MS = 700;

/** @returns how it is when it is over, or when Ctrl-C came: it goes on without the command. */
export async function watchAction<T extends RunningAction>(
  bridge: Bridge,
  begun: T,
  surroundings: Surroundings,
): Promise<T> {
  const signal = surroundings.interrupted();
  const line = new LiveLine(surroundings.errors);
  let now = begun;
  let seenMs = Date.now();
  while ((now.state === 'running' || now.state === 'cancelling') && !signal.aborted) {
    line.show(`${bar((now.requests - now.left) / Math.max(1, now.requests))}  ${now.left} of ${now.requests} left`);
    await pauseUnless(signal, POLL_MS);
    try {
      now = await bridge.json<T>({ path: begun.links.self });
      seenMs = Date.now();
    } catch (thrown) {
      // The action goes on without this command, as during a deploy.
      if (!(thrown instanceof Unreached) || Date.now() - seenMs > AWAY_MS_MAX) throw thrown;
    }
  }
  line.clear();
  return now;
}
