/**
 * The fields a mapping may fill, per kind of event: upstream name (seed 2.2, 2.4, 4.3), content, our limits. A unit
 * test compares them with the upstream contract; mapping imports nothing from there. Order fields are not shown (seed
 * 2.8).
 */

import * as z from 'zod';
import {
  CODE_CHARACTERS_MAX,
  LOAD_NUMBER_CHARACTERS_MAX,
  REFERENCES_MAX,
  RESOURCE_CHARACTERS_MAX,
  TEXT_CHARACTERS_MAX,
} from '../limits.ts';
import type { ChangeKind, OrderKind, RequestKind } from '../request.ts';
import { coordinatePair, integerField, referenceField, temperatureField, textField, timeField } from './field-spec.ts';

type TargetField =
  | { name: string; holds: 'text'; required: boolean; charactersMax: number; about: string }
  | { name: string; holds: 'integer'; required: boolean; minimum: number; about: string }
  | {
      name: string;
      holds: 'time' | 'references' | 'coordinate' | 'temperature';
      required: boolean;
      about: string;
    };

const text = (name: string, about: string, more: { required?: boolean; charactersMax?: number } = {}): TargetField => ({
  name,
  holds: 'text',
  required: more.required ?? false,
  charactersMax: more.charactersMax ?? TEXT_CHARACTERS_MAX,
  about,
});
const integer = (name: string, about: string): TargetField => ({
  name,
  holds: 'integer',
  required: false,
  minimum: 0,
  about,
});

const LOAD_NUMBER = text('loadNumber', 'The load it belongs to.', {
  required: true,
  charactersMax: LOAD_NUMBER_CHARACTERS_MAX,
});
const EVENT_CITY = text('eventCity', 'City of the event or position.');
const EVENT_STATE = text('eventState', 'State or province code of the event or position.');
const TIME: TargetField = {
  name: 'time',
  holds: 'time',
  required: true,
  about: 'When it happened: local time and zone, or a time with its offset.',
};
const STOP = integer('stopsequenceNumber', 'Sequence number of the stop (the upstream spells it this way).');
const REFERENCES: TargetField = {
  name: 'references',
  holds: 'references',
  required: false,
  about: 'Further numbers, each with a name and a value.',
};

/** seed 2.2 */
const MILESTONE: readonly TargetField[] = [
  text('eventCode', 'Code of the event, for example X3 (arrived at pick-up).', {
    required: true,
    charactersMax: CODE_CHARACTERS_MAX,
  }),
  text('reasonCode', 'Reason of the event, for example NS (normal).', { charactersMax: CODE_CHARACTERS_MAX }),
  LOAD_NUMBER,
  EVENT_CITY,
  EVENT_STATE,
  TIME,
  STOP,
  REFERENCES,
];

/** seed 2.4: the request and its one point together; the load packs points. */
const TRACE: readonly TargetField[] = [
  LOAD_NUMBER,
  EVENT_CITY,
  EVENT_STATE,
  TIME,
  STOP,
  text('resourceId', 'What is tracked, as a vehicle identification number.', {
    charactersMax: RESOURCE_CHARACTERS_MAX,
  }),
  text('resourceType', 'Kind of what is tracked, for example TRUCK.', { charactersMax: RESOURCE_CHARACTERS_MAX }),
  integer('odometer', 'Odometer reading.'),
  {
    name: 'temperature',
    holds: 'temperature',
    required: false,
    about: 'A temperature with its scale, left out where its value is empty.',
  },
  { name: 'coordinate', holds: 'coordinate', required: true, about: 'Where it was: latitude and longitude.' },
  REFERENCES,
];

/** seed 4.3, the OAuth-protected example */
const LOAD_MILESTONE_EVENT: readonly TargetField[] = [
  text('load_id', 'The load it belongs to.', { required: true, charactersMax: LOAD_NUMBER_CHARACTERS_MAX }),
  text('milestone_type', 'Kind of milestone.', { required: true, charactersMax: CODE_CHARACTERS_MAX }),
  { ...TIME, name: 'event_time' },
];

export type EventKind = Exclude<RequestKind, OrderKind>;

/** A Map, not an object: a document that names `constructor` must find nothing. */
export const TARGETS: ReadonlyMap<RequestKind, readonly TargetField[]> = new Map([
  ['milestone', MILESTONE],
  ['trace', TRACE],
  ['loadMilestoneEvent', LOAD_MILESTONE_EVENT],
]);

export const isOrderKind = (kind: RequestKind): kind is OrderKind => kind.startsWith('order.');

/** Whether it changes an existing order. */
export const isChangeKind = (kind: RequestKind | undefined): kind is ChangeKind =>
  kind === 'order.update' || kind === 'order.upsert';

export const targetFields = (kind: RequestKind): readonly TargetField[] => TARGETS.get(kind) ?? [];

export const targetField = (kind: RequestKind, name: string): TargetField | undefined =>
  targetFields(kind).find((field) => field.name === name);

/** The kinds that have a field of this name. */
export const kindsWith = (name: string): RequestKind[] =>
  [...TARGETS].flatMap(([kind, fields]) => (fields.some((field) => field.name === name) ? [kind] : []));

/** What a field is and which kinds have it, for the author's editor. */
function about(name: string): string {
  const kinds = kindsWith(name);
  const [first] = kinds;
  const words = first === undefined ? '' : (targetField(first, name)?.about ?? '');
  return `${words} (${kinds.join(', ')})`;
}

/** All optional: a request inherits shared fields, and `check.ts` reports what is then still missing. */
export const eventFields = z
  .strictObject({
    eventCode: textField.optional().describe(about('eventCode')),
    reasonCode: textField.optional().describe(about('reasonCode')),
    loadNumber: textField.optional().describe(about('loadNumber')),
    eventCity: textField.optional().describe(about('eventCity')),
    eventState: textField.optional().describe(about('eventState')),
    time: timeField.optional().describe(about('time')),
    stopsequenceNumber: integerField.optional().describe(about('stopsequenceNumber')),
    resourceId: textField.optional().describe(about('resourceId')),
    resourceType: textField.optional().describe(about('resourceType')),
    odometer: integerField.optional().describe(about('odometer')),
    temperature: temperatureField.optional().describe(about('temperature')),
    coordinate: coordinatePair.optional().describe(about('coordinate')),
    references: z.array(referenceField).min(1).max(REFERENCES_MAX).optional().describe(about('references')),
    load_id: textField.optional().describe(about('load_id')),
    milestone_type: textField.optional().describe(about('milestone_type')),
    event_time: timeField.optional().describe(about('event_time')),
  })
  .meta({ id: 'EventFields', description: 'Fields of an event, each filled from the record.' });

export type EventFields = z.infer<typeof eventFields>;
export type EventFieldName = keyof EventFields;
