/** A partner's own pages beside its files: acknowledgments, order events, webhooks, keys. */
import { describe, expect, it } from 'vitest';
import { checkPage, walkAs } from './stage.ts';

describe('the own pages of a partner', () => {
  it('hold what every page must', async () => {
    await checkPage('acme', '/interchanges', 'own-interchanges');
    await checkPage('acme', '/order-events', 'own-order-events');
    await checkPage('acme', '/notifications', 'own-webhooks');
    await checkPage('acme', '/keys', 'own-keys');
  });

  it('lead from a key to another one like it, which is shown once', async () => {
    const { page, open, context, noise } = await walkAs('other');
    await open('/keys');
    await page.getByRole('link', { name: 'Make another key…' }).click();
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('heading', { name: 'The new key' }).waitFor();
    expect(await page.locator('[data-secret]').innerText()).toMatch(/^tltest_/);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    expect(await page.content()).not.toMatch(/tltest_[0-9a-z]{16}_/);
    await page.getByRole('link', { name: 'Revoke…' }).first().click();
    await page.getByRole('button', { name: 'Revoke 1 key' }).waitFor();
    expect(await page.getByText(/stops working|signed out at once/).count()).toBe(1);
    expect(noise).toEqual([]);
    await context.close();
  });

  it('are not for operators, who have pages of their own', async () => {
    const { page, open, context } = await walkAs('operator');
    await open('/keys');
    expect(new URL(page.url()).pathname).toBe('/console');
    await context.close();
  });
});
