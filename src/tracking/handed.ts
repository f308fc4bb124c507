/** What a batch hands over to a load or an order, and who that is. Types only. */
import type { PartnerScope } from '../kernel/names.ts';
import type { DeliveryRules } from '../mapping/document/delivery-spec.ts';
import type { RequestKind } from '../mapping/request.ts';

export interface LoadIdentity extends PartnerScope {
  scac: string;
  loadNumber: string;
}

/** Orders are not named by SCAC: each operation brings its own. */
export interface OrderIdentity extends PartnerScope {
  orderRef: string;
}

/** What the Batch hands over. `key` is unique and the same on every rerun, so a repeat changes nothing. */
export interface HandedRequest {
  key: string;
  batchId: string;
  record: number;
  request: number;
  /** Counts from 1; a retry of the request is the next one, a request of its own in its subject. */
  generation: number;
  /** An earlier generation may have been applied after all. */
  mayHaveArrived: boolean;
  kind: RequestKind;
  scac: string;
  /** The channel it goes out on, by name. */
  channel: string;
  /** JSON text, sent byte for byte on every try; a trace's point is packed with others. */
  body: string;
  acceptedAtMs: number;
  /** Id of the partner's key it came with; null or absent: nobody said. */
  uploadedBy?: string | null;
  /** Sent as it happened; false for what comes from a file. */
  live: boolean;
  /** Sent on request whatever was sent before: it is never the duplicate of another. */
  forced: boolean;
  /** What its mapping asks of delivery; null: the usual, and what orders get. */
  rules: DeliveryRules | null;
}

/** What goes to one subject, and who that is. */
export interface HandedTo<Identity> {
  identity: Identity;
  requests: readonly HandedRequest[];
}
