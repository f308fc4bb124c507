/**
 * What a document may say about delivery: its form, and the rules its requests are dispatched with.
 *
 * Orders have their own rules and none of these.
 */
import * as z from 'zod';
import { LOAD_WAIT_MS_MAX, LOAD_WAIT_MS_MIN } from '../limits.ts';

const UNIT_MS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const WAIT_FORM = /^([1-9]\d{0,4})([mhd])$/;

/** @returns undefined if the text is no duration. */
function spanMs(text: string): number | undefined {
  const [, count, unit = ''] = WAIT_FORM.exec(text) ?? [];
  const unitMs = UNIT_MS.get(unit);
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs;
}

const isWithin = (waitMs: number | undefined): boolean =>
  waitMs !== undefined && waitMs >= LOAD_WAIT_MS_MIN && waitMs <= LOAD_WAIT_MS_MAX;

const WAIT_WANTED = 'minutes, hours or days, such as 90m, 24h or 2d: at least 1m, at most 72h';
const wait = z
  .string()
  .regex(WAIT_FORM, { error: WAIT_WANTED, abort: true })
  .refine((text) => isWithin(spanMs(text)), { error: WAIT_WANTED });

/** Kinds of anomalies of an event; their meaning is in `delivery/events/anomalies.ts`. */
export const ANOMALY_KINDS = ['outOfOrder', 'cameLate', 'stops', 'speed', 'inFuture', 'tooOld'] as const;
export type AnomalyKind = (typeof ANOMALY_KINDS)[number];

const anomalyAnswer = z.enum(['warn', 'reject', 'off']).meta({
  id: 'SurpriseAnswer',
  description:
    'It is sent, and its row bears a warning (warn, the default); it is not sent (reject); it is not looked at (off).',
});
type AnomalyAnswer = z.infer<typeof anomalyAnswer>;
/** A kind that is not named is a warning. */
export type AnomalyPolicy = Readonly<Partial<Record<AnomalyKind, AnomalyAnswer>>>;

const anomaliesSpec = z.union([
  anomalyAnswer,
  z.strictObject({
    outOfOrder: anomalyAnswer
      .optional()
      .describe('Two events contradict each other: departed before arrived, delivered before picked up.'),
    cameLate: anomalyAnswer.optional().describe('A later event of the same stop was sent before it.'),
    stops: anomalyAnswer.optional().describe('A stop number that does not follow those known of the load.'),
    speed: anomalyAnswer.optional().describe('Two positions that no truck reaches in the time between them.'),
    inFuture: anomalyAnswer.optional().describe('It happened later than it was received.'),
    tooOld: anomalyAnswer.optional().describe('It lies most of a year back.'),
  }),
]);

export const deliverySpec = z
  .strictObject({
    whenUnclear: z
      .enum(['resend', 'hold'])
      .optional()
      .describe(
        'No answer says whether it arrived: it is sent again until one does (resend, the default), or never again by itself (hold): the operator decides.',
      ),
    whenLoadUnknown: z
      .union([
        z.literal('reject'),
        z.strictObject({
          waitFor: wait.describe('How long after the upload it is tried again: 90m, 24h, 2d; at most 72h.'),
        }),
      ])
      .optional()
      .describe(
        'The receiving system does not know the load: refused (reject, the default), or tried again for a time.',
      ),
    laterEvents: z
      .enum(['pass', 'wait'])
      .optional()
      .describe(
        'An event that is undecided for an hour lets later ones of its load pass (pass, the default), or keeps them waiting (wait).',
      ),
    surprises: anomaliesSpec
      .optional()
      .describe(
        'What becomes of an event that is odd beside the others of its load: one answer, or one for each kind.',
      ),
    requestKey: z
      .literal('references')
      .optional()
      .describe('references: each request names itself in its references, so that a repeat can be recognised.'),
  })
  .meta({ id: 'Delivery', description: 'What delivery does with the events of this mapping where there is a choice.' });

type DeliverySpec = z.infer<typeof deliverySpec>;

/** The rules a request is dispatched with. @property loadWaitMs null: an unknown load is a refusal. */
export interface DeliveryRules {
  unclear: 'resend' | 'hold';
  loadWaitMs: number | null;
  laterEvents: 'pass' | 'wait';
  namesKey: boolean;
  /** Absent: every anomaly is a warning. */
  surprises?: AnomalyPolicy;
}

/** @returns null if a document has only the defaults. */
export function deliveryRules(spec: DeliverySpec | undefined): DeliveryRules | null {
  const unknown = spec?.whenLoadUnknown ?? 'reject';
  const rules: DeliveryRules = {
    unclear: spec?.whenUnclear ?? 'resend',
    loadWaitMs: unknown === 'reject' ? null : (spanMs(unknown.waitFor) ?? null),
    laterEvents: spec?.laterEvents ?? 'pass',
    namesKey: spec?.requestKey === 'references',
    ...anomalyPolicy(spec?.surprises),
  };
  const isUsual =
    rules.unclear === 'resend' &&
    rules.loadWaitMs === null &&
    rules.laterEvents === 'pass' &&
    !rules.namesKey &&
    rules.surprises === undefined;
  return isUsual ? null : rules;
}

/** Only what differs from the defaults. */
function anomalyPolicy(spec: DeliverySpec['surprises']): Pick<DeliveryRules, 'surprises'> {
  const asked = ANOMALY_KINDS.flatMap((kind) => {
    const answer = typeof spec === 'string' ? spec : spec?.[kind];
    return answer === undefined || answer === 'warn' ? [] : [[kind, answer] as const];
  });
  return asked.length === 0 ? {} : { surprises: Object.fromEntries(asked) };
}
