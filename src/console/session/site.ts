/** What depends on the address that a browser has for us: names of cookies, and whether passkeys work there. Pure. */

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** Signing in sends what must not be overheard. */
export const isSafeSite = (url: URL): boolean => url.protocol === 'https:' || isLoopback(url);

/** A passkey belongs to a host name in a secure context; an IP address has none. */
export const hasPasskeys = (url: URL): boolean => isSafeSite(url) && !IP_ADDRESS.test(url.hostname);

/**
 * `__Host-` ties a cookie to this host and to TLS. Some browsers refuse it on loopback without TLS; there the name has the
 * port, since cookies are shared by all ports of a host.
 */
export const cookieName = (url: URL, name: CookieName): string =>
  url.protocol === 'https:' ? `__Host-${NAMES[name]}` : `${NAMES[name]}-${url.port || '80'}`;

type CookieName = 'session' | 'browser' | 'start';
const NAMES: Readonly<Record<CookieName, string>> = {
  session: 'transload',
  /** Of a browser in which somebody has signed in. */
  browser: 'transload-browser',
  /** Of a page on which somebody may sign in with a passkey. */
  start: 'transload-start',
};

/** @returns '' where the browser sent none. */
export function readCookie(header: string | undefined, name: string): string {
  for (const pair of (header ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return '';
}

/**
 * Lax, not Strict: a link to a page in a mail or an alert opens it signed in. Whatever changes something is a POST, to
 * which no other site can add a Lax cookie, and has to prove besides that it comes from our page.
 * @param seconds until it ends; 0: at once; null: with the browser.
 */
export const cookieOf = (url: URL, name: CookieName, value: string, seconds: number | null): string =>
  [
    `${cookieName(url, name)}=${value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(url.protocol === 'https:' ? ['Secure'] : []),
    ...(seconds === null ? [] : [`Max-Age=${seconds}`]),
  ].join('; ');
