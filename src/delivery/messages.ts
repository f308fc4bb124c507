/** The texts for each state of a row and each reason: in the report, on the page, on a terminal. Pure; exhaustive. */

import { type Anomaly, type AnomalyCode, anomalyCode, type EventSaid } from './events/anomalies.ts';
import type { RecordState } from './outcome.ts';
import type { Evidence, StateReason } from './states.ts';

export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'quiet';

export interface StateMessages {
  label: string;
  tone: Tone;
  /** Who acts next, in a sentence. */
  meaning: string;
}

export const ROW_MESSAGES: Record<RecordState, StateMessages> = {
  delivered: { label: 'Delivered', tone: 'good', meaning: 'The receiving system confirmed it. Nothing to do.' },
  duplicate: { label: 'Duplicate', tone: 'quiet', meaning: 'The same was sent before. Nothing to do.' },
  coalesced: {
    label: 'Combined',
    tone: 'busy',
    meaning: 'Travels in one request with another row and shares its end.',
  },
  queued: { label: 'In line', tone: 'busy', meaning: 'Waits for what goes before it on the same load or order.' },
  sending: { label: 'Being sent', tone: 'busy', meaning: 'An answer is awaited.' },
  waiting: { label: 'Trying again', tone: 'attention', meaning: 'Not taken yet; it is tried again by itself.' },
  unknown: {
    label: 'No clear answer',
    tone: 'attention',
    meaning:
      'It may have arrived. By itself it is sent again, marked as a possible duplicate; a new order is looked up instead.',
  },
  held: { label: 'Needs a decision', tone: 'bad', meaning: 'The operator must decide; nothing happens by itself.' },
  rejected: {
    label: 'Refused',
    tone: 'bad',
    meaning:
      'The receiving system said no. Correct the row and send it again in a new file; if the cause lay elsewhere, retry the batch.',
  },
  dead: {
    label: 'Given up',
    tone: 'bad',
    meaning:
      'It was given up; the reason stands beside it. When the cause is mended, retry the batch: what was delivered is not sent again.',
  },
  cancelled: {
    label: 'Withdrawn',
    tone: 'quiet',
    meaning: 'Withdrawn on request before it was sent or taken. A retry of the batch sends it after all.',
  },
  invalid: {
    label: 'To correct',
    tone: 'bad',
    meaning:
      'What is wrong in it was not sent. Correct the row and send it again in a new file; what was sent of it stays.',
  },
  skipped: { label: 'Left out', tone: 'quiet', meaning: 'The mapping leaves such rows out.' },
  valid: { label: 'Valid', tone: 'good', meaning: 'A dry run: it would have been sent.' },
};

export const REASON_MESSAGES: Record<StateReason, string> = {
  unknown_then_refused: 'An earlier try may have arrived, a later one was refused.',
  may_have_arrived: 'It may have arrived: no answer says so. The mapping asks that it is not sent again by itself.',
  load_unknown: 'The receiving system does not know this load, or not yet.',
  redirected: 'The receiving system pointed to another address; that is never followed.',
  closed: 'The operator has closed it: it is not sent again by itself.',
  deadline: 'It could not be delivered in time.',
  credentials_refused:
    'Waits because the receiving system does not accept the operator’s sign-in; the row is not at fault, its sender need do nothing.',
  scac_refused: 'The receiving system does not accept this SCAC yet; the row is not at fault.',
  upstream_unwell:
    'The receiving system fails at the moment, so nothing is sent to it; the row goes out when it has recovered.',
  channel_missing: 'The channel is no longer configured.',
  not_sendable: 'It could not be put into a request.',
  interrupted: 'The bridge was restarted while it was being sent.',
  no_token: 'No access token could be had yet; the row is not at fault.',
  set_refused: 'Positions sent together were refused; they are sent again in smaller parts.',
  create_unconfirmed:
    'The order may or may not have been created. It is not sent again, so that no second order comes into being; it is looked up in the receiving system by its reference.',
  order_id_missing:
    'The receiving system took the order, but its answer holds no readable order id. The id is looked up by the reference; do not send it again.',
  order_exists:
    'The order was created before, with other content, so this row was not sent. Send it as a change of the order, or under another order reference.',
  ambiguous:
    'The receiving system has an order of this reference that may be this one, but it is cancelled or older, or bears another reference.',
  multiple: 'The receiving system has several orders of this reference; which of them is this one cannot be told.',
  not_found:
    'The receiving system lists no order of this reference hours after it was sent. It is not sent again by itself.',
  exhausted:
    'It may have arrived, and could not be made sure of in time. It is not sent again by itself: the operator looks it up.',
  pre_check_failed:
    'Before the order is sent, the receiving system is asked what it has under this reference; it could not answer yet.',
  base_unknown:
    'No order of this number stands here, so there is nothing to change, and a part of an order makes no new one. If it exists in the receiving system, ask the operator to load it as it stands there, then retry; else send the whole order as a new one.',
  order_cancelled: 'The order was cancelled before. Send it as a new order if it is wanted after all.',
  dependency: 'The order it changes was not created. Correct and send that first, then this.',
  order_id_unknown:
    'The order exists, but nobody has named the id it has in the receiving system: the operator must look it up.',
  order_unknown_upstream: 'The receiving system does not know the order yet; it is tried again by itself.',
  earlier_unclear:
    'An earlier operation of this order had no clear answer: it may have been done, or may still arrive late; or it was only accepted, and it is not known yet whether it was done. This one waits.',
  not_updatable: 'The documentation of the receiving system does not list this among what an update changes.',
  quantity_below_zero: 'A quantity would become less than nothing.',
  unit_differs: 'A quantity is told in another unit than the order has it in.',
  entry_unknown: 'The order has no such item whose quantity could become more or less, or that could be taken out.',
  entry_ambiguous: 'The order has several entries of this name; which of them is meant cannot be told.',
  delta_conflict: 'A change of this name was counted before, with another quantity.',
  order_too_large: 'The changed order would be longer than can be sent.',
  sequence_suspicious:
    'It contradicts other events of its load, and the mapping asks that such an event is not sent. The warning says which; correct the row and send it again.',
  time_in_future:
    'It lies ahead of the time when it was received, and the mapping asks that such an event is not sent. Correct the time or its zone and send it again.',
  time_too_old:
    'It lies most of a year back, and the mapping asks that such an event is not sent. Correct the date and send it again.',
};

/** The text after the word "Delivered". */
export const EVIDENCE_MESSAGES: Record<Evidence, string> = {
  answer: '',
  reconcile: ', found in the receiving system by its reference',
  operator: ', as the operator states',
};

/* Messages of an anomaly: what was found, what it contradicts, and what to do. Exhaustive. */

/** @property value of the event itself; other what it is compared with. */
export interface AnomalyMessages {
  code: AnomalyCode;
  kind: Anomaly['kind'];
  value: string;
  other: string;
  message: string;
  fix: string;
}

export function anomalyMessage(surprise: Anomaly): AnomalyMessages {
  const value = eventMessage(surprise.event);
  const other = otherMessage(surprise);
  return { code: anomalyCode(surprise), kind: surprise.kind, value, other, ...contradiction(surprise, value, other) };
}

function otherMessage(surprise: Anomaly): string {
  if ('acceptedAtMs' in surprise) return spokenTime(new Date(surprise.acceptedAtMs).toISOString());
  return surprise.kind === 'stops' ? `stops ${surprise.known.join(', ')}` : eventMessage(surprise.other);
}

function contradiction(surprise: Anomaly, value: string, other: string): Pick<AnomalyMessages, 'message' | 'fix'> {
  switch (surprise.kind) {
    case 'outOfOrder': {
      const isStop = surprise.rule === 'before_arrival';
      return {
        message: isStop
          ? `${value} and ${other} cannot both be: something happened at the stop before the arrival there.`
          : `${value} and ${other} cannot both be: something was delivered before anything was picked up.`,
        fix: 'Check the status, the stop number, the time and its zone of both events; correct the one that is wrong and send it again.',
      };
    }
    case 'cameLate':
      return {
        message: `${value} comes after ${other}, a later event of the same stop, was sent.`,
        fix: 'Nothing, if it was only late. Else check its time; and have the system that sends events send them in the order in which they happen.',
      };
    case 'stops':
      return {
        message: `${value} is of a stop that does not follow those known of this load: ${other}.`,
        fix: 'Check the stop number; or send the events of the stops in between.',
      };
    case 'speed': {
      const { km, kmPerHour } = surprise;
      const speed =
        kmPerHour === null ? 'yet are of the same time' : `and between them it would have moved at ${kmPerHour} km/h`;
      return {
        message: `${value} and ${other} lie ${km} km apart, ${speed}.`,
        fix: 'Check latitude, longitude and time of both positions, and whether they are of the same vehicle.',
      };
    }
    case 'inFuture':
      return {
        message: `${value} lies ahead of the time when it was received (${other}).`,
        fix: 'Check the clock and the time zone of the system that writes the time, and send the event again with the right one.',
      };
    case 'tooOld':
      return {
        message: `${value} lies long before the time when it was received (${other}).`,
        fix: 'Check the date, its year above all, and send the event again with the right one.',
      };
  }
}

/** `X3 of stop 1 at 2026-03-02 08:15 -06:00`, `position 41.5, -88.1 at …` */
function eventMessage({ what, time, stop, position }: EventSaid): string {
  const where = position === null ? '' : ` ${position.latitude}, ${position.longitude}`;
  return `${what}${where}${stop === null ? '' : ` of stop ${stop}`} at ${spokenTime(time)}`;
}

/** `2026-03-02T08:15:00-06:00` → `2026-03-02 08:15 -06:00` */
const spokenTime = (time: string): string =>
  time
    .replace('T', ' ')
    .replace(/(:\d\d):00(?:\.0+)?(?=[Z+-]|$)/, '$1')
    .replace(/\.\d+/, '')
    .replace(/(?:Z|\+00:00)$/, ' UTC')
    .replace(/(?<=\d)([+-]\d\d:\d\d)$/, ' $1');
