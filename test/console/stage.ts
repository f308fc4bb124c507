/**
 * What the console's browser tests play on: one sandbox, bridge and browser for all files, with data of every kind that
 * a page can meet. `SCREENS=FOLDER` stores a picture of each page that is checked, wide and on a phone, light and dark.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { type PartnerClient, partnerClient } from '../../scripts/demo/partner.ts';
import { launchBrowser } from '../e2e/browser.ts';
import type { Role, StagedWork } from './staged-work.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    staged: StagedWork;
  }
}

export const staged = (): StagedWork => inject('staged');

/** As the partner `acme`. */
export const acme = (): PartnerClient => partnerClient(staged().baseUrl, staged().keys.acme);

const SCREENS = process.env.SCREENS;
const shared = globalThis as { consoleBrowser?: Promise<Browser> };

/** One browser for all files of a process. */
export function theBrowser(): Promise<Browser> {
  shared.consoleBrowser ??= launchBrowser();
  return shared.consoleBrowser;
}

/** `nobody`: without a session. */
export type Visitor = Role | 'nobody';

export interface Walk {
  page: Page;
  context: BrowserContext;
  /** Dialogs, policy reports and errors that the pages made: none, unless a test wants them. */
  noise: string[];
  /** Goes to a path below `/console`, in the environment `test`. */
  open(path: string): Promise<void>;
}

export interface WalkOptions {
  width?: number;
  isDark?: boolean;
}

const WIDE = 1280;
export const PHONE = 390;

/** How far what is shown has moved by itself, as the browser scores it: 0 is not at all. */
const COUNT_SHIFTS = `window.shifted = 0; window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifted += value;
      window.shifts.push(value.toFixed(4) + ' ' + (sources ?? []).map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.textContent).join(' | '));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** A page on a phone is as much longer at most: three times as narrow, and tables are lists there. */
const PHONE_TIMES_MAX = 3;

/** What nobody notices. Ours; 0.1 is what browsers call good. */
const SHIFT_MAX = 0.05;

/** A browser that is signed in. */
export async function walkAs(role: Visitor, { width = WIDE, isDark = false }: WalkOptions = {}): Promise<Walk> {
  const context = await (await theBrowser()).newContext({
    viewport: { width, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
  });
  if (role !== 'nobody') await context.addCookies([{ ...staged().sessions[role], url: staged().baseUrl }]);
  await context.addInitScript(COUNT_SHIFTS);
  const page = await context.newPage();
  const noise: string[] = [];
  page.on('dialog', (dialog) => {
    noise.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) noise.push(message.text());
  });
  return {
    page,
    context,
    noise,
    open: async (path) => {
      const { baseUrl } = staged();
      const between = path.includes('?') ? '&' : '?';
      await page.goto(`${baseUrl}/console${path}${between}environment=test`);
    },
  };
}

/**
 * Holds what every page must: axe finds nothing, nothing overflows at any width, the policy reports nothing, and the
 * page is light enough. Takes its pictures where they are wanted. @param name of the picture. @param wholeWith what is there
 * once its script has nothing more to ask for.
 */
export async function checkPage(
  role: Visitor,
  path: string,
  name: string,
  pixelsMax = 3_000,
  wholeWith = 'main',
): Promise<void> {
  const walk = await walkAs(role);
  const { page } = walk;
  const show = async (width: number, theme: 'light' | 'dark'): Promise<void> => {
    await page.emulateMedia({ colorScheme: theme });
    await settleDown(page, wholeWith);
    await picture(page, `${name}-${width}-${theme}`);
  };
  await walk.open(path);
  await show(WIDE, 'light');
  expect(await violationsOf(page, 'all'), `${path} light`).toEqual([]);
  const html = await page.content();
  expect(new TextEncoder().encode(html).byteLength, `${path}: bytes of HTML`).toBeLessThan(100_000);
  expect(await heightOf(page), `${path}: height`).toBeLessThanOrEqual(pixelsMax);
  await expectStill(page, path);
  await show(WIDE, 'dark');
  expect(await violationsOf(page, 'colours'), `${path} dark`).toEqual([]);
  await page.setViewportSize({ width: PHONE, height: 844 });
  // Before it is loaded anew: axe, which is long to read in, is still there, and what a phone begins with closed is open.
  expect(await violationsOf(page, 'all but colours'), `${path} on a phone`).toEqual([]);
  await page.reload();
  await show(PHONE, 'dark');
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(overflow, `${path}: wider than a phone`).toBeLessThanOrEqual(0);
  expect(await heightOf(page), `${path}: height on a phone`).toBeLessThanOrEqual(PHONE_TIMES_MAX * pixelsMax);
  await expectStill(page, `${path} on a phone, loaded in the dark`);
  await show(PHONE, 'light');
  expect(walk.noise, path).toEqual([]);
  await walk.context.close();
}

/** What an answer changes is drawn with the frame after it, and shifts are told with the next. */
export const whenDrawn = (page: Page): Promise<unknown> =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
  );

/** Nothing moves under the reader's eyes once it is shown. */
export async function expectStill(page: Page, what: string): Promise<void> {
  await whenDrawn(page);
  const { score, shifts } = await page.evaluate<{ score: number; shifts: string[] }>(
    '({ score: window.shifted, shifts: window.shifts })',
  );
  expect(score, `${what}: moves: ${shifts.join('; ')}`).toBeLessThan(SHIFT_MAX);
}

const heightOf = (page: Page): Promise<number> => page.evaluate<number>('document.documentElement.scrollHeight');

/** Animations of what has just changed would be in the middle of a colour. */
async function settleDown(page: Page, wholeWith: string): Promise<void> {
  await page.locator(wholeWith).first().waitFor();
  await page.evaluate(
    'Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => 0))).then(() => 0)',
  );
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What of a page axe reads: colours are looked at in both themes, all else at both widths, and nothing twice. */
const RULES = {
  all: {},
  colours: { runOnly: ['color-contrast'] },
  'all but colours': { rules: { 'color-contrast': { enabled: false } } },
} as const;

const runAxe = (
  rules: object,
): string => `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...rules })})
  .then(({ violations }) => violations.map(({ id, help, nodes }) => ({ id, help,
    nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary) })))`;

/** What axe finds. */
export async function violationsOf(page: Page, rules: keyof typeof RULES = 'all'): Promise<unknown[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  return page.evaluate<unknown[]>(runAxe(RULES[rules]));
}

export async function picture(page: Page, name: string): Promise<void> {
  if (SCREENS === undefined) return;
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: join(SCREENS, `${name}.png`), fullPage: true });
}
