import { expect, it } from 'vitest';
import { checkPage, picture, walkAs } from './stage.ts';

it('the list of mappings holds what every page must', () => checkPage('operator', '/mappings', 'mappings'));
it('a mapping has its document, versions and owners', () =>
  checkPage('operator', '/mappings/carrier-status-csv', 'mapping'));
it('two versions are compared', () => checkPage('viewer', '/mappings/carrier-status-csv/diff', 'mapping-diff'));
it('the form of a new version has the document in it', () =>
  checkPage('operator', '/do/publish-mapping?name=carrier-status-csv', 'mapping-publish'));
it('the list of code lists holds what every page must', () => checkPage('operator', '/code-lists', 'code-lists'));
it('a code list has its words and the mappings that use it', () =>
  checkPage('operator', '/code-lists/carrier-status-words', 'code-list'));
it('a word that is searched for in vain can be added', () =>
  checkPage('operator', '/code-lists/carrier-status-words?q=zzz', 'code-list-empty'));
it('a word to add comes filled in', () =>
  checkPage('operator', '/do/edit-code-list?name=carrier-status-words&word=QQ', 'code-list-word'));
it('whose page is not there is told so', () => checkPage('operator', '/mappings/none', 'mapping-unknown'));

it('adds a word with its plan, in three clicks from where it is missing', async () => {
  const { page, open, noise, context } = await walkAs('operator');
  await open(
    '/do/edit-code-list?name=carrier-status-words&word=Arrived+at+gate&from=/console/code-lists/carrier-status-words%3Fq%3Dgate',
  );
  await page.getByLabel('What it means').selectOption('X3');
  await page.getByLabel('Why').fill('a carrier began to say so');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByRole('button', { name: /^Publish for \d+ mappings$/ }).waitFor();
  await picture(page, 'code-list-plan-1280-light');
  await page.getByRole('button', { name: /^Publish for \d+ mappings$/ }).click();
  await page.waitForURL(/q=gate/);
  expect(await page.locator('tbody tr').first().textContent()).toContain('Arrived at gate');
  expect(noise).toEqual([]);
  await context.close();
});

it('shows a broken document line by line, and publishes nothing', async () => {
  const { page, open, context } = await walkAs('operator');
  await open('/do/publish-mapping?name=carrier-status-csv');
  const field = page.getByLabel('Document (YAML)');
  await field.fill(
    (await field.inputValue()).replace('eventCity: City', 'eventCitty: City').replace('upper: true', 'uper: true'),
  );
  await page.getByLabel('Why').fill('a slip');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByRole('heading', { name: /to correct/ }).waitFor();
  expect(await page.locator('table tbody tr').count()).toBeGreaterThan(1);
  await context.close();
});
