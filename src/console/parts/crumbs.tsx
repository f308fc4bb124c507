/** Where a page is: the pages above it, the nearest last. */
import type { FC } from 'hono/jsx';
import { navEntryAt } from './navigation.ts';

export const Crumbs: FC<{ to: readonly (readonly [label: string, href: string])[] }> = ({ to }) =>
  to.length === 0 ? null : (
    <nav class="crumbs" aria-label="Where this page is">
      {to.map(([label, href], at) => (
        <>
          {at === 0 ? '' : ' › '}
          <a href={href}>{label}</a>
        </>
      ))}
    </nav>
  );

/** Pages that are below another list than that of their address. */
const LISTED_UNDER: Readonly<Record<string, string>> = {
  '/letters': '/holds',
  '/loads': '/orders',
  '/replays': '/actions',
};
/** One of a list, where its address has an id and no name. */
const ONE: Readonly<Record<string, string>> = {
  batches: 'This batch',
  issues: 'This issue',
  holds: 'This request',
  actions: 'This action',
};

/** From a form back to where the person came from: the list, and the page of it. Empty: no page of the menu. */
export function crumbsFrom(isOps: boolean, from: string): readonly (readonly [label: string, href: string])[] {
  const path = from.replace(/[?#].*$/, '').replace(/^\/console/, '');
  const top = `/${path.split('/')[1] ?? ''}`;
  const entry = navEntryAt(isOps, LISTED_UNDER[top] ?? top);
  if (entry === null) return [];
  const [name, at, label] = entry;
  if (path === at) return [[label, from]];
  const environment = new URLSearchParams(/\?([^#]*)/.exec(from)?.[1]).get('environment');
  const list = `/console${at}${environment === null ? '' : `?environment=${environment}`}`;
  return [
    [label, list],
    [path === '/letters' ? 'Not delivered' : (ONE[name] ?? decodeURIComponent(path.split('/')[2] ?? label)), from],
  ];
}
