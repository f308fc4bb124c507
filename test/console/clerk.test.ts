/** A carrier's clerk with a spreadsheet: drops it, sees what is wrong, mends it in the page, and sees it delivered. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { letters, workbookOf, xmlText } from '../workbook-files.ts';
import { orderFile } from '../worker/order-files.ts';
import { a214 } from '../worker/x12-files.ts';
import { uploaded } from './operate.ts';
import { checkPage, picture, staged, theBrowser, walkAs } from './stage.ts';
import { NAUGHTY, statusFile, statusRow } from './staged-work.ts';

const SAMPLE = readFileSync(join(PROJECT_ROOT, 'fixtures/samples/carrier-status-csv.csv'));
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** Of other loads: equal events of the same ones would be duplicates. */
const OTHER_LOADS = SAMPLE.toString().replaceAll('LD482', 'LX482');
const DAY_MS = 24 * 60 * 60 * 1_000;
const AS_WORKBOOK = Buffer.from(savedByExcel(parse(OTHER_LOADS, { relaxColumnCount: true }) as string[][]));

/**
 * As Excel saves a CSV that it opened: what looks like a date or a time is one from then on, whatever its form was, and what
 * looks like a number is a number. So the date of row 7, which is in another form than agreed, is right in the workbook.
 */
function savedByExcel(rows: readonly (readonly string[])[]): Uint8Array {
  const strings: string[] = [];
  const cell = (text: string, at: string): string => {
    const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text) ?? [];
    const iso = /^\d{4}-\d\d-\d\d$/.test(text) ? text : month === undefined ? '' : `${year}-${month}-${day}`;
    const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
    if (text === '') return '';
    if (iso !== '') return `<c r="${at}" s="1"><v>${(Date.parse(iso) - Date.UTC(1899, 11, 30)) / DAY_MS}</v></c>`;
    if (hours !== undefined) return `<c r="${at}" s="2"><v>${(Number(hours) * 60 + Number(minutes)) / 1_440}</v></c>`;
    if (/^[1-9]\d{0,10}$|^0$/.test(text)) return `<c r="${at}"><v>${text}</v></c>`;
    return `<c r="${at}" t="s"><v>${strings.push(`<t xml:space="preserve">${xmlText(text)}</t>`) - 1}</v></c>`;
  };
  const lines = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((text, column) => cell(text, `${letters(column)}${row + 1}`)).join('')}</row>`,
  );
  return workbookOf({ sheets: [{ name: 'events', rows: lines.join('') }], strings, styles: [0, 14, 20] });
}

/** By number of the row: column → what it should have been. */
const MENDED: Readonly<Record<number, readonly [column: string, text: string]>> = {
  7: ['Event Date', '03/03/2026'],
  14: ['Status', 'X1'],
  20: ['Load #', 'LD482005'],
  28: ['Event Time', '03:30'],
  34: ['TZ', 'ET'],
};
/** In the workbook row 7 is right, and row 46 has empty cells where the CSV has too few. */
const { 7: _right, ...SAME } = MENDED;
const MENDED_IN_WORKBOOK: typeof MENDED = { ...SAME, 46: ['TZ', 'ET'] };

/** Counts what a person does with a mouse; typing and the Tab key are no clicks. */
function counting(page: Page) {
  let clicks = 0;
  const click = async (role: 'button' | 'link', name: string | RegExp): Promise<void> => {
    clicks += 1;
    await page.getByRole(role, { name }).first().click();
  };
  return { click, count: () => clicks, more: () => void clicks++ };
}

describe('a clerk with an empty profile', () => {
  it.each([
    ['as CSV', 'events.csv', 'text/csv', SAMPLE, 7, MENDED],
    ['saved by Excel', 'events.xlsx', XLSX, AS_WORKBOOK, 6, MENDED_IN_WORKBOOK],
  ])(
    'drops a file %s, mends five of its wrong rows and sees them delivered, in at most 8 clicks',
    async (_, name, mimeType, buffer, wrong, mendings) => {
      const { page, context, noise } = await walkAs('nobody');
      const { click, count, more } = counting(page);
      await page.goto(`${staged().baseUrl}/console/upload`);
      await page.locator('input[name=key]').fill(staged().keys.other);
      await click('button', 'Open my batches');
      await page.waitForURL(/\/console\/upload/);
      more(); // the button that opens the list of files
      await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
      await page.getByRole('heading', { name: `60 rows: ${59 - wrong} can be sent, ${wrong} need a change` }).waitFor();
      expect(await page.locator('[data-found]').innerText()).toContain('It is: Carrier status export');
      await picture(page, `clerk-${name}-preview`);
      await click('button', `Send ${59 - wrong} of 60 rows`);
      await page.waitForURL(/\/batches\/b_/);
      await page.getByText(`${wrong} not delivered`).first().waitFor({ timeout: 30_000 });
      await click('link', `Fix ${wrong} rows`);
      expect(await page.locator('[data-fix-send]').isDisabled(), 'nothing is ready yet').toBe(true);
      for (const [record, [column, text]] of Object.entries(mendings)) {
        const mended = name.endsWith('.xlsx') ? text.replace('LD482', 'LX482') : text;
        await page.locator(`#fix-${record}`).getByLabel(column, { exact: true }).fill(mended);
      }
      await page.getByRole('button', { name: 'Send 5 corrected rows' }).waitFor();
      expect(await page.locator('[data-fix-status]').innerText()).toBe(`5 ready, ${wrong - 5} to go.`);
      await picture(page, `clerk-${name}-fix`);
      await click('button', 'Send 5 corrected rows');
      await page
        .getByText(/5 of 5 rows delivered/)
        .first()
        .waitFor({ timeout: 30_000 });
      expect(count()).toBeLessThanOrEqual(8);
      await page.getByRole('link', { name: 'the batch it came from' }).click();
      await page.getByText('Corrected since').waitFor();
      expect(noise).toEqual([]);
      await context.close();
    },
  );

  it('is told when the same file comes again, and when a file is of no kind or empty', async () => {
    const { page, open, context, noise } = await walkAs('acme');
    await open('/upload');
    const drop = (name: string, text: string | Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
    await drop('empty.csv', '');
    await page.getByText('empty.csv is empty.').waitFor();
    await drop('photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]));
    await page.getByText('It looks like none of the kinds of file that you may send').waitFor();
    expect(await page.getByRole('radio').first().isVisible(), 'the kinds are open to choose from').toBe(true);
    await picture(page, 'upload-unknown');
    const text = statusFile([statusRow('AGAIN-1', 'X3'), statusRow('AGAIN-2', 'QQ', 1)]);
    for (const _ of ['first', 'again']) {
      await open('/upload');
      await drop('again.csv', text);
      await page.getByRole('button', { name: 'Send 1 of 2 rows' }).click();
      await page.waitForURL(/\/batches\/b_/);
    }
    await page.getByText('This very file was sent before').waitFor();
    expect(noise).toEqual([]);
    await context.close();
  });

  it('does the same without script: looks, sends, checks and sends corrections', async () => {
    const context = await (await theBrowser()).newContext({ javaScriptEnabled: false });
    await context.addCookies([{ ...staged().sessions.acme, url: staged().baseUrl }]);
    const page = await context.newPage();
    await page.goto(`${staged().baseUrl}/console/upload`);
    const text = statusFile([statusRow('PLAIN-1', 'X3'), statusRow('PLAIN-2', 'QQ', 1), statusRow('PLAIN-3', 'QQ', 2)]);
    const file = { name: 'plain.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Check it first' }).click();
    await page.getByText('3 rows: 1 can be sent, 2 need a change').waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: /^Send 1 of 3/ }).click();
    await page.waitForURL(/\/batches\/b_/);
    for (let tries = 0; tries < 60 && !(await page.getByText('2 not delivered').count()); tries += 1)
      await page.reload();
    await page.getByRole('link', { name: 'Fix 2 rows' }).click();
    await page.locator('#fix-2').getByLabel('Status', { exact: true }).fill('AF');
    await page
      .locator('#fix-2')
      .getByLabel(/The same for the 1 other row/)
      .check();
    await page.getByRole('button', { name: 'Check' }).click();
    expect(await page.locator('[data-fix-status]').innerText()).toBe('2 ready, 0 to go.');
    await page.getByRole('button', { name: 'Send 2 corrected rows' }).click();
    await page.waitForURL(/corrects=b_/);
    await context.close();
  });
});

/** Presses Tab until it is reached. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let presses = 0; presses < 150; presses += 1) {
    if (await wanted.first().evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`not reached with the Tab key: ${wanted}`);
}

describe('a clerk without a mouse, on a phone', () => {
  it('sends a file, mends a row and sees it delivered', async () => {
    const { page, context, noise } = await walkAs('nobody', { width: 390 });
    const press = async (role: 'button' | 'link', name: string | RegExp): Promise<void> => {
      await tabTo(page, page.getByRole(role, { name }));
      await page.keyboard.press('Enter');
    };
    await page.goto(`${staged().baseUrl}/console/upload`);
    await tabTo(page, page.locator('input[name=key]'));
    await page.keyboard.type(staged().keys.other);
    await press('button', 'Open my batches');
    await page.waitForURL(/\/console\/upload/);
    await page.getByRole('heading', { name: 'Send a file' }).waitFor();
    // Listened for before the walk to the field: the browser is told so beside the keys, and must know when Enter comes.
    const opening = page.waitForEvent('filechooser');
    await tabTo(page, page.locator('input[type=file]'));
    await page.keyboard.press('Enter');
    const chooser = await opening;
    const buffer = Buffer.from(SAMPLE.toString().replaceAll('LD482', 'LK482'));
    await chooser.setFiles({ name: 'keyboard.csv', mimeType: 'text/csv', buffer });
    await press('button', 'Send 52 of 60 rows');
    await page.waitForURL(/\/batches\/b_/);
    await page.getByText('7 not delivered').first().waitFor({ timeout: 30_000 });
    await press('link', 'Fix 7 rows');
    await tabTo(page, page.locator('#fix-14').getByLabel('Status', { exact: true }));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('X1');
    await press('button', 'Send 1 corrected row');
    await page
      .getByText(/1 of 1 rows? delivered/)
      .first()
      .waitFor({ timeout: 30_000 });
    await picture(page, 'clerk-keyboard-end');
    expect(noise).toEqual([]);
    await context.close();
  });
});

describe('rows of other kinds of file', () => {
  it('are mended in the same grid where they are JSON, the same for all rows with a value', async () => {
    const line = (load: string, event: string) =>
      `${JSON.stringify({ type: 'event', load, event, at: 1772460900, tz: 'America/Chicago', stop: 1 })}\n`;
    const text = line('JG1', 'X3') + line('JG2', 'ZQ') + line('JG3', 'ZQ');
    const batchId = await uploaded('events.ndjson', 'carrier-events-ndjson', text);
    const { page, open, context, noise } = await walkAs('acme');
    await open(`/batches/${batchId}/fix`);
    await page.getByLabel('event', { exact: true }).first().fill('AF');
    await page
      .getByLabel(/The same for the 1 other row/)
      .first()
      .check();
    await page.getByRole('button', { name: 'Send 2 corrected rows' }).waitFor();
    expect(
      await page.getByLabel(/The same for/).evaluateAll((boxes) => boxes.map((box) => box.checkVisibility())),
    ).toEqual(
      [true, false], // the other row has it already
    );
    await picture(page, 'fix-json');
    await page.getByRole('button', { name: 'Send 2 corrected rows' }).click();
    await page
      .getByText(/2 of 2 rows delivered/)
      .first()
      .waitFor({ timeout: 30_000 });
    await page.getByRole('link', { name: 'the batch it came from' }).click();
    await page.getByText('Corrected since').waitFor();
    expect(noise).toEqual([]);
    await context.close();
  });

  it('are elements of EDI in words: what is mended goes out as a new interchange of its sets', async () => {
    const events = ['AT7*QQ*NS***20260302*0815~', 'MS1*Joliet*IL~'];
    const unread = { load: 'EG3', events: ['AT7*AF*NS***20260302*0915*??~'] };
    const text = a214([{ load: 'EG1' }, { load: 'EG2', events }, unread], { control: 717 });
    const batchId = await uploaded('status.x12', 'x12-214', text);
    const { page, open, context, noise } = await walkAs('acme');
    await open(`/batches/${batchId}`);
    await page.getByRole('link', { name: 'Fix 2 rows' }).click();
    const row = page.locator('#fix-2');
    await row.getByLabel('status (AT7-01)', { exact: true }).fill('AF');
    await row.getByLabel('time zone (AT7-07)', { exact: true }).fill('CT');
    await page.getByRole('button', { name: 'Send 1 corrected row' }).waitFor();
    await picture(page, 'fix-edi-typed');
    await page.getByRole('button', { name: 'Send 1 corrected row' }).click();
    await page.waitForURL(/corrects=b_/);
    await page
      .getByText(/1 of 1 rows? delivered/)
      .first()
      .waitFor({ timeout: 30_000 });
    await page.getByText('Corrected from').waitFor();
    await picture(page, 'fix-edi-sent');
    await open(`/batches/${batchId}`);
    await page.getByText('Corrected since').waitFor();
    expect(noise).toEqual([]);
    await context.close();
  });

  it('are orders of several rows: the wrong ones stand together, and the order is sent whole', async () => {
    const line = (orderRef: string, sku: string, quantity = '1') => ({ orderRef, sku, quantity });
    const text = orderFile(line('OG-1', 'A'), line('OG-2', 'B'), line('OG-2', 'C', 'two'), line('OG-2', 'D', 'three'));
    const batchId = await uploaded('orders.csv', 'orders-csv', text);
    const { page, open, context, noise } = await walkAs('acme');
    await checkPage('acme', `/batches/${batchId}`, 'batch-group');
    await open(`/batches/${batchId}`);
    await page.locator('#row-2').getByText('Waits for rows 3 and 4').waitFor();
    await page.locator('#row-2').getByRole('link', { name: '4', exact: true }).click();
    await page.locator('#detail-4').waitFor();
    await open(`/batches/${batchId}/fix`);
    await page.getByRole('heading', { name: 'Fix 1 order' }).waitFor();
    await page.locator('#fix-3').getByLabel('Qty', { exact: true }).fill('2');
    await page.getByText('0 orders ready, 1 to go.').waitFor();
    await picture(page, 'fix-orders');
    await page.locator('#fix-4').getByLabel('Qty', { exact: true }).fill('3');
    await page.getByText('1 order ready, 0 to go.').waitFor();
    await page.getByRole('button', { name: 'Send 1 corrected order' }).click();
    await page.waitForURL(/corrects=b_/);
    expect(noise).toEqual([]);
    await context.close();
  });
});

describe('the pages of a clerk', () => {
  it('hold what every page must', async () => {
    await checkPage('acme', '/upload', 'upload');
    await checkPage('acme', `/batches/${staged().batches.mixed}/fix`, 'fix-rows');
    await checkPage('acme', `/batches/${staged().batches.edi}/fix`, 'fix-edi');
  });

  it('show hostile cells as text, also in fields', async () => {
    const rows = NAUGHTY.map((text, at) => statusRow(`N-${at}`, `"${text.replaceAll('"', '""')}"`, at));
    const batchId = await uploaded('naughty.csv', 'carrier-status-csv', statusFile(rows));
    const { page, open, context, noise } = await walkAs('acme');
    await open(`/batches/${batchId}/fix`);
    expect(await page.getByLabel('Status', { exact: true }).first().inputValue()).toBe(NAUGHTY[0]);
    await page.getByLabel('Status', { exact: true }).first().fill('<img src=x onerror=alert(2)>');
    await page.getByText('ready, 8 to go').waitFor();
    expect(await page.locator('main script, main img, main iframe').count()).toBe(0);
    expect(noise).toEqual([]);
    await context.close();
  });
});
