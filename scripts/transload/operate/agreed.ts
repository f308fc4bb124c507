/** Nothing that reaches the receiving system is done by one word: the plan first, then a yes. */
import type { Answered } from '../../../src/http/contract/contract.ts';
import { NotRun } from '../../frame/command.ts';
import type { Bridge } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { ask, bar, canAsk } from '../terminal.ts';
import { watch } from '../watch.ts';

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

/** A replay, or a decision about many requests. */
type Running = Answered<typeof ACTION>;
const ACTION = 'GET /v1/ops/actions/{id}';

const POLL_MS = 700;

/** @returns how it is when it is over, or when Ctrl-C came: it goes on without the command. */
export const watchAction = <Begun extends Running>(
  bridge: Bridge,
  begun: Begun,
  surroundings: Surroundings,
): Promise<Begun> =>
  watch(surroundings, {
    first: begun,
    look: async () => (await bridge.call(ACTION, { path: { id: begun.actionId } })) as Begun, // an action stays what it is
    isOver: ({ state }) => state !== 'running' && state !== 'cancelling',
    line: ({ requests, left }) => `${bar((requests - left) / Math.max(1, requests))}  ${left} of ${requests} left`,
    pauseMs: () => POLL_MS,
  });
