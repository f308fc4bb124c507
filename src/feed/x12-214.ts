/**
 * Events of the log → one X12 interchange of 214s, one transaction set per event; the mapping `x12-214-order-events`
 * reads them back unchanged. Pure.
 * What a 214 cannot express is left out and counted: a code without an X12 status code (element 1650), and an event
 * with a control character.
 */

import { writtenMoment } from '../formats/segments/write.ts';
import { chooseDelimiters, controlNumber, exactIsa, exactSegment, isExact } from '../formats/x12/write.ts';
import { iso } from '../kernel/clock.ts';
import type { Environment } from '../kernel/names.ts';
import type { StatusPlace } from '../upstream/statuses/read-answer.ts';
import type { EventRow } from './feed-tables.ts';

/** A party of the envelope: an id, with its qualifier before a colon where it is not ZZ. */
interface X12Parties {
  sender: string;
  receiver: string;
}

/** What the sets contain besides their events. */
export interface X12Events {
  /** SCAC of the carrier (B10-03). */
  scac: string;
  /** Status codes by code of the event. */
  codes: Readonly<Record<string, string>>;
}

export interface X12Envelope {
  environment: Environment;
  parties: X12Parties;
  control: number;
}

interface X12Sets {
  sets: readonly (readonly WrittenSegment[])[];
  /** Seqs of those that were left out. */
  leftOut: number[];
  /**
   * When the newest of the written events was learned: the date of the interchange, the same however often it is
   * created.
   */
  learnedMs: number;
}

type WrittenSegment = readonly [tag: string, ...elements: string[]];

const VERSION = '005010';
const ISA_VERSION = '00501';
/** GS01 of a 214. */
const STATUS_GROUP = 'QM';
/** Reason: normal (element 1651); time code: universal time (element 623). */
const NORMAL = 'NS';
const UNIVERSAL_TIME = 'UT';
/** Mutually defined, of a reference (element 128) and of a party (element 98): the next element says what it is. */
const MUTUAL = 'ZZ';

export function eventSets(events: readonly EventRow[], reported: X12Events): X12Sets {
  const leftOut: number[] = [];
  const sets: WrittenSegment[][] = [];
  let learnedMs = 0;
  for (const event of events) {
    const body = setBody(event, reported);
    if (body?.every((segment) => segment.every(isExact))) {
      sets.push(body);
      learnedMs = Math.max(learnedMs, event.learned_at_ms);
    } else leftOut.push(event.seq);
  }
  return { sets, leftOut, learnedMs };
}

/** @param sets at least one: X12 has no interchange without a group. */
export function setsAsX12({ sets, learnedMs }: X12Sets, { environment, parties, control }: X12Envelope): string {
  const number = controlNumber(control);
  const group = String(control);
  const { date, time } = writtenMoment(learnedMs);
  const [senderQualifier, sender] = partyOf(parties.sender);
  const [receiverQualifier, receiver] = partyOf(parties.receiver);
  const usage = environment === 'production' ? 'P' : 'T';
  const ids = [senderQualifier, sender, receiverQualifier, receiver];
  const delimiters = chooseDelimiters([...ids, ...sets.flat(2)]);
  const isa = ['00', '', '00', '', ...ids, date.slice(2), time, ISA_VERSION, number, '0', usage];
  const segments: WrittenSegment[] = [
    ['GS', STATUS_GROUP, sender, receiver, date, time, group, 'X', VERSION],
    ...sets.flatMap(wholeSet),
    ['GE', String(sets.length), group],
    ['IEA', '1', number],
  ];
  const texts = segments.map(([tag, ...elements]) => exactSegment(tag, elements, delimiters));
  return [exactIsa(isa, delimiters), ...texts].join('');
}

/** @returns null for what has no status code. */
function setBody(event: EventRow, { codes, scac }: X12Events): WrittenSegment[] | null {
  const code = Object.hasOwn(codes, event.code) ? codes[event.code] : undefined;
  if (code === undefined) return null;
  const moment = iso(event.at_ms);
  const date = moment.slice(0, 10).replaceAll('-', '');
  const time = moment.slice(11, 22).replaceAll(/[:.]/g, ''); // hundredths, the finest that X12 has (element 337): whole in L11
  const { city = '', state = '', postalCode = '', country = '' } = JSON.parse(event.place) as StatusPlace;
  const place = [city, state, postalCode, country];
  return [
    ['B10', '', event.order_ref, scac],
    ...(event.order_id === null ? [] : [['L11', event.order_id, 'SI'] as const]),
    ['L11', event.code, MUTUAL, 'CODE'],
    ['L11', event.level, MUTUAL, 'LEVEL'],
    ['L11', String(event.seq), MUTUAL, 'SEQ'],
    ['L11', moment, MUTUAL, 'AT'],
    ['L11', iso(event.learned_at_ms), MUTUAL, 'LEARNED_AT'],
    ...(event.corrects === null ? [] : [['L11', String(event.corrects), MUTUAL, 'CORRECTS'] as const]),
    ...(place.every((part) => part === '') ? [] : [['N1', MUTUAL, 'EVENT'] as const, ['N4', ...place] as const]),
    ['LX', '1'],
    ['AT7', code, NORMAL, '', '', date, time, UNIVERSAL_TIME],
    ...(city === '' && state === '' ? [] : [['MS1', city, state, country] as const]),
  ];
}

function wholeSet(body: readonly WrittenSegment[], index: number): WrittenSegment[] {
  const control = String(index + 1).padStart(4, '0');
  return [['ST', '214', control], ...body, ['SE', String(body.length + 2), control]];
}

function partyOf(party: string): [qualifier: string, id: string] {
  const colon = party.indexOf(':');
  return colon < 0 ? ['ZZ', party] : [party.slice(0, colon), party.slice(colon + 1)];
}
