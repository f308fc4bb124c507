/** The workbench, as somebody with a sample and no mapping meets it. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { checkPage, picture, staged, violationsOf, walkAs, whenDrawn } from './stage.ts';

const SAMPLE = readFileSync('fixtures/samples/carrier-status-csv.csv');
const HIGH = 12_000;
const SUGGESTED = /\/suggest\b/;

/** Acts, and waits until what the page asks for then is answered and drawn. */
async function whenAnswered(page: Page, address: RegExp, act: () => Promise<void>): Promise<void> {
  const answered = page.waitForResponse((response) => address.test(response.url()));
  await act();
  await (await answered).finished();
  await whenDrawn(page);
}

it('holds what every page must, empty and with a mapping', async () => {
  await checkPage('operator', '/workbench', 'workbench-empty');
  await checkPage('acme', '/workbench?mapping=carrier-status-csv', 'workbench-mapping', HIGH, '[data-summary].state');
}, 120_000);

it('weighs, with all that it loads, at most 500 kB as it is sent, and any other page 100 kB', async () => {
  for (const [path, bytesMax] of [
    ['/workbench?mapping=carrier-status-csv', 500_000],
    ['/mappings/carrier-status-csv', 100_000],
    ['/proposals', 100_000],
  ] as const) {
    const { page, open, context } = await walkAs('operator');
    const bodies: Promise<Buffer>[] = [];
    page.on('response', (response) => bodies.push(response.body().catch(() => Buffer.alloc(0))));
    await open(path);
    await page.waitForLoadState('networkidle');
    const sizes = (await Promise.all(bodies)).map((body) => [body.byteLength, gzipSync(body).byteLength] as const);
    const [plain, sent] = sizes.reduce((sum, each) => [sum[0] + each[0], sum[1] + each[1]] as const, [0, 0] as const);
    console.log(`weight: ${path} ${plain} bytes, ${sent} as they are sent, in ${sizes.length} answers`);
    expect(sent, path).toBeLessThanOrEqual(bytesMax);
    await context.close();
  }
}, 60_000);

it('answers as one types, and a value leads to its line and its cells', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  await open('/workbench?mapping=carrier-status-csv');
  await page.locator('#bench-file').setInputFiles({ name: 'events.csv', mimeType: 'text/csv', buffer: SAMPLE });
  const summary = page.locator('[data-summary]');
  await expect
    .poll(() => summary.textContent(), { timeout: 15_000 })
    .toMatch(/requests? · \d+ rows? with problems · .*examples? right/);
  await page.locator('.bench-record').first().getByRole('button', { name: /^X/ }).first().click();
  await page.locator('.bench-cells .origin').first().waitFor();
  await picture(page, 'workbench-origin-1440-light');
  await page.keyboard.press('End');
  await page.keyboard.type(' oops: [');
  await expect.poll(() => summary.textContent(), { timeout: 15_000 }).toMatch(/problems? in the mapping/);
  await page.locator('.cm-lint-marker-error').first().waitFor();
  const publish = page.getByRole('button', { name: 'Publish a new version…' });
  expect([await publish.isDisabled(), await page.locator('[data-reason]').innerText()]).toEqual([
    true,
    'Solve the problems of the mapping first.',
  ]);
  await picture(page, 'workbench-problem-1440-light');
  await page.keyboard.press('Control+z');
  await expect.poll(() => summary.textContent(), { timeout: 15_000 }).toMatch(/examples? right/);
  await page.getByRole('button', { name: 'Save as example: row 2', exact: true }).click();
  await expect.poll(() => page.locator('[data-document]').inputValue(), { timeout: 15_000 }).toMatch(/input: \|/);
  await page.getByRole('button', { name: 'Compare with the published version' }).click();
  await page.getByRole('heading', { name: /^\d\d differences from carrier-status-csv as it is now/ }).waitFor();
  await page.getByText(/^The sample: 0 of \d+ rows would become something else/).waitFor();
  await page.getByRole('button', { name: 'Compare with what it became' }).click();
  await page.getByRole('heading', { name: 'The earlier file becomes exactly the same' }).waitFor();
  await page.getByRole('button', { name: 'Change us-time-zones here' }).click();
  await page.getByLabel('Code list us-time-zones as it is tried here').waitFor();
  await picture(page, 'workbench-beside-1440-light');
  expect(await violationsOf(page), 'beside what is published').toEqual([]);
  expect(await page.getByRole('link', { name: 'Roll back…' }).getAttribute('href')).toContain('/do/roll-back-mapping');
  await page.getByRole('button', { name: 'Publish a new version…' }).click();
  await page.getByRole('heading', { name: 'Publish a new version of carrier-status-csv' }).waitFor();
  await picture(page, 'workbench-publish-1440-light');
  expect(noise).toEqual([]);
  await context.close();
}, 90_000);

it('is there again as it was left, unless another one is opened', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  const written = () => page.locator('[data-document]').inputValue();
  const says = (wanted: RegExp) =>
    expect.poll(() => page.locator('[data-summary]').textContent(), { timeout: 20_000 }).toMatch(wanted);
  const TRIED = /requests|in the mapping/;
  await open('/workbench');
  await page.locator('#bench-file').setInputFiles({ name: 'events.csv', mimeType: 'text/csv', buffer: SAMPLE });
  await says(TRIED);
  await page.locator('.cm-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# mine: 1/2\n'); // a slash is a slash here, and no key of the page
  await expect.poll(written).toMatch(/^# mine: 1\/2\n/);
  await expect.poll(() => page.evaluate('JSON.stringify(sessionStorage)')).toContain('# mine: 1/2');
  await open('/workbench?mapping=carrier-status-csv');
  await says(/examples? right/);
  await page.getByRole('button', { name: 'Compare with the published version' }).click();
  await page.getByText('nothing differs', { exact: false }).or(page.locator('[data-compared] > *').first()).waitFor();
  await open('/workbench');
  await says(/· as you left it; for an empty bench open a new one$/);
  expect(await written()).toMatch(/^# mine: 1\/2\n/);
  expect(await page.evaluate("document.querySelector('#bench-file').files[0].name")).toBe('events.csv');
  await picture(page, 'workbench-left-1440-light');
  await page.locator('#bench-mapping').selectOption('');
  await Promise.all([
    page.waitForURL(/mapping=(?:&|$)/),
    page.getByRole('button', { name: 'Open', exact: true }).click(),
  ]);
  await page.locator('.cm-content').waitFor();
  await says(/^Nothing tried yet$/);
  expect(await written()).toBe('');
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

it('a code list that is opened stays with the focus in it, also when what was tried is answered while one types', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  const whenTried = (act: () => Promise<void>): Promise<void> => whenAnswered(page, /\/try\b/, act);
  await whenTried(() => open('/workbench?mapping=carrier-status-csv'));
  await whenTried(() => page.getByRole('button', { name: 'Change us-time-zones here' }).click());
  const list = page.getByLabel('Code list us-time-zones as it is tried here');
  expect([await list.count(), await page.evaluate('document.activeElement.id')]).toEqual([1, 'bench-list-0']);
  await page.keyboard.press('Control+End');
  await whenTried(() => page.keyboard.type('# of mine'));
  await page.keyboard.type(' alone');
  expect(await list.inputValue()).toMatch(/# of mine alone$/);
  await page.getByRole('button', { name: 'Change x12-status-codes here' }).click();
  await page.getByLabel('Code list x12-status-codes as it is tried here').waitFor();
  await whenDrawn(page);
  expect(await list.inputValue()).toMatch(/# of mine alone$/);
  expect(await page.evaluate('document.activeElement.id')).toBe('bench-list-1');
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

it('is that of one person alone, and what was only opened is there again after a visit of another page', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  const written = () => page.locator('[data-document]').inputValue();
  await open(`/workbench?mapping=carrier-status-csv&batch=${staged().batches.mixed}`);
  await page
    .getByRole('link', { name: /^Add “ARR” to / })
    .first()
    .click();
  await page.getByRole('link', { name: 'Cancel' }).first().click();
  await page.waitForURL(/resume/);
  await expect.poll(written).toContain('mapping: carrier-status-csv');
  await context.clearCookies();
  await context.addCookies([{ ...staged().sessions.acme, url: staged().baseUrl }]);
  await open('/workbench');
  await page.locator('.cm-content').waitFor();
  expect(await written()).toBe('');
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

it('keeps a code list that was changed by hand where something else is suggested', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  await open('/workbench');
  await page.locator('#bench-file').setInputFiles('fixtures/unseen/status-export-de.csv');
  const list = page.locator('[data-lists] textarea');
  await expect.poll(() => focused(page), { timeout: 20_000 }).toMatch(/to decide/); // it is led there, whatever it did
  await list.press('Control+End');
  await page.keyboard.type('  # by hand');
  await page.getByRole('radio', { name: /Europe\/Berlin/ }).check();
  await whenAnswered(page, SUGGESTED, () => page.getByRole('button', { name: 'Suggest again' }).click());
  expect([await list.count(), await list.inputValue()]).toEqual([1, expect.stringMatching(/ {2}# by hand$/)]);
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

it('takes what is answered into a list that was only suggested, also after a visit of another page', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  const answered = (act: () => Promise<void>): Promise<void> => whenAnswered(page, SUGGESTED, act);
  await open('/workbench');
  await answered(() => page.locator('#bench-file').setInputFiles('fixtures/unseen/status-export-de.csv'));
  const list = page.locator('[data-lists] textarea');
  const answers = async (code: string): Promise<void> => {
    await page.getByLabel(/^Angekommen/).fill(code);
    await answered(() => page.getByRole('button', { name: 'Suggest again' }).click());
    await expect.poll(() => list.inputValue()).toContain(`Angekommen: ${code}`);
  };
  await answers('X1');
  await expect.poll(() => page.evaluate('JSON.stringify(sessionStorage)')).toContain('Angekommen: X1');
  await open('/workbench');
  await list.waitFor();
  await answered(() => page.getByRole('button', { name: 'Suggest a mapping' }).click());
  await answers('D1');
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

/** Files that no shipped mapping reads; what a person has to decide about each, and nothing else. */
interface Unseen {
  file: string;
  /** Radios that are chosen. */
  chosen: string[];
  /** Fields that are filled in, by their labels: codes for words. */
  typed: (readonly [label: RegExp, text: string])[];
  lists: number;
  says: RegExp;
  width?: number;
  isDark?: boolean;
}

const UNSEEN: readonly Unseen[] = [
  {
    file: 'fortras-status.txt',
    chosen: ['Europe/Berlin'],
    typed: [[/^010/, 'D1']],
    lists: 1,
    says: /^18 requests · 1 example right$/,
    width: 390,
    isDark: true,
  },
  {
    file: 'parcel-tracking.json',
    chosen: ['number of the first reference number, such as LD601000, LD601010 ../referenceNumber[0].number'],
    typed: [],
    lists: 1,
    says: /^20 requests · 1 example right$/,
  },
  {
    file: 'transport-status-fr.edi',
    chosen: ['Europe/Paris'],
    typed: [[/^Avisé/, 'AV']],
    lists: 1,
    says: /^12 requests · 1 example right$/,
  },
];

it.each(UNSEEN)(
  'makes a published mapping of $file',
  async ({ file, chosen, typed, lists, says, ...window }) => {
    const begunMs = Date.now();
    const { page, open, noise, context } = await walkAs('operator', { width: 1440, ...window });
    const name = `unseen-${file.replace(/\W.*$/, '')}`;
    const summary = page.locator('[data-summary]');
    const pane = async (label: string): Promise<void> => {
      const tab = page.locator('.bench-tabs button', { hasText: label });
      if (await tab.isVisible()) await tab.click();
    };
    await open('/workbench');
    const buffer = readFileSync(`fixtures/unseen/${file}`);
    await page.locator('#bench-file').setInputFiles({ name: file.replace(/^\w+/, name), mimeType: '', buffer });
    await page.getByText('What was found out').waitFor();
    await picture(page, `workbench-unseen-${file.replace(/\W.*$/, '')}`);
    expect(await violationsOf(page), 'what was suggested').toEqual([]);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, 'wider than the window').toBeLessThanOrEqual(0);
    for (const choice of chosen) await page.getByLabel(choice, { exact: true }).check();
    for (const [label, text] of typed) await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: 'Suggest again with these answers' }).click();
    await expect.poll(() => summary.textContent(), { timeout: 20_000 }).toMatch(says);
    for (let list = 0; list < lists; list += 1) {
      await pane('Mapping');
      await page.getByRole('button', { name: 'Publish this list…' }).nth(list).click();
      await page.getByLabel('Why').fill('a new partner');
      await page.getByRole('button', { name: 'Publish the list' }).click();
      await expect.poll(() => summary.textContent(), { timeout: 20_000 }).toMatch(says);
    }
    await pane('Result');
    await picture(page, `workbench-result-${file.replace(/\W.*$/, '')}`);
    expect(await violationsOf(page), 'what it becomes').toEqual([]);
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByLabel(/^For these partners/).fill('acme');
    await page.getByLabel('Why').fill('a new partner');
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByRole('button', { name: 'Publish the mapping' }).click();
    await page.getByRole('heading', { name: file.replace(/\..*$/, '').replace(/^\w+/, name), level: 1 }).waitFor();
    console.log(
      `workbench: ${file} in ${Date.now() - begunMs} ms; ${chosen.length} chosen, ${typed.length} typed, 0 lines of YAML`,
    );
    expect(noise).toEqual([]);
    await context.close();
  },
  90_000,
);

/** Moves with Tab until the focus is on something that is called so. @returns how many steps it took. */
async function tabTo(page: Page, name: RegExp, stepsMax = 150): Promise<number> {
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    await page.keyboard.press('Tab');
    if (name.test(await focused(page))) return steps;
  }
  throw new Error(`Tab does not lead to ${name}; it is at ${await focused(page)}`);
}

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `(({ labels, ariaLabel, textContent, value, type }) => type === 'radio' ? 'radio ' + value
      : (ariaLabel || (labels && labels[0] && labels[0].textContent) || textContent || '').trim())(document.activeElement)`,
  );

it('leads from a dropped file to a published mapping by keyboard alone: one radio, one code and three words', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 1440 });
  const says = (wanted: RegExp) =>
    expect.poll(() => page.locator('[data-summary]').textContent(), { timeout: 20_000 }).toMatch(wanted);
  const at = (name: RegExp) => expect.poll(() => focused(page), { timeout: 20_000 }).toMatch(name);
  const enter = () => page.keyboard.press('Enter');
  const enters = (address: RegExp) => Promise.all([page.waitForURL(address), enter()]);
  await open('/workbench');
  // Listened for before the walk to the field: the browser is told so beside the keys, and must know when Space comes.
  const opening = page.waitForEvent('filechooser');
  await tabTo(page, /^A sample file/);
  await page.keyboard.press('Space');
  await (await opening).setFiles('fixtures/unseen/status-export-de.csv');
  await at(/^1 to decide, 1 word to fill in$/);
  await tabTo(page, /^radio /);
  for (let moves = 0; (await focused(page)) !== 'radio Europe/Berlin' && moves < 20; moves += 1)
    await page.keyboard.press('ArrowDown');
  await tabTo(page, /^Angekommen/);
  await page.keyboard.type('X1');
  await tabTo(page, /^Suggest again/);
  await enter();
  await says(/^24 requests · 1 example right$/);
  await at(/^24 requests/);
  await picture(page, 'workbench-keyboard-1440-light');
  await tabTo(page, /^Mapping \(YAML\)/);
  await page.keyboard.press('Escape');
  await at(/^Try$/);
  await tabTo(page, /^Publish this list/);
  await enter();
  await page.getByRole('button', { name: 'Publish the list' }).waitFor();
  await tabTo(page, /^Why/);
  await page.keyboard.type('a new partner');
  await tabTo(page, /^Publish the list$/);
  await enters(/\/workbench\?.*resume/);
  await says(/^24 requests · 1 example right$/);
  await tabTo(page, /^Publish…$/);
  await enter();
  await page.getByRole('button', { name: 'Show what would happen' }).waitFor();
  await tabTo(page, /^For these partners/);
  await page.keyboard.type('acme');
  await tabTo(page, /^Why/);
  await page.keyboard.type('a new partner');
  await tabTo(page, /^Show what would happen$/);
  await enter();
  await page.getByRole('button', { name: 'Publish the mapping' }).waitFor();
  await tabTo(page, /^Publish the mapping$/);
  await enter();
  await page.getByRole('heading', { name: 'status-export-de', level: 1 }).waitFor();
  expect(noise).toEqual([]);
  await context.close();
}, 120_000);

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
  await page.getByText('52 requests · 7 rows with problems').waitFor();
  expect(await page.locator('.bench-record').count()).toBe(50);
  await page.getByRole('button', { name: 'Save as example: row 2', exact: true }).click();
  await page.getByText('3 examples right').waitFor();
  expect(await page.getByLabel('Mapping (YAML)').inputValue()).toContain('LD482001,AF');
  await page.getByRole('button', { name: 'Compare with the published version' }).click();
  await page.getByRole('heading', { name: /^\d\d differences from carrier-status-csv as it is now/ }).waitFor();
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByRole('button', { name: 'Change us-time-zones here' }).click();
  await page.getByRole('button', { name: 'Publish this list…' }).click();
  await page.getByRole('heading', { name: 'Publish a new version of us-time-zones' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Publish a new version…' }).click();
  await page.getByText(/^\d\d differences from what it is now/).waitFor();
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);

it('shows X12 as segments: keys move along it, and Enter writes the path of an element where the cursor was put', async () => {
  const { page, open, noise, context } = await walkAs('operator', { width: 390 });
  await open('/workbench?mapping=x12-214');
  const file = readFileSync('fixtures/x12-214/clean/input.x12');
  const held = Promise.withResolvers<void>();
  await page.route('**/workbench/try?**', async (route) => {
    await held.promise;
    await route.fallback();
  });
  await page.locator('#bench-file').setInputFiles({ name: 'status.x12', mimeType: '', buffer: file });
  await page.locator('.bench-segments li').first().waitFor();
  await page.locator('.bench-segments button').first().focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  const path = await page.evaluate<string>('document.activeElement.dataset.insert');
  expect(path).toMatch(/-02$/);
  await picture(page, 'workbench-segments-390-light');
  const written = () => page.locator('[data-document]').inputValue();
  const before = await written();
  await page.keyboard.press('Enter');
  const summary = (): Promise<string | null> => page.locator('[data-summary]').textContent();
  await expect.poll(summary).toContain(path);
  expect(await written()).toBe(before); // no cursor was put anywhere yet
  held.resolve(); // what was tried meanwhile takes nothing away
  await expect.poll(summary).toMatch(new RegExp(`requests.*${path}`));
  const element = page.locator(`[data-insert="${path}"]`).first();
  await page.getByRole('button', { name: 'Mapping', exact: true }).press('Enter');
  await page.locator('.cm-line').nth(1).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' # ');
  await page.getByRole('button', { name: 'Sample', exact: true }).press('Enter');
  await element.press('Enter');
  await expect.poll(written, { timeout: 15_000 }).toContain(`mapping: x12-214 # ${path}`);
  await page.getByRole('button', { name: 'Result', exact: true }).press('Enter');
  await page.locator('.bench-pane.chosen .bench-problems, .bench-pane.chosen .bench-record').first().waitFor();
  await picture(page, 'workbench-result-390-light');
  await page.getByRole('button', { name: 'Mapping', exact: true }).press('Enter');
  await picture(page, 'workbench-document-390-light');
  expect(noise).toEqual([]);
  await context.close();
}, 60_000);
