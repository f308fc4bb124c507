/** Where a page is: the pages above it, the nearest last. */
import type { FC } from 'hono/jsx';

export const Crumbs: FC<{ to: readonly (readonly [label: string, href: string])[] }> = ({ to }) => (
  <nav class="crumbs" aria-label="Where this page is">
    {to.map(([label, href], at) => (
      <>
        {at === 0 ? '' : ' › '}
        <a href={href}>{label}</a>
      </>
    ))}
  </nav>
);
