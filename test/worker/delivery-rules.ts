/** What mappings ask of delivery, as it is handed over, and what a load that is not known is answered with. */
import type { DeliveryRules } from '../../src/mapping/document/delivery-spec.ts';
import type { DecisionRequest } from '../../src/tracking/decisions.ts';
import type { StoredRequest } from '../../src/tracking/request.ts';
import type { LoadUnderTest } from './loads.ts';

export const HOUR_MS = 3_600_000;

const USUAL: DeliveryRules = { unclear: 'resend', loadWaitMs: null, laterEvents: 'pass', namesKey: false };
/** The usual but for what is named. */
export const asking = (more: Partial<DeliveryRules>): { rules: DeliveryRules } => ({ rules: { ...USUAL, ...more } });

export const loadUnknown = (): Response => Response.json({ error: { code: 'load_unknown' } }, { status: 404 });

export const requestsOf = async (load: LoadUnderTest): Promise<StoredRequest[]> =>
  (await load.timeline()).map(({ request }) => request);

/** A person's decision about a request of batch `b_1`. */
export const decision = (record: number, what: DecisionRequest['decision'], id = 'click-1'): DecisionRequest => ({
  id,
  place: { batchId: 'b_1', record, request: 1 },
  who: 'key-1',
  name: 'Analyst',
  why: 'asked by phone',
  decision: what,
  seen: null,
  orderId: null,
  outcome: null,
  dryRun: false,
});
