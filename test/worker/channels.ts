/** Channels of the worker tests, on addresses nobody listens on: tests answer in their place. Imported by Node and by workerd. */
const channel = (name: string, environment: 'test' | 'production', more: Record<string, unknown> = {}) => ({
  name,
  environment,
  baseUrl: environment === 'test' ? 'http://127.0.0.1:9/upstream-test' : 'http://127.0.0.1:11/upstream-live',
  scacs: ['DEMO', 'ACME'],
  ...more,
});
const BEARER = { auth: { events: 'key+bearer' } };

export const TEST_CHANNELS = [
  channel('plain', 'test'),
  channel('bearer', 'test', BEARER),
  /** 60 calls a real second, five at once. */
  channel('narrow', 'test', { ratePerSecond: 0.2, burst: 5 }),
  channel('order-bearer', 'test', { auth: { orders: 'key+bearer' } }),
  channel('probe-bearer', 'test', { auth: { locations: 'key+bearer' } }),
  channel('pre-checked', 'test', { orderPreCheck: true }),
  channel('sends-all', 'test', { otherUpdates: 'send' }),
  channel('second-endpoint', 'test', { ...BEARER, tokenEndpoint: 'plain' }),
  /** Of one customer. */
  channel('leased', 'test', { customerNumber: '100200' }),
  channel('looked-up', 'test', { fleet: 'look-ups' }),
  channel('unseen', 'test', { fleet: 'off' }),
  channel('live', 'production'),
  channel('live-bearer', 'production', BEARER),
];

/** Every secret begins with `canary`, so that a leak can be searched for. */
export const TEST_CHANNEL_SECRETS = Object.fromEntries(
  TEST_CHANNELS.map(({ name }) => [
    name,
    { apiKey: `canary-key-${name}`, clientId: `canary-id-${name}`, clientSecret: `canary-secret-${name}` },
  ]),
);

/** Waits pass this many times faster: a minute takes 200 ms. */
export const TEST_TIME_SCALE = 300;

/** How much earlier than wanted something may be seen, ms: alarms ring a little early, and clocks of two processes differ. */
export const EARLY_MS = 25;

/** Of which the signing keys of webhooks are derived. */
export const TEST_WEBHOOK_KEY = 'canary-webhook-key-of-the-tests-0123456789';
