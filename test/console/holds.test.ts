import { expect, it } from 'vitest';
import { checkPage, picture, staged, walkAs } from './stage.ts';

it('the queue of holds says why, what to do, and since when', () => checkPage('operator', '/holds', 'holds'));
it('a viewer reads the queue and is offered nothing', () => checkPage('viewer', '/holds', 'holds-viewer'));
it('an empty queue says what would appear in it', () => checkPage('operator', '/holds?partner=other', 'holds-empty'));
it('what did not arrive is a list with filters', () => checkPage('operator', '/letters', 'letters'));
it('of one partner, single ones are chosen', () => checkPage('operator', '/letters?partner=acme', 'letters-partner'));
it('the list of actions holds what every page must', () => checkPage('operator', '/actions', 'actions-empty'));
it('the rerun of a batch is counted', () => checkPage('operator', `/batches/${staged().batches.mixed}/rerun`, 'rerun'));

it('from home a held row is decided in three clicks', async () => {
  const { page, open, noise, context } = await walkAs('operator');
  await open('');
  await page
    .getByRole('row', { name: /held|decision/i })
    .getByRole('link', { name: 'Decide' })
    .first()
    .click(); // 1
  await page.getByRole('link', { name: 'Mark delivered' }).first().click(); // 2
  await page.getByLabel('Why').fill('the receiving system has it');
  await picture(page, 'hold-plan-1280-light');
  await page.getByRole('button', { name: 'Mark delivered' }).click(); // 3
  await page.waitForURL(/\/holds/);
  await open('/actions');
  expect(await page.locator('tbody').textContent()).toContain('the receiving system has it');
  expect(noise).toEqual([]);
  await context.close();
});

it('sends all of a partner that match again: plan, number, progress and history', async () => {
  const { page, open, noise, context } = await walkAs('operator');
  await open('/letters?partner=other&state=rejected');
  await page.getByRole('link', { name: 'Send all that match again…' }).click();
  await page.getByLabel('Why').fill('they opened the loads');
  await page.getByText('Load CLOSED-0: row 101, line 102').waitFor();
  await picture(page, 'replay-plan-1280-light');
  await page.getByRole('button', { name: /^Send \d+ requests again$/ }).click();
  await page.waitForURL(/\/actions\/a_/);
  await page.getByText(/12 of 12 sent again/).waitFor();
  await page.getByText('What became of them: 12 not delivered').waitFor(); // the page loads itself again until then
  await page.getByRole('link', { name: 'Show what did not arrive' }).first().waitFor();
  const path = new URL(page.url()).pathname.replace('/console', '');
  expect(noise).toEqual([]);
  await context.close();
  await checkPage('operator', path, 'action-replay');
  await checkPage('operator', '/actions', 'actions');
});

it('one held request opens to attempts, answers and body', async () => {
  const { page, open, context } = await walkAs('operator');
  await open('/holds');
  const href = await page.locator('td.main a').first().getAttribute('href');
  await context.close();
  await checkPage(
    'operator',
    (href ?? '')
      .replace('/console', '')
      .replace(/[?&]environment=test/, '?')
      .replace('?&', '?'),
    'hold',
  );
});

it('nothing chosen decides nothing', async () => {
  const { page, open, context } = await walkAs('operator');
  await open('/holds');
  await page
    .getByRole('form', { name: 'Decide about several' })
    .getByRole('button', { name: 'Mark delivered' })
    .click();
  await page.getByText('None was chosen.').waitFor();
  await context.close();
});
