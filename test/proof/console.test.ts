/** The pages of batches and loads in a real browser: what a person sees, on a desk and on a phone. Screenshots go to SCREENSHOTS when it is set. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { executeOnDirectory } from '../../scripts/local/directory.ts';
import { makePerson, type SignedIn, signIn } from '../../scripts/local/people.ts';
import type { Stack } from '../../scripts/local/stack.ts';
import { launchBrowser } from '../e2e/browser.ts';
import { clientOf, startEnvironment, TEST_PARTNER } from '../e2e/environment.ts';

const OPERATOR = makePerson({ name: 'Night shift', role: 'viewer', environments: ['test'] });
const SHOTS = process.env.SCREENSHOTS;
let environment: Stack;
let browser: Browser;
let folder: string;
const batches: Record<string, string> = {};
const loads: Record<string, string> = {};

async function upload(name: string, mapping: string, text: string): Promise<string> {
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, text);
  const { batchId } = await clientOf(environment).upload(path, mapping);
  batches[name] = batchId;
  return batchId;
}

const ended = (batchId: string) => clientOf(environment).watch(batchId, () => undefined);
const HEADER = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\n';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transload-console-'));
  [environment, browser] = await Promise.all([
    startEnvironment([{ ...TEST_PARTNER, partner: 'other', displayName: 'Other' }], OPERATOR.sql),
    launchBrowser(),
  ]);
  const sample = join(PROJECT_ROOT, 'fixtures/samples/carrier-status-csv.csv');
  batches.mixed = (await clientOf(environment).upload(sample, 'carrier-status-csv')).batchId;
  await ended(batches.mixed);
  await ended(await upload('unreadable', 'carrier-status-csv', 'a,b\n1,2\n'));
  await ended(await upload('empty', 'carrier-status-csv', HEADER));
  const naughty = `"<script>document.title='owned'</script>","<img src=x onerror=alert(1)>",${'long-'.repeat(60)},13/45/2026,08:00,CT,Joliet,IL,1,,\n`;
  await ended(await upload('naughty', 'carrier-status-csv', HEADER + naughty));
  const longNumber = `L${'0123456789'.repeat(7)}`;
  const longCity = 'Llanfair'.repeat(6);
  loads.odd = `odd-${'x'.repeat(40)}`;
  loads.long = longNumber;
  const oddRow = (code: string, time: string, stop: number, city = 'Joliet') =>
    `${loads.odd},${code},NS,03/02/2026,${time},CT,${city},IL,${stop},,\n`;
  const oddRows = [
    oddRow('AF', '08:00', 1),
    oddRow('X3', '09:00', 1),
    oddRow('X1', '12:00', 2),
    oddRow('X4', '13:00', 9),
  ];
  await ended(await upload('odd', 'carrier-status-csv', HEADER + oddRows.join('')));
  const longRow = `${longNumber},X3,NS,03/02/2026,08:00,CT,${longCity},IL,123456,${'P-'.repeat(30)},\n`;
  await ended(await upload('long', 'carrier-status-csv', HEADER + longRow));
  const points = Array.from(
    { length: 130 },
    (_, at) => `{"load":"MANY","at":${1_772_460_000 + at * 60},"position":[${-88 - at / 100},41.5]}\n`,
  );
  loads.many = 'MANY';
  await ended(await upload('points', 'gps-pings-ndjson', points.join('')));
  const wrong = Array.from({ length: 10_000 }, (_, at) => `W${at},??,NS,03/02/2026,08:00,CT,Joliet,IL,${at},,\n`);
  await ended(await upload('many', 'carrier-status-csv', HEADER + wrong.join('')));
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await environment?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const open = (name: string, width: number, query = '') =>
  openPath(`batches/${batches[name]}${query}`, width, name + query);
const openLoad = (name: string, width: number, query = '') =>
  openPath(`loads/${encodeURIComponent(loads[name] ?? '')}${query}`, width, `load-${name}${query}`);

const sessions = new Map<string, Promise<SignedIn>>();

/** One for each key, or for the operator's link. The bridge may have another port after a restart, and then another cookie. */
function sessionOf(by: string): Promise<SignedIn> {
  const at = environment.bridge.baseUrl;
  const known = sessions.get(by) ?? signIn(at, by.startsWith('/') ? { link: by } : { key: by });
  sessions.set(by, known);
  return known.then(({ value }) => ({ name: `transload-${environment.bridge.port}`, value }));
}

/** @param path below the console. @param shot the name of its screenshot. */
async function openPath(
  path: string,
  width: number,
  shot: string,
): Promise<{ page: Page; context: BrowserContext; noise: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 850 } });
  await context.addCookies([{ ...(await sessionOf(environment.keys[0] ?? '')), url: environment.bridge.baseUrl }]);
  const page = await context.newPage();
  const noise: string[] = [];
  page.on('console', (message) => noise.push(message.text()));
  page.on('dialog', (dialog) => {
    noise.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => noise.push(error.message));
  await page.goto(`${environment.bridge.baseUrl}/console/${path}`);
  if (SHOTS) {
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${shot.replace(/\W+/g, '-')}-${width}.png`) });
  }
  return { page, context, noise };
}

describe.each([1100, 390])('the batch page at %i pixels', (width) => {
  it.each(['mixed', 'unreadable', 'empty', 'naughty', 'many'])(
    'shows the %s batch without sideways scrolling or noise',
    async (name) => {
      const { page, context, noise } = await open(name, width);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      expect(noise).toEqual([]);
      await context.close();
    },
  );
});

describe.each([1100, 390])('the page of a load at %i pixels', (width) => {
  it.each(['odd', 'long', 'many'])('shows the %s load without sideways scrolling or noise', async (name) => {
    const { page, context, noise } = await openLoad(name, width);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await page.locator('h1').innerText()).toBe(`Load ${loads[name]}`);
    expect(noise).toEqual([]);
    await context.close();
  });
});

describe('the page of a load', () => {
  it('is reached from a row of its batch, and leads back to it', async () => {
    const { page, context } = await open('odd', 1100, '?state=all');
    await page.locator('li.row').first().getByRole('link').click();
    await page.waitForURL(/\/console\/loads\//);
    const lines = await page.locator('li.row .where b').allInnerTexts();
    expect(lines).toEqual(['AF', 'X3', 'X1', 'X4']);
    const odd = await page.locator('li.row .fix').allInnerTexts();
    expect(odd[0]).toMatch(/^Odd: X3 of stop 1 .* cannot both be/);
    await page
      .locator('li.row')
      .nth(2)
      .getByRole('link', { name: /row 3 of batch/ })
      .click();
    await page.waitForURL(/\/console\/batches\/.*after=2/);
    expect(await page.locator('li.row').first().innerText()).toMatch(/Row 3\s/);
    await context.close();
  });

  it('opens every attempt of an event', async () => {
    const { page, context } = await openLoad('odd', 390);
    const tries = page.locator('li.row ol.tries').first();
    expect(await tries.isVisible()).toBe(false);
    await page.locator('li.row summary').first().click();
    expect(await tries.innerText()).toMatch(/status 200/);
    await context.close();
  });

  it('goes on to the next events, the other order and the file', async () => {
    const { page, context } = await openLoad('many', 1100);
    expect(await page.locator('li.row').count()).toBe(100);
    await page.getByRole('link', { name: 'Next events' }).click();
    await page.waitForURL(/cursor=/);
    expect(await page.locator('li.row').count()).toBe(30);
    await page.getByRole('link', { name: 'In the order of sending' }).click();
    await page.waitForURL(/order=sent/);
    expect(await page.locator('h2').innerText()).toBe('Events as they were sent');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'All events (CSV)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('load.csv');
    await context.close();
  });
});

describe('the first page', () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;
  const firstPage = async (key: string, width: number) => {
    const context = await browser.newContext({
      viewport: { width, height: 850 },
    });
    await context.addCookies([{ ...(await sessionOf(key)), url: environment.bridge.baseUrl }]);
    const page = await context.newPage();
    await page.goto(environment.bridge.baseUrl);
    await page.waitForURL(/\/console/);
    if (SHOTS) await page.screenshot({ path: join(SHOTS, `home-${width}.png`) });
    return { page, context };
  };

  /** As if it had come two days ago: the list alone says when. */
  const madeOlder = async (batchId: string): Promise<void> => {
    await environment.bridge.stop();
    const sql = `UPDATE batch_index SET received_at_ms = received_at_ms - ${2 * DAY_MS} WHERE batch_id = '${batchId}'`;
    await executeOnDirectory({ persistTo: environment.persistTo }, sql);
    await environment.startBridge();
  };

  it('leads an operator in two clicks to why a row of another day’s batch was refused; a partner’s key sees none of it', async () => {
    await madeOlder(batches.mixed ?? '');
    for (const width of [1100, 390]) {
      const { page, context } = await firstPage(OPERATOR.link, width);
      await page.locator('[data-alert="rows_refused"]').getByRole('link', { name: 'Look at it' }).click();
      await page.waitForURL(/needs=refused/);
      expect(await page.locator('h1').innerText()).toBe('Batches that were looked for');
      await page.locator(`a[href*="${batches.mixed}"]`).click();
      await page.waitForURL(/\/console\/batches\//);
      const rows = await page.locator('li.row').allInnerTexts();
      expect(rows[0]).toMatch(/Row 7\s*line 8/);
      expect(rows[0]).toContain('bad_date');
      await context.close();
    }
    const { page, context } = await firstPage(environment.keys[0] ?? '', 390);
    expect(await page.locator('h1').allInnerTexts()).toEqual(['Newest batches']);
    expect(await page.content()).not.toMatch(/data-alert|\/console\/ops\/|tlops_/);
    await context.close();
    const other = await firstPage(environment.keys[1] ?? '', 1100);
    expect(await other.page.locator('.empty').innerText()).toContain('Nothing was sent yet.');
    const answer = await other.page.goto(`${environment.bridge.baseUrl}/console/batches/${batches.mixed}`);
    expect(answer?.status()).toBe(404);
    expect(await other.page.locator('h1').innerText()).toBe('Unknown batch');
    await other.context.close();
  });

  it.each([1100, 390])('fits %i pixels, keeps what it is narrowed to in the address, and goes back', async (width) => {
    const { page, context } = await firstPage(OPERATOR.link, width);
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await page.getByText('Look for batches').click();
    await page.getByLabel('File name').fill('NAUGHTY');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/fileName=NAUGHTY/);
    expect(await page.locator('.list tbody tr').count()).toBe(1);
    expect(await page.locator('.list tbody tr').innerText()).toContain('1 not delivered');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await page.goBack();
    expect(await page.locator('.list tbody tr').count()).toBeGreaterThan(5);
    await context.close();
  });
});

describe('the batch page', () => {
  it('opens on the rows that need eyes, each with place, value and fix', async () => {
    const { page, context } = await open('mixed', 1100);
    const rows = await page.locator('li.row').allInnerTexts();
    expect(rows).toHaveLength(7);
    expect(rows[0]).toMatch(/Row 7\s+line 8/);
    expect(rows[0]).toContain('bad_date');
    expect(await page.locator('li.row .fix').count()).toBeGreaterThanOrEqual(7);
    await context.close();
  });

  it('filters by state with one click', async () => {
    const { page, context } = await open('mixed', 1100);
    await page.getByRole('link', { name: /Delivered/ }).click();
    await page.waitForURL(/state=delivered/);
    const texts = await page.locator('li.row .state').allInnerTexts();
    expect(texts.length).toBeGreaterThan(30);
    expect(new Set(texts)).toEqual(new Set(['Delivered']));
    await context.close();
  });

  it('says of an unreadable file that nothing was sent, and why', async () => {
    const { page, context } = await open('unreadable', 1100);
    const text = await page.locator('main').innerText();
    expect(text).toContain('Nothing of this file was sent');
    expect(text).toContain('missing_column');
    expect(await page.locator('progress').count()).toBe(0);
    await context.close();
  });

  it('says of a file without rows that it has none', async () => {
    const { page, context } = await open('empty', 390);
    expect(await page.locator('.empty').innerText()).toBe('The file has a header and no rows.');
    await context.close();
  });

  it('shows hostile values as text and runs none of them', async () => {
    const { page, context, noise } = await open('naughty', 1100);
    expect(await page.title()).toBe('naughty.csv – Transload');
    expect(await page.locator('main').innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(noise).toEqual([]);
    await context.close();
  });

  it('pages through 10,000 wrong rows', async () => {
    const { page, context } = await open('many', 1100);
    expect(await page.locator('.count b').first().innerText()).toBe('10,000');
    expect(await page.locator('li.row').count()).toBe(200);
    await page.getByRole('link', { name: 'Next rows' }).click();
    await page.waitForURL(/after=200/);
    expect(await page.locator('li.row').first().innerText()).toMatch(/Row 201\s/);
    await context.close();
  });

  it('follows a running batch by itself until it is finished', async () => {
    await environment.putFaults([{ match: {}, fault: { type: 'delay', ms: 80, apply: 'before' } }]);
    const rows = Array.from(
      { length: 40 },
      (_, at) => `LIVE,X3,NS,03/02/2026,08:${String(at).padStart(2, '0')},CT,Joliet,IL,${at},,\n`,
    );
    await upload('live', 'carrier-status-csv', HEADER + rows.join(''));
    const { page, context } = await open('live', 1100);
    await page.locator('main[data-state="settled"]').waitFor({ timeout: 30_000 });
    expect(await page.locator('main').innerText()).toContain('All 40 rows are done');
    await environment.putFaults([]);
    await context.close();
  });

  it('leads to the sign-in page without a session', async () => {
    const path = `/console/batches/${batches.mixed}`;
    const headers = { Accept: 'text/html' };
    const answer = await fetch(environment.bridge.baseUrl + path, { headers, redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`/console/sign-in?to=${encodeURIComponent(path)}`);
  });
});
