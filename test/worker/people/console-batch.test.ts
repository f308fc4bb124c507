/** The page of a batch and what leads from it: what it lists, counts and keeps, without a script. */
import { reset } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pageText } from '../console-forms.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { unique, uploaded } from '../dead-letters.ts';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Refused are the loads that hold one of these words, each with its own answer. */
const refuses = (answers: Readonly<Record<string, string>>) =>
  upstreamAnswers(({ body }) => {
    const word = Object.keys(answers).find((each) => body.includes(each));
    return word === undefined ? Response.json({}) : Response.json({ message: answers[word] }, { status: 422 });
  });

const rowsShown = (html: string): number[] =>
  [...html.matchAll(/<tr[^>]* id="row-(\d+)"/g)].map(([, record]) => Number(record));

const hrefOf = (html: string, text: string): string =>
  (new RegExp(`href="([^"]*)"[^>]*>${text}<`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&');

const wrongRows = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => statusRow(`${unique()}${at}`, { 'Event Date': 'soon' }));

describe('the page of a batch', () => {
  it('leads from an issue to its own rows, also where another has the same status', async () => {
    refuses({ SHUT: 'The load is closed', LOST: 'Stop unknown' });
    const partner = await aPartner();
    const loads = ['SHUT', 'LOST', 'SHUT', 'LOST', 'SHUT'];
    const file = statusFile(...loads.map((word, at) => statusRow(`${unique()}${word}${at}`)));
    const { batchId } = await uploaded(partner, file, { rejected: 5 });
    const html = await pageText(partner, `/console/batches/${batchId}`);
    const listed = await pageText(partner, hrefOf(html, '3 rows').replace(/#.*/, ''));
    expect(rowsShown(listed)).toEqual([1, 3, 5]);
    expect(listed).toContain('Only rows of one cause.');
    const wide = await pageText(partner, `/console/batches/${batchId}?state=rejected&status=422`);
    expect(rowsShown(wide)).toEqual([1, 2, 3, 4, 5]);
    expect(wide).toContain('Only rows that were answered with status 422.');
  });

  it('goes on to the next rows from one that a link has opened, whatever their state', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const right = Array.from({ length: 60 }, (_, at) => statusRow(`${unique()}${at}`));
    const { batchId } = await uploaded(partner, statusFile(...wrongRows(1), ...right), { invalid: 1, delivered: 60 });
    const opened = await pageText(partner, `/console/batches/${batchId}?row=5`);
    expect(rowsShown(opened)[0]).toBe(5);
    const next = await pageText(partner, hrefOf(opened, 'Next rows'));
    expect(rowsShown(next)[0]).toBe(5 + rowsShown(opened).length);
  });

  it('says nothing of rows that came since where it does not know which of them are like those it shows', async () => {
    const { answer, partner, batchId } = await openBatch();
    const liveCount = async (query: string): Promise<string> =>
      /data-live[^>]*="[^"]*events\?[^"]*count=(\d*)/.exec(
        await pageText(partner, `/console/batches/${batchId}${query}`),
      )?.[1] ?? 'none';
    expect([await liveCount('?state=all'), await liveCount('?text=LT'), await liveCount('?code=none')]).toEqual([
      '2',
      'none',
      'none',
    ]);
    answer();
  });
});

/** A batch of two rows whose upstream has not answered yet. */
async function openBatch(): Promise<{ answer: () => void; partner: Partner; batchId: string }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  upstreamAnswers(async () => {
    await promise;
    return Response.json({});
  });
  const partner = await aPartner();
  const { batchId } = await partner.receipt(statusFile(statusRow(unique()), statusRow(unique())));
  await vi.waitFor(async () => expect((await partner.summary(batchId)).state).toBe('delivering'));
  return { answer: resolve, partner, batchId };
}

describe('the page that mends rows', () => {
  it('says how many of all wrong rows it shows, where these are more than a page', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const { batchId } = await uploaded(partner, statusFile(...wrongRows(30)), { invalid: 30 });
    const first = await pageText(partner, `/console/batches/${batchId}/fix`);
    expect(first).toContain('<h1>Fix 25 of 30 rows</h1>');
    expect(await pageText(partner, hrefOf(first, 'More rows to fix'))).toContain('<h1>Fix 5 of 30 rows</h1>');
  });
});

describe('the page that sends a file', () => {
  it('keeps the carrier that was chosen, through a check and a refusal', async () => {
    const partner = await aPartner({ scacs: ['DEMO', 'ACME'] });
    const csrf = /name="csrf" value="([^"]+)"/.exec(await pageText(partner, '/console/upload'))?.[1] ?? '';
    const shownAfter = async (path: string, values: Record<string, string>, text: string): Promise<string> => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ csrf, scac: 'ACME', ...values })) form.set(name, value);
      form.set('file', new File([text], 'chosen.csv'));
      const headers = { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
      return (await partner.fetch(path, { method: 'POST', body: form, headers, redirect: 'manual' })).text();
    };
    const chosen = /<option value="ACME" selected(?:="")?>/;
    const file = statusFile(statusRow(unique()));
    expect(await shownAfter('/console/upload/check', { mapping: 'carrier-status-csv' }, file)).toMatch(chosen);
    expect(await shownAfter('/console/upload/check', { mapping: '' }, '')).toMatch(chosen);
    expect(await shownAfter('/console/upload', { mapping: '' }, file)).toMatch(chosen);
    expect(await shownAfter('/console/upload', { mapping: 'nothing' }, file)).toMatch(chosen);
  });
});
