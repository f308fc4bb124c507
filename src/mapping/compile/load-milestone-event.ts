/** Compiles the fields of the OAuth-protected milestone event (seed 4.3) into one function of a record. */

import type { LoadMilestoneEventFields } from '../request.ts';
import type { ReadValue } from '../values/text.ts';
import { compileTargetMoment, compileTargetText, type EventScope } from './event-values.ts';

export function compileLoadMilestoneEvent(scope: EventScope): ReadValue<LoadMilestoneEventFields> {
  const readLoad = compileTargetText(scope, 'load_id');
  const readType = compileTargetText(scope, 'milestone_type');
  const readMoment = compileTargetMoment(scope);
  return (fields, errors) => {
    const load_id = readLoad(fields, errors);
    const milestone_type = readType(fields, errors);
    const event_time = readMoment(fields, errors);
    if (load_id === undefined || milestone_type === undefined || event_time === undefined) return undefined;
    return { load_id, milestone_type, event_time };
  };
}
