/** What every page has around its own part. */
import type { Child, FC } from 'hono/jsx';
import { homePath, type Reader } from '../http/edge/reader.ts';
import { opsPath } from './paths.ts';

export interface PageLink {
  href: string;
  label: string;
}

export const PARTNER_PAGES: readonly PageLink[] = [
  { href: '/console', label: 'Batches' },
  { href: '/console/orders', label: 'Orders' },
];
export const OPS_PAGES = (environment: string): readonly PageLink[] => [
  { href: homePath({ environment }), label: 'Home' },
  { href: opsPath('feeds', environment), label: 'Feeds' },
  { href: opsPath('orders', environment), label: 'Orders' },
];

export const pagesOf = ({ isOps, environment }: Reader): readonly PageLink[] =>
  isOps ? OPS_PAGES(environment) : PARTNER_PAGES;

/** @property live it keeps itself fresh. links other pages of whoever reads this one. */
export function document({
  title,
  environment,
  live = false,
  links = PARTNER_PAGES,
  body,
}: {
  title: string;
  /** null: the page is of none. */
  environment: string | null;
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
          <a class="brand" href="/console">
            Transload
          </a>
          <nav class="pages" aria-label="Pages">
            {links.map(({ href, label }) => (
              <a href={href}>{label}</a>
            ))}
          </nav>
          {environment === null ? null : <span class={`environment ${environment}`}>{environment}</span>}
        </header>
        {body}
      </body>
    </html>
  )}`;
}

/** The same page of another environment, where the reader may see several. @param pathOf the page of that environment. */
export const Environments: FC<{
  pathOf: (environment: string) => string;
  environment: string;
  environments: readonly string[];
}> = ({ pathOf, environment, environments }) =>
  environments.length < 2 ? null : (
    <p class="links">
      {environments
        .filter((name) => name !== environment)
        .map((name) => (
          <a href={pathOf(name)}>The same of {name}</a>
        ))}
    </p>
  );
