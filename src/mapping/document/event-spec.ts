/** The form of an event's fields in a mapping document: every field of every kind of event, each filled from the record. */
import { z } from 'zod';
import { REFERENCES_MAX } from '../limits.ts';
import { coordinatePair, integerField, referenceField, temperatureField, textField, timeField } from './field-spec.ts';
import { kindsWith, targetField } from './targets.ts';

/** What a field is and which kinds have it, for the author's editor. */
function about(name: string): string {
  const kinds = kindsWith(name);
  const [first] = kinds;
  const words = first === undefined ? '' : (targetField(first, name)?.about ?? '');
  return `${words} (${kinds.join(', ')})`;
}

/** All optional: what a request lacks it takes from the shared fields, and `check.ts` asks for what is then still missing. */
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
