/** A partner's own pages beside its files: acknowledgments, order events, webhooks, keys. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { partnerClient } from '../../scripts/demo/partner.ts';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { putSandbox } from './operate.ts';
import { checkPage, picture, staged, walkAs } from './stage.ts';
import { LASTING_FAULTS, statusFile, statusRow } from './staged-work.ts';

const batches: Record<string, string> = {};

beforeAll(async () => {
  const client = partnerClient(staged().baseUrl, staged().keys.other);
  for (const [mapping, name] of [
    ['edifact-iftsta', 'edifact-iftsta.edifact'],
    ['x12-850', 'x12-850.x12'],
    ['x12-214', 'x12-214.x12'],
  ] as const) {
    const { batchId } = await client.upload(join(PROJECT_ROOT, 'fixtures/samples', name), mapping);
    await client.watch(batchId, () => undefined);
    batches[mapping] = batchId;
  }
}, 120_000);

describe('the acknowledgments of a partner', () => {
  it('hold what every page must, and come as the files that its system reads', async () => {
    await checkPage('other', '/interchanges', 'own-interchanges-all');
    const { page, open, context, noise } = await walkAs('other');
    const got = async (link: RegExp): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: link }).first().click(),
      ]);
      return `${download.suggestedFilename()} ${readFileSync(await download.path(), 'latin1')}`;
    };
    await open('/interchanges');
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBeGreaterThanOrEqual(3);
    expect(await got(/^Download/)).toMatch(/-(?:997\.x12 ISA|CONTRL\.edi UNB)/);
    await open(`/batches/${batches['x12-214']}`);
    await page.getByText('Download', { exact: true }).click();
    expect(await got(/Acknowledgment \(997\)/)).toMatch(/-997\.x12 ISA\*.*AK9\*/s);
    expect(await got(/Acknowledgment \(999\)/)).toMatch(/-999\.x12 ISA\*.*IK5\*/s);
    expect(noise).toEqual([]);
    await context.close();
  });
});

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
    await page.getByRole('link', { name: 'Make a key…' }).click();
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

describe('an upload link', () => {
  it('is made by an operator, opens the upload page without a key, and nothing else; taken back, it opens nothing', async () => {
    const maker = await walkAs('operator');
    await maker.open('/partners/acme/links');
    await maker.page.getByRole('link', { name: 'Make a link…' }).click();
    await maker.page.getByLabel('Who gets it, and why').fill('a clerk on the phone');
    await maker.page.getByRole('button', { name: 'Show what would happen' }).click();
    await maker.page.getByRole('button', { name: 'Make 1 link' }).click();
    const address = await maker.page.locator('[data-secret]').innerText();
    expect(address).toMatch(/\/console\/open#/);
    await picture(maker.page, 'upload-link-made');
    await checkPage('operator', '/partners/acme/links', 'upload-links');

    const clerk = await walkAs('nobody', { width: 390 });
    const token = () => clerk.page.locator('[data-open] [name=link]').inputValue();
    await clerk.page.goto(`${staged().baseUrl}/console/open#of-an-older-mail`);
    expect(await token()).toBe('of-an-older-mail');
    await clerk.page.goto(address); // where the page is open already
    await expect.poll(token).toBe(new URL(address).hash.slice(1));
    expect(new URL(clerk.page.url()).hash).toBe(''); // no log, no history and no other page gets the token
    await picture(clerk.page, 'upload-link-open');
    await clerk.page.getByRole('button', { name: 'Open the page' }).click();
    await clerk.page.getByRole('heading', { name: 'Send a file' }).waitFor();
    await clerk.page.locator('input[type=file]').setInputFiles({
      name: 'by-link.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(statusFile([statusRow('LINK-1', 'X3')])),
    });
    const slow = {
      match: { method: 'POST', bodyIncludes: 'LINK-1' },
      fault: { type: 'delay', ms: 3_000, apply: 'before' },
    };
    await putSandbox('faults', [...LASTING_FAULTS, slow]);
    await clerk.page.getByRole('button', { name: /^Send/ }).first().click();
    await clerk.page.getByRole('heading', { name: 'by-link.csv' }).waitFor();
    expect(await clerk.page.getByText('Cancel…').count(), 'nothing that a link may not do').toBe(0);
    await putSandbox('faults', LASTING_FAULTS);
    await picture(clerk.page, 'upload-link-batch');
    await clerk.open('/keys');
    await picture(clerk.page, 'upload-link-refused');
    expect(await clerk.page.getByText('Make a key').count()).toBe(0);
    expect(await clerk.page.locator('main').innerText()).not.toMatch(/tltest_|Id of the key/);
    expect(clerk.noise).toEqual([]);

    await maker.open('/partners/acme/links');
    await maker.page.getByRole('link', { name: 'Take back…' }).first().click();
    await maker.page.getByLabel('Why').fill('it was sent');
    await maker.page.getByRole('button', { name: 'Take 1 link back' }).click();
    await maker.page.getByText('Taken back').first().waitFor();
    await clerk.open('/upload');
    expect(await clerk.page.getByRole('heading', { name: 'Send a file' }).count()).toBe(0);
    expect(maker.noise).toEqual([]);
    await Promise.all([maker.context.close(), clerk.context.close()]);
  });
});

describe('pages of problems', () => {
  it('hold what every page must', async () => {
    await checkPage('nobody', '/../problems', 'problems', 100_000);
    await checkPage('nobody', '/../problems/code_unknown', 'problem');
  });
});
