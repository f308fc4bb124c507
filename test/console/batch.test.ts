import { describe, expect, it } from 'vitest';
import { checkPage, staged, walkAs } from './stage.ts';

const path = (name: string, more = ''): string => `/batches/${staged().batches[name]}${more}`;

describe('the page of a batch', () => {
  it.each(['mixed', 'issues', 'unreadable', 'empty', 'orders', 'edi', 'positions'])(
    'holds what every page must: %s',
    (name) => checkPage('operator', path(name), `batch-${name}`),
  );

  it('holds it for a partner, who sees no cost and no other partner', async () => {
    await checkPage('acme', path('mixed'), 'batch-partner');
    const { page, open, context } = await walkAs('acme');
    await open(path('mixed'));
    const text = await page.textContent('main');
    expect(text).not.toContain('Cost');
    expect(text).not.toContain('Compare with another version');
    await open(path('issues'));
    expect(await page.textContent('main')).toContain('Unknown batch');
    await context.close();
  });

  it.each([
    ['a wrong row', 'mixed', '?state=invalid'],
    ['a refused row', 'issues', '?state=rejected'],
    ['a delivered row', 'mixed', '?state=delivered'],
    ['a row of EDI', 'edi', '?state=all'],
    ['a row of JSON', 'positions', '?state=all'],
  ])('opens %s with what it was made from, what was sent, and the answers', async (what, name, query) => {
    const { page, open, context } = await walkAs('operator');
    await open(path(name, query));
    await page.locator('tbody tr[data-row] td a[aria-expanded]').first().click();
    await page.waitForURL(/row=/);
    const detail = await page.textContent('tr.detail');
    expect(detail).toContain('Original row');
    const url = new URL(page.url());
    await checkPage(
      'operator',
      `${url.pathname.replace('/console', '')}${url.search.replace(/&?environment=test/, '')}`,
      `row-${what.replaceAll(' ', '-')}`,
      4_000, // a page of rows, one of them opened
    );
    await context.close();
  });
});
