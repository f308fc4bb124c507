/** What every page has around its own part. */
import type { Child, FC } from 'hono/jsx';
import { opsPath } from './paths.ts';

export interface PageLink {
  href: string;
  label: string;
}

export const PARTNER_PAGES: readonly PageLink[] = [{ href: '/console/orders', label: 'Orders' }];
export const OPS_PAGES = (environment: string): readonly PageLink[] => [
  { href: opsPath('alerts', environment), label: 'Alerts' },
  { href: opsPath('feeds', environment), label: 'Feeds' },
  { href: opsPath('orders', environment), label: 'Orders' },
];

/** @property live it keeps itself fresh. links other pages of whoever reads this one. */
export function document({
  title,
  environment,
  live = false,
  links = PARTNER_PAGES,
  body,
}: {
  title: string;
  environment: string;
  live?: boolean;
  links?: readonly PageLink[];
  body: Child;
}): string {
  return `<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} – Transload`}</title>
        <link rel="stylesheet" href="/console/console.css" />
        {live ? <script src="/console/live.js" defer /> : null}
      </head>
      <body>
        <header class="bar">
          <span class="brand">Transload</span>
          <nav class="pages" aria-label="Pages">
            {links.map(({ href, label }) => (
              <a href={href}>{label}</a>
            ))}
          </nav>
          <span class={`environment ${environment}`}>{environment}</span>
        </header>
        {body}
      </body>
    </html>
  )}`;
}

/** The same page of another environment, where the reader may see several. */
export const Environments: FC<{ page: string; environment: string; environments: readonly string[] }> = ({
  page,
  environment,
  environments,
}) =>
  environments.length < 2 ? null : (
    <p class="links">
      {environments
        .filter((name) => name !== environment)
        .map((name) => (
          <a href={opsPath(page, name)}>The same of {name}</a>
        ))}
    </p>
  );
