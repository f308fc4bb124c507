/** Plain words of an event's code, for people: `Arrived at pickup`. Pure. */
import { EVENT_CLASSES, type EventMeaning, type StopRole } from '../delivery/events/event-classes.ts';

const CLASS_MESSAGES: Record<EventMeaning['class'], string> = {
  arrive: 'Arrived',
  'arrive-dock': 'Arrived at the dock',
  loading: 'Loading',
  loaded: 'Loaded',
  delivered: 'Unloaded',
  depart: 'Departed',
  'in-transit': 'On the way',
  handover: 'Handed over',
  gate: 'At the gate',
  exception: 'Problem on the way',
  cancel: 'Cancelled',
  info: 'Information',
  eta: 'Expected',
  delay: 'Delayed',
  appointment: 'Appointment',
};

const ROLE_MESSAGES: Record<StopRole, string> = { pickup: 'pickup', delivery: 'delivery', terminal: 'terminal' };

/** @returns null for a code that says nothing to us. */
export function eventMessage(code: string): string | null {
  const known = EVENT_CLASSES.get(code);
  if (known === undefined) return null;
  const text = CLASS_MESSAGES[known.class];
  return known.role === null ? text : `${text}, ${ROLE_MESSAGES[known.role]}`;
}

/** `X3 of stop 1 at …` → `“Arrived, pickup” (X3) of stop 1 at …`, in what is said of events. Pure. */
export const withEventNames = (text: string): string =>
  text.replace(/\b([A-Z0-9]{2}) of stop /g, (said, code: string) => {
    const name = eventMessage(code);
    return name === null ? said : `“${name}” (${code}) of stop `;
  });
