/** Walks across pages: from home to the reason, hostile texts everywhere, what changes while one looks, keys, and large batches. */
import { describe, expect, it } from 'vitest';
import { eventually, putSandbox, sentWith, uploaded } from './operate.ts';
import { checkPage, expectStill, PHONE, picture, staged, walkAs } from './stage.ts';
import { LASTING_FAULTS, NAUGHTY, statusFile, statusRow } from './staged-work.ts';

const batchPath = (batchId: string | undefined, more = ''): string => `/batches/${batchId}${more}`;

describe('hostile names, cells and answers', () => {
  const cell = encodeURIComponent(NAUGHTY[1] ?? '');
  it.each([
    ['the list of batches', '/batches'],
    ['the list narrowed by one', `/batches?fileName=${cell}`],
    ['a batch', 'naughty'],
    ['all its rows', 'naughty?state=all'],
    ['rows searched for one', `naughty?state=all&text=${cell}`],
    ['the load of that name', `/loads/${cell}`],
    ['a search for one', `/search?q=${cell}`],
    ['issues searched for one', `/issues?search=${cell}`],
    ['what did not arrive, of one', `/letters?subject=${cell}`],
    ['the audit about one', `/audit?about=${cell}`],
  ])('are text on %s', async (_, at) => {
    const walk = await walkAs('operator');
    await walk.open(at.startsWith('/') ? at : batchPath(staged().batches.naughty, at.replace('naughty', '')));
    expect(
      await walk.page.evaluate<number>('document.querySelectorAll("main script, main iframe, main img").length'),
    ).toBe(0);
    expect(walk.noise).toEqual([]);
    await walk.context.close();
  });

  it('are text in an opened row, with what was sent and answered', async () => {
    const walk = await walkAs('operator');
    await walk.open(batchPath(staged().batches.naughty, '?state=all&row=1'));
    expect(await walk.page.textContent('tr.detail')).toContain('<script>alert(1)</script>');
    expect(walk.noise).toEqual([]);
    await walk.context.close();
  });
});

describe('the look', () => {
  it('that is not shown is offered, also when the system changes its own meanwhile', async () => {
    const { page, open, context } = await walkAs('operator');
    await open('/');
    const offered = page.locator('[data-theme-switch]');
    expect(await offered.textContent()).toBe('Use dark');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('[data-theme-switch][href*="set=light"]', { hasText: 'Use light' }).waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('[data-theme-switch][href*="set=dark"]', { hasText: 'Use dark' }).waitFor();
    await context.close();
  });
});

describe('from home', () => {
  it('the reason of a row that failed is two clicks away', async () => {
    const { page, open, context } = await walkAs('operator');
    await open('/');
    await page.locator('tr', { hasText: 'not delivered' }).getByRole('link', { name: 'See why' }).first().click();
    await page.waitForURL(/\/console\/batches/);
    if (!/\/batches\/b_/.test(page.url())) {
      await page.locator('tbody tr a[href*="/batches/b_"]').first().click();
      await page.waitForURL(/\/batches\/b_/);
    }
    expect(await page.textContent('main')).toMatch(/Refused|Unknown|No such|not a|Missing/i);
    await context.close();
  });
});

describe('a batch that is being delivered', () => {
  it('changes its words, its bar and its rows without a reload, moves nothing on a phone, and is finished in the end', async () => {
    const slow = {
      match: { method: 'POST', bodyIncludes: 'LIVE' },
      fault: { type: 'delay', ms: 150, apply: 'before' },
    };
    await putSandbox('faults', [...LASTING_FAULTS, slow]);
    try {
      const text = statusFile(Array.from({ length: 40 }, (_, at) => statusRow('LIVE', 'X3', at)));
      const file = uploaded('live.csv', 'carrier-status-csv', text);
      const walk = await walkAs('operator', { width: PHONE });
      await walk.open('/batches?fileName=live.csv');
      for (let tries = 0; tries < 50 && (await walk.page.locator('tbody tr').count()) === 0; tries += 1)
        await walk.open('/batches?fileName=live.csv');
      await walk.page.locator('tbody tr a').first().click();
      await walk.page.waitForURL(/\/batches\/b_/);
      await walk.page.evaluate('window.stayed = true');
      await walk.page.locator('h1, .heading', { hasText: 'Finished' }).first().waitFor({ timeout: 40_000 });
      await walk.page.getByText('This page shows the result').waitFor();
      expect(await walk.page.locator('main').innerText(), 'what the page says once it is over').not.toMatch(
        /Cancel…|follow by themselves|(?:is|are) done|Next try/,
      );
      expect(await walk.page.locator('[data-said]').textContent()).toContain('live.csv – Finished');
      expect(await walk.page.evaluate('window.stayed === true'), 'the page was not loaded again').toBe(true);
      await expectStill(walk.page, 'while it is delivered');
      await picture(walk.page, 'batch-followed-390-light');
      expect(walk.noise).toEqual([]);
      await file;
      await walk.context.close();
    } finally {
      await putSandbox('faults', LASTING_FAULTS);
    }
  });
});

describe('a row that changes while its page is open', () => {
  it('says why it is as it is now', async () => {
    const slow = {
      match: { method: 'POST', bodyIncludes: 'WHYNOW' },
      fault: { type: 'delay', ms: 5_000, apply: 'before' },
    };
    await putSandbox('faults', [...LASTING_FAULTS, slow]);
    try {
      const file = uploaded('why-now.csv', 'carrier-status-csv', statusFile([statusRow('WHYNOW', 'X3', 0)]));
      const { page, open, context } = await walkAs('operator');
      const now = { label: 'Refused', meaning: 'It was refused.', why: '“No such load”', look: 'bad', shape: '✗' };
      await page.addInitScript(
        'window.EventSource = class extends EventTarget { constructor() { super(); window.heard = this; } close() {} }',
      );
      for (let tries = 0; tries < 50 && (await page.locator('tbody tr').count()) === 0; tries += 1)
        await open('/batches?fileName=why-now.csv');
      const href = await page.locator('tbody tr a').first().getAttribute('href');
      await page.goto(new URL(`${href?.replace(/[?#].*/, '')}?state=all`, page.url()).href);
      const row = page.locator('#row-1');
      await page.evaluate(
        (data) => Reflect.get(globalThis, 'heard').dispatchEvent(new MessageEvent('progress', { data })),
        JSON.stringify({ rows: { 'row-1': now } }),
      );
      await row.getByText('“No such load”').waitFor();
      expect([
        await row.locator('td[data-name=Why] span').getAttribute('title'),
        await row.locator('.state').getAttribute('title'),
      ]).toEqual(['“No such load”', 'It was refused.']);
      await file;
      await context.close();
    } finally {
      await putSandbox('faults', LASTING_FAULTS);
    }
  });
});

describe('the keyboard', () => {
  it('searches with /, goes through rows with j and k, and opens with Enter', async () => {
    const { page, open, context } = await walkAs('operator');
    await open('/batches');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/batches\/b_/);
    await context.close();
  });

  it('begins with a link that skips to the content', async () => {
    const { page, open, context } = await walkAs('viewer');
    await open('/batches');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await context.close();
  });
});

describe('10,000 rows with 400 failures of three kinds', () => {
  const rows = [
    ...Array.from({ length: 9_600 }, (_, at) => statusRow(`BIG-${at % 300}`, 'X3', at % 900)),
    ...Array.from({ length: 40 }, (_, at) => statusRow(`BIG-Q${at}`, 'QZ', at)),
    ...Array.from({ length: 240 }, (_, at) => statusRow(`SHUT-${at}`, 'X3', at)),
    ...Array.from({ length: 120 }, (_, at) => statusRow(`BIG-D${at}`, 'X3', at).replace('03/02/2026', '13/45/2026')),
  ];
  let big = '';

  it('are three issues, on a page that is as light and as short as any', async () => {
    const shut = {
      match: { method: 'POST', bodyIncludes: 'SHUT-' },
      fault: { type: 'status', status: 422, body: '{}' },
    };
    await putSandbox('faults', [...LASTING_FAULTS, shut]);
    big = await uploaded('big.csv', 'carrier-status-csv', statusFile(rows)).finally(() =>
      putSandbox('faults', LASTING_FAULTS),
    );
    const { baseUrl, keys } = staged();
    const headers = { Authorization: `Bearer ${keys.acme}` };
    const answer = await fetch(`${baseUrl}/v1/batches/${big}/issues`, { headers });
    const { issues } = (await answer.json()) as { issues: { rows: number }[] };
    expect(issues.map(({ rows: alike }) => alike).sort((one, other) => other - one)).toEqual([240, 120, 40]);
    await checkPage('operator', batchPath(big), 'batch-big');
  }, 300_000);

  it('of one kind are mended and delivered in six clicks from home: exactly these, once', async () => {
    const walk = await walkAs('operator');
    const { page } = walk;
    await eventually(async () => {
      await walk.open('/');
      expect(await page.getByRole('link', { name: /“QZ”/ }).count()).toBe(1);
    });
    const click = async (role: 'link' | 'button', name: string | RegExp, then: RegExp): Promise<void> => {
      await page.getByRole(role, { name }).first().click();
      await page.waitForURL(then);
    };
    await click('link', /“QZ”/, /\/issues\/[0-9a-f]{16}/);
    const path = new URL(page.url()).pathname.replace('/console', '');
    await click('link', 'Add to code list…', /\/do\/edit-code-list/);
    await page.getByLabel('What it means').selectOption('X3');
    await page.getByLabel('Why').fill('QZ is an arrival');
    await click('button', 'Show what would happen', /\/do\/edit-code-list/);
    await page.getByRole('button', { name: /^Publish/ }).click();
    await page.getByRole('link', { name: 'Send the 40 rows again…' }).waitFor();
    await picture(page, 'word-published');
    expect(await sentWith('BIG-Q')).toEqual([]);
    await click('link', 'Send the 40 rows again…', /\/do\/resubmit-issue/);
    await page.getByLabel('Why').fill('QZ is an arrival');
    await picture(page, 'resubmit-plan');
    await click('button', 'Send 40 rows', /\/sent/);
    await page.getByText('The issue is resolved').waitFor({ timeout: 60_000 });
    const batches = new URL(page.url()).searchParams.get('batches');
    const loads = (await sentWith('BIG-Q')).map((body) => (JSON.parse(body) as { loadNumber: string }).loadNumber);
    expect(loads.sort()).toEqual(Array.from({ length: 40 }, (_, at) => `BIG-Q${at}`).sort());
    expect(walk.noise).toEqual([]);
    await walk.context.close();
    await checkPage('operator', `${path}/sent?batches=${batches}`, 'issue-sent');
  }, 300_000);

  it('open about as fast as ten rows', async () => {
    const small = await uploaded('small.csv', 'carrier-status-csv', statusFile(rows.slice(0, 10)));
    const walk = await walkAs('operator');
    const msOf = async (batchId: string): Promise<number> => {
      const times: number[] = [];
      for (let time = 0; time < 5; time += 1) {
        const fromMs = performance.now();
        await walk.open(batchPath(batchId));
        times.push(performance.now() - fromMs);
      }
      return times.sort((one, other) => one - other)[2] ?? 0;
    };
    await msOf(small);
    expect((await msOf(big)) / (await msOf(small))).toBeLessThan(3);
    await walk.context.close();
  }, 120_000);
});
