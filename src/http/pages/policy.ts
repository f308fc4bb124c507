/** What the console's pages may do, and which requests come from them. */
import type { Context } from 'hono';

export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** For the page whose editor makes its own style elements: those with this nonce, and no others. */
export const policyWithStyles = (nonce: string): string =>
  PAGE_POLICY.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`);

export function page(context: Context, html: string, status: 200 | 404 | 409 = 200): Response {
  context.header('Content-Security-Policy', PAGE_POLICY);
  return context.html(html, status) as Response;
}

/**
 * Whether one of our pages sent it. A browser adds the key to any request to this address, so a foreign page could act
 * with it; the browser also says which page a request comes from, and no page can change that.
 */
export function isFromOwnPage({ req }: Context): boolean {
  const site = req.header('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin';
  return req.header('Origin') === new URL(req.url).origin;
}
