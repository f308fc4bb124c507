/** Partners, keys, channels and the audit, as people see and change them. */
import { expect, it } from 'vitest';
import { checkPage, picture, staged, walkAs } from './stage.ts';

it('the list of partners holds what every page must', () => checkPage('admin', '/partners', 'partners'));
it('the page of a partner does', () => checkPage('admin', '/partners/acme', 'partner'));
it('the keys of operators do', () => checkPage('admin', '/operator-keys', 'operator-keys'));
it('the channels do', () => checkPage('operator', '/channels', 'channels'));
it('the page of a channel does', () => checkPage('operator', '/channels/sandbox-test', 'channel'));
it('an audit without entries says what appears there', () =>
  checkPage('viewer', '/audit?actor=nobody-of-that-name', 'audit-empty'));
it('the form of a new key does', () => checkPage('admin', '/do/make-key?partner=acme', 'make-key'));

it('a partner is made, gets a key that is shown once, rotated and revoked, with every step in the audit', async () => {
  const { page, open, context, noise } = await walkAs('admin');
  const press = (name: string): Promise<void> => page.getByRole('button', { name }).click();
  const why = (text: string): Promise<void> => page.getByLabel('Why').fill(text);
  const secret = async (): Promise<string> => (await page.locator('[data-secret]').textContent()) ?? '';
  await open('/partners');
  await page.getByRole('link', { name: 'Make a partner…' }).click();
  await page.getByLabel('Name in addresses').fill('walked');
  await page.getByLabel('Name for people').fill('<b>Walked</b> Lines');
  await page.getByLabel('Channel').selectOption('sandbox-test');
  await why('they begin on Monday');
  await press('Make the partner');
  await page.getByRole('heading', { name: '<b>Walked</b> Lines' }).waitFor();
  expect(await page.getByText('No key yet').count()).toBe(1);

  await page.getByRole('link', { name: 'Make a key…' }).click();
  await why('their first key');
  await press('Make the key');
  const first = await secret();
  expect(first).toMatch(/^tltest_/);
  await page.getByRole('link', { name: 'Continue' }).click();
  expect(await page.content()).not.toContain(first.split('_')[2]);
  expect(await statusOf(first)).toBe(200);

  await page.getByRole('link', { name: /^Renew / }).click();
  await page.getByLabel('Hours the old key works on').fill('2');
  await why('once a year');
  await press('Show what would happen');
  await press('Renew 1 key');
  const second = await secret();
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByText('Renewed', { exact: true }).waitFor(); // one: of two it would say that it is not unique

  await page.getByRole('link', { name: `Revoke ${first.split('_')[1]}` }).click();
  await why('nobody uses it');
  await press('Show what would happen');
  await press('Revoke 1 key');
  await page.getByText('Revoked', { exact: true }).waitFor();
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);

  await page.getByRole('link', { name: 'What was changed, by whom' }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  const rows = await page.locator('tbody tr').allTextContents();
  expect(rows.map((row) => /Added the partner|(?:Made|Renewed|Revoked) a key (?:for|of)/.exec(row)?.[0])).toEqual([
    'Revoked a key of',
    'Renewed a key of',
    'Made a key for',
    'Added the partner',
  ]);
  for (const reason of ['nobody uses it', 'once a year', 'their first key', 'they begin on Monday']) {
    expect(rows.some((row) => row.includes(reason))).toBe(true);
  }
  expect(noise).toEqual([]);
  await context.close();
  await checkPage('viewer', '/audit', 'audit');
  await checkPage('admin', '/partners/walked', 'partner-keys');
});

it('that partner is erased, after a plan that says what goes and what stays', async () => {
  const { page, open, context, noise } = await walkAs('admin');
  await open('/partners/walked');
  await page.getByRole('link', { name: 'Erase…' }).click();
  expect(await page.locator('main').innerText()).toContain('What would end at once: 1 key.');
  await page.getByLabel('Why').fill('the contract has ended');
  await page.getByRole('button', { name: 'Erase the partner and 0 batches' }).click();
  await page.getByRole('heading', { name: 'Erasing has begun' }).waitFor();
  await picture(page, 'erase-partner-done');
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: '<b>Walked</b> Lines' }).waitFor();
  expect(noise).toEqual([]);
  await context.close();
  await checkPage('admin', '/do/erase-partner?partner=acme', 'erase-partner');
});

it('a channel is tested from its page, and says what it found', async () => {
  const { page, open, context } = await walkAs('operator');
  await open('/channels/sandbox-test');
  await page.getByRole('link', { name: 'Test connection' }).click();
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByRole('heading', { name: 'The channel works' }).waitFor();
  expect(await page.getByText('Token: obtained.').count()).toBe(1);
  await context.close();
});

it('who is no administrator sees keys, and no button about them', async () => {
  const { page, open, context } = await walkAs('operator');
  for (const path of ['/partners', '/partners/acme', '/operator-keys']) {
    await open(path);
    expect(await page.getByRole('link', { name: /Make|Renew|Revoke|Switch/ }).count(), path).toBe(0);
  }
  await open('/do/make-key?partner=acme');
  expect(await page.getByText('Your role does not allow this').count()).toBeGreaterThan(0);
  await context.close();
});

/** Of a request with this key. */
const statusOf = async (key: string): Promise<number> =>
  (await fetch(`${staged().baseUrl}/v1/mappings`, { headers: { Authorization: `Bearer ${key}` } })).status;
