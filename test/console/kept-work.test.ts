/** What a person has chosen, typed or opened stays theirs: through lost connections, ended sessions and pages that change. */
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { uploaded } from './operate.ts';
import { PHONE, picture, staged, theBrowser, walkAs, whenDrawn } from './stage.ts';
import { statusFile, statusRow } from './staged-work.ts';

/** As browsers have it, of which this program knows nothing. */
interface Transfer {
  items: { add(file: File): void };
}

const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
const field = (page: Page) => page.locator('input[type=file]');
const TWO_ROWS = (load: string) => statusFile([statusRow(`${load}-1`, 'X3'), statusRow(`${load}-2`, 'QQ', 1)]);

/** Answers so, once, and is as before then. */
const once = (page: Page, address: string, answer: (route: Route) => Promise<void>) =>
  page.route(address, answer, { times: 1 });

/** Somebody who has come in with a key, and can do so again in another tab. */
async function withKey(more: { javaScriptEnabled?: boolean } = {}) {
  const context = await (await theBrowser()).newContext(more);
  const page = await context.newPage();
  const signIn = async (on: Page): Promise<void> => {
    await on.goto(`${staged().baseUrl}/console/sign-in`);
    await on.locator('input[name=key]').fill(staged().keys.acme);
    await on.getByRole('button', { name: 'Open my batches' }).click();
    await on.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
  };
  await signIn(page);
  /** Another session than the page was made for. */
  const signInAgain = async (): Promise<void> => {
    await context.clearCookies();
    const other = await context.newPage();
    await signIn(other);
    await other.close();
  };
  return { context, page, signInAgain };
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new (globalThis as unknown as Record<'DataTransfer', new () => Transfer>).DataTransfer();
      transfer.items.add(new File([content], fileName, { type: 'text/csv' }));
      return transfer;
    },
    [name, text] as const,
  );
  await page.dispatchEvent('[data-drop]', 'drop', { dataTransfer });
}

describe('a file on the upload page', () => {
  it('is sent where it was dropped', async () => {
    const { page, open, context, noise } = await walkAs('acme');
    await open('/upload');
    await drop(page, 'dropped.csv', TWO_ROWS('DROP'));
    await page.getByRole('button', { name: 'Send 1 of 2 rows' }).click();
    await page.waitForURL(/\/batches\/b_/);
    expect(noise).toEqual([]);
    await context.close();
  });

  it('stays chosen where nothing answers, and the buttons stay where they are', async () => {
    const { page, open, context } = await walkAs('acme');
    await open('/upload');
    await page.route('**/upload/check', (route) => route.fulfill({ status: 503, body: 'no' }), { times: 2 });
    await field(page).setInputFiles(fileOf('kept.csv', TWO_ROWS('KEPT')));
    const refused = page.getByText('The bridge does not answer now.');
    await refused.waitFor();
    await picture(page, 'upload-no-answer');
    const again = page.waitForResponse('**/upload/check');
    await page.getByRole('button', { name: 'Check it first' }).click();
    await (await again).finished();
    await whenDrawn(page);
    expect(await refused.count(), 'it is said once').toBe(1);
    await page.getByRole('button', { name: 'Check it first' }).click();
    await page.getByRole('heading', { name: '2 rows: 1 can be sent, 1 needs a change' }).waitFor();
    expect(await page.getByText('The bridge does not answer now.').count()).toBe(0);
    await once(page, '**/upload', (route) => route.abort());
    await page.getByRole('button', { name: 'Send 1 of 2 rows' }).click();
    await page.getByText('It may have arrived: send it again, the same file is never taken in twice.').waitFor();
    await page.getByRole('button', { name: 'Send 1 of 2 rows' }).click();
    await page.waitForURL(/\/batches\/b_/);
    await context.close();
  });

  it('stays chosen where the session has ended, and goes on once there is another one', async () => {
    const { page, context, signInAgain } = await withKey();
    await page.setViewportSize({ width: PHONE, height: 400 });
    await page.goto(`${staged().baseUrl}/console/upload`);
    await field(page).setInputFiles(fileOf('session.csv', TWO_ROWS('SESS')));
    const send = page.getByRole('button', { name: 'Send 1 of 2 rows' });
    await send.scrollIntoViewIfNeeded();
    await context.clearCookies();
    await send.click();
    const signIn = page.getByRole('link', { name: 'Sign in in a new tab' });
    await signIn.waitFor();
    expect(await signIn.evaluate((link) => link.getBoundingClientRect().top >= 0), 'it is in sight').toBe(true);
    await picture(page, 'upload-signed-out');
    await signInAgain();
    await send.click();
    await page.waitForURL(/\/batches\/b_/);
    await context.close();
  });

  it('is of the kind that was chosen before it, and of none that was chosen for another file', async () => {
    const { page, open, context } = await walkAs('acme');
    await open('/upload');
    const kinds = page.locator('[data-kinds]');
    if ((await kinds.count()) > 0) await kinds.evaluate((box) => box.setAttribute('open', ''));
    const chosen = () => page.locator('input[name=mapping]:checked').inputValue();
    await page.locator('input[name=mapping][value="orders-csv"]').check();
    await field(page).setInputFiles(fileOf('kind.csv', TWO_ROWS('KIND')));
    await page.locator('[data-found] h2, [data-refused]').first().waitFor();
    expect(await chosen()).toBe('orders-csv');
    await field(page).setInputFiles(fileOf('other.csv', TWO_ROWS('KIN2')));
    await page.getByRole('heading', { name: '2 rows: 1 can be sent, 1 needs a change' }).waitFor();
    expect(await chosen()).toBe('carrier-status-csv');
    await context.close();
  });

  it('is not shown with what was found in another one, where it could not be checked', async () => {
    const { page, open, context } = await walkAs('acme');
    await open('/upload');
    await field(page).setInputFiles(fileOf('well.csv', statusFile([statusRow('WELL-1', 'X3')])));
    await page.getByRole('button', { name: 'Send 1 row' }).waitFor();
    await page.route('**/upload/check', (route) => route.abort(), { times: 1 });
    await field(page).setInputFiles(fileOf('other.csv', TWO_ROWS('OTHR')));
    await page.getByText('other.csv is still chosen; check it again, or send it.').waitFor();
    expect(await page.getByRole('button', { name: /^(?:Send|Check)/ }).allInnerTexts()).toEqual([
      ...['Send the file', 'Check it first'],
    ]);
    await page.getByRole('button', { name: 'Check it first' }).click();
    await page.getByRole('heading', { name: '2 rows: 1 can be sent, 1 needs a change' }).waitFor();
    await page.route('**/upload/check', (route) => route.fulfill({ status: 503, body: 'no' }), { times: 1 });
    await field(page).setInputFiles(fileOf('third.csv', TWO_ROWS('THRD')));
    await page.getByText('The bridge does not answer now.').waitFor();
    expect(await page.locator('[data-found] h2').count()).toBe(0);
    expect(await page.evaluate("document.activeElement.hasAttribute('data-refused')")).toBe(true);
    await context.close();
  });

  it('is the one that is sent, whatever is chosen or dropped meanwhile', async () => {
    const { page, open, context } = await walkAs('acme');
    await open('/upload');
    await field(page).setInputFiles(fileOf('mine.csv', TWO_ROWS('MINE')));
    await page.getByRole('button', { name: 'Send 1 of 2 rows' }).waitFor();
    let goOn = (): void => undefined;
    const isHeld = new Promise<void>((done) => {
      goOn = done;
    });
    await once(page, '**/console/upload*', async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Send 1 of 2 rows' }).click();
    await page.locator('[data-progress]').waitFor();
    expect(await field(page).isDisabled()).toBe(true);
    await drop(page, 'late.csv', 'a,b\n');
    expect(await page.locator('[data-chosen]').innerText()).toContain('mine.csv');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^Stopped\./).waitFor();
    goOn();
    expect(await field(page).isDisabled()).toBe(false);
    await page.getByRole('button', { name: 'Send 1 of 2 rows' }).click();
    await page.waitForURL(/\/batches\/b_/);
    await page.getByRole('heading', { name: 'mine.csv' }).waitFor();
    await context.close();
  });

  it('is shown as it was checked last, whichever answer comes first', async () => {
    const { page, open, context } = await walkAs('acme');
    await open('/upload');
    let answerFirst = (): void => undefined;
    const isAnswered = new Promise<void>((done) => {
      answerFirst = done;
    });
    await once(page, '**/upload/check', async (route) => {
      await isAnswered;
      await route.continue();
    });
    await field(page).setInputFiles(fileOf('first.csv', TWO_ROWS('FRST')));
    await field(page).setInputFiles(fileOf('second.csv', statusFile([statusRow('SCND-1', 'X3')])));
    await page.getByRole('heading', { name: '1 row: all is well' }).waitFor();
    const late = page.waitForResponse('**/upload/check');
    answerFirst();
    await (await late).finished();
    await page.waitForTimeout(200);
    expect(await page.locator('[data-found] h2').innerText()).toBe('1 row: all is well');
    expect(await page.locator('[data-chosen]').innerText()).toContain('second.csv');
    await context.close();
  });
});

describe('what is typed on the fix page', () => {
  const wrongRows = (load: string) =>
    statusFile([statusRow(`${load}-1`, 'QQ'), statusRow(`${load}-2`, 'QQ', 1), statusRow(`${load}-3`, 'QQ', 2)]);
  const status = (page: Page, row: number) => page.locator(`#fix-${row}`).getByLabel('Status', { exact: true });

  it('by hand is not written over by what is the same for other rows', async () => {
    const batchId = await uploaded('same.csv', 'carrier-status-csv', wrongRows('SAME'));
    const { page, open, context, noise } = await walkAs('acme');
    await open(`/batches/${batchId}/fix`);
    await status(page, 3).fill('X1');
    await status(page, 1).fill('A');
    await page
      .getByLabel(/The same for the 1 other row/)
      .first()
      .check();
    await status(page, 1).fill('AF');
    const values = () => Promise.all([1, 2, 3].map((row) => status(page, row).inputValue()));
    expect(await values()).toEqual(['AF', 'AF', 'X1']);
    await status(page, 2).fill('D1');
    await status(page, 1).fill('X3');
    expect(await values()).toEqual(['X3', 'D1', 'X1']);
    expect(noise).toEqual([]);
    await context.close();
  });

  it('is not left behind unasked, and goes without a question once it is sent', async () => {
    const batchId = await uploaded('leave.csv', 'carrier-status-csv', wrongRows('LEAV'));
    const { page, open, context, noise } = await walkAs('acme');
    await open(`/batches/${batchId}/fix`);
    await status(page, 1).fill('AF');
    await page.locator('nav a').first().click();
    await expect.poll(() => noise).toEqual(['dialog: ']);
    expect(new URL(page.url()).pathname).toMatch(/\/fix$/);
    await page.getByRole('button', { name: 'Send 1 corrected row' }).click();
    await page.waitForURL(/corrects=b_/);
    expect(noise).toEqual(['dialog: ']);
    await context.close();
  });

  it('follows and is asked about as before, once it was checked in the page', async () => {
    const batchId = await uploaded('again.csv', 'carrier-status-csv', wrongRows('AGAI'));
    const { page, open, context, noise } = await walkAs('acme');
    await open(`/batches/${batchId}/fix`);
    await status(page, 1).fill('AF');
    await page
      .getByLabel(/The same for the 2 other rows/)
      .first()
      .check();
    await status(page, 3).fill('D1');
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Check my changes' }).click()]);
    await page.getByText('3 ready, 0 to go.').waitFor();
    await status(page, 1).fill('X3');
    expect(await Promise.all([1, 2, 3].map((row) => status(page, row).inputValue()))).toEqual(['X3', 'X3', 'D1']);
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Check my changes' }).click()]);
    await page.locator('nav a').first().click();
    await expect.poll(() => noise).toEqual(['dialog: ']);
    await context.close();
  });

  it('is sent also where a row came in since, which this page does not show', async () => {
    const batchId = await uploaded('since.csv', 'carrier-status-csv', wrongRows('SNCE'));
    const { page, open, context, noise } = await walkAs('acme');
    await page.route('**/fix/live*', async (route) => {
      const answer = await route.fetch();
      const now = (await answer.json()) as { rows: { record: number }[] };
      const [first] = now.rows;
      await route.fulfill({ response: answer, json: { ...now, rows: [{ ...first, record: 99 }, ...now.rows] } });
    });
    await open(`/batches/${batchId}/fix`);
    await status(page, 1).fill('AF');
    await page.getByText('1 ready, 2 to go.').waitFor();
    await page.getByRole('button', { name: 'Send 1 corrected row' }).click();
    await page.waitForURL(/corrects=b_/);
    expect(noise).toEqual([]);
    await context.close();
  });

  it('stays where the session has ended, and is sent once there is another one', async () => {
    const batchId = await uploaded('ended.csv', 'carrier-status-csv', wrongRows('ENDD'));
    const { page, context, signInAgain } = await withKey();
    await page.goto(`${staged().baseUrl}/console/batches/${batchId}/fix`);
    await context.clearCookies();
    await status(page, 1).fill('AF');
    await page.getByText('You were signed out. What you typed is still here').waitFor();
    await picture(page, 'fix-signed-out');
    await page.getByRole('button', { name: 'Check my changes' }).click();
    await page.waitForTimeout(300);
    expect(await status(page, 1).inputValue()).toBe('AF');
    await signInAgain();
    await page.getByRole('button', { name: 'Check my changes' }).click();
    await page.getByText('1 ready, 2 to go.').waitFor();
    await page.getByRole('button', { name: 'Send 1 corrected row' }).click();
    await page.waitForURL(/corrects=b_/);
    await context.close();
  });
});

it('a page of the list of wrong rows stays that page after a check, without scripts, too', async () => {
  const rows = Array.from({ length: 3 }, (_, at) => statusRow(`PAGE-${at}`, 'QQ', at));
  const batchId = await uploaded('pages.csv', 'carrier-status-csv', statusFile(rows));
  const { page, context } = await withKey({ javaScriptEnabled: false });
  await page.goto(`${staged().baseUrl}/console/batches/${batchId}/fix?after=1`);
  await page.getByRole('button', { name: 'Check my changes' }).click();
  const edits = page.locator('a[href*="edit="]');
  expect(await edits.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(
    [2, 3].map((record) => expect.stringMatching(new RegExp(`after=1&edit=${record}$`))),
  );
  await context.close();
});

describe('what is written in the workbench', () => {
  it('stays where the session has ended, and is tried once there is another one', async () => {
    const { page, context, signInAgain } = await withKey();
    await page.goto(`${staged().baseUrl}/console/workbench?mapping=carrier-status-csv`);
    const summary = page.locator('[data-summary]');
    await expect.poll(() => summary.textContent(), { timeout: 15_000 }).toMatch(/examples? right/);
    await context.clearCookies();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# mine');
    await expect.poll(() => summary.textContent()).toContain('You were signed out. What you wrote is still here');
    await picture(page, 'workbench-signed-out');
    await signInAgain();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await expect.poll(() => summary.textContent(), { timeout: 15_000 }).toMatch(/examples? right/);
    expect(await page.locator('[data-document]').inputValue()).toMatch(/# mine$/);
    await context.close();
  });
});

describe('what is typed into the form of an action', () => {
  const FIVE_MINUTES_MS = 300_000;

  it('stays where the session has ended, and is done once there is another one', async () => {
    const { page, context, signInAgain } = await withKey();
    await page.clock.install();
    await page.goto(`${staged().baseUrl}/console/do/send-event-again?target=main`);
    await page.getByLabel('Event').fill('evt_of_mine');
    await page.clock.fastForward(FIVE_MINUTES_MS + 1_000);
    await context.clearCookies();
    const button = page.locator('main button[type=submit]');
    await button.click();
    const signIn = page.getByRole('link', { name: 'Sign in in a new tab' });
    await signIn.waitFor();
    await picture(page, 'action-signed-out');
    await button.click();
    await page.clock.runFor(9_000); // a form is sent once
    expect([await signIn.count(), await page.getByLabel('Event').inputValue()]).toEqual([1, 'evt_of_mine']);
    await signInAgain();
    await button.click();
    await page.getByText('delivery_unknown').waitFor(); // what the API says of it
    expect(await page.getByLabel('Event').inputValue()).toBe('evt_of_mine');
    await context.close();
  });

  it('is shown once more where somebody signed in again meanwhile, also without a script', async () => {
    const { page, context, signInAgain } = await withKey({ javaScriptEnabled: false });
    await page.goto(`${staged().baseUrl}/console/do/send-event-again?target=main`);
    await page.getByLabel('Event').fill('evt_of_mine');
    await signInAgain();
    await page.locator('main button[type=submit]').click();
    await page.getByText('Not sent yet.').waitFor();
    expect(await page.getByLabel('Event').inputValue()).toBe('evt_of_mine');
    await picture(page, 'action-again');
    await context.close();
  });
});

describe('a page that shows what is under way', () => {
  it('leads whoever was signed out to where one signs in, where its events are refused', async () => {
    const { page, context } = await withKey();
    await page.route('**/events?*', async (route) => {
      await context.clearCookies();
      await route.fulfill({ status: 401, body: 'no' });
    });
    await page.goto(`${staged().baseUrl}/console/batches/${staged().batches.held}`);
    await page.waitForURL(/\/console\/sign-in\?to=/);
    await context.close();
  });

  it('connects again where it was refused, and says so only meanwhile', async () => {
    const { page, open, context } = await walkAs('acme');
    await once(page, '**/events?*', (route) => route.fulfill({ status: 503, body: 'no' }));
    await open(`/batches/${staged().batches.held}`);
    const lost = page.locator('[data-lost]');
    await expect.poll(() => lost.evaluate((note) => note.classList.contains('shown'))).toBe(true);
    await page.waitForResponse((answer) => answer.url().includes('/events?') && answer.ok());
    await expect.poll(() => lost.evaluate((note) => note.classList.contains('shown'))).toBe(false);
    await context.close();
  });

  /** Asked for anew every 50 ms. @param answers the status of each further one; absent: 200. */
  async function underWay(page: Page, statusOf: (served: number) => number = () => 200): Promise<void> {
    let served = 0;
    await page.route('**/console/under-way', (route) => {
      served += 1;
      const text = `<p>Look ${served}</p><a href="#two">One</a><a href="#two">Two</a><button>Three</button><details><summary>More</summary>Four</details>`;
      const head = '<meta charset="utf-8"><title>Under way</title><script src="/console/pages.js" defer></script>';
      const main = `<main tabindex="-1"><div data-reload="50">${text}</div></main>`;
      return route.fulfill({
        status: statusOf(served),
        contentType: 'text/html',
        body: `<!doctype html><html lang="en"><head>${head}</head><body>${main}</body></html>`,
      });
    });
    await page.goto(`${staged().baseUrl}/console/under-way`);
  }

  it('says where it may be old, and leads whoever was signed out to where one signs in', async () => {
    const { page, context } = await walkAs('operator');
    await underWay(page, (served) => (served < 3 || served > 40 ? 200 : 503));
    await page.getByText('what it shows may be old').waitFor();
    await page.getByText('what it shows may be old').waitFor({ state: 'hidden' });
    await page.unroute('**/console/under-way');
    await page.route('**/console/under-way', (route) =>
      route.fulfill({ status: 303, headers: { Location: '/console/sign-in' } }),
    );
    await page.waitForURL(/\/console\/sign-in/);
    await context.close();
  });

  it('takes nothing from under its reader: what is opened, marked or focused waits until it is let go of', async () => {
    const { page, context, noise } = await walkAs('operator');
    await underWay(page);
    const shown = () => page.locator('main p:not(.note)').innerText();
    const goesOn = async (): Promise<void> => {
      const before = await shown();
      await expect.poll(shown).not.toBe(before);
    };
    const stands = async (): Promise<void> => {
      await page.waitForTimeout(300); // one that was asked for before
      const before = await shown();
      await page.waitForTimeout(500);
      expect(await shown()).toBe(before);
    };
    await goesOn();
    await page.getByRole('link', { name: 'Two' }).focus();
    await goesOn();
    expect(await page.evaluate('document.activeElement.textContent'), 'a link keeps the focus').toBe('Two');
    await page.getByRole('button', { name: 'Three' }).focus();
    await stands();
    await page.evaluate('document.activeElement.blur()');
    await goesOn();
    await page.getByText('More').click();
    await page.evaluate('document.activeElement.blur()');
    await stands();
    await page.getByText('More').click();
    await page.evaluate('document.activeElement.blur()');
    await goesOn();
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('main p:not(.note)'))");
    await stands();
    await page.evaluate('getSelection().removeAllRanges()');
    await goesOn();
    expect(noise).toEqual([]);
    await context.close();
  });
});
