/** The workbench, as somebody with a sample and no mapping meets it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkPage, picture, walkAs } from './stage.ts';

const SAMPLE = readFileSync('fixtures/samples/carrier-status-csv.csv');
const HIGH = 12_000;

it('holds what every page must, empty and with a mapping', async () => {
  await checkPage('operator', '/workbench', 'workbench-empty');
  await checkPage('acme', '/workbench?mapping=carrier-status-csv', 'workbench-mapping', HIGH);
}, 120_000);

it('answers as one types, and a value leads to its line and its cells', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  await open('/workbench?mapping=carrier-status-csv');
  await page.locator('#bench-file').setInputFiles({ name: 'events.csv', mimeType: 'text/csv', buffer: SAMPLE });
  const summary = page.locator('[data-summary]');
  await expect
    .poll(() => summary.textContent(), { timeout: 15_000 })
    .toMatch(/requests? · \d+ records? with problems · .*examples? right/);
  await page.locator('.bench-record').first().getByRole('button', { name: /^X/ }).first().click();
  await page.locator('.bench-cells .origin').first().waitFor();
  await picture(page, 'workbench-origin-1440-light');
  await page.keyboard.press('End');
  await page.keyboard.type(' oops: [');
  await expect.poll(() => summary.textContent(), { timeout: 15_000 }).toMatch(/problems? in the mapping/);
  await page.locator('.cm-lint-marker-error').first().waitFor();
  await picture(page, 'workbench-problem-1440-light');
  await page.keyboard.press('Control+z');
  await expect.poll(() => summary.textContent(), { timeout: 15_000 }).toMatch(/examples? right/);
  await page.getByRole('button', { name: 'Save record 2 as example' }).click();
  await expect.poll(() => page.locator('[data-document]').inputValue(), { timeout: 15_000 }).toMatch(/input: \|/);
  await page.getByRole('button', { name: 'Publish a new version…' }).click();
  await page.getByRole('heading', { name: 'Publish a new version of carrier-status-csv' }).waitFor();
  await picture(page, 'workbench-publish-1440-light');
  expect(noise).toEqual([]);
  await context.close();
}, 90_000);

const STATUS = ['Abgeholt', 'Unterwegs', 'Angekommen', 'Zugestellt'];
const CITIES = ['Köln;50667', 'Würzburg;97070', 'Nürnberg;90402', 'München;80331'];

/** Semicolons, dd.MM.yyyy, decimal commas, German headers, Windows-1252. */
function germanExport(): Buffer {
  const rows = Array.from({ length: 24 }, (_, index) => {
    const at = index % 4;
    const day = String(index + 2).padStart(2, '0');
    return `SE7${1000 + Math.floor(index / 4)};${STATUS[at]};${day}.03.2026;${8 + at * 3}:15;${CITIES[at]};1.${200 + index},50`;
  });
  const text = ['Sendungsnummer;Statuscode;Datum;Uhrzeit;Ort;PLZ;Gewicht (kg)', ...rows, ''].join('\r\n');
  return Buffer.from(text.replaceAll('  ', ' '), 'latin1');
}

it('makes a published mapping of a German export: one radio, one code and three words typed', async () => {
  const begunMs = Date.now();
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  const summary = page.locator('[data-summary]');
  const says = (wanted: RegExp) => expect.poll(() => summary.textContent(), { timeout: 20_000 }).toMatch(wanted);
  const typed: string[] = [];
  const type = async (label: string | RegExp, text: string): Promise<void> => {
    await page.getByLabel(label).fill(text);
    typed.push(text);
  };
  await open('/workbench');
  await page
    .locator('#bench-file')
    .setInputFiles({ name: 'status-export-de.csv', mimeType: '', buffer: germanExport() });
  await says(/problem/);
  await picture(page, 'workbench-suggested-1440-light');
  await page.getByLabel('Europe/Berlin').check();
  await type(/^Angekommen/, 'X1');
  await page.getByRole('button', { name: 'Suggest again with these answers' }).click();
  await says(/^24 requests · 1 example right$/);
  await picture(page, 'workbench-answered-1440-light');
  await page.getByRole('button', { name: 'Publish this list…' }).click();
  await type('Why', 'a new partner');
  await page.getByRole('button', { name: 'Publish the list' }).click();
  await says(/^24 requests · 1 example right$/);
  await page.getByRole('button', { name: 'Publish…' }).click();
  await type(/^For these partners/, 'acme');
  await type('Why', 'a new partner');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByRole('button', { name: 'Publish the mapping' }).click();
  await page.getByRole('heading', { name: 'status-export-de', level: 1 }).waitFor();
  console.log(`workbench: German export published in ${Date.now() - begunMs} ms; typed: ${typed.join(' | ')}`);
  expect(typed).toHaveLength(4);
  expect(noise).toEqual([]);
  await context.close();
}, 90_000);

it('lets a partner propose, and an operator publish what was proposed', async () => {
  const partner = await walkAs('acme');
  await partner.open('/workbench?mapping=carrier-status-csv');
  await partner.page.locator('.cm-line').nth(1).click(); // the name
  await partner.page.keyboard.press('End');
  await partner.page.keyboard.type('-acme');
  await expect
    .poll(() => partner.page.locator('input[name=name]').inputValue(), { timeout: 15_000 })
    .toBe('carrier-status-csv-acme');
  await partner.page.getByRole('button', { name: 'Propose…' }).click();
  await partner.page.getByLabel('What it is for').fill('our own export');
  await partner.page.getByRole('button', { name: 'Propose it' }).click();
  await partner.page.getByText('waits for an operator').first().waitFor();
  await picture(partner.page, 'proposal-partner-1280-light');
  const operator = await walkAs('operator');
  await operator.open('/proposals');
  await operator.page.getByRole('link', { name: 'carrier-status-csv-acme' }).click();
  await operator.page.getByRole('link', { name: 'Publish…' }).click();
  await picture(operator.page, 'proposal-plan-1280-light');
  await operator.page.getByLabel('Why').fill('agreed on the phone');
  await operator.page.getByRole('button', { name: 'Publish as proposed' }).click();
  await operator.page.getByRole('heading', { name: 'carrier-status-csv-acme', level: 1 }).waitFor();
  await partner.page.reload();
  await partner.page.getByText('agreed on the phone').waitFor();
  expect([...partner.noise, ...operator.noise]).toEqual([]);
  await partner.context.close();
  await operator.context.close();
  await checkPage('operator', '/proposals', 'proposals');
}, 120_000);

it('gives the same result without its script, by a button', async () => {
  const { page, open, noise, context } = await walkAs('operator');
  await page.route('**/console/workbench-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  await open('/workbench?mapping=carrier-status-csv');
  await page.locator('#bench-file').setInputFiles({ name: 'events.csv', mimeType: 'text/csv', buffer: SAMPLE });
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('52 requests · 7 records with problems').waitFor();
  expect(await page.locator('.bench-record').count()).toBe(50);
  await page.getByRole('button', { name: 'Save record 2 as example' }).click();
  await page.getByText('3 examples right').waitFor();
  expect(await page.getByLabel('Mapping (YAML)').inputValue()).toContain('LD482001,AF');
  await page.getByRole('button', { name: 'Publish a new version…' }).click();
  await page.getByText('1 difference from what it is now.').waitFor();
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

it('shows X12 as segments: keys move along it, and Enter writes the path of an element', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 390 });
  await open('/workbench?mapping=x12-214');
  const file = readFileSync('fixtures/x12-214/clean/input.x12');
  await page.locator('#bench-file').setInputFiles({ name: 'status.x12', mimeType: '', buffer: file });
  await page.locator('.bench-segments li').first().waitFor();
  await page.locator('.bench-segments button').first().focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  const path = await page.evaluate<string>('document.activeElement.dataset.insert');
  expect(path).toMatch(/-02$/);
  await picture(page, 'workbench-segments-390-light');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('[data-document]').inputValue(), { timeout: 15_000 }).toContain(path);
  await page.getByRole('button', { name: 'Result', exact: true }).press('Enter');
  await page.locator('.bench-pane.chosen .bench-problems, .bench-pane.chosen .bench-record').first().waitFor();
  await picture(page, 'workbench-result-390-light');
  await page.getByRole('button', { name: 'Mapping', exact: true }).press('Enter');
  await picture(page, 'workbench-document-390-light');
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);
