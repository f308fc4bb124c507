/**
 * A decision and a fault into what leaves the sandbox: which answer, in which manner, and when the effects happen. Pure.
 */
import { type Answer, errorBody, json, refuse } from '../answers.ts';
import { bearerOf } from '../checks.ts';
import type { Decision, Effect } from '../decision.ts';
import { sha256Hex } from '../masking.ts';
import type { Received } from '../received.ts';
import type { Fault } from './faults.ts';

/** How the answer goes out; `perform.ts` does it. */
export type Manner =
  | { kind: 'whole' }
  | { kind: 'reset' }
  | { kind: 'cut'; keepBytes: number }
  | { kind: 'drip'; chunkBytes: number; everyMs: number }
  | { kind: 'padded'; bodyBytes: number };

export interface Delivery {
  answer: Answer;
  manner: Manner;
  /** Waited before the answer, or its absence, goes out. Milliseconds. */
  waitMs: number;
}

export interface Acted {
  delivery: Delivery;
  /** Carried out in the same step. */
  effects: Effect[];
  /** Whether the request has taken effect with this step, provided that it was in order. */
  applied: boolean;
  /** Carried out when their time has come; null when there are none. */
  late: { afterMs: number; effects: Effect[] } | null;
}

/** Blanks are sent as they are needed, so this costs the sandbox nothing; it keeps a typo from lasting for ever. */
const BODY_BYTES_CEILING = 4 * 1024 ** 3;

export function act(decision: Decision, fault: Fault | null, received: Received): Acted {
  if (fault === null) {
    const delivery: Delivery = { answer: decision.answer, manner: { kind: 'whole' }, waitMs: 0 };
    return timed(delivery, decision.effects, 'before', 0);
  }
  const delivery = deliveryOf(decision.answer, fault);
  switch (fault.type) {
    case 'redirect':
    case 'too_many_requests':
      return timed(delivery, [], 'never', 0);
    case 'expired_token': {
      const token = bearerOf(received);
      const effects: Effect[] = token === null ? [] : [{ kind: 'token_expired', hash: sha256Hex(token) }];
      return { ...timed(delivery, effects, 'before', 0), applied: false };
    }
    case 'lost_poll':
      return timed(delivery, decision.effects, 'before', 0);
    case 'delay':
      return timed(delivery, decision.effects, fault.apply, fault.ms);
    default:
      return timed(delivery, decision.effects, fault.apply, fault.lateMs);
  }
}

function timed(delivery: Delivery, effects: Effect[], apply: 'before' | 'after' | 'never', afterMs: number): Acted {
  switch (apply) {
    case 'before':
      return { delivery, effects, applied: true, late: null };
    case 'after': // a plain read has no effect that could come late
      if (effects.length === 0) return { delivery, effects, applied: true, late: null };
      return { delivery, effects: [], applied: false, late: { afterMs, effects } };
    case 'never':
      return { delivery, effects: [], applied: false, late: null };
  }
}

function deliveryOf(truth: Answer, fault: Fault): Delivery {
  const sent = (answer: Answer, manner: Manner = { kind: 'whole' }, waitMs = 0): Delivery => ({
    answer,
    manner,
    waitMs,
  });
  switch (fault.type) {
    case 'status': {
      const body = fault.body ?? JSON.stringify(errorBody('fault', `A fault rule answers ${fault.status}.`));
      return sent({ status: fault.status, headers: { 'content-type': 'application/json', ...fault.headers }, body });
    }
    case 'delay':
      return sent(truth, { kind: 'whole' }, fault.ms);
    case 'reset':
      return sent(truth, { kind: 'reset' });
    case 'truncate': {
      const keepBytes = fault.keepBytes ?? Math.floor(truth.body.length / 2);
      return fault.clean ? sent(shortened(truth, keepBytes)) : sent(truth, { kind: 'cut', keepBytes });
    }
    case 'drip':
      return sent(truth, { kind: 'drip', chunkBytes: fault.chunkBytes, everyMs: fault.everyMs });
    case 'oversize': {
      const answer = fault.headerBytes === 0 ? truth : withHeader(truth, 'x-padding', 'x'.repeat(fault.headerBytes));
      return sent(answer, { kind: 'padded', bodyBytes: Math.min(fault.bodyBytes, BODY_BYTES_CEILING) });
    }
    case 'bad_gzip':
      return sent(withHeader(truth, 'content-encoding', 'gzip'));
    case 'redirect':
      return sent({ status: fault.status, headers: { location: fault.location }, body: '' });
    case 'too_many_requests': {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      return sent(json(429, errorBody('too_many_requests', 'Too many requests.'), headers as Record<string, string>));
    }
    case 'expired_token':
      return sent(refuse('token_expired', 'The access token has expired. Request a new one.'));
    case 'lost_poll':
      return sent(truth, { kind: 'cut', keepBytes: 1 });
  }
}

function shortened(answer: Answer, keepBytes: number): Answer {
  const kept = new TextEncoder().encode(answer.body).slice(0, keepBytes);
  return { ...answer, body: new TextDecoder().decode(kept) };
}

function withHeader(answer: Answer, name: string, value: string): Answer {
  return { ...answer, headers: { ...answer.headers, [name]: value } };
}
