/** What the console's pages may do, and which requests are theirs. */
import type { Context } from 'hono';

export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/**
 * Whether a page of ours sent it. A browser adds the key to whatever goes to this address, so that a page of somebody else could
 * act with it; it also says which page a request comes from, and no page can change that.
 */
export function isFromOwnPage({ req }: Context): boolean {
  const site = req.header('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin';
  return req.header('Origin') === new URL(req.url).origin;
}
