/**
 * What a test may change about the sandbox while it runs: `PUT /_sandbox/settings` replaces all of it.
 *
 * Seconds of a token are real seconds. Seconds of an order's life are divided by TIME_SCALE.
 */
import { z } from 'zod';
import { SCAC_FORM } from '../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { ONBOARDED_SCACS } from './environments.ts';

const authMethod = z.enum(['key', 'key+bearer']);

export const settingsSchema = z.strictObject({
  /** seed 2.1: 3600. A fraction is allowed, so that a test need not wait a whole second. */
  tokenLifeSeconds: z.number().positive().default(3600),
  /** Every step of an order's life this far from the one before; null: the hours of `orders/life.ts`. */
  statusStepSeconds: z.number().positive().nullable().default(null),
  /** A new order cannot be found by orderRef before this much of its life has passed. */
  orderIndexDelaySeconds: z.number().min(0).default(0),
  onboardedScacs: z.array(z.string().regex(SCAC_FORM)).default([...ONBOARDED_SCACS]),
  /** Load numbers that exist; null: every one does. Others are refused as NOT_SHOWN.loadUnknown says. */
  knownLoads: z.array(z.string().min(1)).nullable().default(null),
  /** seed 5.4: the mapping of APIs to methods is not shown; what is not named here stays as NOT_SHOWN.authByApi says. */
  authByApi: z
    .strictObject({
      fleet: authMethod.default(NOT_SHOWN.authByApi.fleet),
      locations: authMethod.default(NOT_SHOWN.authByApi.locations),
      events: authMethod.default(NOT_SHOWN.authByApi.events),
      orders: authMethod.default(NOT_SHOWN.authByApi.orders),
      loadMilestoneEvents: authMethod.default(NOT_SHOWN.authByApi.loadMilestoneEvents),
    })
    .prefault({}),
});

export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});
