/**
 * Challenges for passkeys that nobody has to store before they are answered: each is the hash of something that only this
 * browser has and that says when the page was made.
 */
import { sha256Hex } from '../../kernel/secret.ts';
import type { PasskeySite } from '../../ops/people/credentials.ts';
import { CHALLENGE_LIFETIME_MS } from '../../ops/people/limits.ts';
import { newToken } from '../../ops/people/sessions.ts';
import type { PageContext } from './session.ts';
import { cookieName, hasPasskeys, readCookie } from './site.ts';

/** null: no passkeys at this address. */
export const siteForPasskeys = (site: URL): PasskeySite | null =>
  hasPasskeys(site) ? { rpId: site.hostname, origin: site.origin } : null;

const START_FORM = /^\d{13}\.[\w-]{43}$/;

export const freshStart = (nowMs: number): string => `${nowMs}.${newToken()}`;

export const isYoung = (start: string, nowMs: number): boolean => {
  const madeAtMs = Number(start.slice(0, 13));
  return START_FORM.test(start) && madeAtMs <= nowMs && madeAtMs > nowMs - CHALLENGE_LIFETIME_MS;
};

/** What the browser has since it was shown a sign-in page; null: nothing that lasts long enough to answer now. */
export function startOf(context: PageContext): string | null {
  const start = readCookie(context.req.header('Cookie'), cookieName(new URL(context.req.url), 'start'));
  return isYoung(start, Date.now()) ? start : null;
}

/** @returns 256 bits, base64url. */
export const challengeOf = (start: string): string =>
  Buffer.from(sha256Hex(`passkey:${start}`), 'hex').toString('base64url');
