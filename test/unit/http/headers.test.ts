import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PAGE_POLICY } from '../../../src/http/pages/policy.ts';
import { anApp, type Given, KNOWN_ID, refusedSettings } from './samples.ts';

const SAFE_HEADERS = [
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'Referrer-Policy',
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Cache-Control',
];

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

describe('headers', () => {
  it.each([
    ['/healthz', 200],
    ['/v1/batches', 200],
    [`/v1/batches/${KNOWN_ID}`, 200],
    ['/nowhere', 404],
  ])('of %s', async (path, status) => {
    const { request } = anApp();
    const answer = await request(path);
    const { headers } = answer;
    expect(answer.status).toBe(status);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d{8,}; includeSubDomains$/);
    expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
    expect(headers.get('X-Request-Id')).toMatch(/^\S+$/);
  });

  it('name a request by an id of ours, whatever its sender calls it', async () => {
    const { request } = anApp();
    const ids = [];
    for (let time = 0; time < 2; time += 1)
      ids.push((await request('/healthz', { headers: { 'X-Request-Id': 'mine' } })).headers.get('X-Request-Id'));
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('mine');
  });

  it.each<[string, Given, string | null]>([
    ['a refused sign-in', {}, null],
    ['a directory that is down', { directory: { outcome: 'unavailable' } }, 'acme-key'],
    ['a refused configuration', { settings: refusedSettings }, 'acme-key'],
  ])('are all there on %s too', async (_what, given, key) => {
    const { request } = anApp(given);
    for (const path of ['/healthz', '/v1/batches', `/v1/batches/${KNOWN_ID}`]) {
      const { headers } = await request(path, { key });
      for (const name of SAFE_HEADERS) expect(headers.get(name), `${name} of ${path}`).not.toBeNull();
    }
  });

  it('let nothing run in an answer that is no page', async () => {
    const { headers } = await anApp().request(`/v1/batches/${KNOWN_ID}`);
    expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it('of a page let nothing in but its own style and script', () => {
    const policy = PAGE_POLICY;
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });
});
