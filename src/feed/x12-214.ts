/**
 * Events of the log as one X12 interchange of 214s, one set for each event. Pure.
 *
 * What a 214 cannot say is left out and counted: a code without an X12 status code (element 1650), and a reference with a
 * character that X12 keeps for itself, which would name another order.
 */
import { controlNumber, isaText, OUR_DELIMITERS, segmentText, writtenMoment } from '../formats/x12/write.ts';
import type { Environment } from '../kernel/names.ts';
import type { EventRow } from './feed-tables.ts';
import type { StatusPlace } from './read-answer.ts';

/** Who stands in the envelope: an id, with its qualifier before a colon where it is not ZZ. */
export interface X12Parties {
  sender: string;
  receiver: string;
}

export interface X12Wanted {
  environment: Environment;
  parties: X12Parties;
  /** SCAC of the carrier (B10-03). */
  scac: string;
  /** Status codes by code of the event. */
  codes: Readonly<Record<string, string>>;
  control: number;
  nowMs: number;
}

export interface X12Events {
  text: string;
  written: number;
  /** Of those that were left out. */
  leftOut: number[];
}

const VERSION = '005010';
const ISA_VERSION = '00501';
/** GS01 of a 214. */
const STATUS_GROUP = 'QM';
/** Reason: normal (element 1651); time code: universal time (element 623). */
const NORMAL = 'NS';
const UNIVERSAL_TIME = 'UT';

/** @returns an interchange without a group where nothing can be written. */
export function eventsAsX12(events: readonly EventRow[], wanted: X12Wanted): X12Events {
  const leftOut: number[] = [];
  const sets: string[] = [];
  for (const event of events) {
    const body = setBody(event, wanted);
    if (body === null) leftOut.push(event.seq);
    else sets.push(setText(body, sets.length + 1));
  }
  const number = controlNumber(wanted.control);
  const { date, time } = writtenMoment(wanted.nowMs);
  const [senderQualifier, sender] = partyOf(wanted.parties.sender);
  const [receiverQualifier, receiver] = partyOf(wanted.parties.receiver);
  const usage = wanted.environment === 'production' ? 'P' : 'T';
  const isa = isaText([
    ...['00', '', '00', '', senderQualifier, sender, receiverQualifier, receiver],
    ...[date.slice(2), time, OUR_DELIMITERS.repetition, ISA_VERSION, number, '0', usage],
  ]);
  const group = String(wanted.control);
  const gs = segmentText('GS', [STATUS_GROUP, sender, receiver, date, time, group, 'X', VERSION]);
  const ge = segmentText('GE', [String(sets.length), group]);
  const groups = sets.length === 0 ? [] : [gs, ...sets, ge];
  const iea = segmentText('IEA', [groups.length === 0 ? '0' : '1', number]);
  return { text: [isa, ...groups, iea].join(''), written: sets.length, leftOut };
}

/** @returns null for what a 214 cannot say. */
function setBody(event: EventRow, { codes, scac }: X12Wanted): string[] | null {
  const code = Object.hasOwn(codes, event.code) ? codes[event.code] : undefined;
  if (code === undefined || !isWritable(event.order_ref)) return null;
  const moment = new Date(event.at_ms).toISOString();
  const date = moment.slice(0, 10).replaceAll('-', '');
  const time = moment.slice(11, 22).replaceAll(/[:.]/g, ''); // hundredths, the finest that X12 has
  const { city = '', state = '', country = '' } = JSON.parse(event.place) as StatusPlace;
  return [
    segmentText('B10', ['', event.order_ref, scac]),
    ...(event.order_id === null ? [] : [segmentText('L11', [event.order_id, 'SI'])]),
    segmentText('L11', [event.code, 'ZZ', String(event.seq)]),
    segmentText('LX', ['1']),
    segmentText('AT7', [code, NORMAL, '', '', date, time, UNIVERSAL_TIME]),
    ...(city === '' && state === '' ? [] : [segmentText('MS1', [city, state, country])]),
  ];
}

function setText(body: readonly string[], number: number): string {
  const control = String(number).padStart(4, '0');
  const se = segmentText('SE', [String(body.length + 2), control]);
  return [segmentText('ST', ['214', control]), ...body, se].join('');
}

const isWritable = (text: string): boolean => /^[\x20-\x7d]+$/.test(text) && !/[*>^]/.test(text);

function partyOf(party: string): [qualifier: string, id: string] {
  const colon = party.indexOf(':');
  return colon < 0 ? ['ZZ', party] : [party.slice(0, colon), party.slice(colon + 1)];
}
