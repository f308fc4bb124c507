/**
 * What a test may change about the sandbox while it runs: `PUT /_sandbox/settings` replaces all of it.
 *
 * Token lifetimes are in real seconds. Seconds of an order's steps are divided by TIME_SCALE.
 */
import * as z from 'zod';
import { SCAC_FORM } from '../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';

/**
 * Who may call the sandbox: the two environments (seed 1.6), the accounts of each and the onboarded carriers.
 *
 * Constants, made up and public; they give access to nothing else.
 */
export type Environment = 'test' | 'production';

/** The first path segment is the environment: the base URLs are `http://host/test` and `http://host/production`. */
export const ENVIRONMENTS: readonly Environment[] = ['test', 'production'];

export interface Account {
  environment: Environment;
  name: string;
  /** Also the subscription key (seed 4.1: both are called the API key). */
  apiKey: string;
  clientSecret: string;
  /** The client_id of the second token endpoint (seed 4.1 row 2); its secret is the same one. */
  oauthClientId: string;
  /** Lessee numbers whose vehicles this account sees (seed 1.8). */
  customerNumbers: readonly string[];
  /** Owner of an order whose body names none (NOT_SHOWN.orderPartnerIdPath). */
  partnerId: string;
  clientId: string;
}

function account(environment: Environment, name: 'demo' | 'second'): Account {
  const suffix = name === 'demo' ? '' : '-2';
  const isDemo = name === 'demo';
  return {
    environment,
    name,
    apiKey: `sandbox-${environment}-key${suffix}`,
    clientSecret: `sandbox-${environment}-secret${suffix}`,
    oauthClientId: `sandbox-${environment}-client${suffix}`,
    customerNumbers: isDemo ? ['100200', '100300'] : ['900100'],
    partnerId: isDemo ? 'DEMO-PARTNER' : 'SECOND-PARTNER',
    clientId: isDemo ? 'DEMO-CLIENT' : 'SECOND-CLIENT',
  };
}

/** Keys differ between the environments (seed 5.5): `sandbox-test-key` opens nothing under `/production`. */
export const ACCOUNTS: readonly Account[] = ENVIRONMENTS.flatMap((environment) => [
  account(environment, 'demo'),
  account(environment, 'second'),
]);

/** Carriers that may send events and orders, unless the setting `onboardedScacs` names others. */
const ONBOARDED_SCACS: readonly string[] = ['DEMO', 'ACME', 'CSCT', 'ABCD'];

const authMethod = z.enum(['key', 'key+bearer']);

export const settingsSchema = z.strictObject({
  /** seed 2.1: 3600. A fraction is allowed, so that a test need not wait a whole second. */
  tokenLifeSeconds: z.number().positive().default(3600),
  /** Distance of every step of an order from the one before; null: the hours of `LIFE`. */
  statusStepSeconds: z.number().positive().nullable().default(null),
  /** A new order cannot be found by orderRef before this much time has passed. */
  orderIndexDelaySeconds: z.number().min(0).default(0),
  onboardedScacs: z.array(z.string().regex(SCAC_FORM)).default([...ONBOARDED_SCACS]),
  /** Load numbers that exist; null: every one does. Others are refused as NOT_SHOWN.loadUnknown says. */
  knownLoads: z.array(z.string().min(1)).nullable().default(null),
  /** seed 5.4: the mapping of APIs to methods is not shown; what is not listed here is as NOT_SHOWN.authByApi says. */
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
