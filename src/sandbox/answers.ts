/**
 * What the sandbox says: JSON answers and refusals, in the classes of seed 7.1.
 *
 * The error body's shape is "not shown" (seed 7.2); ours is `{error: {code, message, fields}}`.
 */
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One field that stands in the way, `path` as in `time.dateTime` or `traces[2].coordinate`. */
export interface FieldProblem {
  path: string;
  problem: string;
}

const STATUS = NOT_SHOWN.refusalStatus;

/** Every code the sandbox refuses with, and its HTTP status. */
export const REFUSALS = {
  subscription_key_missing: NOT_SHOWN.missingCredentialsStatus,
  subscription_key_unknown: NOT_SHOWN.missingCredentialsStatus,
  client_unknown: NOT_SHOWN.missingCredentialsStatus,
  token_missing: NOT_SHOWN.missingCredentialsStatus,
  token_unknown: NOT_SHOWN.missingCredentialsStatus,
  token_expired: NOT_SHOWN.missingCredentialsStatus,
  scac_not_onboarded: NOT_SHOWN.scacNotOnboardedStatus,
  scac_malformed: STATUS.scacMalformed,
  token_request_malformed: STATUS.malformed,
  query_malformed: STATUS.malformed,
  body_not_json: STATUS.malformed,
  body_not_allowed: STATUS.malformed,
  body_invalid: STATUS.malformed,
  order_id_malformed: STATUS.malformed,
  order_id_disagrees: STATUS.malformed,
  path_unknown: STATUS.unknownResource,
  vehicle_unknown: STATUS.unknownResource,
  location_unknown: STATUS.unknownResource,
  order_unknown: STATUS.unknownResource,
  load_unknown: NOT_SHOWN.loadUnknown.status,
  method_not_allowed: STATUS.wrongMethod,
  accept_not_json: STATUS.acceptNotJson,
  order_closed: STATUS.orderClosed,
  order_member_fixed: STATUS.memberFixed,
  body_too_large: STATUS.tooLarge,
  media_type_unsupported: STATUS.mediaType,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof REFUSALS;

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** @param message One sentence for a carrier's IT person: what is wrong and what is wanted. */
export function refuse(code: RefusalCode, message: string, fields: FieldProblem[] = []): Answer {
  return json(REFUSALS[code], errorBody(code, message, fields));
}

export function errorBody(code: string, message: string, fields: FieldProblem[] = []): unknown {
  return { [NOT_SHOWN.errorKey]: { code, message, fields } };
}
