/**
 * Which requests of a load are equal, and what happens to the later one. Pure.
 *
 * An event is sent once: if an earlier request delivered it, it is not sent again; if one may still deliver it, it
 * waits. Any other end of an earlier request blocks nothing, so that a corrected or repeated upload passes.
 */
import { createHash } from 'node:crypto';
import type { MilestoneFields, Reference, RequestKind, TraceFields } from '../../mapping/request.ts';
import { followedState } from '../outcome.ts';
import { isFinal, type RequestState } from '../states.ts';

/** Of a point only the point: its load's last location is not part of it. */
type Said =
  | { kind: Extract<RequestKind, 'milestone' | 'loadMilestoneEvent'>; body: string }
  | { kind: 'trace'; points: string };

/** @returns a short text, equal only if two requests of a load are the same event or point. */
export function businessKey(scac: string, said: Said): string {
  const what = said.kind === 'trace' ? said.points : said.body;
  return createHash('sha256')
    .update(JSON.stringify([said.kind, scac, what]))
    .digest('base64');
}

/**
 * An earlier request with the same business key. @property into the request it travels in, null if it goes by itself.
 */
export interface EqualRequest extends Ended {
  seq: number;
  into: Ended | null;
}

/** @property outcome only for `dead`: whether it may have been applied. */
interface Ended {
  state: RequestState;
  outcome: 'not_applied' | 'unknown' | null;
}

export type BesideEqual =
  /** `mayBeThere`: an earlier one was given up without a clear answer. */
  | { turn: 'send'; mayBeThere: boolean }
  | { turn: 'duplicate'; of: number }
  /** Until that one is final; it blocks nothing else. */
  | { turn: 'wait'; for: number };

/** @param earlier in dispatch order; read only as far as needed. */
export function besideEqual(earlier: Iterable<EqualRequest>): BesideEqual {
  let mayBeThere = false;
  for (const { seq, state, outcome, into } of earlier) {
    const followed = followedState(state, into?.state ?? null);
    if (followed === 'delivered') return { turn: 'duplicate', of: seq };
    if (!isFinal(followed)) return { turn: 'wait', for: seq };
    if (followed === 'dead') mayBeThere ||= (state === 'coalesced' ? into?.outcome : outcome) === 'unknown';
  }
  return { turn: 'send', mayBeThere };
}

/*
 * A key in the request, so that the receiver can recognise a repeat: the same on every try and in every generation.
 *
 * Bodies are compared as mapped, without it.
 */

const REQUEST_KEY_REFERENCE = 'TRANSLOAD';

/** @param body as mapped. @returns it with the key among its references; unchanged if its kind has none. */
export function withRequestKey(kind: RequestKind, body: string, key: string): string {
  const named = (references: readonly Reference[] = []): Reference[] => [
    ...references,
    { name: REQUEST_KEY_REFERENCE, value: key },
  ];
  switch (kind) {
    case 'milestone': {
      const fields = JSON.parse(body) as MilestoneFields;
      return JSON.stringify({ ...fields, references: named(fields.references) });
    }
    case 'trace': {
      const fields = JSON.parse(body) as TraceFields;
      const traces = fields.traces.map((point) => ({ ...point, references: named(point.references) }));
      return JSON.stringify({ ...fields, traces });
    }
    case 'loadMilestoneEvent':
    case 'order.create':
    case 'order.update':
    case 'order.cancel':
    case 'order.upsert':
      return body;
  }
}
