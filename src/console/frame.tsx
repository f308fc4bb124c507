/** What every page has around its own part. */
import type { Child } from 'hono/jsx';

/** @property live it keeps itself fresh. */
export function document({
  title,
  environment,
  live = false,
  body,
}: {
  title: string;
  environment: string;
  live?: boolean;
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
          <span class={`environment ${environment}`}>{environment}</span>
        </header>
        {body}
      </body>
    </html>
  )}`;
}
