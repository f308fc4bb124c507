import { expect, it } from 'vitest';
import { checkPage, walkAs } from './stage.ts';

it('the list of batches holds what every page must', () => checkPage('operator', '/batches', 'batches'));
it('an empty list says how to get its first entry', () =>
  checkPage('operator', '/batches?partner=nobody', 'batches-empty'));
it('a partner sees its own batches alone', () => checkPage('acme', '/batches', 'batches-partner'));

it('keeps its filter in the address, and back works', async () => {
  const { page, open, context } = await walkAs('viewer');
  await open('/batches');
  await page.getByLabel('File name').fill('issues');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL(/fileName=issues/);
  expect(await page.locator('tbody tr').count()).toBe(1);
  await page.goBack();
  expect(await page.locator('tbody tr').count()).toBeGreaterThan(5);
  await context.close();
});
