/**
 * Pages of orders and feeds in a real browser, on a desk and on a phone: over HTTP as people reach them, and drawn from views of
 * every kind, long and empty ones too. Screenshots go to SCREENSHOTS when it is set.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelName } from '../../scripts/local/bridge.ts';
import { executeOnDirectory } from '../../scripts/local/directory.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import type { Stack } from '../../scripts/local/stack.ts';
import { consolePages } from '../../src/console/pages.ts';
import { launchBrowser } from '../e2e/browser.ts';
import { clientOf, startEnvironment } from '../e2e/environment.ts';
import {
  aFeedsPage,
  aFeedView,
  aGap,
  anOperation,
  anOrderPage,
  anOrdersPage,
  anOrderView,
  aPoll,
  aStatus,
  aVersion,
  feedNotReached,
  feedStarting,
  NO_ORDER,
} from '../unit/http/orders.ts';
import { orderFile } from '../worker/order-files.ts';

const SHOTS = process.env.SCREENSHOTS;
let environment: Stack;
let browser: Browser;
let drawn: Server;
let folder: string;
let opsKey = '';

const LONG = 'SO-'.padEnd(80, '0123456789');
const UNBROKEN = 'x'.repeat(400);
const changes = [{ path: `consignee.${UNBROKEN}`, before: UNBROKEN, after: UNBROKEN }];
const [attempt] = anOperation().attempts;
const attempts = attempt === undefined ? [] : [{ ...attempt, answer: UNBROKEN.repeat(3) }];
const longOrder = anOrderView({
  orderRef: LONG,
  document: { orderRef: LONG, comments: [UNBROKEN] },
  pair: { partnerId: UNBROKEN, clientId: UNBROKEN },
  versions: [
    aVersion({ changes }),
    aVersion({ version: 2, kind: 'base', batchId: null, record: null, stated: { by: 'A', why: UNBROKEN } }),
  ],
  operations: [
    anOperation({
      kind: 'order.update',
      state: 'held',
      reason: 'unknown_then_refused',
      changes,
      attempts,
      action: UNBROKEN,
    }),
  ],
  statuses: [aStatus(1, { code: UNBROKEN.slice(0, 200), place: { city: UNBROKEN.slice(0, 200) } })],
});
const manyStatuses = Array.from({ length: 1_000 }, (_, index) => aStatus(index + 1, { code: `step-${index + 1}` }));
const recent = Array.from({ length: 50 }, (_, index) => ({
  orderRef: index === 0 ? LONG : `SO-${index}`,
  state: (['open', 'final', 'none'] as const)[index % 3] ?? 'open',
  heardAt: '2026-03-09T12:00:00.000Z',
  code: index % 4 === 0 ? null : 'out_for_delivery',
}));
const gaps = {
  open: 1,
  closed: 1,
  shown: [aGap(), aGap({ poll: 9, closedAt: '2026-03-09T10:00:00.000Z', closedBy: 'repair' })],
};
const failures = [{ orderRef: LONG, failure: UNBROKEN, tries: 3 }];
const feeds = [
  aFeedView({ partner: 'acme' }),
  aFeedView({
    partner: 'with-a-gap',
    partnerId: UNBROKEN.slice(0, 200),
    state: 'gap',
    gaps,
    repair: { left: 40, failing: 1, unfit: 0, unfitSamples: [], failures },
    unread: { waiting: 0, unreadable: 1 },
    trouble: { at: '2026-03-09T12:01:00.000Z', detail: UNBROKEN },
    polls: Array.from({ length: 20 }, (_, index) => aPoll({ poll: index + 1, unfit: index % 5 === 0 ? 7 : 0 })),
  }),
  feedStarting(),
  feedNotReached(UNBROKEN),
];
const environments = ['test', 'production'] as const;

const DRAWN: Record<string, string> = {
  order: consolePages.order(anOrderPage()),
  'order-long': consolePages.order(anOrderPage({ order: longOrder, partner: 'acme' })),
  'order-many': consolePages.order(anOrderPage({ order: anOrderView({ statuses: manyStatuses }), isWhole: true })),
  'order-empty': consolePages.order(anOrderPage({ order: NO_ORDER })),
  orders: consolePages.orders(anOrdersPage({ recent })),
  'orders-in-vain': consolePages.orders(anOrdersPage({ asked: UNBROKEN, recent: [], isFollowed: false })),
  'orders-ops': consolePages.orders(
    anOrdersPage({ recent, ops: { partner: 'acme', partners: ['acme', UNBROKEN], environments } }),
  ),
  feeds: consolePages.feeds(aFeedsPage({ feeds, environments, done: { action: 'repair', partner: 'acme' } })),
  problem: consolePages.problem({
    ...{ status: 404, code: 'not_found', title: 'Not found', detail: `There is nothing at GET /${UNBROKEN}.` },
    requestId: '5f0c5d2e-0f0b-4b6e-9d4e-0d2c7c2f4f10',
  }),
  'feeds-empty': consolePages.feeds(aFeedsPage({ feeds: [], environment: 'production' })),
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transload-console-orders-'));
  drawn = createServer(({ url = '' }, response) => {
    const isCss = url.endsWith('.css');
    response.setHeader('Content-Type', isCss ? 'text/css' : 'text/html; charset=utf-8');
    response.end(isCss ? consolePages.css : (DRAWN[url.slice(1)] ?? ''));
  });
  await new Promise<void>((resolve) => drawn.listen(0, '127.0.0.1', resolve));
  [environment, browser] = await Promise.all([startEnvironment(), launchBrowser()]);
  const { key, sql } = makeOpsKey({ name: 'Analyst', role: 'operator', environments: ['test'] });
  opsKey = key;
  await environment.bridge.stop();
  await executeOnDirectory({ persistTo: environment.persistTo }, sql);
  await environment.startBridge();
  const set = await fetch(`${environment.bridge.baseUrl}/v1/ops/partners/acme/feed`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${opsKey}` },
    body: JSON.stringify({ partnerId: 'P', clientId: 'C', channel: channelName('test', 'key+bearer'), note: 'a test' }),
  });
  expect(set.status, await set.text()).toBe(200);
  const path = join(folder, 'orders.csv');
  writeFileSync(path, orderFile({ orderRef: 'SO-1', sku: 'S' }));
  const { batchId } = await clientOf(environment).upload(path, 'orders-csv');
  await clientOf(environment).watch(batchId, () => undefined);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await environment?.stop();
  drawn?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openAt(
  address: string,
  width: number,
  { shot, password = '' }: { shot: string; password?: string },
): Promise<{ page: Page; context: BrowserContext; noise: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: 850 },
    ...(password === '' ? {} : { httpCredentials: { username: 'any', password } }),
  });
  const page = await context.newPage();
  const noise: string[] = [];
  page.on('console', (message) => noise.push(message.text()));
  page.on('pageerror', (error) => noise.push(error.message));
  await page.goto(address);
  if (SHOTS) {
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${shot}-${width}.png`) });
  }
  return { page, context, noise };
}

describe.each([1100, 390])('at %i pixels', (width) => {
  it.each(Object.keys(DRAWN))('the page "%s" has no sideways scrolling and no noise', async (name) => {
    const address = drawn.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const { page, context, noise } = await openAt(`http://127.0.0.1:${address.port}/${name}`, width, { shot: name });
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    expect(noise).toEqual([]);
    if (SHOTS)
      await page.screenshot({ path: join(SHOTS, `${name}-open-${width}.png`), fullPage: name !== 'order-many' });
    await context.close();
  });
});

describe('a partner', () => {
  it('looks for an order by its reference, reads its page, and goes on to the row it came from', async () => {
    const at = `${environment.bridge.baseUrl}/console/orders`;
    const { page, context, noise } = await openAt(at, 390, { shot: 'search', password: environment.keys[0] ?? '' });
    await page.getByLabel('Reference').fill('SO-1');
    await page.getByRole('button', { name: 'Look for it' }).click();
    await page.waitForURL(/\/console\/orders\/SO-1$/);
    expect(await page.locator('h1').innerText()).toBe('Order SO-1');
    await page.getByText('The document as it stands').click();
    expect(await page.locator('code.document').innerText()).toContain('"orderRef": "SO-1"');
    await page
      .getByRole('link', { name: /row 1 of batch/ })
      .first()
      .click();
    await page.waitForURL(/\/console\/batches\//);
    await page.getByRole('link', { name: 'order SO-1' }).click();
    await page.waitForURL(/\/console\/orders\/SO-1$/);
    expect(noise).toEqual([]);
    await context.close();
  });
});

describe('an operator', () => {
  it('of a bridge on this machine registers webhooks: it has a key to sign them with', async () => {
    const set = await fetch(`${environment.bridge.baseUrl}/v1/ops/partners/acme/webhooks/main`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${opsKey}` },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/', events: ['order.status'], enabled: false, note: 'a test' }),
    });
    expect(await set.json()).toMatchObject({ state: 'disabled', secret: expect.stringMatching(/^whsec_/) });
  });

  it('polls now by a button, and is told so', async () => {
    const at = `${environment.bridge.baseUrl}/console/ops/feeds`;
    const { page, context, noise } = await openAt(at, 1100, { shot: 'feeds-live', password: opsKey });
    await page.waitForURL(/environment=test$/);
    await page.getByLabel('Why').fill('a call was missed');
    await page.getByRole('button', { name: 'Poll now' }).click();
    await page.waitForURL(/done=poll/);
    expect(await page.locator('.heading .fix').innerText()).toMatch(/^acme: The next poll is made now/);
    await page.getByLabel('Why').fill('to be sure');
    await page.getByRole('button', { name: 'Ask for every open order' }).click();
    await page.waitForURL(/done=repair/);
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByLabel('Reference').fill('SO-1');
    await page.getByRole('button', { name: 'Look for it' }).click();
    await page.waitForURL(/\/console\/ops\/orders\/acme\/SO-1/);
    expect(noise).toEqual([]);
    await context.close();
  });

  it('cannot be made to press it by a page of somebody else', async () => {
    const { page, context } = await openAt(`${environment.bridge.baseUrl}/console/ops/feeds`, 1100, {
      shot: 'feeds-trick',
      password: opsKey,
    });
    const action = `${environment.bridge.baseUrl}/console/ops/feeds/acme/poll?environment=test`;
    await page.route('http://evil.test/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${action}"><input name="why" value="a trick"></form>`,
      }),
    );
    await page.goto('http://evil.test/');
    const [answer] = await Promise.all([page.waitForResponse(action), page.evaluate('document.forms[0].submit()')]);
    expect(answer.status()).toBe(403);
    expect(await answer.text()).toContain('cross_site_refused');
    await context.close();
  });
});
