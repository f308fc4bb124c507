/** What a load tells of itself, page by page. */
import { expect, it } from 'vitest';
import { LoadPages } from '../../../src/tracking/load-page.ts';
import { LoadJourney } from '../../../src/tracking/store/load-events.ts';
import { LOAD_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { sqlOf } from './samples.ts';

it('a load that was never named has no page', () => {
  const sql = sqlOf(LOAD_MIGRATIONS);
  const store = new SubjectStore(sql);
  const pages = new LoadPages(sql, store, new LoadJourney(sql));
  const asked = { order: 'event', after: null, limit: 10 } as const;
  expect(pages.page(asked)).toBeNull();
  store.identify({ environment: 'test', partner: 'acme' });
  expect(pages.page(asked)).toMatchObject({ events: [], next: null, counts: { events: 0 } });
});
