/** What a load tells of itself, page by page. */
import { expect, it } from 'vitest';
import { LoadPages } from '../../../src/tracking/load-page.ts';
import { loadStored } from './samples.ts';

it('a load that was never named has no page', () => {
  const { store } = loadStored();
  const pages = new LoadPages(store);
  const asked = { order: 'event', after: null, limit: 10 } as const;
  expect(pages.page(asked)).toBeNull();
  store.commit(() => store.identify({ environment: 'test', partner: 'acme' }));
  expect(pages.page(asked)).toMatchObject({ events: [], next: null, counts: { events: 0 } });
});
