/** The frame that every page has around its own content. */
import type { Child, FC } from 'hono/jsx';
import { REASON_MESSAGES, type Tone } from '../delivery/messages.ts';
import type { StateReason } from '../delivery/states.ts';
import type { ProblemMessages } from '../http/edge/problem.ts';
import { type Reader, withParameters } from '../http/edge/reader.ts';

/* Addresses of pages that link to each other. */

/** Of a row of another batch, at the top of its page. */
export const rowPath = ({ batchId, record }: { batchId: string; record: number }): string =>
  `/console/batches/${batchId}?state=all&after=${record - 1}`;

interface PageLink {
  href: string;
  label: string;
}

const PARTNER_PAGES: readonly PageLink[] = [
  { href: '/console', label: 'Batches' },
  { href: '/console/orders', label: 'Orders' },
];
const OPS_PAGES = (environment: string): readonly PageLink[] => [
  { href: withParameters('/console', { environment }), label: 'Home' },
  { href: withParameters('/console/feeds', { environment }), label: 'Feeds' },
  { href: withParameters('/console/orders', { environment }), label: 'Orders' },
];

export const pagesOf = ({ isOps, environment }: Reader): readonly PageLink[] =>
  isOps ? OPS_PAGES(environment) : PARTNER_PAGES;

/** @property links other pages for the same reader. */
export function document({
  title,
  environment,
  links = PARTNER_PAGES,
  body,
}: {
  title: string;
  /** null: the page is of none. */
  environment: string | null;
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

export const Fact: FC<{ name: string; children?: Child }> = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** One entry of a list: what it is about, and what there is to say of it. */
export const Entry: FC<{ head: string; note?: string | null; children?: Child }> = ({
  head,
  note = null,
  children,
}) => (
  <li class="row">
    <div class="where">
      <b>{head}</b>
      {note === null ? null : <span class="quiet">{note}</span>}
    </div>
    <div class="what">{children}</div>
  </li>
);

export const State: FC<{ words: { label: string; tone: Tone } }> = ({ words: { label, tone } }) => (
  <span class={`state tone-${tone}`}>{label}</span>
);

/** A link in a line of its own. @param href null: there is nothing to link to. */
export const LinkLine: FC<{ href: string | null; children?: Child }> = ({ href, children }) =>
  href === null ? null : (
    <p class="links">
      <a href={href}>{children}</a>
    </p>
  );

/** Why a request has its state, and whether it may have arrived. */
export const ReasonLine: FC<{ reason: StateReason | null; outcome: string | null }> = ({ reason, outcome }) =>
  reason === null ? null : (
    <p class="fix">{`${REASON_MESSAGES[reason]}${outcome === 'unknown' ? ' It may have arrived.' : ''}`}</p>
  );

export const inText = (count: number): string => count.toLocaleString('en-US');

/* Shown where an address has nothing to show: what is wrong, what to do, and the way back. */

export const problemPage = ({ title, code, detail, fix, requestId }: ProblemMessages & { requestId: string }): string =>
  document({
    title,
    environment: null,
    links: [],
    body: (
      <main>
        <section class="heading">
          <h1>{title}</h1>
          <p>{detail}</p>
          {fix === undefined ? null : <p class="fix">{fix}</p>}
          <LinkLine href="/console">To the first page</LinkLine>
          <p class="quiet">
            <code>{code}</code> · Request {requestId}
          </p>
        </section>
      </main>
    ),
  });
