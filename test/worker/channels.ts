/** Channels of the worker tests: a test and a production one, on addresses nobody listens on; tests answer in their place. */
const channel = (name: string, environment: string, port: number, auth: string) => ({
  name,
  environment,
  baseUrl: `http://127.0.0.1:${port}/${environment}`,
  scacs: ['DEMO', 'ACME'],
  auth: { events: auth },
});

export const TEST_CHANNELS = [
  channel('plain', 'test', 9, 'key'),
  channel('bearer', 'test', 9, 'key+bearer'),
  channel('live', 'production', 11, 'key'),
];

export const TEST_CHANNEL_SECRETS = {
  plain: { apiKey: 'canary-test-key', clientSecret: 'canary-test-secret' },
  bearer: { apiKey: 'canary-bearer-key', clientSecret: 'canary-bearer-secret' },
  live: { apiKey: 'canary-live-key', clientSecret: 'canary-live-secret' },
};
