/** Pages of orders and feeds in a browser: with statuses and gaps, empty, failing, hostile; and the walks between them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { channelName } from '../../scripts/local/bridge.ts';
import { orderFile } from '../worker/order-files.ts';
import { eventually, operate, putSandbox, uploaded } from './operate.ts';
import { checkPage, picture, walkAs } from './stage.ts';
import { LASTING_FAULTS } from './staged-work.ts';

interface Feed {
  lastEvent: number;
  gaps: { open: number };
  repair: { failing: number };
}

const SINGLE_ORDERS_FAIL = { match: { method: 'GET', parameter: 'orderRef' }, fault: { type: 'status', status: 500 } };
const POLLS_ARE_LOST = { match: { method: 'GET' }, fault: { type: 'lost_poll' } };
const EVIL = 'SO <img src=x onerror=alert(1)>';

const feed = (): Promise<Feed> => operate<Feed>('GET', '/v1/ops/feeds/acme');
const poll = (): Promise<unknown> => operate('POST', '/v1/ops/feeds/acme/poll', { why: 'the stage wants it' });

beforeAll(async () => {
  await putSandbox('settings', { statusStepSeconds: 2 });
  const wanted = { partnerId: 'P-1', clientId: 'C-1', channel: channelName('test', 'key+bearer'), note: 'the stage' };
  await operate('PUT', '/v1/ops/partners/acme/feed', wanted);
  await uploaded('followed.csv', 'orders-csv', orderFile({ orderRef: 'SO-FED', sku: 'S' }));
  await uploaded('change.csv', 'orders-csv', orderFile({ orderRef: 'SO-FED', sku: 'S', quantity: '5' })).catch(
    () => '',
  );
  await uploaded('gone.csv', 'orders-csv', orderFile({ orderRef: 'SO-GONE', sku: 'S' }));
  await uploaded('evil.csv', 'orders-csv', orderFile({ orderRef: EVIL, sku: 'S' }));
  await eventually(async () => {
    await poll();
    expect((await feed()).lastEvent).toBeGreaterThan(2);
  });
  await putSandbox('faults', [...LASTING_FAULTS, SINGLE_ORDERS_FAIL, POLLS_ARE_LOST]);
  await eventually(async () => {
    await poll();
    const { gaps, repair } = await feed();
    expect([gaps.open > 0, repair.failing > 0]).toEqual([true, true]);
  }).finally(() => putSandbox('faults', [...LASTING_FAULTS, SINGLE_ORDERS_FAIL]));
}, 180_000);

describe('the page of an order', () => {
  it('holds what every page must', () => checkPage('operator', '/orders/acme/SO-FED', 'order'));
  it('does so for its partner', () => checkPage('acme', '/orders/SO-FED', 'order-partner'));
  it('does so where a row is held', () => checkPage('operator', '/orders/acme/SO-5001', 'order-other'));
  it('does so with a hostile reference', () =>
    checkPage('operator', `/orders/acme/${encodeURIComponent(EVIL)}`, 'order-evil'));
  it('says what to do where there is none', () => checkPage('operator', '/orders/acme/NOBODYS', 'order-none'));
  it('shows what an end consumer sees', () => checkPage('operator', '/orders/acme/SO-FED?tracks=show', 'order-tracks'));
});

describe('the order events of a partner', () => {
  it('hold what every page must', () => checkPage('acme', '/order-events', 'own-order-events-all'));
});

describe('the list of orders', () => {
  it('holds what every page must', () => checkPage('operator', '/orders?partner=acme', 'orders'));
  it('does so for a partner', () => checkPage('acme', '/orders', 'orders-partner'));
  it('asks for a partner first', () => checkPage('operator', '/orders', 'orders-ask'));
  it('says where it finds nothing', () => checkPage('acme', '/orders?ref=NOBODYS', 'orders-missed'));
  it('is empty where nothing was sent', () => checkPage('other', '/orders', 'orders-empty'));

  it('leads to an order by its reference, from there to its row, and to a load by its number', async () => {
    const { open, page, noise, context } = await walkAs('acme', { width: 390 });
    await open('/orders');
    await page.getByLabel('Order reference').fill('SO-FED');
    await page.getByRole('button', { name: 'Find the order' }).click();
    await page.waitForURL(/\/console\/orders\/SO-FED/);
    expect(await page.locator('h1').innerText()).toBe('Order SO-FED');
    await page.getByText('The document as it was accepted last').click();
    expect(await page.locator('details pre').first().innerText()).toContain('"orderRef": "SO-FED"');
    await page
      .getByRole('link', { name: /row 1 of batch/ })
      .last()
      .click();
    await page.waitForURL(/\/console\/batches\//);
    await open('/orders');
    await page.getByLabel('Load number').fill('NAUGHTY');
    await page.getByRole('button', { name: 'Find the load' }).click();
    await page.waitForURL(/\/console\/loads\/NAUGHTY/);
    expect(noise).toEqual([]);
    await context.close();
  });
});

describe('the pages of feeds', () => {
  it('hold what every page must', () => checkPage('operator', '/feeds', 'feeds'));
  it('do so for one with a gap and orders asked for in vain', () => checkPage('operator', '/feeds/acme', 'feed'));
  it('do so where there is none', () => checkPage('operator', '/feeds/other', 'feed-none'));
  it('have forms that hold it, too', () => checkPage('operator', '/do/set-feed?partner=acme', 'feed-set'));
  it('have a form for a reason', () => checkPage('operator', '/do/feed-repair?partner=acme', 'feed-repair'));

  it('are empty where none is set', async () => {
    const { page, noise, context } = await walkAs('operator');
    const { baseUrl } = (await import('./stage.ts')).staged();
    await page.goto(`${baseUrl}/console/feeds?environment=production`);
    expect(await page.locator('.empty').innerText()).toContain('No feed is set in this environment.');
    expect(noise).toEqual([]);
    await context.close();
  });

  it('poll now, with a reason, and skip the order that a gap waits for', async () => {
    const { open, page, noise, context } = await walkAs('operator');
    await open('/feeds/acme');
    await page.getByRole('link', { name: 'Poll now…' }).click();
    await page.getByLabel('Why').fill('a call was missed');
    await page.getByRole('button', { name: 'Poll now' }).click();
    await page.waitForURL(/\/console\/feeds\/acme/);
    const skips = page.getByRole('link', { name: 'Stop looking it up…' });
    const before = await skips.count();
    expect(before).toBeGreaterThan(0);
    await skips.first().click();
    await page.getByLabel('Why').fill('the receiving system lost it');
    await page.getByRole('button', { name: 'Stop looking it up' }).click();
    await page.waitForURL(/\/console\/feeds\/acme/);
    expect(await skips.count()).toBeLessThan(before);
    expect(noise).toEqual([]);
    await context.close();
  });

  it('load an order as it stands, after a plan', async () => {
    const { open, page, noise, context } = await walkAs('operator');
    await open('/do/load-base?partner=acme&ref=SO-STATED');
    await page.getByLabel('The whole order').fill('{"orderRef": "SO-STATED", "shipperCode": "S9"}');
    await page.getByLabel('Why').fill('as it was sent by mail');
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByRole('button', { name: 'Enter this order' }).click();
    await page.waitForURL(/\/console\/orders\/acme\/SO-STATED/);
    expect(await page.locator('main').innerText()).toContain('as it was sent by mail');
    expect(noise).toEqual([]);
    await context.close();
  });

  it('erase an order, after a plan that says what stays', async () => {
    const admin = await walkAs('admin');
    const { open, page, noise, context } = admin;
    await open('/orders/acme/SO-GONE');
    await page.getByRole('link', { name: 'Erase…' }).click();
    await page.getByLabel('Why').fill('asked for by the person');
    const main = page.locator('main');
    expect(await main.innerText()).toContain('The receiving system keeps what it was sent');
    await picture(page, 'erase-order-plan');
    await page.getByRole('button', { name: 'Erase 1 request' }).click();
    await page.getByRole('heading', { name: 'Erased', exact: true }).waitFor();
    await picture(page, 'erase-order-done');
    await open('/orders/acme/SO-GONE');
    expect(await main.innerText()).not.toContain('Erase…');
    expect(noise).toEqual([]);
    await context.close();
  });
});
