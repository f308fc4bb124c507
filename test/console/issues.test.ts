import { expect, it } from 'vitest';
import { checkPage, walkAs } from './stage.ts';

it('the list of issues holds what every page must', () => checkPage('operator', '/issues', 'issues'));
it('an empty list of issues says so', () => checkPage('operator', '/issues?code=nothing_like_it', 'issues-empty'));
it('the first page holds what every page must', () => checkPage('operator', '/', 'home'));
it('the first page by channel', () => checkPage('operator', '/?by=channel', 'home-channel'));

/** The page of the issue with this title, as somebody would come to it. */
async function issueCalled(title: RegExp, role: 'operator' | 'viewer' = 'operator') {
  const walk = await walkAs(role);
  await walk.open('/issues');
  const link = walk.page.getByRole('link', { name: title }).first();
  const more = walk.page.getByRole('link', { name: 'Show more issues' }); // those seen longer ago
  while ((await link.count()) === 0 && (await more.count()) > 0) {
    await more.click();
    await walk.page.waitForLoadState();
  }
  await link.click();
  await walk.page.waitForURL(/\/issues\/[0-9a-f]{16}/);
  const { pathname } = new URL(walk.page.url());
  return { ...walk, path: pathname.replace('/console', '') };
}

it('an issue of an unknown word holds what every page must, and leads to its code list with the word filled in', async () => {
  const { page, context, path } = await issueCalled(/Unknown word “QQ”/);
  const href = await page.getByRole('link', { name: 'Add to code list…' }).getAttribute('href');
  expect(href).toContain('word=QQ');
  expect(href).toMatch(/name=[a-z-]+/);
  await context.close();
  await checkPage('operator', path, 'issue-word');
});

it('an issue of refused rows shows the answer, and its plan names how many would be sent again', async () => {
  const { page, context, path } = await issueCalled(/The load is closed/);
  expect(await page.locator('pre').innerText()).toContain('The load is closed.');
  await page.getByRole('link', { name: /Send all \d+ again…/ }).click();
  await page.getByLabel('Why').fill('the loads are open again');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByRole('button', { name: /Send \d+ requests again/ }).waitFor();
  await context.close();
  await checkPage('operator', path, 'issue-refused');
});

it('is acknowledged with a reason, which stands on its page, and opened again', async () => {
  const { page, context } = await issueCalled(/Event Date/);
  await page.getByRole('link', { name: 'Acknowledge…' }).click();
  await page.getByLabel('Why').fill('the partner was told');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.waitForURL(/\/issues\/[0-9a-f]{16}/);
  expect(await page.locator('main').innerText()).toContain('the partner was told');
  await page.getByRole('link', { name: 'Open again…' }).click();
  await page.getByLabel('Why').fill('it was not');
  await page.getByRole('button', { name: 'Open again' }).click();
  await page.waitForURL(/\/issues\/[0-9a-f]{16}/);
  await page.getByRole('heading', { name: 'What was said about it' }).waitFor();
  await context.close();
});

it('gives its rows as a file', async () => {
  const { page, context } = await issueCalled(/Unknown word “QQ”/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download \d+ rows?$/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^issue-[0-9a-f]{16}\.csv$/);
  await context.close();
});

it('shows a viewer everything but what changes something', async () => {
  const { page, context } = await issueCalled(/Unknown word “QQ”/, 'viewer');
  expect(await page.getByRole('link', { name: 'Acknowledge…' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /^Download \d+ rows?$/ }).count()).toBe(1);
  await context.close();
});
