/** Compiles the fields of the OAuth-protected milestone event (seed 4.3) into one function of a record. */
import { compileTargetText, compileTargetTime, type EventScope } from './event-values.ts';
import type { LoadMilestoneEventFields } from './request.ts';
import type { ReadValue } from './text-value.ts';

export function compileLoadMilestoneEvent(scope: EventScope): ReadValue<LoadMilestoneEventFields> {
  const readLoad = compileTargetText(scope, 'load_id');
  const readType = compileTargetText(scope, 'milestone_type');
  const readTime = compileTargetTime(scope, 'event_time');
  return (fields, errors) => {
    const load_id = readLoad(fields, errors);
    const milestone_type = readType(fields, errors);
    const time = readTime(fields, errors);
    if (load_id === undefined || milestone_type === undefined || time === undefined) return undefined;
    return { load_id, milestone_type, event_time: time.dateTime };
  };
}
