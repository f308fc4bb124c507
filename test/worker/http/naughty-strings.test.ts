/** Texts that programs stumble over, wherever somebody may write one: they come back as they were, and nothing takes them for more. */
import { reset } from 'cloudflare:test';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { statusFile, statusRow } from '../csv-files.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

const NAUGHTY: Readonly<Record<string, readonly string[]>> = {
  markup: [
    ...[
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "'><svg/onload=alert(1)>",
      '</title><script>x()',
    ],
    ...[
      '<a href="javascript:alert(1)">x</a>',
      '<iframe srcdoc="<script>x</script>">',
      '<!--',
      ']]>',
      '&lt;b&gt;&#x3c;',
    ],
    ...[
      '<style>@import"//x.example"</style>',
      '{{7*7}}',
      '$' + '{7*7}',
      '<%= 7*7 %>',
      '`alert(1)`',
      '<base href="//x.example">',
    ],
    ...['<math><mi xlink:href="data:x,<script>x</script>">', 'onfocus=alert(1) autofocus', '\u003cscript\u003e'],
  ],
  lines: [
    'a\r\nSet-Cookie: x=1',
    'a\r\n\r\n<html>',
    'a\nLocation: //x.example',
    '%0d%0aX: 1',
    'a\u2028b',
    'a\u0085b',
    '\t',
    '\u000b',
  ],
  paths: [
    ...['../../etc/passwd', '..\\..\\windows', '/etc/passwd', 'C:\\x', '%2e%2e%2f', '....//', 'file:///etc/passwd'],
    ...['.', '..', '~', 'con', '\\\\server\\share', 'a/../../b', '\u2025/x'],
  ],
  formulas: ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '=HYPERLINK("//x.example")', "=cmd|' /C calc'!A0", '\uff1d1+1'],
  programs: [
    ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'undefined', 'NaN', 'true', '0'],
    ...[
      "'; DROP TABLE batch; --",
      '1 OR 1=1',
      '" or ""="',
      '$(id)',
      '`id`',
      '; ls',
      '| cat',
      '%s%n',
      '%00',
      '[]',
      '{}',
    ],
  ],
  numbers: ['1e400', '-0', '00', '0x10', '9007199254740993', '1,5', '١٢٣', '²', 'Infinity', '1_000'],
  writing: [
    ...[
      '\u202eevil',
      '\u200b',
      '\ufeffx',
      'e\u0301',
      'ﬁ',
      '👩‍👩‍👧',
      '\ud83d\ude00',
      'ﷺ',
      'İıſ',
      'ß',
      '田中さん',
      'مرحبا',
      'T\u0336e\u0336',
    ],
    ...['\u0001', '\u007f', '\u001b[31mred', 'x'.repeat(5_000), '\u0300'.repeat(200), '\uffff'],
  ],
};
const ALL = Object.values(NAUGHTY).flat();

let partner: Partner;
let batchId: string;
beforeAll(async () => {
  upstreamAnswers(200);
  partner = await aPartner();
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = ALL.map((text, at) => statusRow(`N${at}`, { City: cell(text), Status: cell(text) }));
  ({ batchId } = await partner.receipt(statusFile(...rows), { fileName: ALL[1] ?? '' }));
  await partner.reaches(batchId, 'settled');
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await reset();
});

it(`there are more than ninety of them`, () => expect(new Set(ALL).size).toBeGreaterThan(90));

describe('in a cell', () => {
  it('each comes back in its own row as it was written', async () => {
    const { rows } = await partner.getJson<{ rows: { columns: [string, string][] }[] }>(
      `/v1/batches/${batchId}/report.json`,
    );
    expect(rows.map(({ columns }) => new Map(columns).get('City'))).toEqual(ALL);
    expect(({} as { x?: string }).x).toBeUndefined();
  });

  it('is no formula in the CSV report', async () => {
    const csv = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    // a plain number is none
    const begins = csv.match(/(?:^|,)"[=+@\uff1d-](?!\d+")[^"]/gm) ?? [];
    expect(begins).toEqual([]);
  });

  it('is text on the pages, and in no header', async () => {
    for (const path of [
      `/console/batches/${batchId}?state=all`,
      '/console/batches',
      `/console/batches/${batchId}/fix`,
    ]) {
      const page = await partner.fetch(path, { headers: { Accept: 'text/html' } });
      const html = await page.text();
      expect([path, page.status]).toEqual([path, 200]);
      for (const markup of ['<script>alert', '<img src=x', '<svg/onload', '<iframe srcdoc', '<base href="//', '<math>'])
        expect(html, path).not.toContain(markup);
      // attributes alone: their values are between quotes
      const bare = html.replace(/"[^"]*"/g, '""');
      expect(bare.match(/<\w[^>]*\son\w+=/gi) ?? [], path).toEqual([]);
      expect(html, path).not.toMatch(/href="javascript:/i);
      expect([...page.headers.keys()]).not.toContain('x');
    }
  });
});

describe('in an address or a body, from partners and operators', () => {
  it('each is answered, and never by a failure of ours', async () => {
    const operator = await anOperator({ role: 'admin' });
    const failed: string[] = [];
    const asked = async (what: string, answer: Promise<Response>): Promise<void> => {
      const { status, headers } = await answer;
      if (status >= 500 || headers.has('set-cookie')) failed.push(`${what}: ${status}`);
    };
    for (const text of ALL) {
      const part = encodeURIComponent(text);
      const shown = JSON.stringify(text).slice(0, 40);
      // '.' and '..' would be another address
      const paths =
        text === '.' || text === '..' ? [] : [`/v1/loads/${part}`, `/v1/batches/${part}`, `/v1/orders/${part}`];
      for (const path of [...paths, `/v1/rows?text=${part}`, `/v1/batches?fileName=${part}&limit=1`])
        await asked(`GET ${shown}`, partner.fetch(path));
      await asked(`preview ${shown}`, partner.upload('x', { mapping: text, fileName: text, scac: text }));
      const body = JSON.stringify({ name: text, displayName: text, channel: text, why: text });
      await asked(`partner ${shown}`, operator.fetch('/v1/ops/partners?environment=test', { method: 'POST', body }));
    }
    expect(failed).toEqual([]);
  }, 180_000);

  it('a key of repeats takes those that a header can hold, and others are refused in words', async () => {
    for (const text of ALL.filter((each) => /^[\x20-\x7e]+$/.test(each) && each.trim() === each).slice(0, 30)) {
      const answer = await partner.upload(statusFile(statusRow('K')), {}, { headers: { 'Idempotency-Key': text } });
      expect([202, 400, 409, 422], text).toContain(answer.status);
    }
  });
});
