/** Narrows a request to the milestone a test expects it to be; throws when it is anything else. */
import type { MilestoneFields, RequestBody, RequestKind } from '../src/mapping/request.ts';

export function milestoneOf(request: { kind: RequestKind; body: RequestBody } | undefined): MilestoneFields {
  if (request?.kind !== 'milestone') throw new Error(`a milestone was expected, not ${request?.kind ?? 'nothing'}`);
  return request.body as MilestoneFields;
}
