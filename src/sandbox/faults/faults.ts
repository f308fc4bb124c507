/**
 * Fault rules: which request meets which fault. Their schema, and the choice for one request, pure and repeatable.
 *
 * Rules are tried in their order; the first that fires acts. Milliseconds of faults are real ones, whatever TIME_SCALE.
 * `apply` says when the request takes effect relative to the fault: `before` it (the effect is there, the answer is
 * not), `after` it (late, `lateMs` after the fault acted) or `never`.
 */
import * as z from 'zod';
import { HEADERS } from '../../upstream/contracts/endpoints.ts';
import type { Decision, Effect } from '../decision.ts';
import { type Answer, errorBody, json, type Received, refuse, sha256Hex } from '../http.ts';
import { bearerOf, header, pathWithin } from '../request.ts';
import type { Environment } from '../settings.ts';

const apply = z.enum(['before', 'after', 'never']);
const lateMs = z.number().int().min(0).default(0);
/** Of faults that spoil an answer: the effect is there unless the rule says otherwise. */
const timing = { apply: apply.default('before'), lateMs };
const headers = z.record(z.string(), z.string()).default({});

const fault = z.discriminatedUnion('type', [
  /** Answers with this status instead of the true answer. Without a body: a JSON error. */
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(200).max(599),
    headers,
    body: z.string().optional(),
    apply: apply.default('never'),
    lateMs,
  }),
  /** The true answer, this late. With `apply: 'after'` the effect comes with the answer. */
  z.strictObject({ type: z.literal('delay'), ms: z.int().min(0), apply: apply.default('before') }),
  /** The connection ends before any answer. See `perform.ts` for what a client then gets. */
  z.strictObject({ type: z.literal('reset'), apply, lateMs }),
  /** The true answer's headers and first bytes; then the connection ends, or (`clean`) the body is merely too short. */
  z.strictObject({
    type: z.literal('truncate'),
    keepBytes: z.int().min(0).optional(),
    clean: z.boolean().default(false),
    ...timing,
  }),
  /** The true answer in small pieces. */
  z.strictObject({
    type: z.literal('drip'),
    chunkBytes: z.int().min(1).default(1),
    everyMs: z.int().min(1).default(100),
    ...timing,
  }),
  /** The true answer padded with blanks up to this length, and with a header of this length. */
  z.strictObject({
    type: z.literal('oversize'),
    bodyBytes: z.int().min(0).default(0),
    headerBytes: z.int().min(0).default(0),
    ...timing,
  }),
  /** The true answer's bytes with `Content-Encoding: gzip`, though they are not compressed. */
  z.strictObject({ type: z.literal('bad_gzip'), ...timing }),
  z.strictObject({
    type: z.literal('redirect'),
    status: z.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)]).default(302),
    location: z.string(),
  }),
  /** 429. `retryAfter` is sent as it is written: seconds, a date or nonsense. */
  z.strictObject({ type: z.literal('too_many_requests'), retryAfter: z.union([z.string(), z.number()]).optional() }),
  /** 401, and the token of the request has expired from then on. */
  z.strictObject({ type: z.literal('expired_token') }),
  /** For batch polls: the cursor moves, the answer is cut after its headers. */
  z.strictObject({ type: z.literal('lost_poll') }),
]);

const faultRule = z.strictObject({
  /** Shown in the journal; default `rule-N`, counted from 1. */
  id: z.string().min(1).optional(),
  match: z
    .strictObject({
      method: z.string().optional(),
      /** Relative to the base URL or with the environment before it; a trailing star makes it a prefix. */
      path: z.string().startsWith('/').optional(),
      environment: z.enum(['test', 'production']).optional(),
      scac: z.string().optional(),
      bodyIncludes: z.string().optional(),
      /** Name of a query parameter that must be present. */
      parameter: z.string().optional(),
    })
    .default({}),
  /** How often it fires; without it: always. */
  times: z.int().min(1).optional(),
  /** Matching requests that pass first. */
  afterRequests: z.int().min(0).default(0),
  /** Share of the matching requests that meet the fault, drawn from `seed` and the count of matches. */
  probability: z.number().min(0).max(1).default(1),
  seed: z.int().default(1),
  fault,
});

export const faultRules = z
  .array(faultRule)
  .transform((rules) => rules.map((rule, index) => ({ ...rule, id: rule.id ?? `rule-${index + 1}` })));

type Fault = z.output<typeof fault>;
export type FaultRule = z.output<typeof faultRules>[number];

/** How often a rule matched, and how often it fired. */
export interface FaultCount {
  matched: number;
  fired: number;
}

interface FaultChoice {
  rule: FaultRule | null;
  /** New counts of the rules that were tried for this request and matched it. */
  counts: { id: string; count: FaultCount }[];
}

export function chooseFault(
  rules: readonly FaultRule[],
  countOf: (id: string) => FaultCount,
  received: Received,
  environment: Environment | null,
): FaultChoice {
  const counts: FaultChoice['counts'] = [];
  for (const rule of rules) {
    if (!matches(rule.match, received, environment)) continue;
    const before = countOf(rule.id);
    const fires = isDue(rule, before);
    counts.push({ id: rule.id, count: { matched: before.matched + 1, fired: before.fired + (fires ? 1 : 0) } });
    if (fires) return { rule, counts };
  }
  return { rule: null, counts };
}

function matches(match: FaultRule['match'], received: Received, environment: Environment | null): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== received.method) return false;
  if (match.environment !== undefined && match.environment !== environment) return false;
  if (match.scac !== undefined && match.scac !== header(received, HEADERS.carrierScac)) return false;
  if (match.bodyIncludes !== undefined && !received.body.includes(match.bodyIncludes)) return false;
  if (match.parameter !== undefined && !received.query.some(([name]) => name === match.parameter)) return false;
  if (match.path === undefined) return true;
  return [received.path, pathWithin(environment, received.path)].some((path) => fitsPath(match.path ?? '', path));
}

function fitsPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function isDue(rule: FaultRule, before: FaultCount): boolean {
  if (before.matched < rule.afterRequests) return false;
  if (rule.times !== undefined && before.fired >= rule.times) return false;
  return rule.probability >= 1 || draw(rule.seed, before.matched) < rule.probability;
}

/** A number in [0, 1) that depends on seed and count alone (a 32-bit mix of multiplications and shifts). */
export function draw(seed: number, count: number): number {
  let bits = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(count + 1, 0x9e3779b1)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}

/*
 * Combines a decision and a fault: which answer leaves the sandbox, in which manner, and when the effects happen. Pure.
 */

/** How the answer goes out; `perform.ts` does it. */
type Manner =
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
  /** Whether the request takes effect with this step, provided that it was in order. */
  applied: boolean;
  /** Carried out when they are due; null when there are none. */
  late: { afterMs: number; effects: Effect[] } | null;
}

/**
 * Blanks are generated as they are sent, so this costs the sandbox nothing; the limit keeps a typo from running for
 * ever.
 */
const BODY_BYTES_CEILING = 4 * 1024 ** 3;

export function act(decision: Decision, fault: Fault | null, received: Received): Acted {
  const { answer, effects } = decision;
  if (fault === null) return timed({ answer, manner: { kind: 'whole' }, waitMs: 0 }, effects, 'before', 0);
  const delivery = deliveryOf(answer, fault);
  switch (fault.type) {
    case 'redirect':
    case 'too_many_requests':
      return timed(delivery, effects, 'never', 0);
    case 'expired_token': {
      const token = bearerOf(received);
      const expired: Effect[] = token === null ? [] : [{ kind: 'token_expired', hash: sha256Hex(token) }];
      return { delivery, effects: expired, applied: false, late: null };
    }
    case 'lost_poll':
      return timed(delivery, effects, 'before', 0);
    case 'delay':
      return timed(delivery, effects, fault.apply, fault.ms);
    default:
      return timed(delivery, effects, fault.apply, fault.lateMs);
  }
}

function timed(delivery: Delivery, effects: Effect[], apply: 'before' | 'after' | 'never', afterMs: number): Acted {
  if (apply === 'never') return { delivery, effects: [], applied: false, late: null };
  // A plain read has no effect that could come late.
  if (apply === 'before' || effects.length === 0) return { delivery, effects, applied: true, late: null };
  return { delivery, effects: [], applied: false, late: { afterMs, effects } };
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
