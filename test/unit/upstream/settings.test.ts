import { describe, expect, it } from 'vitest';
import { ConfigurationError, upstreamOf } from '../../../src/upstream/settings.ts';

const CHANNELS = JSON.stringify([
  { name: 'main', environment: 'test', baseUrl: 'http://127.0.0.1:8788', scacs: ['ABCD'] },
]);
const CHANNEL_SECRETS = JSON.stringify({ main: { apiKey: 'canary-api-key', clientSecret: 'canary-client-secret' } });

function refusalOf(variables: Parameters<typeof upstreamOf>[0]): ConfigurationError {
  try {
    upstreamOf(variables);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown;
    throw thrown;
  }
  throw new Error('the configuration was accepted');
}

describe('upstreamOf', () => {
  it('gives channels and a clock of the scale set', () => {
    const { channels, clock } = upstreamOf({ TIME_SCALE: '720', CHANNELS, CHANNEL_SECRETS });
    expect([...channels.keys()]).toEqual(['main']);
    expect(clock.timeScale).toBe(720);
  });

  it('runs in real time where no scale is set', () => {
    expect(upstreamOf({ CHANNELS, CHANNEL_SECRETS }).clock.timeScale).toBe(1);
  });

  it('parses the same texts once', () => {
    const variables = { TIME_SCALE: '1', CHANNELS, CHANNEL_SECRETS };
    expect(upstreamOf({ ...variables })).toBe(upstreamOf({ ...variables }));
  });

  it('takes a rotated secret at once', () => {
    const before = upstreamOf({ TIME_SCALE: '1', CHANNELS, CHANNEL_SECRETS });
    const rotated = CHANNEL_SECRETS.replace('canary-api-key', 'rotated-key');
    const after = upstreamOf({ TIME_SCALE: '1', CHANNELS, CHANNEL_SECRETS: rotated });
    expect(before.channels.get('main')?.apiKey.reveal()).toBe('canary-api-key');
    expect(after.channels.get('main')?.apiKey.reveal()).toBe('rotated-key');
  });

  it('needs no secrets where there are no channels', () => {
    expect(upstreamOf({ CHANNELS: '[]' }).channels.size).toBe(0);
  });

  it('refuses a wrong configuration with every problem in its message, and quotes no secret', () => {
    const refusal = refusalOf({
      TIME_SCALE: 'fast',
      CHANNELS: CHANNELS.replace('http://127.0.0.1:8788', 'http://upstream.example'),
      CHANNEL_SECRETS,
    });
    expect(refusal.problems.map(({ path }) => path)).toEqual(['TIME_SCALE', 'CHANNELS[0].baseUrl']);
    expect(refusal.message).toContain('TIME_SCALE must be a number');
    expect(refusal.message).toContain('CHANNELS[0].baseUrl must be https');
    expect(refusal.message).not.toContain('canary');
  });

  it('refuses again on the next call: a refusal is not remembered as settings', () => {
    const variables = { CHANNELS: '{', CHANNEL_SECRETS };
    refusalOf(variables);
    refusalOf(variables);
    expect(upstreamOf({ CHANNELS, CHANNEL_SECRETS }).channels.size).toBe(1);
  });

  it('refuses a shortened clock for an upstream that is not on loopback', () => {
    const remote = CHANNELS.replace('http://127.0.0.1:8788', 'https://upstream.example');
    expect(refusalOf({ TIME_SCALE: '720', CHANNELS: remote, CHANNEL_SECRETS }).message).toContain('loopback');
  });
});
