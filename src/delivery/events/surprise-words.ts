/** A surprise in words: what was met, what it contradicts, and what to do. Pure; exhaustive. */
import type { EventSaid } from './journey.ts';
import { type Surprise, type SurpriseCode, surpriseCode } from './surprises.ts';

/** @property value of the event itself; other what it is held against. */
export interface SurpriseWords {
  code: SurpriseCode;
  kind: Surprise['kind'];
  value: string;
  other: string;
  message: string;
  fix: string;
}

export function surpriseWords(surprise: Surprise): SurpriseWords {
  const { kind, event } = surprise;
  const value = eventWords(event);
  return { code: surpriseCode(surprise), kind, value, ...contradiction(surprise, value) };
}

function contradiction(surprise: Surprise, value: string): Pick<SurpriseWords, 'other' | 'message' | 'fix'> {
  switch (surprise.kind) {
    case 'outOfOrder': {
      const other = eventWords(surprise.other);
      const isStop = surprise.rule === 'before_arrival';
      return {
        other,
        message: isStop
          ? `${value} and ${other} cannot both be: something happened at the stop before the arrival there.`
          : `${value} and ${other} cannot both be: something was delivered before anything was picked up.`,
        fix: 'Check the status, the stop number, the time and its zone of both events; correct the one that is wrong and send it again.',
      };
    }
    case 'cameLate': {
      const other = eventWords(surprise.other);
      return {
        other,
        message: `${value} comes after ${other}, a later event of the same stop, was sent.`,
        fix: 'Nothing, if it was only late. Else check its time; and have the system that sends events send them in the order in which they happen.',
      };
    }
    case 'stops': {
      const other = `stops ${surprise.known.join(', ')}`;
      return {
        other,
        message: `${value} is of a stop that does not follow those known of this load: ${other}.`,
        fix: 'Check the stop number; or send the events of the stops in between.',
      };
    }
    case 'speed': {
      const other = eventWords(surprise.other);
      const { km, kmPerHour } = surprise;
      const speed =
        kmPerHour === null ? 'yet are of the same time' : `and between them it would have moved at ${kmPerHour} km/h`;
      return {
        other,
        message: `${value} and ${other} lie ${km} km apart, ${speed}.`,
        fix: 'Check latitude, longitude and time of both positions, and whether they are of the same vehicle.',
      };
    }
    case 'inFuture': {
      const other = received(surprise.acceptedAtMs);
      return {
        other,
        message: `${value} lies ahead of the time when it was received (${other}).`,
        fix: 'Check the clock and the time zone of the system that writes the time, and send the event again with the right one.',
      };
    }
    case 'tooOld': {
      const other = received(surprise.acceptedAtMs);
      return {
        other,
        message: `${value} lies long before the time when it was received (${other}).`,
        fix: 'Check the date, its year above all, and send the event again with the right one.',
      };
    }
  }
}

const received = (atMs: number): string => new Date(atMs).toISOString();

/** `X3 of stop 1 at 2026-03-02T08:15:00-06:00`, `position 41.5, -88.1 at …` */
function eventWords({ what, time, stop, position }: EventSaid): string {
  const where = position === null ? '' : ` ${position.latitude}, ${position.longitude}`;
  return `${what}${where}${stop === null ? '' : ` of stop ${stop}`} at ${time.replace(/\.\d+/, '')}`;
}
