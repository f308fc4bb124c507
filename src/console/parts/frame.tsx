/** The frame around every page: header with search, navigation, and whose it is. */
import type { Context } from 'hono';
import type { Child, FC } from 'hono/jsx';
import type { Visitor } from '../../http/edge/context.ts';
import type { Page, Shown } from '../page.ts';
import { CsrfField, ProblemBody } from './basics.tsx';
import { type Groups, isFor, LINK_NAV, type NavName, OPS_NAV, PARTNER_NAV } from './navigation.ts';

export function document(page: Page, { title, nav, body, live = null, isWide = false, script }: Shown): string {
  const theme = themeOf(page.context);
  return `<!doctype html>${(
    <html lang="en" {...(theme === undefined ? {} : { 'data-theme': theme })}>
      <Head title={title} script={script} />
      <body data-live={live?.address}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Top page={page} theme={theme ?? null} />
        <div class="whole">
          <Navigation page={page} nav={nav} />
          <main id="content" class={isWide ? 'wide' : ''} tabindex={-1}>
            {body}
          </main>
        </div>
        {live === null ? null : (
          <aside class="said" aria-label="Since this page was opened">
            <p class="note wait lost" data-lost role="status">
              The connection was lost. Numbers on this page may be old; it connects again by itself.
            </p>
            {live.notes}
          </aside>
        )}
      </body>
    </html>
  )}`;
}

/** What the person chose; undefined: what the system asks for. */
export const themeOf = ({ req }: Context): string | undefined =>
  /(?:^|;\s*)theme=(light|dark)/.exec(req.header('Cookie') ?? '')?.[1];

const Head: FC<{ title: string; script?: string | undefined }> = ({ title, script }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>{`${title} – Transload`}</title>
    <link rel="stylesheet" href="/console/pages.css" />
    <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
    <script src="/console/pages.js" defer />
    {script === undefined ? null : <script src={script} defer />}
  </head>
);

/** A page before anybody is signed in: no navigation. */
export const bareDocument = (
  title: string,
  body: Child,
  { theme, script }: { theme?: string | undefined; script?: string } = {},
): string =>
  `<!doctype html>${(
    <html lang="en" {...(theme === undefined ? {} : { 'data-theme': theme })}>
      <Head title={title} script={script} />
      <body>
        <header class="top">
          <a class="brand" href="/console">
            Transload
          </a>
        </header>
        <main id="content" class="narrow">
          {body}
        </main>
      </body>
    </html>
  )}`;

const TO_START = { href: '/console', label: 'Go to the start page' };
/** Of whoever came by an upload link. */
const TO_FILES = { href: '/console/batches', label: 'Go back to your files' };

/** Said where there is no page to say it on: nobody is signed in, or the address has nothing to show. */
export const problemDocument = (problem: Parameters<typeof ProblemBody>[0]['problem']): string =>
  bareDocument(
    problem.title,
    <ProblemBody problem={problem} links={[problem.code === 'not_for_link' ? TO_FILES : TO_START]} />,
  );

const Top: FC<{ page: Page; theme: string | null }> = ({ page, theme }) => {
  const { visitor } = page.session;
  return (
    <header class="top">
      <a class="brand" href={page.at('/')}>
        Transload
      </a>
      <EnvironmentSwitch page={page} />
      {page.isOps ? (
        <form class="find" method="get" action="/console/search">
          <input type="hidden" name="environment" value={page.environment} />
          <input
            type="search"
            name="q"
            aria-label="Search for a file, a load, an order or a control number"
            placeholder="File, load, order, control number"
            autocomplete="off"
            data-search
          />
        </form>
      ) : null}
      <div class="person">
        <ThemeSwitch page={page} theme={theme} />
        {page.isLink ? <span>{nameOfVisitor(visitor)}</span> : <a href={page.at('/me')}>{nameOfVisitor(visitor)}</a>}
        <form method="post" action="/console/sign-out">
          <CsrfField page={page} />
          <button class="plain" type="submit">
            Sign out
          </button>
        </form>
      </div>
    </header>
  );
};

const nameOfVisitor = (visitor: Visitor): string =>
  visitor.kind === 'operator' ? visitor.operator.name : visitor.principal.partner;

const EnvironmentSwitch: FC<{ page: Page }> = ({ page }) => (
  <nav class="switch" aria-label="Environment">
    {page.environments.map((name) =>
      name === page.environment ? (
        <span class={name} aria-current="true">
          {name}
        </span>
      ) : (
        <a class={name} href={`/console?environment=${name}`}>
          {name}
        </a>
      ),
    )}
  </nav>
);

const THEMES = { light: 'Use light', dark: 'Use dark' } as const;

const ThemeSwitch: FC<{ page: Page; theme: string | null }> = ({ page, theme }) => {
  const { path } = page.context.req;
  const here = `${path}${new URL(page.context.req.url).search}`;
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <a href={`/console/theme?${new URLSearchParams({ set: other, to: here })}`} data-theme-switch>
      {THEMES[other]}
    </a>
  );
};

const Navigation: FC<{ page: Page; nav: NavName | null }> = ({ page, nav }) => {
  const groups: Groups = page.isOps ? OPS_NAV : page.isLink ? LINK_NAV : PARTNER_NAV;
  return (
    <details class="side" open data-menu>
      <summary>Menu</summary>
      <nav aria-label="Pages">
        {Object.entries(groups).map(([group, entries]) => (
          <>
            <h2>{group}</h2>
            <ul>
              {entries
                .filter((entry) => isFor(entry, page))
                .map(([name, path, label]) => (
                  <li>
                    <a href={page.at(path)} {...(name === nav ? { 'aria-current': 'page' } : {})}>
                      {label}
                    </a>
                  </li>
                ))}
            </ul>
          </>
        ))}
      </nav>
    </details>
  );
};
