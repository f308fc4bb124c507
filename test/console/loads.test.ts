/** The page of a load in a browser: few and many events, odd ones, positions, hostile texts, and the way to it and back. */
import { beforeAll, describe, expect, it } from 'vitest';
import { uploaded } from './operate.ts';
import { checkPage, staged, walkAs } from './stage.ts';
import { NAUGHTY, statusFile, statusRow } from './staged-work.ts';

const LONG = `L${'0123456789'.repeat(7)}`;
const batches: Record<string, string> = {};

const oddRow = (code: string, time: string, stop: number, load = 'ODD-1'): string =>
  `${load},${code},NS,03/02/2026,${time},CT,Joliet,IL,${stop},,,\n`;

/** A drive of a few hours from one stop to the next, north-east. */
const drive = Array.from(
  { length: 70 },
  (_, at) =>
    `{"load":"DRIVE","at":${1_772_460_000 + at * 300},"position":[${-88 - at / 50},${41.5 + Math.sin(at / 9) / 3}]}\n`,
);

beforeAll(async () => {
  const rows = [oddRow('AF', '08:00', 1), oddRow('X3', '09:00', 1), oddRow('X1', '12:00', 2), oddRow('X4', '13:00', 9)];
  batches.odd = await uploaded('odd.csv', 'carrier-status-csv', statusFile(rows));
  await uploaded('drive.ndjson', 'gps-pings-ndjson', drive.join(''));
  const stops = [
    oddRow('X3', '08:00', 1, 'DRIVE'),
    oddRow('AF', '08:40', 1, 'DRIVE'),
    oddRow('X1', '13:30', 2, 'DRIVE'),
  ];
  await uploaded('stops.csv', 'carrier-status-csv', statusFile(stops));
  const longRow = `${LONG},X3,NS,03/02/2026,08:00,CT,${'Llanfair'.repeat(6)},IL,123456,${'P-'.repeat(30)},,\n`;
  const many = Array.from({ length: 130 }, (_, at) => statusRow('MANY', 'X6', at));
  await uploaded('many.csv', 'carrier-status-csv', statusFile([longRow, ...many]));
}, 180_000);

describe('the page of a load', () => {
  it('holds what every page must, with events that contradict each other', () =>
    checkPage('acme', '/loads/ODD-1', 'load-odd'));
  it('does so with positions and stops', () => checkPage('operator', '/loads/DRIVE', 'load-drive'));
  it('does so with a long number and long texts', () => checkPage('acme', `/loads/${LONG}`, 'load-long'));
  it('does so with many events', () => checkPage('operator', '/loads/MANY', 'load-many', 6_000));
  it('does so where events were refused', () => checkPage('operator', '/loads/CLOSED-1', 'load-refused'));
  it('does so with hostile texts', () => checkPage('acme', '/loads/NAUGHTY', 'load-naughty', 6_000));
  it('says what to do where there is none', () => checkPage('acme', '/loads/NOBODYS', 'load-none'));

  it('shows every hostile load number as text', async () => {
    const { open, page, noise, context } = await walkAs('operator');
    for (const text of NAUGHTY) {
      await open(`/loads/${encodeURIComponent(text)}?partner=acme`);
      expect(await page.locator('h1').innerText()).toBe(`Load ${text}`);
    }
    expect(noise).toEqual([]);
    await context.close();
  });

  it('opens every attempt of an event, and leads to the row it came from', async () => {
    const { open, page, context } = await walkAs('acme', { width: 390 });
    await open('/loads/ODD-1');
    const attempts = page.locator('ol.calls').first();
    expect(await attempts.isVisible()).toBe(false);
    await page.locator('details.more summary').first().click();
    expect(await attempts.innerText()).toMatch(/status 200/);
    await page
      .getByRole('link', { name: /row 1 of batch/ })
      .first()
      .click();
    await page.waitForURL(new RegExp(`/console/batches/${batches.odd}`));
    await context.close();
  });

  it('goes on to the next events, the other order and the file', async () => {
    const { open, page, context } = await walkAs('operator');
    await open('/loads/MANY');
    await page.getByRole('link', { name: 'Next events' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByRole('link', { name: 'Show in the order of sending' }).click();
    await page.waitForURL(/order=sent/);
    expect(await page.locator('main h2').first().innerText()).toBe('Events as they were sent');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download all events (CSV)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('load.csv');
    await context.close();
  });

  it('is there for its partner alone', async () => {
    const { page, context } = await walkAs('other');
    const answer = await page.goto(`${staged().baseUrl}/console/loads/ODD-1`);
    expect(answer?.status()).toBe(404);
    await context.close();
  });
});
