/** One request in few words, for reports and pages: what it says and when that was. Pure; exhaustive over the kinds. */
import { isFinal } from '../../delivery/states.ts';
import { requestKey } from '../../kernel/names.ts';
import type { RowRequest } from './summary.ts';

/** @property what the code or number a person looks for; time of the event as it is sent, null where the request has none. */
export interface RequestWords {
  what: string;
  time: string | null;
}

export function requestWords(request: RowRequest): RequestWords {
  switch (request.kind) {
    case 'milestone':
      return { what: request.body.eventCode, time: request.body.time.dateTime };
    case 'trace': {
      const [point] = request.body.traces;
      return { what: 'position', time: point?.time.dateTime ?? null };
    }
    case 'loadMilestoneEvent':
      return { what: request.body.milestone_type, time: request.body.event_time };
    case 'order.create':
    case 'order.update':
    case 'order.cancel':
    case 'order.upsert':
      return { what: request.body.orderRef, time: null };
  }
}

/** The request it travels in or repeats, by name; empty where it goes by itself. */
export const intoKey = ({ into }: Pick<RowRequest, 'into'>): string =>
  into === null ? '' : requestKey(into.batchId, into.record, into.request);

/** @returns e.g. `Travelled with row 17 of batch b_…`; the batch is named when it is another. null where it goes by itself. */
export function intoWords({ state, into, intoState }: RowRequest, batchId: string): string | null {
  if (into === null) return null;
  const row = `row ${into.record}${into.batchId === batchId ? '' : ` of batch ${into.batchId}`}`;
  if (state === 'duplicate') return `Same as ${row}`;
  return `${intoState !== null && isFinal(intoState) ? 'Travelled' : 'Travels'} with ${row}`;
}
