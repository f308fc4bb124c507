/** Which alerts are new, which are over, and the events that say so. Pure. */
import { iso } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { WebhookEvent } from '../../webhooks/target.ts';

/**
 * An alert as it is seen now: what the API says of it. @property about the channel, partner or holder of a key concerned;
 * `bridge`: all of it. part what of it: a SCAC, a webhook, a key; null: all of it. since null: not known.
 */
export interface SeenAlert {
  code: string;
  about: string;
  part: string | null;
  since: string | null;
  means: string;
  detail: string;
  fix: string;
  /** Where to look: in the API, and on a page of the console. */
  links: { api: string; console: string | null };
}

/** One that was raised. @property state `new`, `over`: that is still to be told. */
export interface RaisedAlert {
  raisedAtMs: number;
  state: 'new' | 'notified' | 'over';
  /** Of telling it, from 1: each has an event of its own. */
  round: number;
  /** null: it is seen. */
  goneAtMs: number | null;
  /** As it was first seen. */
  alert: SeenAlert;
}

/** What differs from what is known. */
interface AlertChanges {
  raised: SeenAlert[];
  gone: RaisedAlert[];
  back: RaisedAlert[];
  over: RaisedAlert[];
}

/** Of several with the same key the first counts. */
export const alertKey = ({ code, about, part }: Pick<SeenAlert, 'code' | 'about' | 'part'>): string =>
  JSON.stringify([code, about, part]);

/** What cannot be looked at while its object is not reached: that is not over, it is not known. */
const HIDDEN_BY: Readonly<Record<string, readonly string[]>> = {
  channel_unreachable: ['channel_stopped', 'scac_parked', 'reads_failing'],
  feed_unreachable: ['feed_gap', 'feed_trouble', 'feed_late', 'answers_unreadable', 'entries_unfit'],
  webhooks_unreachable: ['webhook_disabled', 'webhook_failing'],
};

/**
 * One whose raising is still to be told is told before it can be over, and one that is over is told before it can be
 * raised again.
 */
export function alertChanges(
  known: readonly RaisedAlert[],
  seen: readonly SeenAlert[],
  { nowMs, overAfterMs, most }: { nowMs: number; overAfterMs: number; most: number },
): AlertChanges {
  const now = new Map<string, SeenAlert>();
  for (const alert of seen) if (!now.has(alertKey(alert))) now.set(alertKey(alert), alert);
  const before = new Set(known.map(({ alert }) => alertKey(alert)));
  const hidden = new Set(
    seen.flatMap(({ code, about }) => (HIDDEN_BY[code] ?? []).map((each) => JSON.stringify([each, about]))),
  );
  const isHidden = ({ alert: { code, about } }: RaisedAlert): boolean => hidden.has(JSON.stringify([code, about]));
  const isSeen = ({ alert }: RaisedAlert): boolean => now.has(alertKey(alert));
  const open = known.filter(({ state }) => state !== 'over');
  const isOver = ({ state, goneAtMs }: RaisedAlert): boolean =>
    state === 'notified' && goneAtMs !== null && nowMs - goneAtMs >= overAfterMs;
  return {
    raised: [...now].flatMap(([key, alert]) => (before.has(key) ? [] : [alert])).slice(0, most),
    gone: open.filter((each) => each.goneAtMs === null && !isSeen(each) && !isHidden(each)),
    back: open.filter((each) => each.goneAtMs !== null && isSeen(each)),
    over: open.filter((each) => isOver(each) && !isSeen(each) && !isHidden(each)),
  };
}

/** The same at every try: what it is made of is stored before it is sent. */
export function alertEvent(environment: Environment, raised: RaisedAlert): WebhookEvent {
  const { raisedAtMs, state, round, goneAtMs, alert } = raised;
  const key = [environment, alertKey(alert), raisedAtMs];
  const data = {
    environment,
    alertId: `al_${sha256Hex(JSON.stringify(key)).slice(0, 32)}`,
    ...alert,
    raisedAt: iso(raisedAtMs),
  };
  if (state === 'new') return { type: 'alert.raised', key: [...key, round], atMs: raisedAtMs, data };
  const clearedMs = goneAtMs ?? raisedAtMs;
  return { type: 'alert.cleared', key, atMs: clearedMs, data: { ...data, clearedAt: iso(clearedMs) } };
}
