/** Pages of webhooks, envelope rules and answer mappings in a browser, and the walk of a webhook's life. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, operate, uploaded } from './operate.ts';
import { checkPage, staged, walkAs } from './stage.ts';
import { statusFile, statusRow } from './staged-work.ts';

const EVIL = '<img src=x onerror=alert(1)>';
const receiver = createServer((request, response) => {
  response.statusCode = request.url === '/fails' ? 500 : 200;
  response.end(request.url === '/fails' ? EVIL : 'thanks');
});
let receiverUrl = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  receiverUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  const events = ['batch.settled', 'batch.held', 'order.status'];
  for (const [target, path] of [
    ['main', '/takes'],
    ['failing', '/fails'],
  ])
    await operate('PUT', `/v1/ops/partners/acme/webhooks/${target}`, {
      url: receiverUrl + path,
      events,
      note: 'the stage',
    });
  await operate('PUT', '/v1/ops/partners/acme/webhooks/off', {
    ...{ url: `${receiverUrl}/takes`, events: ['batch.settled'], enabled: false, note: 'not yet' },
  });
  for (let file = 0; file < 3; file += 1)
    await uploaded(`hook-${file}.csv`, 'carrier-status-csv', statusFile([statusRow(`HOOK-${file}`, 'X3')]));
  await eventually(async () => {
    const { failingSince } = await operate<{ failingSince: string | null }>(
      'GET',
      '/v1/ops/partners/acme/webhooks/failing',
    );
    expect(failingSince).not.toBeNull();
  });
  await operate('PUT', '/v1/ops/partners/acme/envelopes', {
    rules: { senders: ['ZZ:ACME', '12ACME'], counts: 'lenient' },
    note: 'their system counts otherwise',
  });
}, 180_000);
afterAll(async () => {
  await operate('PUT', '/v1/ops/partners/acme/envelopes', {
    rules: {},
    note: 'other files send under their own names',
  });
  receiver.close();
});

describe('the pages of webhooks', () => {
  it('hold what every page must', () => checkPage('operator', '/webhooks', 'webhooks'));
  it('do so where there is none', () => checkPage('operator', '/webhooks?partner=other', 'webhooks-none'));
  it('do so for one that takes everything', () => checkPage('operator', '/webhooks/acme/main', 'webhook'));
  it('do so for one that fails, with what came back as text', () =>
    checkPage('operator', '/webhooks/acme/failing', 'webhook-failing'));
  it('do so for their partner, with every state and what was sent to each', async () => {
    await checkPage('acme', '/notifications', 'own-webhooks-all');
    for (const name of ['main', 'failing', 'off'])
      await checkPage('acme', `/notifications/${name}`, `own-webhook-${name}`);
  });
  it('do so for one that is switched off, to a viewer', () => checkPage('viewer', '/webhooks/acme/off', 'webhook-off'));
  it('have forms that hold it, too', () =>
    checkPage('operator', '/do/set-webhook?partner=acme&target=main', 'webhook-set'));
  it('have a form to delete one', () =>
    checkPage('operator', '/do/webhook-delete?partner=acme&target=off', 'webhook-delete'));

  it('register one with its secret shown once, send an event again, and delete it', async () => {
    const { open, page, noise, context } = await walkAs('operator');
    await open('/webhooks?partner=acme');
    await page.getByRole('link', { name: 'Register a webhook…' }).click();
    await page.getByLabel('Name of the webhook').fill('walked');
    await page.getByLabel('Address').fill(`${receiverUrl}/takes`);
    await page.getByLabel('A file is finished').check();
    await page.getByLabel('Why').fill('the partner asked for it');
    await page.getByRole('button', { name: 'Save the webhook' }).click();
    expect(await page.locator('[data-secret]').innerText()).toMatch(/^whsec_/);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(/\/console\/webhooks\/acme\/walked/);
    expect(await page.content()).not.toContain('whsec_');
    await uploaded('walked.csv', 'carrier-status-csv', statusFile([statusRow('WALKED', 'X3')]));
    await eventually(async () => {
      await page.reload();
      expect(await page.locator('tbody').innerText()).toContain('Delivered');
    });
    await page.getByRole('link', { name: 'Send again…' }).first().click();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page.waitForURL(/\/console\/webhooks\/acme\/walked/);
    expect(await page.locator('main').innerText()).toContain('Sent again by operator on duty');
    await page.getByRole('link', { name: 'Delete…' }).click();
    await page.getByLabel('Why').fill('the walk is over');
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.waitForURL(/\/console\/webhooks\?/);
    expect(await page.locator('tbody').innerText()).not.toContain('walked');
    expect(noise).toEqual([]);
    await context.close();
  });
});

describe('the page of the webhook for alerts', () => {
  it('holds what every page must where none is set', () =>
    checkPage('viewer', '/webhooks/alerts', 'alert-webhook-none'));

  it('sets one with its secret shown once, tests it, and shows what was sent', { timeout: 120_000 }, async () => {
    const { open, page, noise, context } = await walkAs('admin');
    await open('/');
    await page.getByRole('link', { name: 'Be told of alerts' }).click();
    await page.getByRole('link', { name: 'Set an address…' }).click();
    await page.getByLabel('Address').fill(`${receiverUrl}/takes`);
    await page.getByLabel('Why').fill('for whoever is on call');
    await page.getByRole('button', { name: 'Save the address' }).click();
    expect(await page.locator('[data-secret]').innerText()).toMatch(/^whsec_/);
    await page.getByRole('link', { name: 'Send a test…' }).click();
    await page.getByLabel('Why').fill('does it ring?');
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.waitForURL(/\/console\/webhooks\/alerts/);
    expect(await page.content()).not.toContain('whsec_');
    await fetch(`${staged().baseUrl}/cdn-cgi/handler/scheduled`);
    await eventually(async () => {
      await page.reload();
      const sent = await page.locator('tbody').innerText();
      expect(sent).toContain('Test');
      expect(sent).toContain('Alert: ');
      expect(sent).not.toContain('Being sent');
    });
    expect(noise).toEqual([]);
    await context.close();
    await checkPage('admin', '/webhooks/alerts', 'alert-webhook');
    await checkPage('admin', '/do/set-alert-webhook', 'alert-webhook-set');
    await checkPage('admin', '/do/alert-webhook-delete', 'alert-webhook-delete');
  });
});

describe('what is agreed', () => {
  it('about envelopes holds what every page must', () =>
    checkPage('operator', '/partners/acme/envelopes', 'envelopes'));
  it('does so where nothing was', () => checkPage('viewer', '/partners/other/envelopes', 'envelopes-none'));
  it('has a form that does so', () => checkPage('operator', '/do/set-envelopes?partner=acme', 'envelopes-set'));
  it('about answers holds what every page must', () => checkPage('operator', '/answer-mappings', 'answers'));
  it('has a form for the document', () => checkPage('operator', '/do/set-answer-mapping', 'answers-set'));
});
