import { describe, expect, it } from 'vitest';
import { browserName } from '../../../src/console/session/me-page.tsx';
import { cookieName, cookieOf, hasPasskeys, isSafeSite, readCookie } from '../../../src/console/session/site.ts';

const TLS = new URL('https://bridge.example/console');
const LOCAL = new URL('http://localhost:8787/console');

describe('a site', () => {
  it.each<[string, boolean, boolean]>([
    ['https://bridge.example', true, true],
    ['http://localhost:8787', true, true],
    ['http://127.0.0.1:8787', true, false],
    ['http://[::1]:8787', true, false],
    ['https://192.0.2.7', true, false],
    ['http://bridge.example', false, false],
    ['http://localhost.evil.example', false, false],
    ['http://127.0.0.1.evil.example', false, false],
  ])('%s: signing in is safe: %s; it has passkeys: %s', (url, isSafe, has) => {
    expect([isSafeSite(new URL(url)), hasPasskeys(new URL(url))]).toEqual([isSafe, has]);
  });
});

describe('a cookie', () => {
  it('is tied to host and TLS, and has the port in its name on loopback without TLS', () => {
    expect(cookieName(TLS, 'session')).toBe('__Host-transload');
    expect(cookieName(LOCAL, 'session')).toBe('transload-8787');
    expect(cookieOf(TLS, 'session', 'x', null)).toBe('__Host-transload=x; Path=/; HttpOnly; SameSite=Lax; Secure');
    expect(cookieOf(LOCAL, 'session', '', 0)).toBe('transload-8787=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
  });

  it('is read by its whole name', () => {
    const header = 'a=1; __Host-transload=token; __Host-transload-browser=other';
    expect(readCookie(header, '__Host-transload')).toBe('token');
    expect(readCookie(header, 'transload')).toBe('');
    expect(readCookie(undefined, 'transload')).toBe('');
  });
});

describe('the name of a browser', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 Edg/120.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15',
      'Safari on Mac',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8', 'Unknown browser'],
  ])('of %s', (agent, name) => {
    expect(browserName(agent)).toBe(name);
  });
});
