/**
 * The only table of what a milestone's code says about a load. Pure.
 *
 * The upstream shows no list of codes (seed 2.2), so these are X12's (elements 1650 and 1652), which mappings pass on.
 * A code that is missing here says nothing about the order of events.
 */
/** The phase of an event at its stop: nothing comes before the arrival there. */
export type StopPhase = 'arrival' | 'after' | 'other';

/** By class: its phase; `planned` is not so yet: a delay often carries the new expected time. */
const PHASES = {
  arrive: 'arrival',
  'arrive-dock': 'arrival',
  loading: 'after',
  loaded: 'after',
  delivered: 'after',
  depart: 'after',
  'in-transit': 'other',
  handover: 'other',
  gate: 'other',
  exception: 'other',
  cancel: 'other',
  info: 'other',
  eta: 'planned',
  delay: 'planned',
  appointment: 'planned',
} as const satisfies Record<string, StopPhase | 'planned'>;
type EventClass = keyof typeof PHASES;

export type StopRole = 'pickup' | 'delivery' | 'terminal';

/** @property role what its stop is for; null if the code does not say. */
export interface EventMeaning {
  class: EventClass;
  role: StopRole | null;
}

const meaning = (eventClass: EventClass, role: StopRole | null = null): EventMeaning => ({ class: eventClass, role });

export const EVENT_CLASSES: ReadonlyMap<string, EventMeaning> = new Map([
  ['X3', meaning('arrive', 'pickup')],
  ['X8', meaning('arrive-dock', 'pickup')],
  ['L1', meaning('loading', 'pickup')],
  ['CP', meaning('loaded', 'pickup')],
  ['AF', meaning('depart', 'pickup')],
  ['X6', meaning('in-transit')],
  ['X4', meaning('arrive', 'terminal')],
  ['P1', meaning('depart', 'terminal')],
  ['X1', meaning('arrive', 'delivery')],
  ['X5', meaning('arrive-dock', 'delivery')],
  ['D1', meaning('delivered', 'delivery')],
  ['CD', meaning('depart', 'delivery')],
  ['X2', meaning('eta')],
  ['AG', meaning('eta')],
  ['E1', meaning('eta')],
  ['B6', meaning('eta')],
  ['C1', meaning('eta')],
  ['SD', meaning('delay')],
  ['AP', meaning('exception')],
  ['A7', meaning('exception')],
  ['A9', meaning('exception')],
  ['A3', meaning('exception')],
  ['AI', meaning('exception')],
  ['AH', meaning('exception')],
  ['CA', meaning('cancel')],
  ['XB', meaning('info')],
  ['J1', meaning('handover')],
  ['R1', meaning('handover')],
  ['BA', meaning('handover')],
  ['I1', meaning('gate')],
  ['OA', meaning('gate')],
  ['AA', meaning('appointment')],
  ['AB', meaning('appointment')],
  ['AC', meaning('appointment')],
  ['ED', meaning('appointment')],
  ['LD', meaning('appointment')],
  ['EP', meaning('appointment')],
  ['LP', meaning('appointment')],
  ['X9', meaning('appointment')],
  ['XA', meaning('appointment')],
]);

/** Whether it reports something that was so at its time. */
export const hasHappened = ({ class: eventClass }: EventMeaning): boolean => PHASES[eventClass] !== 'planned';

export function phaseOf({ class: eventClass }: EventMeaning): StopPhase {
  const phase = PHASES[eventClass];
  return phase === 'planned' ? 'other' : phase;
}
