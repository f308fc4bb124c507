/** Asks for several look-ups, a few at a time; where an API fails, what else would go to it is not asked. */
import { type LookUp, type LookUpAnswer, lookUpKey } from '../mapping/lookups/look-up.ts';
import type { Channel } from '../upstream/channels.ts';
import type { FleetTrouble } from './judge.ts';
import { LOOK_UPS_AT_ONCE } from './limits.ts';
import { answerOf, questionOf } from './look-ups.ts';
import { apiOf } from './question.ts';
import { type FleetPort, readFleet } from './read.ts';

/** @property answers by `lookUpKey`; what nobody answered is not in it. @property trouble why, of the API that failed first. */
export interface AskedLookUps {
  answers: ReadonlyMap<string, LookUpAnswer>;
  trouble: FleetTrouble | null;
}

export async function askLookUps(
  port: FleetPort,
  channel: Pick<Channel, 'customerNumber' | 'fleet'>,
  wanted: readonly LookUp[],
): Promise<AskedLookUps> {
  const answers = new Map<string, LookUpAnswer>();
  const failing = new Map<string, FleetTrouble>();
  const queue = [...wanted];
  const ask = async (asked: LookUp): Promise<void> => {
    const atMs = port.clock.nowMs();
    const question = questionOf(asked, channel);
    if (channel.fleet === 'off') {
      answers.set(lookUpKey(asked), {
        outcome: 'unavailable',
        why: 'look-ups are switched off for this channel',
        atMs,
      });
    } else if (question === null) answers.set(lookUpKey(asked), { outcome: 'none', atMs });
    else if (!failing.has(apiOf(question))) {
      const read = await readFleet(port, question, 'renew');
      if (read.ok) answers.set(lookUpKey(asked), answerOf(asked, read.value, channel));
      else failing.set(read.error.api, read.error);
    }
  };
  const worker = async (): Promise<void> => {
    for (let asked = queue.shift(); asked !== undefined; asked = queue.shift()) await ask(asked);
  };
  await Promise.all(Array.from({ length: LOOK_UPS_AT_ONCE }, worker));
  const [trouble = null] = failing.values();
  return { answers, trouble };
}
