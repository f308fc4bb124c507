/**
 * Who may call the sandbox: the two environments (seed 1.6), the accounts of each and the onboarded carriers.
 *
 * These are constants of a sandbox, made up and public; nothing here opens any other door.
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
  /** Owner of an order whose body names no pair of its own (NOT_SHOWN.orderPartnerIdPath). */
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
export const ONBOARDED_SCACS: readonly string[] = ['DEMO', 'ACME', 'CSCT', 'ABCD'];
/** Well formed and refused, for trying out the refusal. */
export const NOT_ONBOARDED_SCAC = 'NOPE';

export function accountByKey(environment: Environment, apiKey: string): Account | undefined {
  return ACCOUNTS.find((one) => one.environment === environment && one.apiKey === apiKey);
}

export function accountByOauthClient(environment: Environment, oauthClientId: string): Account | undefined {
  return ACCOUNTS.find((one) => one.environment === environment && one.oauthClientId === oauthClientId);
}
